//! The line at the bottom: what is shown, what scores are relative to, what went wrong.

use eframe::egui;
use egui::{Align, Layout, RichText, Spinner, Ui};
use shared::quba::Preset;
use shared::words::plural;

use super::weights;
use crate::state::AppState;
use crate::theme::Palette;

/// Draws it.
pub fn ui(ui: &mut Ui, state: &mut AppState) {
    let palette = Palette::of(ui);
    ui.horizontal(|ui| {
        let text = |text: String| RichText::new(text).small().color(palette.weak);
        if state.loading > 0 {
            ui.add(Spinner::new().size(12.0));
            ui.label(text(format!(
                "reading {}",
                plural(state.loading as u64, "file")
            )));
        }
        let failed = state
            .library
            .files()
            .filter(|file| file.content.is_err())
            .count();
        ui.label(text(files(state)));
        if failed > 0 {
            let words = format!("{} cannot be read", plural(failed as u64, "file"));
            ui.label(RichText::new(words).small().color(palette.error));
        }
        if let Some(notice) = state.notice.clone() {
            let color = if notice.is_error {
                palette.error
            } else {
                palette.accent
            };
            ui.separator();
            ui.label(RichText::new(&notice.text).small().color(color));
            if ui.small_button("Dismiss").clicked() {
                state.notice = None;
            }
        }
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let reference = match state.derived().reference.name.as_str() {
                "published" => "the study's 326 models",
                other => other,
            };
            ui.label(text(format!("scores relative to: {reference}")));
            // They act also where their panel is hidden.
            let weights = format!("weights: {}", weights::current(state));
            let color = match state.choices.preset() {
                Some(Preset::Study) => palette.weak,
                _ => palette.accent,
            };
            ui.separator();
            ui.label(RichText::new(weights).small().color(color));
        });
    });
}

fn files(state: &AppState) -> String {
    let own = state
        .library
        .models()
        .iter()
        .filter(|model| !model.is_published())
        .count();
    let files = plural(state.library.files().count() as u64, "result file");
    let models = plural(own as u64, "model");
    if state.shows_demo() {
        format!("demo results: {models} from {files}")
    } else {
        format!("{models} from {files}")
    }
}
