//! Ways to open files that need no dialog: a path field, for systems where dialogs fail silently.

use std::path::PathBuf;

use eframe::egui;
use egui::{Align, Button, Key, Layout, TextEdit, Ui};

use super::shortcuts::{self, Action};
use crate::state::AppState;
use crate::state::request::Request;

/// Buttons and a field to open files.
#[derive(Default)]
pub struct OpenPanel {
    path: String,
}

impl OpenPanel {
    /// Draws it in one line.
    pub fn ui(&mut self, ui: &mut Ui, state: &mut AppState) {
        ui.horizontal(|ui| {
            if ui.button("Open files…").clicked() {
                shortcuts::perform(Action::Open, state);
            }
            if ui.button("Open folder…").clicked() {
                shortcuts::perform(Action::OpenFolder, state);
            }
            ui.separator();
            let label = ui.label("Path");
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                let open = ui.add_enabled(!self.path.trim().is_empty(), Button::new("Open path"));
                let field = TextEdit::singleline(&mut self.path)
                    .hint_text("a result file or a folder")
                    .desired_width(f32::INFINITY);
                let field = ui.add(field).labelled_by(label.id);
                let entered = field.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter));
                if open.clicked() || entered {
                    self.open(state);
                }
            });
        });
    }

    fn open(&mut self, state: &mut AppState) {
        let path = self.path.trim();
        if !path.is_empty() {
            state.request(Request::Open(vec![PathBuf::from(path)]));
            self.path.clear();
        }
    }
}
