//! Views as figures: drawn for files, without controls, as high as what they hold.

use eframe::egui;
use egui::{RichText, Ui};

use super::{compare, correlations, model, parallel};
use crate::state::AppState;
use crate::state::view::View;

/// A view to draw for a file.
pub struct Figure<'a> {
    /// What it shows, in a few words.
    pub title: String,
    /// Width of what it holds.
    pub width: f32,
    draw: Box<dyn Fn(&mut Ui) + 'a>,
}

impl<'a> Figure<'a> {
    /// The current view; `None` where it is no figure, or has nothing to draw.
    pub fn of(state: &'a AppState) -> Option<Self> {
        match state.view {
            View::Model => model::figure(state),
            View::Compare => compare::figure(state),
            View::Parallel => parallel::figure(state),
            View::Correlations => correlations::figure(state),
            View::Rank | View::Scatter | View::TradeOff | View::Files => None,
        }
    }

    pub(super) fn new(title: String, width: f32, draw: impl Fn(&mut Ui) + 'a) -> Self {
        Self {
            title,
            width,
            draw: Box::new(draw),
        }
    }

    /// Draws it with its title.
    pub fn ui(&self, ui: &mut Ui) {
        ui.set_width(self.width);
        ui.label(RichText::new(&self.title).heading());
        ui.add_space(4.0);
        (self.draw)(ui);
    }
}
