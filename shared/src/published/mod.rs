//! The study's 326 models: figures, groups and what to know before comparing with them.
//!
//! Source, licence and corrections are stated in `models/PUBLISHED.md`.

mod groups;
mod table;

pub use groups::{Architecture, Flag, Flags, PretrainingData, Regime, Setup};
pub use table::{PublishedModel, models};
