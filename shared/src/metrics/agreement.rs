//! How far two runs of one model agree, image by image, on the clean images that both hold.

use std::collections::BTreeMap;

use super::records;
use crate::outcome::PassKind;
use crate::result::Evaluation;

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
    predictions: [u32; 2],
    confidences: [f32; 2],
}

/// Compares outputs; `None` where the two have no clean image of one set and label set in common.
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
        let label = a.labels.get(position)?;
        (b.labels.get(at) == Some(label)).then_some(Both {
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
