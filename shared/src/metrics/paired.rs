//! Two evaluations image by image, on the clean images that both hold.

use std::collections::BTreeMap;

use super::records;
use crate::outcome::PassKind;
use crate::result::Evaluation;

/// Right answers of two models on the same clean images.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Paired {
    /// Images that both hold.
    pub images: u32,
    /// Images that only the first got right.
    pub only_first: u32,
    /// Images that only the second got right.
    pub only_second: u32,
}

/// How far two runs of one model give the same outputs.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Agreement {
    /// Images that both hold.
    pub images: u32,
    /// Images with the same top class.
    pub same: u32,
    /// Largest difference of the top-1 probabilities of an image.
    pub largest_difference: f32,
}

/// One clean image of both.
struct Both {
    label: u32,
    predictions: [u32; 2],
    confidences: [f32; 2],
}

/// Compares right answers; `None` where the two have no clean image of one set and label set in
/// common.
pub fn paired(first: &Evaluation, second: &Evaluation) -> Option<Paired> {
    let mut paired = Paired::default();
    for image in both(first, second)? {
        let [a, b] = image
            .predictions
            .map(|prediction| prediction == image.label);
        paired.images += 1;
        paired.only_first += u32::from(a && !b);
        paired.only_second += u32::from(b && !a);
    }
    (paired.images > 0).then_some(paired)
}

/// Compares outputs; `None` as for [`paired`].
pub fn agreement(first: &Evaluation, second: &Evaluation) -> Option<Agreement> {
    let mut agreement = Agreement::default();
    for image in both(first, second)? {
        let ([a, b], [p, q]) = (image.predictions, image.confidences);
        agreement.images += 1;
        agreement.same += u32::from(a == b);
        agreement.largest_difference = agreement.largest_difference.max((p - q).abs());
    }
    (agreement.images > 0).then_some(agreement)
}

/// The images that both hold, if they are of the same set.
fn both(first: &Evaluation, second: &Evaluation) -> Option<Vec<Both>> {
    let (_, list) = records::pass(first, PassKind::Clean).ok()?;
    let (_, other) = records::pass(second, PassKind::Clean).ok()?;
    let same_set = (list.identity, list.population, first.label_set.hash)
        == (other.identity, other.population, second.label_set.hash);
    if !same_set {
        return None;
    }
    let (a, b) = (records::clean(first).ok()?, records::clean(second).ok()?);
    let positions: BTreeMap<u32, usize> = other.indices.iter().zip(0..).collect();
    let image = |(position, index): (usize, u32)| {
        let at = *positions.get(&index)?;
        let label = *a.labels.get(position)?;
        (b.labels.get(at) == Some(&label)).then_some(Both {
            label,
            predictions: [*a.predictions.get(position)?, *b.predictions.get(at)?],
            confidences: [*a.confidences.get(position)?, *b.confidences.get(at)?],
        })
    };
    Some(
        list.indices
            .iter()
            .enumerate()
            .filter_map(|(p, i)| image((p, i)))
            .collect(),
    )
}
