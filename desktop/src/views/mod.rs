//! Panels and views: structs with a `fn ui`, no I/O. One file each.
//!
//! A new view is a file here with a struct, a field of [`Views`], an arm of [`Views::ui`] and a
//! variant of [`View`].

mod axes;
mod cards;
mod cells;
mod columns;
mod compare;
mod correlations;
pub mod figure;
mod files;
mod filters;
mod help;
mod model;
mod open_panel;
mod paint;
mod parallel;
mod path_window;
mod plot;
mod rank;
mod scatter;
mod shortcuts;
mod status;
mod top_bar;
mod trade_off;
mod weights;
pub mod widgets;

use eframe::egui;
use egui::{CentralPanel, Panel, Ui};

use self::shortcuts::Action;
use crate::state::AppState;
use crate::state::view::View;

/// All views with what they keep between frames beside the state.
#[derive(Default)]
pub struct Views {
    top_bar: top_bar::TopBar,
    files: files::FilesView,
    rank: rank::RankView,
    scatter: scatter::ScatterView,
    trade_off: trade_off::TradeOffView,
    model: model::ModelView,
    compare: compare::CompareView,
    correlations: correlations::CorrelationsView,
    parallel: parallel::ParallelView,
    filters: filters::FilterPanel,
    weights: weights::WeightsPanel,
    help: help::Help,
}

impl Views {
    /// Draws the whole window.
    pub fn ui(&mut self, ui: &mut Ui, state: &mut AppState) {
        Panel::top("top bar").show(ui, |ui| self.top_bar.ui(ui, state, &mut self.help));
        Panel::bottom("status").show(ui, |ui| status::ui(ui, state));
        if state.view.compares_models() {
            if state.panels.filters && state.view.is_filtered() {
                Panel::left("filters")
                    .default_size(190.0)
                    .size_range(170.0..=340.0)
                    .show(ui, |ui| self.filters.ui(ui, state));
            }
            if state.panels.weights {
                Panel::right("weights")
                    .default_size(240.0)
                    .size_range(220.0..=380.0)
                    .show(ui, |ui| self.weights.ui(ui, state));
            }
        }
        CentralPanel::default().show(ui, |ui| match state.view {
            View::Rank => self.rank.ui(ui, state),
            View::Scatter => self.scatter.ui(ui, state),
            View::TradeOff => self.trade_off.ui(ui, state),
            View::Model => self.model.ui(ui, state),
            View::Compare => self.compare.ui(ui, state),
            View::Correlations => self.correlations.ui(ui, state),
            View::Parallel => self.parallel.ui(ui, state),
            View::Files => self.files.ui(ui, state),
        });
        self.help.ui(ui.ctx());
        path_window::ui(ui.ctx(), state);
    }

    /// Does what keys ask for.
    pub fn keys(&mut self, ctx: &egui::Context, state: &mut AppState) {
        self.help.keys(ctx);
        if state.path_entry.is_some() {
            return;
        }
        match shortcuts::pressed(ctx) {
            Some(Action::Search) => {
                state.panels.filters = true;
                self.filters.focus_search = true;
            }
            Some(Action::Help) => self.help.open = !self.help.open,
            Some(action) => shortcuts::perform(action, state),
            None => {}
        }
    }
}
