//! A small procedural dataset in the layout of the study, for a demonstration without downloads.
//!
//! A class is a shape with its own typical texture and a correlated background. Colour, light,
//! position, size and pose are random, so that shape, texture and background are the only cues,
//! and the sets of the study can pull them apart. Every picture depends on the seed and on its own
//! set, class and number only; arithmetic is portable, so the bytes are the same on every machine.

mod background;
mod class;
mod models;
mod ood;
mod outline;
mod palette;
mod picture;
mod rng;
mod scene;
mod shape;
#[cfg(test)]
mod tests;
mod texture;
mod write;

pub use class::Class;
pub use models::write_models;
pub use write::{DemoOptions, LABEL_SET, write};

/// Width and height of every picture in pixels.
pub const SIZE: u32 = 64;
