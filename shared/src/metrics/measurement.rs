//! What measuring one dimension gives: a number with its parts, or the reason there is none.

use crate::dimension::{PerDimension, Values};
use crate::outcome::{Corruption, PassKind};

/// A measured dimension, or why it is not.
pub type Measured = Result<Measurement, NotMeasured>;

/// The value of one dimension and what it was computed from.
#[derive(Clone, Debug, PartialEq)]
pub struct Measurement {
    /// The value, in the dimension's unit; always finite.
    pub value: f64,
    /// Images that the value describes: those of the dimension's own sets, without the clean
    /// images that relative accuracies are divided by. 0 for parameters.
    pub images: u32,
    /// Intermediate results, in a fixed order; empty where the value has none.
    pub parts: Vec<Part>,
}

/// An intermediate result of a measurement.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// What it is, in lower case.
    pub name: String,
    /// Its value, always finite.
    pub value: f64,
}

impl Part {
    pub(super) fn new(name: impl Into<String>, value: f64) -> Self {
        Self {
            name: name.into(),
            value,
        }
    }
}

impl Measurement {
    /// Itself, unless the value or a part is not finite.
    pub(super) fn finite(self) -> Measured {
        let finite = self.value.is_finite() && self.parts.iter().all(|p| p.value.is_finite());
        if finite {
            Ok(self)
        } else {
            Err(NotMeasured::Undefined("the value is not finite".to_owned()))
        }
    }
}

/// Why a dimension has no value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotMeasured {
    /// Image sets that the dimension needs were not evaluated.
    #[error("not evaluated: {}", join(passes))]
    MissingPass {
        /// The passes that are missing, in order.
        passes: Vec<PassKind>,
    },
    /// Corruption robustness needs all 15 corruptions at all five severities.
    #[error(
        "{present} of 75 corruption passes evaluated; incomplete: {}",
        join_scored(incomplete)
    )]
    IncompleteCorruptions {
        /// How many of the 75 are there.
        present: usize,
        /// The corruptions that lack a severity, in order.
        incomplete: Vec<Corruption>,
    },
    /// The formula has no value for these records; the text says why.
    #[error("undefined: {0}")]
    Undefined(String),
    /// Calibration needs the adaptive error, which only all class probabilities can give.
    #[error("adaptive calibration error unknown: it cannot be recomputed after merging parts")]
    AceUnknown,
}

fn join<T: ToString>(items: &[T]) -> String {
    let words: Vec<String> = items.iter().map(T::to_string).collect();
    words.join(", ")
}

fn join_scored(corruptions: &[Corruption]) -> String {
    if corruptions == Corruption::SCORED {
        "all 15".to_owned()
    } else {
        join(corruptions)
    }
}

/// The bare values, for scores and tables.
pub fn values(measured: &PerDimension<Measured>) -> Values {
    measured.map(|_, m| m.as_ref().ok().map(|m| m.value))
}
