//! How sure the figures of one model are, and the differences between two: bootstrap over images.

mod balance;
mod comparable;
mod comparison;
mod draw;
mod formula;
mod layout;
mod resampled;
mod sums;
#[cfg(test)]
mod tests;

use crate::Dimension;
use crate::statistics::quantile;

pub use comparable::NotCompared;
pub use comparison::{Certainty, Comparison, Difference, Model, PassDifference, Test, compare};
pub use resampled::{Resampled, resample};

/// How images are resampled.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// Seed of the draws.
    pub seed: u64,
    /// Number of resamples, at least 1.
    pub resamples: usize,
    /// Confidence of the intervals, above 0 and below 1.
    pub level: f64,
}

impl Default for Options {
    /// 1000 resamples, 95 % intervals.
    fn default() -> Self {
        Self {
            seed: 0,
            resamples: 1000,
            level: 0.95,
        }
    }
}

/// A percentile interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// Lower limit.
    pub low: f64,
    /// Upper limit.
    pub high: f64,
}

impl Interval {
    /// The middle `level` of the replicates.
    fn of(mut replicates: Vec<f64>, level: f64) -> Self {
        replicates.sort_unstable_by(f64::total_cmp);
        let tail = (1.0 - level) / 2.0;
        Self {
            low: quantile(&replicates, tail),
            high: quantile(&replicates, 1.0 - tail),
        }
    }
}

/// The interval of a QUBA score.
#[derive(Clone, Debug, PartialEq)]
pub struct QubaInterval {
    /// The interval.
    pub interval: Interval,
    /// Scored dimensions whose own uncertainty is not in it, in column order: they were held at
    /// their measured values, so the interval is too narrow by their share.
    pub held_fixed: Vec<Dimension>,
}

/// Why a dimension has no interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoInterval {
    /// It has no value either.
    #[error("not measured")]
    NotMeasured,
    /// It does not depend on images.
    #[error("the same whatever the images")]
    Constant,
    /// Calibration error: the records give its expected part anew, but not its adaptive part.
    #[error("the adaptive calibration error cannot be recomputed from the records")]
    AdaptiveError,
    /// Class balance, where the spread within a class cannot be resampled.
    #[error("a class has a single image, which tells nothing of the spread within it")]
    SingleImage,
    /// Some resamples have no value, for instance because their clean accuracy is 0.
    #[error("undefined in some resamples: too few images or right answers")]
    Undefined,
    /// All resamples have the same value.
    #[error("the same in every resample: all answers of a set are right, or all wrong")]
    NoVariation,
    /// Records of an image list contradict each other.
    #[error("the image lists contradict each other")]
    Lists,
}
