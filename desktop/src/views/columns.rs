//! Widths and headings of the rank table.

use eframe::egui;
use egui::{Align, Button, Layout, RichText, Ui};
use egui_extras::Column as Width;

use super::widgets::choice;
use crate::state::table::{CellStyle, Column, Sort, TableChoices};
use crate::theme::Palette;

/// The width of a column.
pub fn width(column: Column) -> Width {
    let initial = match column {
        Column::Position => 40.0,
        Column::Rank | Column::Change => 48.0,
        Column::Model => {
            return Width::initial(236.0)
                .at_least(120.0)
                .clip(true)
                .resizable(true);
        }
        Column::Quba => 72.0,
        Column::Value(_) => 68.0,
        Column::Bytes | Column::Macs => 70.0,
        Column::AmongPublished => 96.0,
        Column::Architecture => 120.0,
        Column::PretrainingData | Column::Regime => 140.0,
        Column::Device => 200.0,
    };
    Width::initial(initial)
        .at_least(36.0)
        .clip(true)
        .resizable(true)
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
    let arrow = match (sorted, sort.descending) {
        (false, _) => "",
        (true, true) => " ⏷",
        (true, false) => " ⏶",
    };
    let mut text = RichText::new(format!("{}{arrow}", column.heading())).strong();
    if sorted {
        text = text.color(Palette::of(ui).accent);
    }
    let layout = if is_number(column) {
        Layout::right_to_left(Align::Center)
    } else {
        Layout::left_to_right(Align::Center)
    };
    ui.with_layout(layout, |ui| {
        let response = ui.add(Button::new(text).frame(false).truncate());
        let order = match (sorted, sort.descending) {
            (false, _) => "",
            (true, true) => ", sorted descending",
            (true, false) => ", sorted ascending",
        };
        let name = format!("Sort by {}{order}", column.heading());
        response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Button, true, &name));
        if response.on_hover_text(column.explanation()).clicked() {
            *sort = sort.clicked(column);
        }
    });
}

/// What cells show, and which columns there are.
pub fn chooser(ui: &mut Ui, table: &mut TableChoices) {
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
    let options = [
        (CellStyle::Value, "Values"),
        (CellStyle::ZScore, "z-scores"),
    ];
    choice(ui, "Cells", &mut table.cells, &options);
}
