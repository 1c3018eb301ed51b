//! Any two quantities of the shown models.

use eframe::egui;
use egui::Ui;

use super::axes::{self, quantity};
use super::plot::PlotPanel;
use crate::chart::offered;
use crate::state::AppState;

/// The view.
#[derive(Default)]
pub struct ScatterView {
    plot: PlotPanel,
}

impl ScatterView {
    /// Draws it.
    pub fn ui(&mut self, ui: &mut Ui, state: &mut AppState) {
        let offered = offered(state);
        ui.horizontal_wrapped(|ui| {
            let axes = &mut state.charts.scatter;
            quantity(ui, "Vertical", &mut axes.y, &offered);
            let hover = "Exchange the two axes";
            if ui.button("Swap").on_hover_text(hover).clicked() {
                std::mem::swap(&mut axes.x, &mut axes.y);
            }
            quantity(ui, "Horizontal", &mut axes.x, &offered);
            axes::labels(ui, &mut state.charts.labels);
            ui.toggle_value(&mut state.charts.front, "Pareto front")
                .on_hover_text(
                    "The models that no other beats in both figures; those ahead of the \
                     published ones, where these are dimmed",
                );
            self.plot.unzoom(ui);
            let axes = state.charts.scatter;
            if axes.x.is_on_device() || axes.y.is_on_device() {
                axes::device(ui, state);
            }
        });
        axes::notes(ui, self.plot.update(state));
        self.plot.ui(ui, state);
    }
}
