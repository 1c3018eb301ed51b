//! The table as JSON.

use std::collections::BTreeMap;

use anyhow::Result;
use serde::Serialize;

use super::{black_box, layer, shows_percentiles};
use crate::state::AppState;
use crate::state::derived::Derived;
use crate::state::model::Model;
use crate::state::row::Row;

type Columns<T> = BTreeMap<&'static str, T>;

#[derive(Serialize)]
struct JsonTable<'a> {
    reference: &'a str,
    weights: Columns<f64>,
    coverage: String,
    latency_on: Option<&'a str>,
    notes: &'a [String],
    models: Vec<JsonModel<'a>>,
}

#[derive(Serialize)]
struct JsonModel<'a> {
    name: &'a str,
    detail: &'a str,
    layer: &'static str,
    rank: Option<u32>,
    rank_shown: Option<u32>,
    quba: Option<f64>,
    quba_interval: Option<[f64; 2]>,
    partial: bool,
    missing: Vec<&'static str>,
    values: Columns<Option<f64>>,
    contributions: Option<Columns<Option<f64>>>,
    /// Shares of the published models that are beaten, where the table shows them.
    #[serde(skip_serializing_if = "Option::is_none")]
    percentiles: Option<Columns<Option<f64>>>,
    black_box: Option<&'a str>,
    among_published: Option<JsonPlace>,
    bytes: Option<u64>,
    macs: Option<u64>,
    latency_ms: Option<f64>,
    images_per_s: Option<f64>,
    memory: Option<u64>,
    joules_per_image: Option<f64>,
    architecture: &'a str,
    pretraining_data: &'a str,
    training: &'a str,
    devices: &'a [String],
    notes: &'a [String],
}

#[derive(Serialize)]
struct JsonPlace {
    rank: u32,
    of: u32,
}

pub(in crate::export) fn json(state: &AppState) -> Result<String> {
    let derived = state.derived();
    let table = JsonTable {
        reference: &derived.reference.name,
        weights: state
            .choices
            .weights
            .iter()
            .map(|(d, w)| (d.column(), *w))
            .collect(),
        coverage: derived.coverage.to_string(),
        latency_on: derived.device.as_deref().ok(),
        notes: &derived.notes,
        models: state
            .shown()
            .map(|(model, row)| JsonModel {
                percentiles: shows_percentiles(state).then(|| percentiles(row)),
                ..json_model(derived, model, row)
            })
            .collect(),
    };
    Ok(serde_json::to_string_pretty(&table)? + "\n")
}

fn percentiles(row: &Row) -> Columns<Option<f64>> {
    let figures = row
        .percentiles
        .iter()
        .map(|(d, share)| (d.column(), *share));
    figures.chain([("quba", row.score_percentile)]).collect()
}

fn json_model<'a>(derived: &Derived, model: &'a Model, row: &Row) -> JsonModel<'a> {
    let columns = |values: &shared::dimension::Values| -> Columns<Option<f64>> {
        values
            .iter()
            .map(|(d, value)| (d.column(), *value))
            .collect()
    };
    let (score, cost) = (row.score.as_ref(), row.cost(model));
    let missing = score.map(|score| score.missing.iter().map(|d| d.column()).collect());
    JsonModel {
        name: &model.name,
        detail: &model.detail,
        layer: layer(model),
        rank: row.rank,
        rank_shown: row.position,
        quba: score.map(|score| score.value),
        quba_interval: derived
            .interval(model, row)
            .map(|found| [found.interval.low, found.interval.high]),
        partial: score.is_some_and(|score| score.is_partial()),
        missing: missing.unwrap_or_default(),
        values: columns(&model.values),
        contributions: score.map(|score| columns(&score.contributions)),
        percentiles: None,
        black_box: black_box(model),
        among_published: row.place.map(|place| JsonPlace {
            rank: place.rank,
            of: place.others + 1,
        }),
        bytes: model.bytes,
        macs: model.macs,
        latency_ms: row.latency(model),
        images_per_s: row.throughput(model),
        memory: cost.and_then(|cost| cost.peak_memory),
        joules_per_image: cost.and_then(|cost| Some(cost.energy.as_ref()?.joules_per_image)),
        architecture: &model.architecture,
        pretraining_data: &model.pretraining_data,
        training: &model.regime,
        devices: &model.devices,
        notes: &model.notes,
    }
}
