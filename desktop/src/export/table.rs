//! The rank table as text: the shown models, in the order of the table. CSV and JSON have the names
//! of `edge rank` and full precision, empty where not measured.

use std::collections::BTreeMap;

use anyhow::{Context as _, Result};
use serde::Serialize;
use shared::Dimension;
use shared::uncertainty::QubaInterval;
use shared::words::{NOT_MEASURED, value};

use crate::state::AppState;
use crate::state::derived::{Derived, Row};
use crate::state::model::Model;
use crate::state::table::CellStyle;
use crate::state::words;

/// Columns of shares of the published models that score and figures beat, in [0, 1].
const PERCENTILES: [&str; 10] = [
    "quba_percentile",
    "acc_percentile",
    "adv_percentile",
    "cor_percentile",
    "ood_percentile",
    "cal_percentile",
    "bal_percentile",
    "obj_percentile",
    "shape_percentile",
    "params_percentile",
];

/// Whether the table shows percentiles.
fn shows_percentiles(state: &AppState) -> bool {
    state.table.cells == CellStyle::Percentile
}

pub(super) fn csv(state: &AppState) -> Result<String> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let mut header = vec![
        "model",
        "detail",
        "layer",
        "rank",
        "rank_shown",
        "quba",
        "quba_low",
        "quba_high",
        "partial",
    ];
    header.extend(Dimension::ALL.map(Dimension::column));
    let percentiles = shows_percentiles(state);
    if percentiles {
        header.extend(PERCENTILES);
    }
    header.extend(["black_box", "among_published", "bytes", "macs"]);
    header.extend(["latency_ms", "images_per_s", "memory", "joules_per_image"]);
    header.extend(["architecture", "pretraining_data", "training", "devices"]);
    writer.write_record(header)?;
    for (model, row) in state.shown() {
        let score = row.score.as_ref();
        let interval = state
            .derived()
            .interval(model, row)
            .map(|found| found.interval);
        let mut record = vec![
            model.name.clone(),
            model.detail.clone(),
            layer(model).to_owned(),
            text(row.rank),
            text(row.position),
            text(score.map(|score| score.value)),
            text(interval.map(|interval| interval.low)),
            text(interval.map(|interval| interval.high)),
            text(score.map(|score| score.is_partial())),
        ];
        record.extend(model.values.iter().map(|(_, value)| text(*value)));
        if percentiles {
            record.push(text(row.score_percentile));
            record.extend(row.percentiles.iter().map(|(_, share)| text(*share)));
        }
        record.extend([
            text(black_box(model)),
            text(row.place.map(|place| place.rank)),
            text(model.bytes),
            text(model.macs),
        ]);
        let cost = row.cost(model);
        record.extend([
            text(row.latency(model)),
            text(row.throughput(model)),
            text(cost.and_then(|cost| cost.peak_memory)),
            text(cost.and_then(|cost| Some(cost.energy.as_ref()?.joules_per_image))),
            model.architecture.clone(),
            model.pretraining_data.clone(),
            model.regime.clone(),
            model.devices.join("; "),
        ]);
        writer.write_record(record)?;
    }
    let bytes = writer.into_inner().context("cannot write the table")?;
    Ok(String::from_utf8(bytes)?)
}

fn text(value: Option<impl ToString>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}

fn layer(model: &Model) -> &'static str {
    if model.is_published() {
        "published"
    } else {
        "own"
    }
}

fn black_box(model: &Model) -> Option<&str> {
    model.measurements()?.entry.black_box.as_deref()
}

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

pub(super) fn json(state: &AppState) -> Result<String> {
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

/// Headings of the table as people read it.
pub(super) fn headings(state: &AppState) -> Vec<&'static str> {
    let mut headings = vec!["#", "model", "QUBA"];
    if has_intervals(state) {
        headings.push("95 %");
    }
    headings.extend(Dimension::ALL.map(Dimension::column));
    headings.extend(["size", "MACs"]);
    if state.derived().device.is_ok() {
        headings.push("latency");
    }
    headings
}

/// Whether a shown score has an interval.
fn has_intervals(state: &AppState) -> bool {
    let mut shown = state.shown();
    shown.any(|(model, row)| state.derived().interval(model, row).is_some())
}

/// The cells of a line beneath [`headings`].
pub(super) fn cells(state: &AppState, model: &Model, row: &Row) -> Vec<String> {
    let or_dash = |text: Option<String>| text.unwrap_or_else(|| NOT_MEASURED.to_owned());
    let name = match model.detail.as_str() {
        "" => model.name.clone(),
        detail => format!("{} ({detail})", model.name),
    };
    let beaten = |share: Option<f64>| match share.filter(|_| shows_percentiles(state)) {
        Some(share) => format!(" ({})", words::percentile(share)),
        None => String::new(),
    };
    let score = row.score.as_ref().map(|score| {
        let mark = if score.is_partial() { "*" } else { "" };
        format!("{:.4}{mark}{}", score.value, beaten(row.score_percentile))
    });
    let mut cells = vec![
        or_dash(row.position.map(|rank| rank.to_string())),
        name,
        or_dash(score),
    ];
    if has_intervals(state) {
        let interval = state.derived().interval(model, row);
        let ends = |found: &QubaInterval| {
            format!("{:.2} to {:.2}", found.interval.low, found.interval.high)
        };
        cells.push(or_dash(interval.map(ends)));
    }
    let figures = model.values.iter();
    cells.extend(figures.map(|(d, figure)| value(d, *figure) + &beaten(row.percentiles[d])));
    cells.push(or_dash(model.bytes.map(words::bytes)));
    cells.push(or_dash(model.macs.map(words::macs)));
    if state.derived().device.is_ok() {
        cells.push(or_dash(row.latency(model).map(words::milliseconds)));
    }
    cells
}

pub(super) fn markdown(state: &AppState) -> String {
    let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
    let headings: Vec<String> = headings(state).into_iter().map(str::to_owned).collect();
    let mut out = line(headings.clone());
    // Names begin at the left, figures end at the right.
    out += &line(
        headings
            .iter()
            .map(|heading| if heading == "model" { ":--" } else { "--:" }.to_owned())
            .collect(),
    );
    for (model, row) in state.shown() {
        out += &line(
            cells(state, model, row)
                .iter()
                .map(|cell| literal(cell))
                .collect(),
        );
    }
    for note in legend(state) {
        out += &format!("\n{}\n", literal(&note));
    }
    out
}

/// What signs in the table mean and what keeps its figures from being comparable.
pub(super) fn legend(state: &AppState) -> Vec<String> {
    let mut legend = Vec::new();
    let partial = |row: &Row| row.score.as_ref().is_some_and(|score| score.is_partial());
    if state.shown().any(|(_, row)| partial(row)) {
        legend.push("* scored on the dimensions that were measured".to_owned());
    }
    if shows_percentiles(state) {
        legend.push("(…) percent of the published models that are beaten".to_owned());
    }
    legend.push(format!("{NOT_MEASURED} not measured or not known"));
    if let Ok(device) = &state.derived().device {
        legend.push(format!("latency: 90th percentile on {device}"));
    }
    legend.extend(state.derived().notes.iter().cloned());
    legend
}

/// A text that Markdown does not take for markup within a table.
fn literal(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' | '\r' => out.push(' '),
            '\\' | '|' | '*' | '_' | '`' | '<' | '>' | '[' | ']' | '#' | '~' => {
                out.push('\\');
                out.push(c);
            }
            c => out.push(c),
        }
    }
    out
}
