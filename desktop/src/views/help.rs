//! The list of shortcuts.

use eframe::egui;
use egui::{Context, Grid, InputState, Key, KeyboardShortcut, Modifiers, RichText, Window};

use super::shortcuts::{OTHERS, SHORTCUTS};

/// A window over the others, hidden at first.
#[derive(Default)]
pub struct Help {
    /// Whether it is shown.
    pub open: bool,
}

impl Help {
    /// Escape closes it, and does nothing else then.
    pub fn keys(&mut self, ctx: &Context) {
        let escape = |input: &mut InputState| input.consume_key(Modifiers::NONE, Key::Escape);
        if self.open && ctx.input_mut(escape) {
            self.open = false;
        }
    }

    /// Draws it where it is open.
    pub fn ui(&mut self, ctx: &Context) {
        Window::new("Keyboard shortcuts")
            .open(&mut self.open)
            .collapsible(false)
            .resizable(false)
            .anchor(egui::Align2::CENTER_CENTER, egui::Vec2::ZERO)
            .show(ctx, |ui| {
                Grid::new("shortcuts")
                    .num_columns(2)
                    .spacing([24.0, 6.0])
                    .show(ui, |ui| {
                        let mut line = |keys: String, meaning: &str| {
                            ui.label(RichText::new(keys).monospace());
                            ui.label(meaning);
                            ui.end_row();
                        };
                        for &(_, modifiers, key, meaning) in SHORTCUTS {
                            if !meaning.is_empty() {
                                let shortcut = KeyboardShortcut::new(modifiers, key);
                                line(ctx.format_shortcut(&shortcut), meaning);
                            }
                        }
                        for (keys, meaning) in OTHERS {
                            line((*keys).to_owned(), meaning);
                        }
                    });
            });
    }
}
