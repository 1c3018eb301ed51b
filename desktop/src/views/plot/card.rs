//! What is told of a point.

use eframe::egui;
use egui::{RichText, Ui};

use crate::chart::{Chart, Point};
use crate::state::AppState;
use crate::state::model::Source;
use crate::theme::Palette;

/// Figures and groups of a model at a point.
pub(super) fn card(ui: &mut Ui, state: &AppState, chart: &Chart, point: &Point) {
    let derived = state.derived();
    let found = state.library.find(&point.id);
    let Some((model, row)) =
        found.and_then(|(index, model)| Some((model, derived.rows.get(index)?)))
    else {
        return;
    };
    ui.set_max_width(320.0);
    let palette = Palette::of(ui);
    ui.label(RichText::new(&model.name).strong());
    if !model.detail.is_empty() {
        ui.label(RichText::new(&model.detail).small().color(palette.weak));
    }
    egui::Grid::new("card").spacing([12.0, 3.0]).show(ui, |ui| {
        let mut line = |name: &str, text: &str| {
            if !text.is_empty() {
                ui.label(RichText::new(name).color(palette.weak));
                ui.label(text);
                ui.end_row();
            }
        };
        for (axis, figure) in [(chart.x, point.x), (chart.y, point.y)] {
            let quantity = axis.quantity;
            let mut text = quantity.text(figure);
            if let Some((low, high)) = quantity.interval(derived, model, row) {
                let (low, high) = (quantity.text(low), quantity.text(high));
                text += &format!(" (95 %: {low} to {high})");
            }
            line(quantity.name(), &text);
        }
        line("architecture", &model.architecture);
        line("pre-training data", &model.pretraining_data);
        line("training", &model.regime);
        line("device", &model.devices.join(", "));
        if let Source::Published(row) = &model.source {
            line("paper", &row.paper);
        }
    });
    for note in &model.notes {
        ui.label(RichText::new(note).small().color(palette.warning));
    }
}
