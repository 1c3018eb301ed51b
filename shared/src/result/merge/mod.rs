//! Joining evaluations of one model: other passes, other images, other machines.
//!
//! Merging is associative, order-free and idempotent, so the result depends on the set of files
//! alone. Each part of the result is therefore a function of the union of what the parts hold:
//!
//! - **Images** of a pass are united; where both parts hold an image, their records must be equal.
//!   An image that one part skipped and another evaluated counts as evaluated.
//! - **ACE** is valid only for the exact images it was computed on: it stays where a part that has
//!   it covers the whole union, otherwise it is lost and [`Warning::AceLostByMerge`] says so until
//!   a part that covers everything joins. Should two parts of equal coverage and equal records
//!   state different values (other builds of this tool), the smaller one stays.
//! - **Seeds** must be equal even where nothing was drawn: the result states one seed, and a rule
//!   that looked at coverage would depend on the order of merging.
//! - **Shards** keep all class probabilities of the clean images until every image of the split run
//!   is there. Where they have those of exactly the union, ACE is computed from them, to the last bit
//!   as in an unsplit run.
//! - **Subset**: [`Evaluation::sampled`], the bound that holds for the union.
//! - **Warnings** that count images are computed anew; those about the source of preprocessing and
//!   parameters go with that source; of several counts of non-finite outputs the largest stays, a
//!   lower limit, but those of shards are added; the others are united.
//! - **Descriptions** (names, groups, counts of sets that no pass used) that differ for one model
//!   file: the first in alphabetical order that is not empty, the largest count.
//! - **Costs**: the latest of each engine, machine and number of threads. Costs that stand alone
//!   add nothing else.

mod all;
mod compatible;
mod costs;
mod describe;
mod error;
mod pass;
mod shards;

use super::{Evaluation, Warning};
use crate::outcome::{ImageList, Outcomes, Pass};

pub use all::{MergeAllError, merge_all};
pub use error::MergeError;

/// Joins two evaluations of the same model into one, in canonical order.
///
/// # Errors
/// If they differ in what must be equal, or contradict each other about an image.
pub fn merge(a: &Evaluation, b: &Evaluation) -> Result<Evaluation, MergeError> {
    a.validate().map_err(MergeError::Inconsistent)?;
    b.validate().map_err(MergeError::Inconsistent)?;
    compatible::check(a, b)?;
    if a == b {
        return Ok(a.clone());
    }
    if a.is_costs_only() || b.is_costs_only() {
        return Ok(costs::attach(a, b));
    }
    let (lists, passes) = merge_passes(a, b)?;
    let mut merged = Evaluation {
        model: describe::model(&a.model, &b.model),
        protocols: a.protocols,
        label_set: describe::label_set(&a.label_set, &b.label_set),
        dataset: describe::dataset(&a.dataset, &b.dataset),
        seed: a.seed,
        subset: None,
        runs: [a.runs.as_slice(), &b.runs].concat(),
        lists,
        passes,
        warnings: Vec::new(),
        costs: costs::union(a, b),
        shards: shards::unite(&a.shards, &b.shards)?,
    };
    merged.subset = merged.sampled();
    shards::state_ace(&mut merged);
    merged.warnings = warnings(a, b, &merged);
    merged.settle_shards();
    describe::count_evaluated_sets(&mut merged);
    merged.canonicalise();
    Ok(merged)
}

/// All passes of both, each with a list of its own.
fn merge_passes(a: &Evaluation, b: &Evaluation) -> Result<(Vec<ImageList>, Vec<Pass>), MergeError> {
    let mut parts = Vec::new();
    for pass in &a.passes {
        let twin = b.passes.iter().find(|other| other.kind == pass.kind);
        parts.push(match twin {
            Some(twin) => pass::merge((pass, list_of(a, pass)), (twin, list_of(b, twin)))?,
            None => (pass.clone(), list_of(a, pass).clone()),
        });
    }
    for pass in &b.passes {
        if a.passes.iter().all(|other| other.kind != pass.kind) {
            parts.push((pass.clone(), list_of(b, pass).clone()));
        }
    }
    let mut lists = Vec::with_capacity(parts.len());
    let mut passes = Vec::with_capacity(parts.len());
    for (mut pass, list) in parts {
        pass.list = lists.len() as u32;
        lists.push(list);
        passes.push(pass);
    }
    Ok((lists, passes))
}

/// The list of a pass of a validated evaluation.
fn list_of<'a>(evaluation: &'a Evaluation, pass: &Pass) -> &'a ImageList {
    &evaluation.lists[pass.list as usize]
}

fn warnings(a: &Evaluation, b: &Evaluation, merged: &Evaluation) -> Vec<Warning> {
    let mut warnings = merged.counted_warnings();
    let mut both: Vec<Warning> = a.warnings.iter().chain(&b.warnings).cloned().collect();
    both.extend(shards::not_finite(&merged.shards));
    // Descending, so that of one kind and pass the largest count comes first.
    both.sort_unstable_by(|x, y| y.cmp(x));
    both.dedup_by(|warning, before| warning.repeats(before));
    warnings.extend(both.into_iter().filter(|warning| match warning {
        Warning::DefaultPreprocessing => describe::has_default_preprocessing(merged),
        Warning::ParametersFromInitializers => describe::has_counted_parameters(merged),
        Warning::AceLostByMerge => false,
        other => !other.is_counted(),
    }));
    if (had_ace(a) || had_ace(b)) && !has_ace(merged) {
        warnings.push(Warning::AceLostByMerge);
    }
    warnings
}

fn has_ace(evaluation: &Evaluation) -> bool {
    evaluation
        .passes
        .iter()
        .any(|pass| matches!(pass.outcomes, Outcomes::Classified { ace: Some(_), .. }))
}

/// Whether an ACE was computed on some of the images, kept or not.
fn had_ace(evaluation: &Evaluation) -> bool {
    has_ace(evaluation) || evaluation.warnings.contains(&Warning::AceLostByMerge)
}

#[cfg(test)]
mod tests;
