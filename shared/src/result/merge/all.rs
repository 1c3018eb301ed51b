//! Merging any number of files of any number of models.

use std::collections::BTreeMap;

use super::{MergeError, compatible, merge};
use crate::result::{Evaluation, encode};

/// Which two inputs cannot be merged, and why.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("cannot merge {second} with {first}")]
pub struct MergeAllError {
    /// Name of the earlier input.
    pub first: String,
    /// Name of the later input.
    pub second: String,
    /// Why.
    pub source: Box<MergeError>,
}

/// An evaluation with the name that messages use.
type Input = (String, Evaluation);

/// Merges what belongs to the same model file: one evaluation per model, sorted by model name,
/// then hash. Each input comes with a name for the message, for instance its path.
///
/// Costs that stand alone join every evaluation of their model: only where there are some, those
/// of several data sets, protocols or seeds stay apart, each with the costs.
///
/// # Errors
/// The first pair of inputs of one model that cannot be merged.
pub fn merge_all(inputs: Vec<Input>) -> Result<Vec<Evaluation>, MergeAllError> {
    let mut models: BTreeMap<[u8; 32], Vec<Input>> = BTreeMap::new();
    for input in inputs {
        models.entry(input.1.model.hash).or_default().push(input);
    }
    let mut merged = Vec::with_capacity(models.len());
    for parts in models.into_values() {
        for group in groups(parts) {
            merged.extend(merge_parts(group)?);
        }
    }
    merged.sort_by(|a, b| (&a.model.name, a.model.hash).cmp(&(&b.model.name, b.model.hash)));
    // Several of one model, in an order that does not depend on that of the inputs.
    let same = |a: &Evaluation, b: &Evaluation| a.model.hash == b.model.hash;
    for several in merged.chunk_by_mut(same).filter(|chunk| chunk.len() > 1) {
        several.sort_by_cached_key(|evaluation| encode(evaluation).ok());
    }
    Ok(merged)
}

/// The parts of one model, as they are to be merged.
fn groups(parts: Vec<Input>) -> Vec<Vec<Input>> {
    let is_costs_only = |(_, part): &Input| part.is_costs_only();
    if !parts.iter().any(is_costs_only) || parts.iter().all(is_costs_only) {
        return vec![parts];
    }
    let (costs, evaluations): (Vec<Input>, Vec<Input>) = parts.into_iter().partition(is_costs_only);
    let mut groups: Vec<Vec<Input>> = Vec::new();
    for input in evaluations {
        // What must be equal is equal among all of a group.
        let fits = |group: &&mut Vec<Input>| compatible::check(&group[0].1, &input.1).is_ok();
        match groups.iter_mut().find(fits) {
            Some(group) => group.push(input),
            None => groups.push(vec![input]),
        }
    }
    for group in &mut groups {
        group.extend(costs.iter().cloned());
    }
    groups
}

/// Merges the parts of one model; `None` without any part.
fn merge_parts(parts: Vec<Input>) -> Result<Option<Evaluation>, MergeAllError> {
    let mut merged: Option<Evaluation> = None;
    for (position, (name, part)) in parts.iter().enumerate() {
        merged = Some(match merged {
            None => part.clone(),
            Some(so_far) => merge(&so_far, part)
                .map_err(|source| blame(&parts[..position], name, part, source))?,
        });
    }
    Ok(merged)
}

/// What contradicts the union of earlier parts contradicts one of them: finds it.
fn blame(earlier: &[Input], name: &str, part: &Evaluation, source: MergeError) -> MergeAllError {
    let found = earlier
        .iter()
        .find_map(|(first, other)| Some((first, merge(other, part).err()?)));
    let (first, source) = match found {
        Some((first, source)) => (first.clone(), source),
        None => ("the files before it".to_owned(), source),
    };
    MergeAllError {
        first,
        second: name.to_owned(),
        source: Box::new(source),
    }
}
