//! The bar with views, files, undo and appearance.

use eframe::egui;
use egui::{Align, Button, Layout, RichText, Ui};

use super::help::Help;
use super::shortcuts::{self, Action};
use crate::state::AppState;
use crate::state::request::{Dialog, Request};
use crate::state::session::ThemeChoice;
use crate::state::view::View;
use crate::theme::Palette;

/// In narrower windows the views have a line of their own.
const ONE_LINE: f32 = 1200.0;

/// The bar.
#[derive(Default)]
pub struct TopBar;

impl TopBar {
    /// Draws it.
    pub fn ui(&mut self, ui: &mut Ui, state: &mut AppState, help: &mut Help) {
        let narrow = ui.available_width() < ONE_LINE;
        ui.add_space(2.0);
        ui.horizontal(|ui| {
            let name = RichText::new("QUBA").heading().strong();
            ui.label(name.color(Palette::of(ui).accent));
            ui.separator();
            if !narrow {
                tabs(ui, state);
                ui.separator();
            }
            open_menu(ui, state);
            session_menu(ui, state);
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                help_button(ui, help);
                appearance_menu(ui, state);
                if state.view.compares_models() {
                    ui.separator();
                    panel_buttons(ui, state);
                    ui.separator();
                    history_buttons(ui, state);
                }
            });
        });
        if narrow {
            ui.horizontal(|ui| tabs(ui, state));
        }
        ui.add_space(2.0);
    }
}

fn tabs(ui: &mut Ui, state: &mut AppState) {
    for view in View::ALL {
        ui.selectable_value(&mut state.view, view, view.label());
    }
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

fn history_buttons(ui: &mut Ui, state: &mut AppState) {
    let (undo, redo) = (state.can_undo(), state.can_redo());
    let mut button = |label: &str, action: Action, enabled: bool| {
        let hover = format!(
            "{label} a change of weights or filters ({})",
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
