//! The text of `edge data ROOT`.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use anyhow::Result;
use shared::Dimension;

use super::args::DataArguments;
use super::table::Table;
use super::{Exit, words};
use crate::dataset::Dataset;
use crate::dataset::report::Report;

pub(super) fn run(arguments: &DataArguments) -> Result<Exit> {
    let report = Dataset::open(&arguments.root)?.report();
    let text = if arguments.json {
        serde_json::to_string_pretty(&json(&report))? + "\n"
    } else {
        render(&report)
    };
    words::print(&text)?;
    Ok(Exit::SUCCESS)
}

fn json(report: &Report) -> serde_json::Value {
    let lacking = report
        .dimensions
        .iter()
        .map(|(d, lacking)| (d.column(), lacking));
    let notes: Vec<String> = report.notes.iter().map(ToString::to_string).collect();
    serde_json::json!({
        "name": report.name,
        "root": report.root,
        "labels": report.labels,
        "sets": report.sets,
        "generated": report.generated,
        "lacking": lacking.collect::<BTreeMap<_, _>>(),
        "doubts": report.doubts,
        "notes": notes,
    })
}

/// The report for people: sets, dimensions, and what needs attention; ends with a line break.
pub fn render(report: &Report) -> String {
    let mut text = format!("{} ({})\n{}\n\n", report.name, report.root, report.labels);
    text += &sets(report);
    text += "\nDimensions\n";
    for (dimension, lacking) in &report.dimensions {
        let state = match lacking.as_slice() {
            [] => match (&report.generated, dimension) {
                (Some(cells), Dimension::CorruptionRobustness) => {
                    format!("can be measured, {cells} generated from the clean images")
                }
                _ => "can be measured".to_owned(),
            },
            _ => format!("not measured: needs {}", lacking.join(", ")),
        };
        // Writing to a string cannot fail.
        let _ = writeln!(text, "  {dimension:<30}  {state}");
    }
    let missing = report
        .missing
        .iter()
        .map(|(set, path)| format!("{set:<12}  {path}"));
    section(&mut text, "Not found", &missing.collect::<Vec<_>>());
    section(&mut text, "Looks wrong", &report.doubts);
    let notes: Vec<String> = report.notes.iter().map(ToString::to_string).collect();
    section(&mut text, "Noted", &notes);
    text
}

fn sets(report: &Report) -> String {
    let mut table = Table::new(["Set", "Images", "Labels with images", "Folder", ""], 1..2);
    for set in &report.sets {
        let images = set.images.to_string();
        table.row([&set.name, &images, &set.labels, &set.folder, &set.remark]);
    }
    table.text()
}

fn section(text: &mut String, title: &str, lines: &[String]) {
    if lines.is_empty() {
        return;
    }
    let _ = writeln!(text, "\n{title}");
    for line in lines {
        let _ = writeln!(text, "  {line}");
    }
}
