//! The text of `edge data ROOT`.

use std::fmt::Write as _;

use comfy_table::{CellAlignment, Table, presets};

use crate::dataset::report::Report;

/// The report for people: sets, dimensions, and what needs attention; ends with a line break.
pub fn render(report: &Report) -> String {
    let mut text = format!("{} ({})\n{}\n\n", report.name, report.root, report.labels);
    text += &sets(report);
    text += "\nDimensions\n";
    for (dimension, lacking) in &report.dimensions {
        let state = match lacking.as_slice() {
            [] => "can be measured".to_owned(),
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
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header(["Set", "Images", "Labels with images", "Folder", ""]);
    for set in &report.sets {
        let images = set.images.to_string();
        table.add_row([&set.name, &images, &set.labels, &set.folder, &set.remark]);
    }
    if let Some(images) = table.column_mut(1) {
        images.set_cell_alignment(CellAlignment::Right);
    }
    let lines = table.to_string();
    lines
        .lines()
        .map(|line| line.trim_end().to_owned() + "\n")
        .collect()
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
