//! The correlations as JSON.

use serde::Serialize;
use shared::statistics::{Alternative, Estimate};

use super::{Report, Row};

#[derive(Serialize)]
pub(super) struct JsonReport<'a> {
    resamples: usize,
    seed: u64,
    level: f64,
    /// `two-sided`, or `greater` where p-values are for "y rises with x".
    alternative: &'static str,
    /// Whether p-values are corrected over all pairs.
    holm: bool,
    /// What to know of the figures.
    notes: &'a [String],
    pairs: Vec<JsonRow<'a>>,
}

#[derive(Serialize)]
struct JsonRow<'a> {
    x: &'a str,
    y: &'a str,
    /// The models are those whose x is at least as good.
    from: Option<f64>,
    models: usize,
    spearman: Option<JsonEstimate>,
    kendall: Option<JsonEstimate>,
    r_squared: Option<JsonEstimate>,
    misranked: Option<JsonEstimate>,
    selection: Option<JsonSelection<'a>>,
}

#[derive(Serialize)]
struct JsonEstimate {
    value: f64,
    interval_95: Option<(f64, f64)>,
    #[serde(skip_serializing_if = "Option::is_none")]
    p: Option<f64>,
}

#[derive(Serialize)]
struct JsonSelection<'a> {
    /// Best in x.
    chosen: Vec<&'a str>,
    /// Best in y.
    best: Vec<&'a str>,
    regret: f64,
}

/// The report as JSON.
pub(super) fn report<'a>(report: &'a Report) -> JsonReport<'a> {
    let rows = report.rows.iter().zip(report.p_values());
    JsonReport {
        resamples: report.sampling.resamples,
        seed: report.sampling.seed,
        level: report.sampling.level,
        alternative: match report.sampling.alternative {
            Alternative::TwoSided => "two-sided",
            Alternative::Positive => "greater",
        },
        holm: report.is_matrix,
        notes: &report.source.notes,
        pairs: rows.map(|(one, p)| row(report, one, p)).collect(),
    }
}

fn row<'a>(report: &'a Report, row: &'a Row, p: Option<[f64; 2]>) -> JsonRow<'a> {
    let found = row.association.as_ref();
    JsonRow {
        x: &row.x.name,
        y: &row.y.name,
        from: row.from,
        models: row.models,
        spearman: found.map(|a| estimate(a.spearman, p.map(|p| p[0]))),
        kendall: found.map(|a| estimate(a.kendall, p.map(|p| p[1]))),
        r_squared: found.map(|a| estimate(a.r_squared, None)),
        misranked: row.misranked().map(|share| estimate(share, None)),
        selection: row.selection.as_ref().map(|selection| JsonSelection {
            chosen: report.names(&selection.chosen),
            best: report.names(&selection.best),
            regret: selection.regret,
        }),
    }
}

fn estimate(estimate: Estimate, p: Option<f64>) -> JsonEstimate {
    JsonEstimate {
        value: estimate.value,
        interval_95: estimate.interval.map(|i| (i.low, i.high)),
        p,
    }
}
