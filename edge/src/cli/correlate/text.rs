//! The correlations as tables.

use shared::Direction;
use shared::statistics::{Alternative, Estimate, SIGNIFICANCE, Selection, is_significant};

use super::{Report, Row};
use crate::cli::resampling::{PERMUTED, too_few};
use crate::cli::table::Table;
use crate::cli::words::{NOT_MEASURED, count, plural};

/// The tables and the notes, drawn by `draw`.
pub(super) fn report(report: &Report, draw: impl Fn(&Table) -> String) -> String {
    let tables = if report.is_matrix {
        draw(&matrix(report)) + "\n"
    } else {
        pair(report, draw)
    };
    tables + &notes(report)
}

/// Spearman's correlations below the diagonal, Kendall's above.
fn matrix(report: &Report) -> Table {
    let figures = &report.source.figures;
    let mut header = vec![String::new()];
    header.extend(figures.iter().map(|figure| figure.name.clone()));
    let numbers = 1..header.len();
    let mut table = Table::new(header, numbers);
    let p_values = report.p_values();
    let cell = |row: &str, column: &str, which: usize| {
        let found = report.rows.iter().zip(&p_values);
        let mut found = found.filter(|(r, _)| {
            [(row, column), (column, row)].contains(&(r.x.name.as_str(), r.y.name.as_str()))
        });
        let (Some((found, Some(p))), true) = (found.next(), row != column) else {
            return NOT_MEASURED.to_owned() + " ";
        };
        let value = found
            .association
            .map_or(f64::NAN, |a| [a.spearman, a.kendall][which].value);
        let mark = if is_significant(p[which]) { "*" } else { " " };
        format!("{value:.3}{mark}")
    };
    for (i, row) in figures.iter().enumerate() {
        let mut cells = vec![row.name.clone()];
        for (j, column) in figures.iter().enumerate() {
            cells.push(if i == j {
                String::new()
            } else {
                cell(&row.name, &column.name, usize::from(j > i))
            });
        }
        table.row(cells);
    }
    table
}

/// The pair over all models, what choosing by x costs, and the sweep.
fn pair(report: &Report, draw: impl Fn(&Table) -> String) -> String {
    let Some(all) = report.rows.first() else {
        return String::new();
    };
    let (x, y) = (&all.x.name, &all.y.name);
    let models = plural(all.models as u64, "model");
    let mut text = format!("{y} by {x}, {models}\n\n");
    text += &draw(&statistics(all));
    text += "\n";
    if let Some(selection) = &all.selection {
        text += &chosen(report, all, selection);
        text += "\n";
    }
    if report.rows.len() > 1 {
        text += &draw(&sweep(report));
        text += "\n";
    }
    text
}

fn statistics(row: &Row) -> Table {
    let mut table = Table::new(["", "value", "95 % interval", "p"], 1..4);
    let Some(found) = &row.association else {
        return table;
    };
    let p_value = |p: f64| format!("{p:.4}");
    let lines = [
        ("Spearman", Some(found.spearman), p_value(found.spearman_p)),
        ("Kendall", Some(found.kendall), p_value(found.kendall_p)),
        ("R²", Some(found.r_squared), NOT_MEASURED.to_owned()),
        ("mis-ranked", row.misranked(), NOT_MEASURED.to_owned()),
    ];
    for (name, estimate, p) in lines {
        let Some(estimate) = estimate else { continue };
        let interval = interval(estimate, 4).unwrap_or(NOT_MEASURED.to_owned());
        table.row([
            name.to_owned(),
            format!("{:.4}", estimate.value),
            interval,
            p,
        ]);
    }
    table
}

fn interval(estimate: Estimate, digits: usize) -> Option<String> {
    let limits = estimate.interval?;
    Some(format!(
        "{:.digits$} to {:.digits$}",
        limits.low, limits.high
    ))
}

