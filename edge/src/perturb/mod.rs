//! What changes an image before the model sees it.

pub mod attack;
pub mod corruption;
pub mod generate;
pub mod rng;
