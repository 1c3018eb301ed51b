//! Whether recorded shards can be.

use super::{Checked, Nth, ascending, ensure};
use crate::metrics::calibration::LAST_ACE_KEY;
use crate::outcome::PassKind;
use crate::result::{Evaluation, Probabilities, Shard};

/// Everything about the shards of an evaluation.
pub(super) fn are_consistent(evaluation: &Evaluation) -> Checked {
    let keys: Vec<_> = evaluation.shards.iter().map(Shard::key).collect();
    ascending("shards", &keys)?;
    let mut shards = evaluation.shards.iter();
    shards.try_for_each(|shard| is_consistent(evaluation, shard))
}

fn is_consistent(evaluation: &Evaluation, shard: &Shard) -> Checked {
    let part = Nth("shard", shard.index);
    ensure(
        (1..=shard.count).contains(&shard.index),
        &part,
        format_args!("a number from 1 to {}", shard.count),
        shard.index,
    )?;
    let kinds: Vec<PassKind> = shard.passes.iter().map(|&(kind, _)| kind).collect();
    ascending(&format!("passes of {part}"), &kinds)?;
    let unknown = kinds
        .iter()
        .find(|&&kind| evaluation.passes.iter().all(|pass| pass.kind != kind));
    if let Some(kind) = unknown {
        return ensure(false, part, "passes that were evaluated", kind);
    }
    match &shard.probabilities {
        Some(probabilities) => probabilities_are_consistent(evaluation, probabilities, &part),
        None => Ok(()),
    }
}

fn probabilities_are_consistent(
    evaluation: &Evaluation,
    probabilities: &Probabilities,
    part: &Nth<u32>,
) -> Checked {
    let mut passes = evaluation.passes.iter();
    let clean = passes.find(|pass| pass.kind == PassKind::Clean);
    let list = clean.and_then(|pass| evaluation.lists.get(pass.list as usize));
    let images = &probabilities.images;
    let known = list.is_some_and(|list| {
        images.is_well_formed(list.population) && images.iter().all(|i| list.indices.contains(i))
    });
    ensure(known, part, "probabilities of clean images", "of others")?;
    let classes = evaluation.label_set.classes as usize;
    ensure(
        probabilities.columns.len() == classes,
        part,
        format_args!("probabilities of {classes} classes"),
        probabilities.columns.len(),
    )?;
    let most = images.len();
    let fits = |column: &Vec<u32>| {
        let last: u64 = column.iter().copied().map(u64::from).sum();
        // The smallest is a probability above 0.
        column.len() <= most
            && last <= u64::from(LAST_ACE_KEY)
            && column.first().is_none_or(|&first| first > 1)
    };
    let fault = probabilities
        .columns
        .iter()
        .position(|column| !fits(column));
    ensure(
        fault.is_none(),
        part,
        format_args!("at most {most} probabilities, above 0 and up to 1, of every class"),
        format_args!("others of class {}", fault.unwrap_or_default()),
    )
}
