//! Format 1: an evaluation without costs and shards. The parts are those of the current format.

use serde::Deserialize;

use super::{Dataset, LabelSetRecord, Model, Run, Subset, Warning};
use crate::dimension::PerDimension;
use crate::outcome::{ImageList, Pass};
use crate::protocol::Protocol;

/// The body of a file of format 1.
#[derive(Deserialize)]
pub(in crate::result) struct Evaluation {
    model: Model,
    protocols: PerDimension<Protocol>,
    label_set: LabelSetRecord,
    dataset: Dataset,
    seed: u64,
    subset: Option<Subset>,
    runs: Vec<Run>,
    lists: Vec<ImageList>,
    passes: Vec<Pass>,
    warnings: Vec<Warning>,
}

impl From<Evaluation> for super::Evaluation {
    fn from(old: Evaluation) -> Self {
        Self {
            model: old.model,
            protocols: old.protocols,
            label_set: old.label_set,
            dataset: old.dataset,
            seed: old.seed,
            subset: old.subset,
            runs: old.runs,
            lists: old.lists,
            passes: old.passes,
            warnings: old.warnings,
            costs: Vec::new(),
            shards: Vec::new(),
        }
    }
}
