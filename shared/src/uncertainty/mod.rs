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
//!
//! # How many images a ranking takes
//!
//! Samples in percent whose QUBA puts models of the published table in its order, by images per set
//! (`table_of_sample_sizes`, 400 samples, standard error at most 2.5, 1.1 near 95). Lists hold, from
//! the best down, models at least so far apart; rows tell of five neighbours in a list and of two,
//! averaged over it, and of all eight models of a device's short list (from EfficientNet-B0 down to
//! SqueezeNet, 0.08 to 0.2 apart but for the last). "Enough" is the size from which on it is 95.
//!
//! | models | 50 | 100 | 200 | 500 | 1000 | 2000 | 5000 | 10 000 | enough |
//! |---|---|---|---|---|---|---|---|---|---|
//! | all four, 1.0 apart | 80 | 93 | 100 | 100 | 100 | 100 | 100 | 100 | 200 |
//! | five, 0.5 apart (of 7) | 30 | 54 | 77 | 98 | 100 | 100 | 100 | 100 | 500 |
//! | five, 0.2 apart (of 14) | 5 | 10 | 20 | 41 | 62 | 92 | 100 | 100 | 5000 |
//! | five, 0.1 apart (of 26) | 3 | 5 | 7 | 13 | 20 | 45 | 94 | 100 | 10 000 |
//! | two, 1.0 apart | 93 | 98 | 100 | 100 | 100 | 100 | 100 | 100 | 100 |
//! | two, 0.5 apart | 78 | 87 | 94 | 99 | 100 | 100 | 100 | 100 | 500 |
//! | two, 0.2 apart | 63 | 67 | 74 | 84 | 90 | 98 | 100 | 100 | 2000 |
//! | two, 0.1 apart | 57 | 60 | 63 | 69 | 75 | 85 | 99 | 100 | 5000 |
//! | short list of 8 | 0 | 1 | 1 | 4 | 7 | 26 | 93 | 100 | 10 000 |
//!
//! The models, 209 that were measured as defined, are imitated: image by image on complete sets of
//! the study's sizes, where they have their published values (`tests/imitation.rs` says how), with
//! images that are hard for all: how hard one is for two models is assumed to correlate by 0.7.
//! Samples are those of `--images`, the same for all models, so sets of up to that size are complete;
//! the order asked for is that of all images.
//!
//! - **Class balance** is what takes the most images. With one or two per class it is another
//!   number: at 1000 images, 4 of the 25 neighbours 0.1 apart stand in the wrong order in most
//!   samples. Intervals do not show it, since their target is sets of the same size. Were class
//!   balance known, every "enough" but that of five 0.5 apart would be a step lower, and no
//!   neighbours mostly wrong.
//! - **Calibration**: the adaptive error stays that of all images, as it cannot be recomputed. Were it
//!   off by the factor that the expected one is off by, no "enough" would be higher.
//! - **Other images for each model** cost at most a step: 1000 for five 0.5 apart, else as above.
//!
//! Recorded answers: of the demo's eight models 15 of 28 pairs have intervals of QUBA that do not
//! overlap (on 256 clean images; 0.69 apart or more, in deviations of these eight). Samples of
//! `table_of_demo_sample_sizes` in percent, 1000 each, standard error at most 1.6, reference and
//! adaptive error those of all images:
//!
//! | pairs in order | 16 | 32 | 48 | 64 | 96 | 128 | 192 | 224 |
//! |---|---|---|---|---|---|---|---|---|
//! | all 15 separated | 75 | 97 | 100 | 100 | 100 | 100 | 100 | 100 |
//! | all 28 | 1 | 3 | 5 | 7 | 11 | 18 | 37 | 59 |

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
