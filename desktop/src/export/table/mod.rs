//! The rank table as text: the shown models, in the order of the table. CSV and JSON have the names
//! of `edge rank` and full precision, empty where not measured.

mod csv;
mod json;

use shared::Dimension;
use shared::uncertainty::QubaInterval;
use shared::words::{NOT_MEASURED, value};

pub(super) use self::csv::csv;
pub(super) use self::json::json;
use crate::state::AppState;
use crate::state::model::Model;
use crate::state::row::Row;
use crate::state::table::CellStyle;
use crate::state::words;

/// Whether the table shows percentiles.
fn shows_percentiles(state: &AppState) -> bool {
    state.table.cells == CellStyle::Percentile
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
