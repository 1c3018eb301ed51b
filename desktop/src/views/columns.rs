//! Widths and headings of the rank table.

use eframe::egui;
use egui::{Align, Button, Layout, RichText, Ui};
use egui_extras::Column as Width;
use shared::Dimension;

use super::widgets::{Sign, choice, sign};
use crate::state::sort::Sort;
use crate::state::table::{CellStyle, Column, TableChoices};
use crate::theme::Palette;

/// Least width of the names, and the width from which on figures grow instead.
const NAME: (f32, f32) = (126.0, 380.0);

/// How much wider figures become where there is room.
const GROWTH: f32 = 44.0;

/// The widths of columns in a table that is `room` wide.
pub fn widths(columns: &[Column], room: f32, gap: f32) -> Vec<Width> {
    let needed: f32 = columns.iter().map(|&column| least(column) + gap).sum();
    let figures = columns.iter().filter(|column| grows(**column)).count();
    let spare = room - needed - (NAME.1 - NAME.0);
    let growth = (spare / figures.max(1) as f32).clamp(0.0, GROWTH);
    let width = |&column: &Column| match column {
        Column::Model => Width::remainder().at_least(NAME.0).clip(true),
        _ if grows(column) => Width::exact((least(column) + growth).round()).clip(true),
        _ => Width::exact(least(column)).clip(true),
    };
    columns.iter().map(width).collect()
}

fn grows(column: Column) -> bool {
    matches!(column, Column::Quba | Column::Value(_))
}

fn least(column: Column) -> f32 {
    match column {
        Column::Model => NAME.0,
        Column::Position => 24.0,
        Column::Rank => 30.0,
        Column::Change => 32.0,
        Column::Quba => 64.0,
        Column::Value(Dimension::CalibrationError) => 53.0,
        Column::Value(_) => 47.0,
        Column::Bytes | Column::Macs | Column::Latency | Column::Throughput => 60.0,
        Column::AmongPublished => 92.0,
        Column::Architecture => 120.0,
        Column::PretrainingData | Column::Regime => 140.0,
        Column::Device => 240.0,
    }
}

/// Whether its cells are numbers, which end at the right.
pub fn is_number(column: Column) -> bool {
    !matches!(
        column,
        Column::Model
            | Column::Architecture
            | Column::PretrainingData
            | Column::Regime
            | Column::Device
    )
}

/// A heading that sorts. Its accessible label is the explanation with the current order.
pub fn heading(ui: &mut Ui, column: Column, sort: &mut Sort) {
    let sorted = sort.column == column;
    let mut text = RichText::new(column.heading()).strong();
    if sorted {
        text = text.color(Palette::of(ui).accent);
    }
    let layout = if is_number(column) {
        Layout::right_to_left(Align::Center)
    } else {
        Layout::left_to_right(Align::Center)
    };
    ui.with_layout(layout, |ui| {
        ui.spacing_mut().item_spacing.x = 2.0;
        let response = ui.add(Button::new(text).frame(false).truncate());
        let order = match (sorted, sort.descending) {
            (false, _) => "",
            (true, true) => ", sorted descending",
            (true, false) => ", sorted ascending",
        };
        let name = format!("Sort by {}{order}", column.heading());
        response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Button, true, &name));
        if sorted {
            let (direction, meaning) = match sort.descending {
                true => (Sign::Down, "descending"),
                false => (Sign::Up, "ascending"),
            };
            sign(ui, direction, Palette::of(ui).accent, meaning);
        }
        if response.on_hover_text(column.explanation()).clicked() {
            *sort = sort.clicked(column);
        }
    });
}

/// A line beneath a heading.
pub fn underline(ui: &Ui) {
    let cell = ui.max_rect();
    let range = cell.x_range().expand(ui.spacing().item_spacing.x);
    let line = egui::Stroke::new(1.0, Palette::of(ui).line);
    let painter = ui.painter().with_clip_rect(cell.expand(4.0));
    painter.hline(range, cell.bottom(), line);
}

/// Width of [`chooser`].
pub const CHOOSER: f32 = 280.0;

/// What cells show, and which columns there are.
pub fn chooser(ui: &mut Ui, table: &mut TableChoices) {
    let options = [
        (CellStyle::Value, "Values"),
        (CellStyle::ZScore, "z-scores"),
        (CellStyle::Percentile, "Percentiles"),
    ];
    choice(ui, "Cells", &mut table.cells, &options);
    ui.menu_button("Columns", |ui| {
        for column in Column::all() {
            if column.is_optional() {
                let mut shown = !table.hidden.contains(&column);
                let label = match column {
                    Column::Value(dimension) => dimension.name(),
                    Column::Rank => "rank",
                    Column::Change => "change of rank",
                    Column::AmongPublished => "place among published models",
                    other => other.heading(),
                };
                if ui.checkbox(&mut shown, label).changed() {
                    table.set_shown(column, shown);
                }
            }
        }
    })
    .response
    .on_hover_text("Choose the columns of the table");
}
