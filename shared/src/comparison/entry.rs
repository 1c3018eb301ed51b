//! What a ranking knows of one evaluation.

use crate::dimension::{Dimension, PerDimension, Values};
use crate::labels::LabelSet;
use crate::metrics::adversarial::black_box;
use crate::metrics::{Measured, measure, values};
use crate::result::Evaluation;

/// The figures of one evaluation and what they may be compared with.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// Display name of the model.
    pub name: String,
    /// The nine values.
    pub values: Values,
    /// The protocol, or all of them in column order, joined by `+`.
    pub protocol: String,
    /// The black-box attack that adversarial robustness is measured by, where it is.
    pub black_box: Option<String>,
    /// How the corrupted images came about, where corruption robustness was measured.
    pub corruptions: Option<String>,
    /// Whether the labels are those of the study.
    pub is_imagenet: bool,
}

impl Entry {
    /// Measures an evaluation.
    pub fn of(evaluation: &Evaluation) -> Self {
        Self::measured(evaluation, &measure(evaluation))
    }

    /// From an evaluation and what [`measure`] gave for it.
    pub fn measured(evaluation: &Evaluation, measured: &PerDimension<Measured>) -> Self {
        let mut protocols: Vec<&str> = evaluation.protocols.iter().map(|(_, p)| p.name()).collect();
        protocols.dedup();
        let values = values(measured);
        let corruptions =
            values[Dimension::CorruptionRobustness].and_then(|_| evaluation.corruption_origin());
        Self {
            name: evaluation.model.name.clone(),
            values,
            protocol: protocols.join("+"),
            corruptions,
            black_box: black_box(evaluation).map(|attack| attack.to_string()),
            is_imagenet: evaluation.label_set.hash == LabelSet::imagenet().hash(),
        }
    }
}
