//! The ranking as JSON.

use serde::Serialize;
use shared::Dimension;
use shared::dimension::Values;

use super::Report;
use super::costs::Front;
use super::stability::{JsonSettings, JsonStanding, Places};

/// The report as JSON.
pub(super) fn report<'a>(report: &'a Report) -> JsonReport<'a> {
    let models =
        report.ranking.models.iter().map(|model| {
            let entry = &report.models.entries[model.index];
            let score = model.score.as_ref();
            JsonModel {
                name: &entry.name,
                file: report.models.files[model.index].display().to_string(),
                protocol: &entry.protocol,
                corruptions: entry.corruptions.as_deref(),
                black_box: entry.black_box.as_deref(),
                rank: model.rank,
                quba: score.map(|s| s.value),
                quba_interval_95: report.intervals[model.index]
                    .as_ref()
                    .map(|i| JsonInterval {
                        low: i.interval.low,
                        high: i.interval.high,
                        held_fixed: i.held_fixed.iter().map(|d| d.column()).collect(),
                    }),
                partial: score.is_some_and(|s| s.is_partial()),
                missing: score
                    .map(|s| s.missing.iter().map(|d| d.column()).collect())
                    .unwrap_or_default(),
                values: columns(&entry.values),
                contributions: score.map(|s| columns(&s.contributions)),
                among_published: report.places.get(model.index).copied().flatten().map(|p| {
                    JsonPlace {
                        rank: p.rank,
                        of: p.others + 1,
                    }
                }),
                cost: report.front.as_ref().map(|front| {
                    let (figure, pareto) = front.values(model.index);
                    JsonPareto {
                        figure: [(front.field(), figure)].into(),
                        pareto,
                    }
                }),
                stability: report
                    .stability
                    .as_ref()
                    .and_then(|places| places.json(model.index)),
            }
        });
    JsonReport {
        reference: &report.reference.name,
        weights: Dimension::ALL
            .map(|d| (d.column(), report.weights.get(d)))
            .into(),
        coverage: report.ranking.coverage.to_string(),
        latency_on: report.front.as_ref().and_then(Front::device),
        not_ranked: &report.left_out,
        stability: report.stability.as_ref().map(Places::json_settings),
        models: models.collect(),
    }
}

type Columns<T> = std::collections::BTreeMap<&'static str, T>;

fn columns(values: &Values) -> Columns<Option<f64>> {
    values.iter().map(|(d, v)| (d.column(), *v)).collect()
}

#[derive(Serialize)]
pub(super) struct JsonReport<'a> {
    reference: &'a str,
    weights: Columns<f64>,
    coverage: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    latency_on: Option<&'a str>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    not_ranked: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    stability: Option<JsonSettings>,
    models: Vec<JsonModel<'a>>,
}

#[derive(Serialize)]
struct JsonModel<'a> {
    name: &'a str,
    file: String,
    protocol: &'a str,
    corruptions: Option<&'a str>,
    black_box: Option<&'a str>,
    rank: Option<u32>,
    quba: Option<f64>,
    quba_interval_95: Option<JsonInterval>,
    partial: bool,
    missing: Vec<&'static str>,
    values: Columns<Option<f64>>,
    contributions: Option<Columns<Option<f64>>>,
    among_published: Option<JsonPlace>,
    #[serde(flatten)]
    cost: Option<JsonPareto>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stability: Option<JsonStanding>,
}

/// The cost, under its own name, and whether no other model has a better score at a lower one.
#[derive(Serialize)]
struct JsonPareto {
    #[serde(flatten)]
    figure: Columns<Option<f64>>,
    pareto: bool,
}

#[derive(Serialize)]
struct JsonInterval {
    low: f64,
    high: f64,
    /// Scored dimensions whose own uncertainty is not in the interval.
    held_fixed: Vec<&'static str>,
}

#[derive(Serialize)]
struct JsonPlace {
    rank: u32,
    of: u32,
}
