//! QUBA, the quality score: how far a model lies above a reference set, averaged over the nine
//! dimensions with weights.
//!
//! `QUBA = Σ wᵢ·signᵢ·(sᵢ − meanᵢ)/stdᵢ / Σ wᵢ`, with sign −1 for calibration error and parameters
//! (Hesse et al., "Beyond Accuracy", TMLR 2026).

mod preset;
mod ranking;
mod reference;
mod score;
mod weights;

pub use preset::{Preset, UnknownPreset};
pub use ranking::{Coverage, Placement, RankedModel, Ranking, placement, rank, ranking};
pub use reference::{FitError, Reference, Scale};
pub use score::{Score, score};
pub use weights::{Weights, WeightsError};
