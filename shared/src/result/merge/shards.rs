//! Merging what shards keep for each other.

use rayon::prelude::*;

use super::MergeError;
use crate::metrics::calibration::{ace_from_classes, ace_of_keys};
use crate::outcome::{IndexRuns, Outcomes, PassKind};
use crate::result::{Evaluation, Probabilities, Shard, Warning};

/// The shards of both, each once.
pub(super) fn unite(a: &[Shard], b: &[Shard]) -> Result<Vec<Shard>, MergeError> {
    let mut united = a.to_vec();
    for shard in b {
        match united.iter_mut().find(|other| other.key() == shard.key()) {
            Some(other) => join(other, shard)?,
            None => united.push(shard.clone()),
        }
    }
    united.sort_by_key(Shard::key);
    Ok(united)
}

/// Adds what another copy of the shard holds.
fn join(shard: &mut Shard, other: &Shard) -> Result<(), MergeError> {
    shard.passes.extend(&other.passes);
    // Of one pass the larger count comes first.
    shard.passes.sort_unstable_by(|x, y| y.cmp(x));
    shard.passes.dedup_by_key(|&mut (kind, _)| kind);
    shard.passes.reverse();
    shard.probabilities = match (shard.probabilities.take(), &other.probabilities) {
        (Some(first), Some(second)) => Some(larger(first, second, shard)?),
        (first, second) => first.or_else(|| second.clone()),
    };
    Ok(())
}

/// Those of more images: an image that could not be read may have been repaired.
fn larger(
    first: Probabilities,
    second: &Probabilities,
    shard: &Shard,
) -> Result<Probabilities, MergeError> {
    let size = |p: &Probabilities| p.images.len();
    let (x, y) = (
        (size(&first), &first.images),
        (size(second), &second.images),
    );
    match x.cmp(&y) {
        std::cmp::Ordering::Greater => Ok(first),
        std::cmp::Ordering::Less => Ok(second.clone()),
        std::cmp::Ordering::Equal if first == *second => Ok(first),
        std::cmp::Ordering::Equal => Err(MergeError::Shard {
            index: shard.index,
            count: shard.count,
        }),
    }
}

/// Counts of outputs that were not finite, of all shards of a split together.
pub(super) fn not_finite(shards: &[Shard]) -> Vec<Warning> {
    let mut warnings = Vec::new();
    for split in shards.chunk_by(Shard::is_of_split) {
        let mut counts: Vec<(PassKind, u32)> =
            split.iter().flat_map(|s| s.passes.clone()).collect();
        counts.sort_unstable();
        for of_pass in counts.chunk_by(|x, y| x.0 == y.0) {
            let sum = of_pass
                .iter()
                .fold(0u32, |sum, (_, n)| sum.saturating_add(*n));
            warnings.extend((sum > 0).then(|| Warning::NonFiniteOutputs {
                pass: of_pass[0].0,
                count: sum,
            }));
        }
    }
    warnings
}

/// States the adaptive calibration error of the clean images where shards have the probabilities of
/// exactly these.
pub(super) fn state_ace(merged: &mut Evaluation) {
    let classes = merged.label_set.classes as usize;
    let Some(clean) = merged.passes.iter_mut().find(|p| p.kind == PassKind::Clean) else {
        return;
    };
    let images = &merged.lists[clean.list as usize].indices;
    let Outcomes::Classified { ace, .. } = &mut clean.outcomes else {
        return;
    };
    for split in merged.shards.chunk_by(Shard::is_of_split) {
        let kept = split.iter().filter_map(|s| s.probabilities.as_ref());
        let kept: Vec<&Probabilities> = kept.collect();
        let rows: IndexRuns = kept.iter().flat_map(|p| p.images.iter()).collect();
        let held: usize = kept.iter().map(|p| p.images.len()).sum();
        if held == rows.len() && !rows.is_empty() && rows == *images {
            let found = ace_of(&kept, classes);
            *ace = Some(ace.map_or(found, |stated| stated.min(found)));
        }
    }
}

fn ace_of(parts: &[&Probabilities], classes: usize) -> f64 {
    let of_class = |class| ace_of_keys(parts.iter().flat_map(|part| part.keys(class)));
    let errors: Vec<f64> = (0..classes).into_par_iter().map(of_class).collect();
    ace_from_classes(errors, classes)
}

#[cfg(test)]
mod tests;
