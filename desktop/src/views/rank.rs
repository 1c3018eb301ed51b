//! The rank table.

use eframe::egui;
use egui::{Align, CollapsingHeader, Key, Layout, Panel, RichText, ScrollArea, Sense, Ui};
use egui_extras::{TableBody, TableBuilder};
use shared::words::plural;

use super::cells::Cell;
use super::columns::{self, CHOOSER};
use crate::state::AppState;
use crate::state::filter::PublishedLayer;
use crate::state::model::{Model, ModelId};
use crate::state::row::Row;
use crate::state::table::Column;
use crate::theme::{Palette, ROW_HEIGHT, quiet_table};

/// The view.
#[derive(Default)]
pub struct RankView {
    /// Line to scroll to with the next frame.
    scroll_to: Option<usize>,
}

impl RankView {
    /// Draws it.
    pub fn ui(&mut self, ui: &mut Ui, state: &mut AppState) {
        let mut fits = true;
        ui.horizontal(|ui| {
            ui.label(RichText::new(shown(state)).color(Palette::of(ui).weak));
            let room = ui.available_width();
            fits = room >= CHOOSER;
            if fits {
                ui.add_space(room - CHOOSER);
                columns::chooser(ui, &mut state.table);
            }
        });
        if !fits {
            ui.horizontal(|ui| columns::chooser(ui, &mut state.table));
        }
        if state.derived().shown.is_empty() {
            nothing(ui, state);
            return;
        }
        notes(ui, state);
        self.keys(ui, state);
        ScrollArea::horizontal()
            .auto_shrink(false)
            .show(ui, |ui| self.table(ui, state));
    }

    fn table(&mut self, ui: &mut Ui, state: &mut AppState) {
        ui.style_mut().interaction.selectable_labels = false;
        ui.spacing_mut().item_spacing.x = 4.0;
        quiet_table(ui);
        let columns = state.table.columns(!state.derived().devices.is_empty());
        let mut sort = state.table.sort;
        let widths = columns::widths(&columns, ui.available_width(), ui.spacing().item_spacing.x);
        let mut table = TableBuilder::new(ui)
            .id_salt("rank table")
            .striped(true)
            .sense(Sense::click())
            .auto_shrink(false)
            .cell_layout(Layout::left_to_right(Align::Center));
        for width in widths {
            table = table.column(width);
        }
        if let Some(line) = self.scroll_to.take() {
            table = table.scroll_to_row(line, None);
        }
        let mut clicked = None;
        table
            .header(ROW_HEIGHT + 2.0, |mut header| {
                for &column in &columns {
                    header.col(|ui| {
                        columns::heading(ui, column, &mut sort);
                        columns::underline(ui);
                    });
                }
            })
            .body(|body| clicked = lines(body, state, &columns));
        state.table.sort = sort;
        if let Some(id) = clicked {
            select(ui, state, &id);
        }
    }

    /// Up and down select the next line, where no control has the keys.
    fn keys(&mut self, ui: &Ui, state: &mut AppState) {
        if ui.memory(|memory| memory.focused().is_some()) {
            return;
        }
        let step = ui.input(|input| {
            i32::from(input.key_pressed(Key::ArrowDown))
                - i32::from(input.key_pressed(Key::ArrowUp))
        });
        if step == 0 {
            return;
        }
        let lines: Vec<ModelId> = state.shown().map(|(model, _)| model.id.clone()).collect();
        let current = state.selection.last();
        let position = current.and_then(|id| lines.iter().position(|other| other == id));
        let next = match position {
            None => 0,
            Some(position) if step > 0 => (position + 1).min(lines.len().saturating_sub(1)),
            Some(position) => position.saturating_sub(1),
        };
        if let Some(id) = lines.get(next) {
            state.selection.select_only(id);
            self.scroll_to = Some(next);
        }
    }
}

/// Draws the lines that are in sight; the model of the one that was clicked.
fn lines(body: TableBody<'_>, state: &AppState, columns: &[Column]) -> Option<ModelId> {
    let lines: Vec<(&Model, &Row)> = state.shown().collect();
    let apart = state.derived().apart;
    let first_published = lines.iter().position(|(m, _)| apart && m.is_published());
    let mut clicked = None;
    body.rows(ROW_HEIGHT, lines.len(), |mut line| {
        let Some(&(model, row)) = lines.get(line.index()) else {
            return;
        };
        let cell = cell(state, model, row);
        line.set_selected(cell.selected);
        line.set_overline(first_published == Some(line.index()));
        for &column in columns {
            line.col(|ui| cell.ui(ui, column));
        }
        if line.response().clicked() {
            clicked = Some(model.id.clone());
        }
    });
    clicked
}

fn cell<'a>(state: &AppState, model: &'a Model, row: &'a Row) -> Cell<'a> {
    let behind = state.choices.filter.published == PublishedLayer::Dimmed;
    Cell {
        model,
        row,
        interval: state.derived().interval(model, row),
        style: state.table.cells,
        dimmed: behind && model.is_published(),
        selected: state.selection.contains(&model.id),
    }
}

fn select(ui: &Ui, state: &mut AppState, id: &ModelId) {
    if ui.input(|input| input.modifiers.command) {
        state.selection.toggle(id);
    } else {
        state.selection.toggle_only(id);
    }
}

fn shown(state: &AppState) -> String {
    let models = state.library.models();
    let (own, published) = state.derived().counts(models);
    let all = models.iter().filter(|model| !model.is_published()).count();
    let own = format!("{own} of {}", plural(all as u64, "own model"));
    match state.choices.filter.published {
        PublishedLayer::Hidden => own,
        _ => format!("{own}, {published} of {} published", models.len() - all),
    }
}

fn nothing(ui: &mut Ui, state: &mut AppState) {
    ui.vertical_centered(|ui| {
        ui.add_space(ui.available_height() * 0.35);
        ui.label("No model passes the filters.");
        if ui.button("Show all models").clicked() {
            state.choices.filter = state.choices.filter.cleared();
        }
    });
}

/// What keeps figures from being comparable, under the table.
fn notes(ui: &mut Ui, state: &AppState) {
    let notes = &state.derived().notes;
    if notes.is_empty() {
        return;
    }
    Panel::bottom("notes").resizable(false).show(ui, |ui| {
        let title = format!("What to know before comparing ({})", notes.len());
        CollapsingHeader::new(title)
            .default_open(false)
            .show(ui, |ui| {
                for note in notes {
                    ui.label(RichText::new(format!("• {note}")).small());
                }
            });
    });
}
