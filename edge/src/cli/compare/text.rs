//! The comparison as tables.

use std::fmt::Write;

use shared::Dimension;
use shared::statistics::SIGNIFICANCE;

use super::{Pair, Report, Row};
use crate::cli::resampling::{TWO_SIDED, too_few};
use crate::cli::table::Table;
use crate::cli::words::{self, NOT_MEASURED, count, plural};

/// A table per pair and the notes, drawn by `draw`.
pub(super) fn report(report: &Report, draw: impl Fn(&Table) -> String) -> String {
    let mut text = String::new();
    for pair in &report.pairs {
        let _ = writeln!(text, "{} against {}\n", pair.second, pair.first);
        text += &draw(&table(pair));
        let absent = absent(pair);
        if !absent.is_empty() {
            text += "\n";
            text += &absent;
        }
        text += "\n";
    }
    text + &notes(report)
}

fn table(pair: &Pair) -> Table {
    let header = [
        "",
        pair.first,
        pair.second,
        "difference",
        "95 % interval",
        "p",
    ];
    let mut table = Table::new(header, 1..header.len());
    for row in &pair.rows {
        let mut cells = vec![row.name().to_owned()];
        match &row.difference {
            Ok(difference) => {
                cells.push(figure(row.dimension, difference.first));
                cells.push(figure(row.dimension, difference.second));
                cells.push(signed(row.dimension, difference.value()));
            }
            Err(_) => cells.extend([NOT_MEASURED; 3].map(str::to_owned)),
        }
        cells.push(row.certainty().map_or(NOT_MEASURED.to_owned(), |c| {
            let limit = |value| signed(row.dimension, value);
            format!("{} to {}", limit(c.interval.low), limit(c.interval.high))
        }));
        cells.push(p_value(row));
        table.row(cells);
    }
    table
}

fn figure(dimension: Option<Dimension>, value: f64) -> String {
    match dimension {
        Some(dimension) => words::value(dimension, Some(value)),
        None => format!("{value:.4}"),
    }
}

/// With a plus where it is positive.
fn signed(dimension: Option<Dimension>, value: f64) -> String {
    let text = figure(dimension, value.abs());
    match value {
        v if v < 0.0 => format!("-{text}"),
        v if v > 0.0 => format!("+{text}"),
        _ => text,
    }
}

/// Corrected, with a star where it is significant.
fn p_value(row: &Row) -> String {
    let text = match row.p {
        None => return NOT_MEASURED.to_owned(),
        Some(p) if p < 1e-4 => "< 0.0001".to_owned(),
        Some(p) => format!("{p:.4}"),
    };
    if row.is_significant() {
        text + " *"
    } else {
        text + "  "
    }
}

/// Why figures are not compared, or not tested.
fn absent(pair: &Pair) -> String {
    let mut lines = String::new();
    for row in &pair.rows {
        let name = row.name();
        let _ = match &row.difference {
            Err(reason) => writeln!(lines, "{NOT_MEASURED} {name} not compared: {reason}"),
            Ok(difference) => match difference.certainty {
                Err(reason) => writeln!(lines, "{NOT_MEASURED} {name} not tested: {reason}"),
                Ok(_) => Ok(()),
            },
        };
    }
    lines
}

/// What a reader must know to read the tables.
pub(super) fn notes(report: &Report) -> String {
    let resamples = report.options.resamples;
    let mut notes = vec![
        "differences: second model less first; cal and params: lower is better, the others: higher"
            .to_owned(),
        format!(
            "reference: {}; weights: {}",
            report.reference.name,
            words::weights(report.weights)
        ),
        format!(
            "intervals: {} resamples of the images, the same for all models, seed {}",
            count(resamples as u64),
            report.options.seed
        ),
        format!(
            "p: two-sided, corrected by Holm for {}; acc by McNemar's test (mid-p), the others by \
             the resamples; * at most {SIGNIFICANCE}",
            plural(report.tests as u64, "test")
        ),
    ];
    notes.extend(held_fixed(report));
    notes.extend(too_few(resamples, report.tests, TWO_SIDED));
    notes.into_iter().map(|note| note + "\n").collect()
}

fn held_fixed(report: &Report) -> Option<String> {
    let mut fixed: Vec<Dimension> = report
        .pairs
        .iter()
        .filter(|pair| pair.comparison.quba.is_ok())
        .flat_map(|pair| pair.comparison.held_fixed.iter().copied())
        .collect();
    fixed.sort_unstable();
    fixed.dedup();
    words::held_fixed(&fixed)
}
