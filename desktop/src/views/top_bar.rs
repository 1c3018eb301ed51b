//! The bar with views, files, undo and appearance.

use eframe::egui;
use egui::{Align, Button, Layout, RichText, Ui};

use super::help::Help;
use super::shortcuts::{self, Action};
use crate::export::Export;
use crate::state::AppState;
use crate::state::request::{Dialog, Request};
use crate::state::session::ThemeChoice;
use crate::state::view::View;
use crate::theme::Palette;

/// The bar.
#[derive(Default)]
pub struct TopBar {
    /// Width at which all of it fits on one line, measured with the last frame.
    wanted: f32,
}

impl TopBar {
    /// Draws it, on two lines where the window is narrow.
    pub fn ui(&mut self, ui: &mut Ui, state: &mut AppState, help: &mut Help) {
        ui.add_space(2.0);
        let gap = 2.0 * ui.spacing().item_spacing.x;
        let fits = self.wanted <= ui.available_width();
        let mut parts = [0.0; 3];
        ui.horizontal(|ui| {
            parts[0] = width_of(ui, |ui| views(ui, state));
            if fits {
                ui.separator();
                parts[1] = width_of(ui, |ui| menus(ui, state));
                parts[2] = controls(ui, state, help);
            }
        });
        if !fits {
            ui.horizontal(|ui| {
                parts[1] = width_of(ui, |ui| menus(ui, state));
                parts[2] = controls(ui, state, help);
            });
        }
        self.wanted = parts.iter().sum::<f32>() + 2.0 * gap;
        ui.add_space(2.0);
    }
}

/// Draws a part of a line, and tells its width.
fn width_of(ui: &mut Ui, add: impl FnOnce(&mut Ui)) -> f32 {
    ui.horizontal(add).response.rect.width()
}

fn views(ui: &mut Ui, state: &mut AppState) {
    ui.label(
        RichText::new("QUBA")
            .heading()
            .strong()
            .color(Palette::of(ui).accent),
    );
    ui.separator();
    for view in View::ALL {
        let label = RichText::new(view.label());
        ui.selectable_value(&mut state.view, view, label);
    }
}

fn menus(ui: &mut Ui, state: &mut AppState) {
    open_menu(ui, state);
    session_menu(ui, state);
    export_menu(ui, state);
}

/// What stands at the right, and its width.
fn controls(ui: &mut Ui, state: &mut AppState, help: &mut Help) -> f32 {
    let right = ui.max_rect().right();
    ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
        help_button(ui, help);
        appearance_menu(ui, state);
        if state.view.compares_models() {
            ui.separator();
            panel_buttons(ui, state);
            ui.separator();
            history_buttons(ui, state);
        }
        right - ui.min_rect().left()
    })
    .inner
}

fn open_menu(ui: &mut Ui, state: &mut AppState) {
    ui.menu_button("Open", |ui| {
        let mut item = |ui: &mut Ui, label: &str, action: Action| {
            let button = Button::new(label).shortcut_text(shortcuts::text(ui.ctx(), action));
            if ui.add(button).clicked() {
                shortcuts::perform(action, state);
            }
        };
        item(ui, "Result files…", Action::Open);
        item(ui, "Folder…", Action::OpenFolder);
        if ui.button("Demo results").clicked() {
            state.request(Request::OpenDemo);
        }
        if !state.recent.is_empty() {
            ui.separator();
            ui.menu_button("Recent files", |ui| recent(ui, state));
        }
    })
    .response
    .on_hover_text("Open result files");
}

fn recent(ui: &mut Ui, state: &mut AppState) {
    for path in state.recent.clone() {
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let button = ui.button(name).on_hover_text(path.display().to_string());
        if button.clicked() {
            state.request(Request::Open(vec![path]));
        }
    }
}

fn session_menu(ui: &mut Ui, state: &mut AppState) {
    ui.menu_button("Session", |ui| {
        let save = shortcuts::text(ui.ctx(), Action::SaveSession);
        if ui.add(Button::new("Save…").shortcut_text(save)).clicked() {
            state.request(Request::Dialog(Dialog::SaveSession));
        }
        if ui.button("Open…").clicked() {
            state.request(Request::Dialog(Dialog::OpenSession));
        }
    })
    .response
    .on_hover_text("Files, weights, filters and view, kept in a file");
}

fn export_menu(ui: &mut Ui, state: &mut AppState) {
    ui.menu_button("Export", |ui| {
        for kind in Export::ALL {
            let button = Button::new(kind.label());
            let clicked = ui
                .add_enabled(kind.is_offered(state), button)
                .on_disabled_hover_text("This view shows no plot")
                .clicked();
            if clicked {
                state.request(Request::Dialog(Dialog::Export(kind)));
            }
        }
    })
    .response
    .on_hover_text("Write what is shown to a file");
}

fn history_buttons(ui: &mut Ui, state: &mut AppState) {
    let (undo, redo) = (state.can_undo(), state.can_redo());
    let mut button = |label: &str, action: Action, enabled: bool| {
        let hover = format!(
            "{label} a change of weights, filters or picks ({})",
            shortcuts::text(ui.ctx(), action)
        );
        let clicked = ui
            .add_enabled(enabled, Button::new(label))
            .on_hover_text(&hover)
            .on_disabled_hover_text(&hover)
            .clicked();
        if clicked {
            shortcuts::perform(action, state);
        }
    };
    // From right to left.
    button("Redo", Action::Redo, redo);
    button("Undo", Action::Undo, undo);
}

fn panel_buttons(ui: &mut Ui, state: &mut AppState) {
    let panels = &mut state.panels;
    // From right to left.
    ui.toggle_value(&mut panels.weights, "Weights")
        .on_hover_text("Show or hide the panel of weights");
    if state.view.is_filtered() {
        ui.toggle_value(&mut panels.filters, "Filters")
            .on_hover_text("Show or hide the panel of filters");
    }
}

fn appearance_menu(ui: &mut Ui, state: &mut AppState) {
    ui.menu_button("Appearance", |ui| {
        for (choice, label) in [
            (ThemeChoice::System, "As the system"),
            (ThemeChoice::Light, "Light"),
            (ThemeChoice::Dark, "Dark"),
        ] {
            ui.radio_value(&mut state.theme, choice, label);
        }
        ui.separator();
        let zoom = ui.ctx().zoom_factor();
        ui.label(format!("Zoom {:.0} %", zoom * 100.0));
        ui.horizontal(|ui| {
            let to = |ui: &mut Ui, label: &str, name: &str, factor: f32| {
                if ui.button(label).on_hover_text(name).clicked() {
                    ui.ctx().set_zoom_factor(factor.clamp(0.5, 3.0));
                }
            };
            to(ui, "Smaller", "Zoom out", zoom - 0.1);
            to(ui, "Larger", "Zoom in", zoom + 0.1);
            to(ui, "100 %", "No zoom", 1.0);
        });
    });
}

fn help_button(ui: &mut Ui, help: &mut Help) {
    let hover = format!(
        "Keyboard shortcuts ({})",
        shortcuts::text(ui.ctx(), Action::Help)
    );
    if ui.button("Help").on_hover_text(hover).clicked() {
        help.open = !help.open;
    }
}
