//! Models on GPUs: which adapters there are, which one is used, and models on it through wonnx.
//!
//! What needs no GPU library (the types, the choice) is in every build; the rest needs the feature
//! `gpu`.

pub mod adapters;
#[cfg(feature = "gpu")]
pub mod check;
pub mod choice;
#[cfg(feature = "gpu")]
mod enumerate;
#[cfg(feature = "gpu")]
pub mod environment;
#[cfg(feature = "gpu")]
pub mod failure;
#[cfg(feature = "gpu")]
mod owner;
#[cfg(feature = "gpu")]
pub mod session;
#[cfg(feature = "gpu")]
mod wait;
