//! The report as JSON.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;
use shared::dimension::PerDimension;
use shared::metrics::accuracy::wilson;
use shared::metrics::{Measurement, NotMeasured, pass_accuracy};
use shared::outcome::SkippedImage;
use shared::result::{Dataset, Evaluation, Run, Subset};
use shared::uncertainty::{Interval, NoInterval, Resampled};

use crate::cli::costs::{self, JsonCost};

/// Everything a program may want of a result file, outcomes apart.
#[derive(Serialize)]
pub(in crate::cli) struct Report<'a> {
    model: Value,
    label_set: Value,
    dataset: &'a Dataset,
    seed: u64,
    subset: Option<Subset>,
    /// Shards of which this is made, of split runs that are not complete.
    shards: Vec<String>,
    missing_shards: Vec<String>,
    /// How the corrupted images came about.
    corruptions: Option<String>,
    runs: &'a [Run],
    dimensions: BTreeMap<&'static str, DimensionReport>,
    passes: Vec<PassReport<'a>>,
    warnings: Vec<String>,
    costs: Vec<JsonCost<'a>>,
}

#[derive(Serialize)]
struct DimensionReport {
    value: Option<f64>,
    interval_95: Option<(f64, f64)>,
    no_interval: Option<String>,
    protocol: &'static str,
    images: Option<u32>,
    parts: BTreeMap<String, f64>,
    not_measured: Option<String>,
}

#[derive(Serialize)]
struct PassReport<'a> {
    pass: String,
    /// BLAKE3 of which images were shown.
    list: Option<String>,
    origin: String,
    images: u32,
    right: u32,
    accuracy_95: (f64, f64),
    skipped: &'a [SkippedImage],
}

/// Builds the report of `evaluation`.
pub(in crate::cli) fn report<'a>(
    evaluation: &'a Evaluation,
    measured: &PerDimension<Result<Measurement, NotMeasured>>,
    resampled: &Resampled,
) -> Report<'a> {
    let dimensions = measured.iter().map(|(dimension, result)| {
        let protocol = evaluation.protocols[dimension].name();
        let interval = resampled.interval(dimension);
        (
            dimension.column(),
            dimension_report(protocol, result, interval),
        )
    });
    let passes = evaluation.passes.iter().filter_map(|pass| {
        let (right, images) = pass_accuracy(evaluation, pass.kind)?;
        Some(PassReport {
            pass: pass.kind.to_string(),
            list: evaluation
                .lists
                .get(pass.list as usize)
                .map(|list| list.hash().to_string()),
            origin: pass.origin.to_string(),
            images,
            right,
            accuracy_95: wilson(right, images),
            skipped: &pass.skipped,
        })
    });
    Report {
        model: with_hex_hash(&evaluation.model, evaluation.model.hash),
        label_set: with_hex_hash(&evaluation.label_set, evaluation.label_set.hash),
        dataset: &evaluation.dataset,
        seed: evaluation.seed,
        subset: evaluation.subset,
        shards: evaluation
            .shards
            .iter()
            .map(|shard| format!("{} of {}", shard.index, shard.count))
            .collect(),
        missing_shards: evaluation.missing_shards(),
        corruptions: evaluation.corruption_origin(),
        runs: &evaluation.runs,
        dimensions: dimensions.collect(),
        passes: passes.collect(),
        warnings: evaluation
            .warnings
            .iter()
            .map(ToString::to_string)
            .collect(),
        costs: costs::json(&evaluation.model, &evaluation.costs),
    }
}

fn dimension_report(
    protocol: &'static str,
    result: &Result<Measurement, NotMeasured>,
    interval: Result<Interval, NoInterval>,
) -> DimensionReport {
    match result {
        Ok(m) => DimensionReport {
            value: Some(m.value),
            interval_95: interval.ok().map(|i| (i.low, i.high)),
            no_interval: interval.err().map(|reason| reason.to_string()),
            protocol,
            images: (m.images > 0).then_some(m.images),
            parts: m.parts.iter().map(|p| (p.name.clone(), p.value)).collect(),
            not_measured: None,
        },
        Err(reason) => DimensionReport {
            value: None,
            interval_95: None,
            no_interval: None,
            protocol,
            images: None,
            parts: BTreeMap::new(),
            not_measured: Some(reason.to_string()),
        },
    }
}

/// A record as JSON, its hash as the hexadecimal digits that other tools print.
fn with_hex_hash(record: &impl Serialize, hash: [u8; 32]) -> Value {
    let mut value = serde_json::to_value(record).unwrap_or_default();
    if let Some(field) = value.get_mut("hash") {
        *field = Value::String(blake3::Hash::from(hash).to_hex().to_string());
    }
    value
}
