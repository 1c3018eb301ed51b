//! The one home of what `edge` measures and `desktop` shows: the nine dimensions, their metrics,
//! QUBA, statistics, the published table and the result file.
//!
//! Data flows one way: [`outcome`] records → [`metrics`] → [`quba`] score, and the same records →
//! [`result`] file → merge. Nothing here knows a GUI, a GPU, a command line or an inference engine.

pub mod comparison;
pub mod dimension;
pub mod labels;
pub mod metrics;
pub mod outcome;
pub mod protocol;
pub mod published;
pub mod quba;
pub mod random;
pub mod result;
pub mod statistics;
pub mod uncertainty;
pub mod words;

pub use dimension::{Dimension, Direction, PerDimension};
pub use protocol::Protocol;
