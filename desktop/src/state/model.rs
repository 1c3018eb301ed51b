//! One line of every table and one point of every plot: an own result or a published model.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use shared::dimension::Values;
use shared::published::{Flag, PublishedModel};
use shared::result::Cost;

use super::groups;
use super::merging::{Measurements, Variant};

/// Names a model between frames, sessions and changes of the loaded files.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ModelId(Arc<str>);

impl ModelId {
    /// Of the n-th result of a model file.
    pub fn own(hash: &[u8; 32], variant: usize) -> Self {
        Self(format!("own:{}:{variant}", short_hash(hash)).into())
    }

    /// Of a published model.
    pub fn published(id: &str) -> Self {
        Self(format!("published:{id}").into())
    }
}

impl fmt::Display for ModelId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

/// The first eight hexadecimal digits of a hash.
pub fn short_hash(hash: &[u8; 32]) -> String {
    hash.iter()
        .take(4)
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

/// Where a model comes from.
#[derive(Clone, Debug)]
pub enum Source {
    /// A result of the opened files.
    Own(Arc<Measurements>),
    /// The study's table.
    Published(&'static PublishedModel),
}

/// A model with all that tables, filters and plots show of it.
#[derive(Clone, Debug)]
pub struct Model {
    /// Unique.
    pub id: ModelId,
    /// Display name, not unique.
    pub name: String,
    /// What tells it from others of the same name; empty where nothing must.
    pub detail: String,
    /// The nine figures.
    pub values: Values,
    /// Label of the network's family.
    pub architecture: String,
    /// Label of the pre-training data.
    pub pretraining_data: String,
    /// Label of the training regime.
    pub regime: String,
    /// Engines and machines of its runs; empty for published models.
    pub devices: Vec<String>,
    /// Bytes of the model file; unknown for published models.
    pub bytes: Option<u64>,
    /// Multiply–accumulates for one image, where known.
    pub macs: Option<u64>,
    /// What running it costs, on every device where that was measured.
    pub costs: Vec<Cost>,
    /// What a reader of its figures must know, a sentence each.
    pub notes: Vec<String>,
    /// What other devices measured on the same images.
    pub elsewhere: Vec<Arc<Measurements>>,
    /// Where it comes from.
    pub source: Source,
}

impl Model {
    /// From one result of a model file. `detail` tells it from others of the same name.
    pub fn own(id: ModelId, variant: &Variant, detail: String) -> Self {
        let measurements = &variant.measurements;
        let model = &measurements.evaluation.model;
        Self {
            id,
            name: model.name.clone(),
            detail,
            values: measurements.entry.values,
            architecture: groups::architecture(&model.grouping.architecture),
            pretraining_data: groups::pretraining_data(&model.grouping.pretraining_data),
            regime: groups::regime(&model.grouping.training),
            devices: variant.devices(),
            bytes: Some(model.bytes),
            macs: model.macs,
            costs: variant.costs(),
            notes: measurements.evaluation.warning_lines(),
            elsewhere: variant.elsewhere.clone(),
            source: Source::Own(Arc::clone(measurements)),
        }
    }

    /// From a row of the study's table.
    pub fn published(model: &'static PublishedModel) -> Self {
        Self {
            id: ModelId::published(&model.id),
            name: model.name.clone(),
            detail: String::new(),
            values: model.values,
            architecture: model.architecture.label().to_owned(),
            pretraining_data: model.data.label().to_owned(),
            regime: model.regime.label().to_owned(),
            devices: Vec::new(),
            bytes: None,
            macs: None,
            costs: Vec::new(),
            notes: model.flags.iter().map(|f| f.meaning().to_owned()).collect(),
            elsewhere: Vec::new(),
            source: Source::Published(model),
        }
    }

    /// Whether it is of the study's table.
    pub fn is_published(&self) -> bool {
        matches!(self.source, Source::Published(_))
    }

    /// The flags of a published row, in display order; none for own results.
    pub fn flags(&self) -> impl Iterator<Item = Flag> {
        let flags = match self.source {
            Source::Published(model) => model.flags,
            Source::Own(_) => Default::default(),
        };
        flags.iter()
    }

    /// Whether its figures were measured as defined (SPEC §8); own results always count as such.
    pub fn is_clean(&self) -> bool {
        match self.source {
            Source::Published(model) => model.is_clean(),
            Source::Own(_) => true,
        }
    }

    /// Its measurements, where it is an own result.
    pub fn measurements(&self) -> Option<&Arc<Measurements>> {
        match &self.source {
            Source::Own(measurements) => Some(measurements),
            Source::Published(_) => None,
        }
    }
}
