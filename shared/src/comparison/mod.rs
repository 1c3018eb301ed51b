//! What is compared with what: the reference of scores that nobody chose, the place among the
//! published models, and what keeps figures of several models from being comparable.

pub mod costs;
mod entry;
mod notes;

pub use entry::Entry;
pub use notes::{
    ATTACK_NOTE, BLACK_BOX_NOTE, OTHER_DATA_NOTE, PUBLISHED_NOTE, balance_note, corruption_note,
    mixes_attacks, protocol_note,
};

use crate::dimension::Values;
use crate::published::PublishedModel;
use crate::quba::{Placement, Reference, Weights, placement, score};

/// Fewest models that a reference is fitted on unasked: two always stand one deviation apart.
const FEWEST: usize = 3;

/// The study's reference for models measured on its label set. On other data its means say little
/// (calibration error depends on the number of classes), so the models are their own reference.
pub fn default_reference(entries: &[Entry]) -> Reference {
    if entries.iter().all(|e| e.is_imagenet) || entries.len() < FEWEST {
        return Reference::published();
    }
    let measured: Vec<Values> = entries.iter().map(|e| e.values).collect();
    let name = format!(
        "these {} models, as the data is not ImageNet-1k",
        entries.len()
    );
    Reference::fit(name, &measured).unwrap_or_else(|_| Reference::published())
}

/// Place among published models, each scored on the dimensions that `values` has.
pub fn place_among<'a>(
    published: impl IntoIterator<Item = &'a PublishedModel>,
    values: &Values,
    reference: &Reference,
    weights: &Weights,
) -> Option<Placement> {
    let own = score(values, reference, weights)?;
    let others = scores_like(published, values, reference, weights);
    Some(placement(own.value, &others))
}

/// Scores of published models on the dimensions that `values` has.
pub fn scores_like<'a>(
    published: impl IntoIterator<Item = &'a PublishedModel>,
    values: &Values,
    reference: &Reference,
    weights: &Weights,
) -> Vec<f64> {
    let of = |model: &PublishedModel| {
        let same = model.values.map(|d, v| values[d].and(*v));
        Some(score(&same, reference, weights)?.value)
    };
    published.into_iter().filter_map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dimension::{Dimension, PerDimension};
    use crate::published::models;

    fn entry(is_imagenet: bool, value: f64) -> Entry {
        Entry {
            name: "model".to_owned(),
            values: PerDimension::from_fn(|_| Some(value)),
            protocol: "correct".to_owned(),
            black_box: None,
            corruptions: None,
            sampled_per_class: None,
            is_imagenet,
        }
    }

    #[test]
    fn models_on_other_data_are_their_own_reference_from_three_on() {
        let entries = [entry(true, 0.1), entry(true, 0.2), entry(false, 0.3)];
        assert_eq!(default_reference(&entries[..2]), Reference::published());
        assert_eq!(default_reference(&entries[1..]), Reference::published());
        let own = default_reference(&entries);
        assert_eq!(own.name, "these 3 models, as the data is not ImageNet-1k");
        let scale = own.scales[Dimension::Accuracy].unwrap();
        assert!((scale.mean - 0.2).abs() < 1e-12);
        let alike = [entry(false, 0.5), entry(false, 0.5), entry(false, 0.5)];
        assert_eq!(default_reference(&alike), Reference::published());
    }

    #[test]
    fn class_balance_of_few_images_is_named() {
        let mut entries = [entry(true, 0.1), entry(true, 0.2), entry(true, 0.3)];
        entries[1].sampled_per_class = Some(5);
        assert_eq!(balance_note(&entries), None);
        entries[2].sampled_per_class = Some(2);
        let note = balance_note(&entries).unwrap();
        assert!(note.ends_with("equal samples alone: model 2"), "{note}");
    }

    #[test]
    fn the_leader_of_the_study_stands_first_and_a_part_is_compared_with_the_same_part() {
        let (reference, weights) = (Reference::published(), Weights::default());
        let place = |values| place_among(models(), values, &reference, &weights).unwrap();
        let leader = models().iter().find(|m| m.id == "eva02-b-21k").unwrap();
        assert_eq!(place(&leader.values).rank, 1);
        let mut best = PerDimension([None; 9]);
        best[Dimension::Accuracy] = Some(1.0);
        assert_eq!(place(&best).to_string(), "1st of 327");
        assert_eq!(
            place_among(models(), &PerDimension([None; 9]), &reference, &weights),
            None
        );
    }
}
