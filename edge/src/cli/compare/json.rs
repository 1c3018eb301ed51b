//! The comparison as JSON.

use std::collections::BTreeMap;

use serde::Serialize;
use shared::Dimension;
use shared::statistics::holm;

use super::{Pair, Report, Row};

#[derive(Serialize)]
pub(super) struct JsonReport<'a> {
    reference: &'a str,
    weights: BTreeMap<&'static str, f64>,
    resamples: usize,
    seed: u64,
    level: f64,
    /// P-values of figures that were corrected together.
    tests: usize,
    pairs: Vec<JsonPair<'a>>,
}

#[derive(Serialize)]
struct JsonPair<'a> {
    first: &'a str,
    second: &'a str,
    figures: BTreeMap<&'static str, JsonFigure>,
    /// Scored dimensions whose own uncertainty is not in the interval of QUBA.
    held_fixed: Vec<&'static str>,
    passes: Vec<JsonPass>,
}

#[derive(Serialize)]
struct JsonFigure {
    first: Option<f64>,
    second: Option<f64>,
    difference: Option<f64>,
    interval_95: Option<(f64, f64)>,
    p: Option<f64>,
    p_holm: Option<f64>,
    significant: bool,
    test: Option<&'static str>,
    /// Why it is not compared, or not tested.
    reason: Option<String>,
}

#[derive(Serialize)]
struct JsonPass {
    pass: String,
    images: u32,
    only_first: u32,
    only_second: u32,
    accuracy_difference: f64,
    p: f64,
    /// Corrected over all passes of all pairs.
    p_holm: f64,
}

/// The report as JSON.
pub(super) fn report<'a>(report: &'a Report) -> JsonReport<'a> {
    let passes = || report.pairs.iter().flat_map(|pair| &pair.comparison.passes);
    let corrected = holm(&passes().map(|pass| pass.p).collect::<Vec<f64>>());
    let mut corrected = corrected.into_iter();
    JsonReport {
        reference: &report.reference.name,
        weights: Dimension::ALL
            .map(|d| (d.column(), report.weights.get(d)))
            .into(),
        resamples: report.options.resamples,
        seed: report.options.seed,
        level: report.options.level,
        tests: report.tests,
        pairs: report
            .pairs
            .iter()
            .map(|one| pair(one, &mut corrected))
            .collect(),
    }
}

fn pair<'a>(pair: &Pair<'a>, corrected: &mut impl Iterator<Item = f64>) -> JsonPair<'a> {
    let comparison = &pair.comparison;
    let passes = comparison
        .passes
        .iter()
        .zip(corrected)
        .map(|(pass, p_holm)| JsonPass {
            pass: pass.pass.to_string(),
            images: pass.images,
            only_first: pass.only_first,
            only_second: pass.only_second,
            accuracy_difference: pass.value(),
            p: pass.p,
            p_holm,
        });
    JsonPair {
        first: pair.first,
        second: pair.second,
        figures: pair
            .rows
            .iter()
            .map(|row| (key(row), figure(row)))
            .collect(),
        held_fixed: comparison.held_fixed.iter().map(|d| d.column()).collect(),
        passes: passes.collect(),
    }
}

fn key(row: &Row) -> &'static str {
    row.dimension.map_or("quba", Dimension::column)
}

fn figure(row: &Row) -> JsonFigure {
    let difference = row.difference.as_ref();
    let certainty = row.certainty();
    JsonFigure {
        first: difference.ok().map(|d| d.first),
        second: difference.ok().map(|d| d.second),
        difference: difference.ok().map(|d| d.value()),
        interval_95: certainty.map(|c| (c.interval.low, c.interval.high)),
        p: certainty.map(|c| c.p),
        p_holm: row.p,
        significant: row.is_significant(),
        test: certainty.map(|c| c.test.name()),
        reason: match difference {
            Err(reason) => Some(reason.to_string()),
            Ok(difference) => difference.certainty.err().map(|reason| reason.to_string()),
        },
    }
}
