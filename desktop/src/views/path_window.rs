//! Asks for a path where the system shows no file dialog.

use std::path::PathBuf;

use eframe::egui;
use egui::{Align2, Context, Key, TextEdit, Vec2, Window};

use super::widgets::hint;
use crate::state::AppState;

/// Draws it where a path is asked for.
pub fn ui(ctx: &Context, state: &mut AppState) {
    let Some(mut entry) = state.path_entry.take() else {
        return;
    };
    let (mut done, mut cancelled) = (false, false);
    Window::new(entry.dialog.title())
        .collapsible(false)
        .resizable(false)
        .anchor(Align2::CENTER_CENTER, Vec2::ZERO)
        .show(ctx, |ui| {
            ui.set_width(460.0);
            hint(ui, "This system shows no file dialog, so type the path.");
            let field = TextEdit::singleline(&mut entry.path).desired_width(f32::INFINITY);
            let label = ui.label("Path");
            let field = ui.add(field).labelled_by(label.id);
            let entered = field.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter));
            if !entered && ui.memory(|memory| memory.focused().is_none()) {
                field.request_focus();
            }
            let replaces = entry.replaces();
            if replaces {
                hint(ui, "There is a file of this name.");
            }
            ui.add_space(4.0);
            ui.horizontal(|ui| {
                let named = !entry.path.trim().is_empty();
                let confirm = ui.button(if replaces { "Replace" } else { "OK" });
                // Enter alone replaces nothing.
                done = named && (confirm.clicked() || entered && !replaces);
                let escape = ui.input(|input| input.key_pressed(Key::Escape));
                cancelled = ui.button("Cancel").clicked() || escape;
            });
        });
    if done {
        let path = PathBuf::from(entry.path.trim());
        state.request(entry.dialog.chosen(path));
    } else if !cancelled {
        state.path_entry = Some(entry);
    }
}
