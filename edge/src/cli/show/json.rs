//! The report as JSON.

use std::collections::BTreeMap;

use serde::Serialize;
use shared::dimension::PerDimension;
use shared::metrics::accuracy::wilson;
use shared::metrics::{Measurement, NotMeasured, pass_accuracy};
use shared::outcome::SkippedImage;
use shared::result::{Dataset, Evaluation, LabelSetRecord, Model, Run, Subset};

/// Everything a program may want of a result file, outcomes apart.
#[derive(Serialize)]
pub(in crate::cli) struct Report<'a> {
    model: &'a Model,
    model_hash: String,
    label_set: &'a LabelSetRecord,
    dataset: &'a Dataset,
    seed: u64,
    subset: Option<Subset>,
    runs: &'a [Run],
    dimensions: BTreeMap<&'static str, DimensionReport>,
    passes: Vec<PassReport<'a>>,
    warnings: Vec<String>,
}

#[derive(Serialize)]
struct DimensionReport {
    value: Option<f64>,
    protocol: &'static str,
    images: Option<u32>,
    parts: BTreeMap<String, f64>,
    not_measured: Option<String>,
}

#[derive(Serialize)]
struct PassReport<'a> {
    pass: String,
    images: u32,
    right: u32,
    accuracy_95: (f64, f64),
    skipped: &'a [SkippedImage],
}

/// Builds the report of `evaluation`.
pub(in crate::cli) fn report<'a>(
    evaluation: &'a Evaluation,
    measured: &PerDimension<Result<Measurement, NotMeasured>>,
) -> Report<'a> {
    let dimensions = measured.iter().map(|(dimension, result)| {
        let protocol = evaluation.protocols[dimension].name();
        (dimension.column(), dimension_report(protocol, result))
    });
    let passes = evaluation.passes.iter().filter_map(|pass| {
        let (right, images) = pass_accuracy(evaluation, pass.kind)?;
        Some(PassReport {
            pass: pass.kind.to_string(),
            images,
            right,
            accuracy_95: wilson(right, images),
            skipped: &pass.skipped,
        })
    });
    Report {
        model: &evaluation.model,
        model_hash: blake3::Hash::from(evaluation.model.hash)
            .to_hex()
            .to_string(),
        label_set: &evaluation.label_set,
        dataset: &evaluation.dataset,
        seed: evaluation.seed,
        subset: evaluation.subset,
        runs: &evaluation.runs,
        dimensions: dimensions.collect(),
        passes: passes.collect(),
        warnings: evaluation
            .warnings
            .iter()
            .map(ToString::to_string)
            .collect(),
    }
}

fn dimension_report(
    protocol: &'static str,
    result: &Result<Measurement, NotMeasured>,
) -> DimensionReport {
    match result {
        Ok(m) => DimensionReport {
            value: Some(m.value),
            protocol,
            images: (m.images > 0).then_some(m.images),
            parts: m.parts.iter().map(|p| (p.name.clone(), p.value)).collect(),
            not_measured: None,
        },
        Err(reason) => DimensionReport {
            value: None,
            protocol,
            images: None,
            parts: BTreeMap::new(),
            not_measured: Some(reason.to_string()),
        },
    }
}
