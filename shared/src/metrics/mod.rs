//! The metrics: outcome records in, one number per dimension out.
//!
//! One file per metric. Each offers the plain formula and reads the records it needs from an
//! [`Evaluation`]; [`measure`] collects all nine. [`decision`] holds what is decided per image
//! while the model runs.

pub mod accuracy;
pub mod adversarial;
pub mod agreement;
pub mod balance;
pub mod calibration;
pub mod corruption;
pub mod decision;
mod measurement;
pub mod object_focus;
pub mod ood;
pub mod parameters;
pub(crate) mod records;
pub mod relative;
pub mod shape_bias;
#[cfg(test)]
pub(crate) mod tests;

pub use accuracy::pass_accuracy;
pub use measurement::{Measured, Measurement, NotMeasured, Part, values};

use crate::dimension::{Dimension, PerDimension};
use crate::result::Evaluation;

/// Geometric mean, `exp(mean(ln v))` (SPEC §0).
///
/// Exactly 0 if a value is 0; NaN if one is negative or there is none.
pub fn gmean(values: &[f64]) -> f64 {
    let sum: f64 = values.iter().map(|v| v.ln()).sum();
    (sum / values.len() as f64).exp()
}

/// Measures every dimension from the records of one evaluation.
///
/// Never panics and never returns a value that is not finite: records that contradict each other
/// give [`NotMeasured::Undefined`].
pub fn measure(evaluation: &Evaluation) -> PerDimension<Measured> {
    PerDimension::from_fn(|dimension| {
        let measured = match dimension {
            Dimension::Accuracy => accuracy::measure(evaluation),
            Dimension::AdversarialRobustness => adversarial::measure(evaluation),
            Dimension::CorruptionRobustness => corruption::measure(evaluation),
            Dimension::OodRobustness => ood::measure(evaluation),
            Dimension::CalibrationError => calibration::measure(evaluation),
            Dimension::ClassBalance => balance::measure(evaluation),
            Dimension::ObjectFocus => object_focus::measure(evaluation),
            Dimension::ShapeBias => shape_bias::measure(evaluation),
            Dimension::Parameters => Ok(parameters::measure(evaluation)),
        };
        measured.and_then(Measurement::finite)
    })
}
