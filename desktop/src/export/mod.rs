//! What leaves the program as a file: the table, plots drawn from data, a report.

mod figure;
mod html;
mod png;
mod svg;
mod table;

use std::path::Path;

use anyhow::{Context as _, Result};

use crate::chart::Chart;
use crate::chart::scene::{Layout, Scene, estimated_width};
use crate::state::AppState;
use crate::theme::Palette;
use crate::views::figure::Figure;

pub use svg::svg;

/// Width and height of an exported chart, in CSS pixels.
const CHART: (f32, f32) = (960.0, 640.0);

/// A kind of file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Export {
    /// The table as comma-separated values, in full precision.
    Csv,
    /// The table as JSON, in full precision, with weights and reference.
    Json,
    /// The table as people read it, in Markdown.
    Markdown,
    /// The plot of the current view as scalable graphics.
    Svg,
    /// The plot of the current view as a picture.
    Png,
    /// Table, plot, weights, filters and notes on a page.
    Html,
}

impl Export {
    /// All kinds, in the order of the menu.
    pub const ALL: [Self; 6] = [
        Self::Csv,
        Self::Json,
        Self::Markdown,
        Self::Svg,
        Self::Png,
        Self::Html,
    ];

    /// The label a person reads.
    pub fn label(self) -> &'static str {
        match self {
            Self::Csv => "Table as CSV…",
            Self::Json => "Table as JSON…",
            Self::Markdown => "Table as Markdown…",
            Self::Svg => "Plot as SVG…",
            Self::Png => "Plot as PNG…",
            Self::Html => "Report as HTML…",
        }
    }

    /// How files of the kind end.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::Json => "json",
            Self::Markdown => "md",
            Self::Svg => "svg",
            Self::Png => "png",
            Self::Html => "html",
        }
    }

    /// What a file is called unless a person names it.
    pub fn file_name(self) -> String {
        let stem = match self {
            Self::Csv | Self::Json | Self::Markdown => "ranking",
            Self::Svg | Self::Png => "plot",
            Self::Html => "report",
        };
        format!("{stem}.{}", self.extension())
    }

    /// Whether there is something to export: a plot only where the view has one.
    pub fn is_offered(self, state: &AppState) -> bool {
        match self {
            Self::Svg | Self::Png => Chart::has(state.view) || Figure::of(state).is_some(),
            _ => true,
        }
    }
}

/// Writes a file so that it is there whole or not at all.
///
/// # Errors
/// There is nothing to export, or the system refuses; the message names the path.
pub fn write(state: &AppState, export: Export, path: &Path) -> Result<()> {
    let cannot = || format!("cannot export to {}", path.display());
    let bytes = content(state, export).with_context(cannot)?;
    shared::result::replace(path, &bytes).with_context(cannot)
}

/// The content of a file.
///
/// # Errors
/// The current view has no plot.
pub fn content(state: &AppState, export: Export) -> Result<Vec<u8>> {
    let plot = || plot(state).context("the current view has no plot");
    Ok(match export {
        Export::Csv => table::csv(state)?.into_bytes(),
        Export::Json => table::json(state)?.into_bytes(),
        Export::Markdown => table::markdown(state).into_bytes(),
        Export::Svg => plot()?.into_bytes(),
        Export::Png => png::png(&plot()?)?,
        Export::Html => html::report(state, plot().ok().as_deref()).into_bytes(),
    })
}

/// The plot of the current view as SVG: a chart, or the view drawn as a figure.
fn plot(state: &AppState) -> Option<String> {
    match scene(state) {
        Some(scene) => Some(svg(&scene)),
        None => figure::svg(state),
    }
}

/// The chart of the current view with title, notes and legend, in light colours.
fn scene(state: &AppState) -> Option<Scene> {
    let chart = Chart::of_view(state, state.view)?;
    let layout = Layout {
        size: CHART,
        palette: Palette::new(false),
        standalone: true,
    };
    Some(Scene::new(&chart, layout, &estimated_width))
}

/// A text within XML or HTML, also as an attribute.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            '\t' | '\n' | '\r' => escaped.push(' '),
            // Not allowed in XML, even escaped.
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => {
                escaped.push('\u{fffd}');
            }
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests;
