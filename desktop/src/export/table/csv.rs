//! The table as comma-separated values.

use anyhow::{Context as _, Result};
use shared::Dimension;

use super::{black_box, layer, shows_percentiles};
use crate::state::AppState;

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

pub(in crate::export) fn csv(state: &AppState) -> Result<String> {
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
