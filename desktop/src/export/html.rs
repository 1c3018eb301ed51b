//! The current view as a page that needs nothing else.

use shared::Dimension;
use shared::words::plural;

use super::{escaped, table};
use crate::state::AppState;
use crate::state::filter::{Grouping, PublishedLayer};
use crate::state::words;

const STYLE: &str = "\
body{font:14px/1.45 Ubuntu,'Segoe UI','Helvetica Neue',Arial,sans-serif;color:#1e1e1e;\
background:#fafafa;max-width:1080px;margin:2rem auto;padding:0 1rem}\
h1{font-size:1.5rem;margin:0}h2{font-size:1.1rem;margin:1.6rem 0 .4rem}p{margin:.3rem 0}\
.weak{color:#606060}svg{max-width:100%;height:auto}.wide{overflow-x:auto}\
table{border-collapse:collapse;font-size:13px;font-variant-numeric:tabular-nums}\
th,td{padding:.2rem .55rem;text-align:right;border-bottom:1px solid #dcdcdc;white-space:nowrap}\
th.name,td.name{text-align:left}tr.published{color:#606060}ul{margin:.3rem 0;padding-left:1.2rem}";

/// The page: the plot (SVG), weights, filters, table and notes.
pub(super) fn report(state: &AppState, plot: Option<&str>) -> String {
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n\
         <title>QUBA report</title>\n<style>{STYLE}</style>\n</head>\n<body>\n"
    );
    let (own, published) = state.derived().counts(state.library.models());
    let reference = match state.derived().reference.name.as_str() {
        "published" => "the study's models",
        other => other,
    };
    page += "<h1>QUBA report</h1>\n";
    page += &paragraph(&format!(
        "{} and {}, scores relative to {reference}",
        plural(own as u64, "own model"),
        plural(published as u64, "published model"),
    ));
    if let Some(problem) = &state.derived().problem {
        page += &paragraph(&format!("No scores: {problem}"));
    }
    page += plot.unwrap_or_default();
    page += "<h2>Weights</h2>\n";
    page += &weights(state);
    page += "<h2>Filters</h2>\n";
    page += &list(&filters(state));
    page += "<h2>Models</h2>\n";
    page += &models(state);
    page += "<h2>Notes</h2>\n";
    page += &list(&table::legend(state));
    page += "<h2>Files</h2>\n";
    page += &list(&files(state));
    page += "</body>\n</html>\n";
    page
}

fn paragraph(text: &str) -> String {
    format!("<p class=\"weak\">{}</p>\n", escaped(text))
}

fn list(lines: &[String]) -> String {
    let items = lines
        .iter()
        .map(|line| format!("<li>{}</li>\n", escaped(line)));
    format!("<ul>\n{}</ul>\n", items.collect::<String>())
}

fn row(cell: &str, cells: impl Iterator<Item = String>, class: &str) -> String {
    let mut out = format!("<tr{class}>");
    for (index, text) in cells.enumerate() {
        let name = if index == 1 { " class=\"name\"" } else { "" };
        out += &format!("<{cell}{name}>{}</{cell}>", escaped(&text));
    }
    out + "</tr>\n"
}

fn weights(state: &AppState) -> String {
    let mut out = String::from("<div class=\"wide\"><table>\n");
    out += &row(
        "th",
        Dimension::ALL.map(|d| d.column().to_owned()).into_iter(),
        "",
    );
    let weights = &state.choices.weights;
    let rounded = Dimension::ALL.map(|d| ((weights[d] * 1e4).round() / 1e4).to_string());
    out += &row("td", rounded.into_iter(), "");
    if let Some(preset) = state.choices.preset() {
        return out + "</table></div>\n" + &paragraph(&format!("preset: {}", preset.name()));
    }
    out + "</table></div>\n"
}

/// What chooses the shown models, in words.
fn filters(state: &AppState) -> Vec<String> {
    let filter = &state.choices.filter;
    let mut words = vec![format!(
        "published models: {}",
        filter.published.label().to_lowercase()
    )];
    if filter.published != PublishedLayer::Hidden && filter.clean_only {
        words.push("published rows with distorted figures are left out".to_owned());
    }
    if !filter.search.trim().is_empty() {
        words.push(format!("search: {}", filter.search.trim()));
    }
    let limits = &filter.limits;
    for (limit, name, unit) in [
        (limits.parameters, "parameters at most", "M"),
        (limits.megabytes, "size at most", "MB"),
        (limits.giga_macs, "MACs at most", "G"),
        (limits.milliseconds, "latency at most", "ms"),
        (limits.accuracy, "accuracy at least", "%"),
    ] {
        words.extend(limit.map(|limit| format!("{name} {limit} {unit}")));
    }
    if let Ok(device) = &state.derived().device {
        words.push(format!("latency on {device}"));
    }
    for grouping in Grouping::ALL {
        let mut hidden: Vec<&str> = state
            .library
            .models()
            .iter()
            .flat_map(|model| grouping.of(model))
            .filter(|group| !filter.shows(grouping, group))
            .map(String::as_str)
            .collect();
        hidden.sort_unstable();
        hidden.dedup();
        if !hidden.is_empty() {
            let name = grouping.label().to_lowercase();
            words.push(format!("{name} left out: {}", hidden.join(", ")));
        }
    }
    words
}

fn models(state: &AppState) -> String {
    let mut out = String::from("<div class=\"wide\"><table>\n");
    out += &row(
        "th",
        table::headings(state).into_iter().map(str::to_owned),
        "",
    );
    for (model, computed) in state.shown() {
        let class = if model.is_published() {
            " class=\"published\""
        } else {
            ""
        };
        out += &row(
            "td",
            table::cells(state, model, computed).into_iter(),
            class,
        );
    }
    out + "</table></div>\n"
}

fn files(state: &AppState) -> Vec<String> {
    let describe = |file: &crate::state::library::LoadedFile| {
        let name = file.path.file_name().unwrap_or(file.path.as_os_str());
        let name = name.to_string_lossy();
        match &file.content {
            Ok(content) => format!(
                "{name}: {}, {}",
                content.evaluation.model.name,
                words::bytes(file.bytes)
            ),
            Err(error) => format!("{name}: {error}"),
        }
    };
    let files: Vec<String> = state.library.files().map(describe).collect();
    if files.is_empty() {
        return vec!["none opened".to_owned()];
    }
    files
}
