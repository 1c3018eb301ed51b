//! What was opened: models, devices, warnings and errors, file by file.

use std::path::PathBuf;

use eframe::egui;
use egui::{Align, Button, Label, Layout, RichText, ScrollArea, Ui};
use egui_extras::{Column, TableBuilder, TableRow};
use shared::comparison::costs::device_label;
use shared::words::plural;

use super::open_panel::OpenPanel;
use super::widgets::{hint, section};
use crate::demo;
use crate::state::AppState;
use crate::state::library::LoadedFile;
use crate::state::merging::Measurements;
use crate::state::request::Request;
use crate::state::words;
use crate::theme::{Palette, ROW_HEIGHT, quiet_table};

const HEADINGS: [&str; 7] = [
    "file", "model", "data", "device", "measured", "size", "state",
];

const DROP_HINT: &str = "Files and folders may also be dropped into the window. Opened files are \
    read again when they change.";

/// The view.
#[derive(Default)]
pub struct FilesView {
    open: OpenPanel,
}

impl FilesView {
    /// Draws it.
    pub fn ui(&mut self, ui: &mut Ui, state: &mut AppState) {
        ui.add_space(4.0);
        self.open.ui(ui, state);
        ui.horizontal(|ui| {
            let any = !state.library.is_empty();
            if ui.add_enabled(any, Button::new("Close all")).clicked() {
                state.request(Request::CloseAll);
            }
            hint(ui, DROP_HINT);
        });
        conflicts(ui, state);
        ui.add_space(4.0);
        if state.library.is_empty() {
            ui.centered_and_justified(|ui| ui.label("No result files are open."));
            return;
        }
        let mut closed = None;
        ScrollArea::horizontal()
            .auto_shrink(false)
            .show(ui, |ui| table(ui, state, &mut closed));
        if let Some(path) = closed {
            state.request(Request::Close(path));
        }
    }
}

fn conflicts(ui: &mut Ui, state: &AppState) {
    let conflicts: Vec<&str> = state.library.conflicts().collect();
    if conflicts.is_empty() {
        return;
    }
    section(ui, "Kept apart");
    for conflict in conflicts {
        ui.colored_label(Palette::of(ui).warning, conflict);
    }
}

fn table(ui: &mut Ui, state: &AppState, closed: &mut Option<PathBuf>) {
    ui.style_mut().interaction.selectable_labels = false;
    quiet_table(ui);
    let files: Vec<&LoadedFile> = state.library.files().collect();
    TableBuilder::new(ui)
        .striped(true)
        .cell_layout(Layout::left_to_right(Align::Center))
        .auto_shrink(false)
        .column(Column::initial(150.0).clip(true).resizable(true))
        .column(Column::initial(176.0).clip(true).resizable(true))
        .column(Column::initial(90.0).clip(true).resizable(true))
        .column(Column::initial(250.0).clip(true).resizable(true))
        .column(Column::exact(116.0).clip(true))
        .column(Column::exact(64.0).clip(true))
        .column(Column::remainder().at_least(150.0).clip(true))
        .column(Column::exact(58.0))
        .header(ROW_HEIGHT, |mut header| {
            for heading in HEADINGS {
                header.col(|ui| drop(ui.label(RichText::new(heading).strong())));
            }
            header.col(|_| {});
        })
        .body(|body| {
            body.rows(ROW_HEIGHT, files.len(), |mut row| {
                if let Some(file) = files.get(row.index()) {
                    line(&mut row, file, closed);
                }
            });
        });
}

fn line(row: &mut TableRow<'_, '_>, file: &LoadedFile, closed: &mut Option<PathBuf>) {
    let name = file
        .path
        .file_name()
        .unwrap_or(file.path.as_os_str())
        .to_string_lossy();
    row.col(|ui| {
        ui.add(Label::new(&*name).truncate())
            .on_hover_text(file.path.display().to_string());
    });
    match &file.content {
        Ok(measurements) => described(row, measurements),
        Err(_) => (0..4).for_each(|_| drop(row.col(|_| {}))),
    }
    row.col(|ui| drop(ui.label(words::bytes(file.bytes))));
    row.col(|ui| condition(ui, file));
    row.col(|ui| {
        let close = ui.small_button("Close");
        if close.on_hover_text(format!("Close {name}")).clicked() {
            *closed = Some(file.path.clone());
        }
    });
}

fn described(row: &mut TableRow<'_, '_>, measurements: &Measurements) {
    let evaluation = &measurements.evaluation;
    let mut text = |text: &str| {
        row.col(|ui| drop(ui.add(Label::new(text).truncate()).on_hover_text(text)));
    };
    text(&evaluation.model.name);
    text(&evaluation.dataset.name);
    let mut devices = measurements.devices();
    if evaluation.is_costs_only() {
        devices.extend(evaluation.costs.iter().map(device_label));
    }
    text(&devices.join(", "));
    let runs = evaluation.runs.iter().map(|run| run.started);
    let costs = evaluation.costs.iter().map(|cost| cost.measured);
    let latest = runs.chain(costs).max();
    text(&latest.map_or_else(String::new, words::utc));
}

/// The error, or the warnings on hovering.
fn condition(ui: &mut Ui, file: &LoadedFile) {
    let palette = Palette::of(ui);
    match &file.content {
        Err(error) => {
            let text = RichText::new(format!("Error: {error}")).color(palette.error);
            ui.add(Label::new(text).truncate()).on_hover_text(error);
        }
        Ok(measurements) => {
            let warnings = measurements.evaluation.warning_lines();
            if warnings.is_empty() {
                let text = if demo::is_demo(&file.path) {
                    "demo"
                } else if measurements.evaluation.is_costs_only() {
                    "costs alone, shown with results of the model"
                } else {
                    "read"
                };
                ui.label(RichText::new(text).color(palette.weak));
            } else {
                let count = plural(warnings.len() as u64, "warning");
                let text = RichText::new(count).color(palette.warning);
                ui.label(text).on_hover_text(warnings.join("\n"));
            }
        }
    }
}