fn chosen(report: &Report, row: &Row, selection: &Selection) -> String {
    let (x, y) = (&row.x.name, &row.y.name);
    let listed = |positions: &[usize]| {
        let names = report.names(positions);
        match names.as_slice() {
            [one] => (*one).to_owned(),
            [first, rest @ ..] => format!("{first} and {} more", rest.len()),
            [] => String::new(),
        }
    };
    let chosen = listed(&selection.chosen);
    if selection.regret == 0.0 {
        return format!("best in {x}: {chosen}, which is best in {y} too\n");
    }
    format!(
        "best in {x}: {chosen}; best in {y}: {}; regret {:.4}\n",
        listed(&selection.best),
        selection.regret
    )
}

/// One line per subset of the models.
fn sweep(report: &Report) -> Table {
    let x = report.rows.first().map(|row| row.x);
    let (name, bound) = x.map_or(("", ""), |x| {
        let bound = match x.direction {
            Direction::HigherIsBetter => "≥",
            Direction::LowerIsBetter => "≤",
        };
        (x.name.as_str(), bound)
    });
    let heading = format!("{name} {bound}");
    let header = [
        &heading,
        "models",
        "Spearman",
        "Kendall",
        "R²",
        "mis-ranked",
        "regret",
    ];
    let mut table = Table::new(header, 0..header.len());
    for row in &report.rows {
        let cell = |estimate: Option<Estimate>| {
            let Some(estimate) = estimate else {
                return NOT_MEASURED.to_owned();
            };
            let value = format!("{:.3}", estimate.value);
            match interval(estimate, 2) {
                Some(interval) => format!("{value} ({interval})"),
                None => value,
            }
        };
        let found = row.association.as_ref();
        let misranked = row.misranked();
        let regret = row.selection.as_ref().map(|s| format!("{:.4}", s.regret));
        table.row([
            row.from.map_or("all".to_owned(), short),
            row.models.to_string(),
            cell(found.map(|a| a.spearman)),
            cell(found.map(|a| a.kendall)),
            cell(found.map(|a| a.r_squared)),
            misranked.map_or(NOT_MEASURED.to_owned(), |m| {
                format!("{:.1} %", 100.0 * m.value)
            }),
            regret.unwrap_or(NOT_MEASURED.to_owned()),
        ]);
    }
    table
}

/// Up to six digits behind the point.
fn short(threshold: f64) -> String {
    ((threshold * 1e6).round() / 1e6).to_string()
}

/// What a reader must know to read the tables.
pub(super) fn notes(report: &Report) -> String {
    let resamples = count(report.sampling.resamples as u64);
    let sides = match report.sampling.alternative {
        Alternative::TwoSided => "two-sided",
        Alternative::Positive => "that y rises with x",
    };
    let p = format!("p: {sides}, {resamples} permutations");
    let mut notes = Vec::new();
    if report.is_matrix {
        let tests = report
            .rows
            .iter()
            .filter(|r| r.association.is_some())
            .count();
        notes.push("below the diagonal Spearman, above Kendall (τ-b) over models".to_owned());
        notes.push(format!(
            "{p}, corrected by Holm for {}; * at most {SIGNIFICANCE}",
            plural(tests as u64, "pair")
        ));
        notes.extend(too_few(report.sampling.resamples, tests, PERMUTED));
        notes.push(
            "--csv and --json: intervals, R², mis-ranked pairs, regret; --x and --y: one pair"
                .to_owned(),
        );
        notes.push(
            "cal and params: lower is better, so beside the others a negative sign is agreement"
                .to_owned(),
        );
    } else {
        notes.push(format!(
            "intervals: {resamples} resamples of the models, as if they were independent, which models \
             of a family are not; seed {}",
            report.sampling.seed
        ));
        notes.push(p);
        notes.push(
            "mis-ranked: chance that the better of two models in x is the worse in y, (1 − τ)/2; \
             regret: best y less that of the best model in x"
                .to_owned(),
        );
    }
    let skipped =
        report.source.models.len() - report.rows.iter().map(|r| r.models).max().unwrap_or(0);
    if skipped > 0 {
        notes.push(format!(
            "left out: {} without one of the figures",
            plural(skipped as u64, "model")
        ));
    }
    notes.extend(report.source.notes.iter().cloned());
    notes.into_iter().map(|note| note + "\n").collect()
}
