//! The nine quality dimensions: names, units, directions and ranges.

use std::fmt;
use std::ops::{Index, IndexMut};
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// One of the nine quality dimensions, in the column order used everywhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Dimension {
    /// Top-1 accuracy on the clean images.
    Accuracy,
    /// Geometric mean of the relative accuracies under FGSM and PGD.
    AdversarialRobustness,
    /// Mean relative accuracy over 15 corruptions at 5 severities.
    CorruptionRobustness,
    /// Geometric mean of five relative out-of-distribution accuracies.
    OodRobustness,
    /// Geometric mean of the adaptive and the expected calibration error.
    CalibrationError,
    /// Geometric mean of the balance of class accuracies and of class confidences.
    ClassBalance,
    /// One minus the relative accuracy lost when backgrounds mislead.
    ObjectFocus,
    /// Share of shape decisions among shape and texture decisions.
    ShapeBias,
    /// Millions of parameters.
    Parameters,
}

/// Whether a larger value is a better one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Larger values are better.
    HigherIsBetter,
    /// Smaller values are better.
    LowerIsBetter,
}

impl Direction {
    /// `+1` where higher is better, `-1` where lower is better: the sign of a dimension in QUBA.
    pub fn sign(self) -> f64 {
        match self {
            Self::HigherIsBetter => 1.0,
            Self::LowerIsBetter => -1.0,
        }
    }
}

impl Dimension {
    /// All nine, in column order.
    pub const ALL: [Self; 9] = [
        Self::Accuracy,
        Self::AdversarialRobustness,
        Self::CorruptionRobustness,
        Self::OodRobustness,
        Self::CalibrationError,
        Self::ClassBalance,
        Self::ObjectFocus,
        Self::ShapeBias,
        Self::Parameters,
    ];

    /// The name a person reads, in lower case.
    pub fn name(self) -> &'static str {
        match self {
            Self::Accuracy => "accuracy",
            Self::AdversarialRobustness => "adversarial robustness",
            Self::CorruptionRobustness => "corruption robustness",
            Self::OodRobustness => "out-of-distribution robustness",
            Self::CalibrationError => "calibration error",
            Self::ClassBalance => "class balance",
            Self::ObjectFocus => "object focus",
            Self::ShapeBias => "shape bias",
            Self::Parameters => "parameters",
        }
    }

    /// The short name used for columns, weights and options.
    pub fn column(self) -> &'static str {
        match self {
            Self::Accuracy => "acc",
            Self::AdversarialRobustness => "adv",
            Self::CorruptionRobustness => "cor",
            Self::OodRobustness => "ood",
            Self::CalibrationError => "cal",
            Self::ClassBalance => "bal",
            Self::ObjectFocus => "obj",
            Self::ShapeBias => "shape",
            Self::Parameters => "params",
        }
    }

    /// The unit of a value: a share of one, an error, a ratio, or millions.
    pub fn unit(self) -> &'static str {
        match self {
            Self::Accuracy | Self::ShapeBias => "share",
            Self::AdversarialRobustness | Self::CorruptionRobustness | Self::OodRobustness => {
                "relative accuracy"
            }
            Self::CalibrationError => "error",
            Self::ClassBalance | Self::ObjectFocus => "score",
            Self::Parameters => "millions",
        }
    }

    /// Whether larger values are better.
    pub fn direction(self) -> Direction {
        match self {
            Self::CalibrationError | Self::Parameters => Direction::LowerIsBetter,
            _ => Direction::HigherIsBetter,
        }
    }

    /// Smallest and largest possible value; `f64::INFINITY` where there is no upper limit.
    ///
    /// Relative accuracies may exceed 1, and object focus does so when a model does better with
    /// random backgrounds; its lower limit is 1 − 1/acc, unbounded as accuracy approaches zero.
    pub fn range(self) -> (f64, f64) {
        match self {
            Self::Accuracy | Self::ShapeBias | Self::ClassBalance => (0.0, 1.0),
            // ECE is at most 1 and ACE at most 2 (one class: all mass wrong in both directions).
            Self::CalibrationError => (0.0, std::f64::consts::SQRT_2),
            Self::ObjectFocus => (f64::NEG_INFINITY, f64::INFINITY),
            Self::AdversarialRobustness
            | Self::CorruptionRobustness
            | Self::OodRobustness
            | Self::Parameters => (0.0, f64::INFINITY),
        }
    }
}

impl fmt::Display for Dimension {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A word that names no dimension.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "unknown dimension '{0}': expected one of acc, adv, cor, ood, cal, bal, obj, shape, params"
)]
pub struct UnknownDimension(pub String);

impl FromStr for Dimension {
    type Err = UnknownDimension;

    /// Accepts the short column name or the full name.
    fn from_str(word: &str) -> Result<Self, UnknownDimension> {
        Self::ALL
            .into_iter()
            .find(|d| word == d.column() || word == d.name())
            .ok_or_else(|| UnknownDimension(word.to_owned()))
    }
}

/// One `T` per dimension.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct PerDimension<T>(pub [T; 9]);

impl<T> PerDimension<T> {
    /// Builds each entry from its dimension.
    pub fn from_fn(mut f: impl FnMut(Dimension) -> T) -> Self {
        Self(Dimension::ALL.map(&mut f))
    }

    /// Transforms each entry.
    pub fn map<U>(&self, mut f: impl FnMut(Dimension, &T) -> U) -> PerDimension<U> {
        PerDimension::from_fn(|d| f(d, &self[d]))
    }

    /// Entries with their dimensions, in column order.
    pub fn iter(&self) -> impl Iterator<Item = (Dimension, &T)> {
        Dimension::ALL.into_iter().zip(&self.0)
    }
}

impl<T> Index<Dimension> for PerDimension<T> {
    type Output = T;

    fn index(&self, dimension: Dimension) -> &T {
        &self.0[dimension as usize]
    }
}

impl<T> IndexMut<Dimension> for PerDimension<T> {
    fn index_mut(&mut self, dimension: Dimension) -> &mut T {
        &mut self.0[dimension as usize]
    }
}

/// One value per dimension; `None` is "not measured".
pub type Values = PerDimension<Option<f64>>;
