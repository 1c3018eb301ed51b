//! What a ranking knows of one evaluation.

use std::collections::BTreeMap;

use crate::dimension::{Dimension, PerDimension, Values};
use crate::labels::LabelSet;
use crate::metrics::adversarial::black_box;
use crate::metrics::{Measured, measure, records, values};
use crate::outcome::PassKind;
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
    /// Fewest clean images of a class that has any, where class balance was measured on a sample.
    pub sampled_per_class: Option<u32>,
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
            sampled_per_class: values[Dimension::ClassBalance]
                .and_then(|_| sampled_per_class(evaluation)),
            is_imagenet: evaluation.label_set.hash == LabelSet::imagenet().hash(),
        }
    }
}

/// Fewest clean images of a class that has any; `None` where all of the set were shown.
fn sampled_per_class(evaluation: &Evaluation) -> Option<u32> {
    let (pass, list) = records::pass(evaluation, PassKind::Clean).ok()?;
    if list.labels.len() + pass.skipped.len() >= list.population as usize {
        return None;
    }
    let mut images: BTreeMap<u32, u32> = BTreeMap::new();
    for &label in &list.labels {
        *images.entry(label).or_default() += 1;
    }
    images.into_values().min()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcome::IndexRuns;
    use crate::result::testing::small_evaluation;

    #[test]
    fn only_samples_count_their_images_by_class() {
        let mut evaluation = small_evaluation();
        let clean = evaluation
            .passes
            .iter_mut()
            .find(|p| p.kind == PassKind::Clean);
        let clean = clean.unwrap();
        clean.skipped.clear();
        let list = &mut evaluation.lists[clean.list as usize];
        list.labels = vec![0, 0, 0, 1, 1];
        list.indices = (0..5).collect::<IndexRuns>();
        list.population = 5;
        assert_eq!(sampled_per_class(&evaluation), None);
        evaluation.lists[0].population = 6;
        assert_eq!(sampled_per_class(&evaluation), Some(2));
    }
}
