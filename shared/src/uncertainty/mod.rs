//! How sure the figures of one model are, and the differences between two: bootstrap over images.
//!
//! [`resample`] is the slow step, once per model: it measures the dimensions on resampled images.
//! [`Resampled`] then answers at once, for any weights. [`compare`] pairs two models, [`stability`]
//! says how sure the order of several is, [`contributions`] which images to add.
//!
//! - **Jointly.** An image has one weight per resample, in all passes that show it (lists of equal
//!   identity and size, by index), so the correlation of clean and shifted answers counts, and the
//!   clean accuracy below a relative one is that of the same resample. Where two sets merely carry
//!   the same names, a joint weight does no harm: what it measures of their correlation is zero on
//!   average.
//! - **By class.** Images are drawn within their class or group, as such sets are composed (and as
//!   `--images` samples them), without the bias of small classes (Rao and Wu). Classes of one image
//!   are drawn together.
//! - **The target** of an interval is the metric on other images of the same classes, sets of the
//!   same size. That matters for class balance alone, whose value hangs on the number of images per
//!   class.
//! - **Percentile intervals**: the middle 95 % of the resamples, those of class balance corrected as
//!   described there.
//! - **Without an interval**: parameters, which images do not change; calibration error, whose
//!   adaptive part takes all probabilities, which files do not keep; what is the same in every
//!   resample (all attacked images wrong) or undefined in some; class balance where a class has one
//!   image. QUBA holds such dimensions fixed and [`QubaInterval::held_fixed`] names them. The
//!   reference counts as fixed too.
//!
//! Coverage of 95 % intervals in percent, 2000 samples each (`table_of_coverage`, standard error
//! 0.5), of models whose class accuracies spread over 0.5 (or 0.1) around 0.7, with images of shared
//! difficulty; the truth is a closed form, for class balance the mean of 8000 samples:
//!
//! | classes × images | acc | adv | cor | ood | bal | obj | shape | QUBA |
//! |---|---|---|---|---|---|---|---|---|
//! | 10 × 50 | 95.3 | 94.1 | 94.2 | 95.0 | 94.9 | 94.5 | 95.8 | 94.0 |
//! | 10 × 20 | 95.6 | 95.3 | 94.1 | 94.8 | 94.9 | 94.0 | 95.6 | 94.9 |
//! | 100 × 10 | 95.5 | 94.7 | 94.8 | 94.1 | 94.8 | 94.3 | 94.8 | 94.2 |
//! | 100 × 10, spread 0.1 | 95.2 | 95.0 | 94.6 | 94.2 | 96.0 | 94.2 | 94.8 | 94.2 |
//! | 100 × 50 | 94.8 | 94.5 | 95.9 | 94.7 | 94.7 | 95.2 | 95.5 | 95.6 |
//! | 40 × 5 | 95.0 | 95.3 | 94.6 | 95.2 | 94.4 | 94.0 | 95.6 | 94.7 |

mod balance;
mod comparable;
mod comparison;
mod contributions;
mod draw;
mod formula;
mod layout;
mod resampled;
mod stability;
mod sums;
#[cfg(test)]
mod tests;
mod ties;

use crate::Dimension;

pub use crate::statistics::Interval;
pub use comparable::NotCompared;
pub use comparison::{Certainty, Comparison, Difference, Model, PassDifference, Test, compare};
pub use contributions::contributions;
pub use resampled::{Resampled, resample};
pub use stability::{Perturbation, Stability, Standing, stability};

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
    #[error("the same in every resample: within each class all answers are right, or all wrong")]
    NoVariation,
    /// Records of an image list contradict each other.
    #[error("the image lists contradict each other")]
    Lists,
}
