//! Merging two parts of one pass.

use std::cmp::Ordering;
use std::fmt::Debug;

use super::MergeError;
use crate::outcome::{ImageList, Outcomes, Pass, PassKind, SkippedImage};
use crate::result::codec::short_hex;

type Part<'a> = (&'a Pass, &'a ImageList);

/// The union of two parts of one pass. `Pass::list` is left for the caller to set.
pub(super) fn merge(a: Part, b: Part) -> Result<(Pass, ImageList), MergeError> {
    same_images(a, b)?;
    let union = Union {
        pass: a.0.kind,
        images: unite(a.1, b.1),
    };
    let list = ImageList {
        identity: a.1.identity,
        population: a.1.population,
        indices: union.images.iter().map(|image| image.index).collect(),
        labels: union.join("label", &a.1.labels, &b.1.labels)?,
        textures: match (a.1.textures.as_slice(), b.1.textures.as_slice()) {
            ([], []) => Vec::new(),
            (first, second) => union.join("texture", first, second)?,
        },
    };
    let pass = Pass {
        kind: a.0.kind,
        origin: a.0.origin,
        fingerprint: a.0.fingerprint,
        list: 0,
        outcomes: outcomes(&union, &list, a, b)?,
        skipped: skipped(&list, a.0, b.0),
    };
    Ok((pass, list))
}

fn same_images(a: Part, b: Part) -> Result<(), MergeError> {
    let described = |(pass, list): Part| {
        [
            ("origin", pass.origin.to_string()),
            ("count", list.population.to_string()),
            ("names", short_hex(&list.identity)),
            ("fingerprint", short_hex(&pass.fingerprint)),
            ("records of", pass.outcomes.name().to_owned()),
        ]
    };
    let compared = |(pass, list): Part| (pass.origin, pass.fingerprint, list.identity);
    let equal = compared(a) == compared(b);
    for ((field, first), (_, second)) in described(a).into_iter().zip(described(b)) {
        // Hashes that differ only beyond the shown part differ all the same.
        if first != second || (field == "fingerprint" && !equal) {
            return Err(MergeError::Images {
                pass: a.0.kind,
                field,
                first,
                second,
            });
        }
    }
    Ok(())
}

/// An image of the union, and where each part has it.
struct Image {
    index: u32,
    in_a: Option<usize>,
    in_b: Option<usize>,
}

/// All images of both lists in index order.
fn unite(a: &ImageList, b: &ImageList) -> Vec<Image> {
    let mut left = a.indices.iter().enumerate().peekable();
    let mut right = b.indices.iter().enumerate().peekable();
    let mut images = Vec::with_capacity(a.labels.len().max(b.labels.len()));
    loop {
        let order = match (left.peek(), right.peek()) {
            (None, None) => return images,
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some((_, x)), Some((_, y))) => x.cmp(y),
        };
        let first = (order != Ordering::Greater).then(|| left.next()).flatten();
        let second = (order != Ordering::Less).then(|| right.next()).flatten();
        images.extend(first.or(second).map(|(_, index)| Image {
            index,
            in_a: first.map(|(position, _)| position),
            in_b: second.map(|(position, _)| position),
        }));
    }
}

/// The images of both parts of a pass.
struct Union {
    pass: PassKind,
    images: Vec<Image>,
}

impl Union {
    /// One value per image, which both parts must agree on where both have it.
    fn join<T: Copy + PartialEq + Debug>(
        &self,
        field: &'static str,
        a: &[T],
        b: &[T],
    ) -> Result<Vec<T>, MergeError> {
        self.join_with(field, |i| a.get(i).copied(), |i| b.get(i).copied())
    }

    fn join_with<T: Copy + PartialEq + Debug>(
        &self,
        field: &'static str,
        a: impl Fn(usize) -> Option<T>,
        b: impl Fn(usize) -> Option<T>,
    ) -> Result<Vec<T>, MergeError> {
        let mut joined = Vec::with_capacity(self.images.len());
        for image in &self.images {
            let (first, second) = (image.in_a.and_then(&a), image.in_b.and_then(&b));
            if let (Some(first), Some(second)) = (first, second)
                && first != second
            {
                return Err(MergeError::Conflict {
                    pass: self.pass,
                    index: image.index,
                    field,
                    first: format!("{first:?}"),
                    second: format!("{second:?}"),
                });
            }
            joined.extend(first.or(second));
        }
        Ok(joined)
    }
}

fn outcomes(union: &Union, list: &ImageList, a: Part, b: Part) -> Result<Outcomes, MergeError> {
    match (&a.0.outcomes, &b.0.outcomes) {
        (
            Outcomes::Classified {
                predictions: predictions_a,
                confidences: confidences_a,
                true_confidences: true_a,
                ace: ace_a,
            },
            Outcomes::Classified {
                predictions: predictions_b,
                confidences: confidences_b,
                true_confidences: true_b,
                ace: ace_b,
            },
        ) => Ok(Outcomes::Classified {
            predictions: union.join("prediction", predictions_a, predictions_b)?,
            confidences: union.join("confidence", confidences_a, confidences_b)?,
            true_confidences: union.join("true-class confidence", true_a, true_b)?,
            ace: [(*ace_a, a.1), (*ace_b, b.1)]
                .into_iter()
                .filter(|(_, part)| part.indices == list.indices)
                .filter_map(|(ace, _)| ace)
                .min_by(f64::total_cmp),
        }),
        (Outcomes::Decided(first), Outcomes::Decided(second)) => {
            Ok(Outcomes::Decided(union.join("decision", first, second)?))
        }
        (Outcomes::Correct(first), Outcomes::Correct(second)) => {
            let joined = union.join_with("answer", |i| first.get(i), |i| second.get(i))?;
            Ok(Outcomes::Correct(joined.into_iter().collect()))
        }
        (first, second) => Err(MergeError::Images {
            pass: union.pass,
            field: "records of",
            first: first.name().to_owned(),
            second: second.name().to_owned(),
        }),
    }
}

/// Images that no part evaluated; of several reasons the first in alphabetical order.
fn skipped(list: &ImageList, a: &Pass, b: &Pass) -> Vec<SkippedImage> {
    let mut skipped: Vec<SkippedImage> = a
        .skipped
        .iter()
        .chain(&b.skipped)
        .filter(|image| !list.indices.contains(image.index))
        .cloned()
        .collect();
    skipped.sort();
    skipped.dedup_by_key(|image| image.index);
    skipped
}
