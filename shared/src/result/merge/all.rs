//! Merging any number of files of any number of models.

use std::collections::BTreeMap;

use super::{MergeError, merge};
use crate::result::Evaluation;

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

/// Merges what belongs to the same model file: one evaluation per model, sorted by model name,
/// then hash. Each input comes with a name for the message, for instance its path.
///
/// # Errors
/// The first pair of inputs of one model that cannot be merged.
pub fn merge_all(inputs: Vec<(String, Evaluation)>) -> Result<Vec<Evaluation>, MergeAllError> {
    let mut models: BTreeMap<[u8; 32], Vec<(String, Evaluation)>> = BTreeMap::new();
    for input in inputs {
        models.entry(input.1.model.hash).or_default().push(input);
    }
    let mut merged = Vec::with_capacity(models.len());
    for parts in models.into_values() {
        merged.extend(merge_parts(parts)?);
    }
    merged.sort_by(|a, b| (&a.model.name, a.model.hash).cmp(&(&b.model.name, b.model.hash)));
    Ok(merged)
}

/// Merges the parts of one model; `None` without any part.
fn merge_parts(parts: Vec<(String, Evaluation)>) -> Result<Option<Evaluation>, MergeAllError> {
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
fn blame(
    earlier: &[(String, Evaluation)],
    name: &str,
    part: &Evaluation,
    source: MergeError,
) -> MergeAllError {
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
