//! The selected models side by side.

mod lines;
mod significance;

use eframe::egui;
use egui::{ScrollArea, Ui, vec2};
use shared::Dimension;

use super::cards::choose_models;
use super::figure::Figure;
use super::widgets::hint;
use crate::analysis::axes::{Axis, point};
use crate::analysis::cached::Cached;
use crate::analysis::comparison::{Beside, compare};
use crate::state::AppState;
use crate::state::model::{Model, ModelId};
use crate::state::row::Row;

/// Width of the names.
const NAME: f32 = 186.0;

/// Least and most width of a model.
const MODEL: (f32, f32) = (100.0, 138.0);

/// Least and most width of the dots.
const DOTS: (f32, f32) = (110.0, 720.0);

/// Width that a letter of a name takes, and that of a mark beside it.
const LETTER: f32 = 7.0;
const MARK: f32 = 20.0;

/// Most width of a model in a file.
const LONGEST: f32 = 300.0;

/// Widths of the columns beside the names.
#[derive(Clone, Copy)]
struct Widths {
    model: f32,
    dots: f32,
}

impl Widths {
    fn of(room: f32, models: usize) -> Self {
        let models = models as f32;
        // Gaps between the columns, and room for a scroll bar.
        let room = room - NAME - 6.0 * (models + 1.0) - 16.0;
        let model = ((room - DOTS.0) / models).clamp(MODEL.0, MODEL.1);
        Self {
            model,
            dots: (room - models * model).clamp(DOTS.0, DOTS.1),
        }
    }

    /// Wide enough for whole names, unless they are very long.
    fn of_names(models: &[(&Model, &Row)]) -> Self {
        let names = models.iter().map(|(model, _)| model.name.chars().count());
        let longest = names.max().unwrap_or(0) as f32;
        Self {
            model: (longest * LETTER + MARK + LETTER).clamp(MODEL.0, LONGEST),
            dots: 300.0,
        }
    }

    /// Width of all columns with the gaps between them.
    fn all(self, models: usize) -> f32 {
        let models = models as f32;
        NAME + self.dots + models * self.model + (models + 1.0) * 6.0
    }
}

/// The view.
#[derive(Default)]
pub struct CompareView {
    found: Cached<([u64; 2], Vec<ModelId>), Vec<Beside>>,
    axes: Cached<u64, Vec<Axis>>,
}

impl CompareView {
    /// Draws it.
    pub fn ui(&mut self, ui: &mut Ui, state: &mut AppState) {
        let models: Vec<(&Model, &Row)> = state.selected().collect();
        if models.len() < 2 {
            let text = "Select two to six with Ctrl+click, in the rank table or in a plot.";
            choose_models(ui, state, "Fewer than two models are selected", text);
            return;
        }
        let revision = state.library.revision();
        let ids = models.iter().map(|(model, _)| model.id.clone()).collect();
        let found = self.found.get(([revision, state.revision()], ids), || {
            compared(state, &models)
        });
        let axes = self.axes.get(revision, || axes(state));
        let comparison = Comparison {
            comparable: is_comparable(state, &models),
            models: &models,
            found,
            axes,
        };
        ScrollArea::both().auto_shrink(false).show(ui, |ui| {
            let widths = Widths::of(ui.available_width(), models.len());
            comparison.ui(ui, widths);
        });
    }
}

/// The comparison for a file.
pub fn figure(state: &AppState) -> Option<Figure<'_>> {
    let models: Vec<(&Model, &Row)> = state.selected().collect();
    if models.len() < 2 {
        return None;
    }
    let widths = Widths::of_names(&models);
    let width = widths.all(models.len());
    Some(Figure::new(
        "Models side by side".to_owned(),
        width,
        move |ui| {
            let comparison = Comparison {
                comparable: is_comparable(state, &models),
                found: &compared(state, &models),
                axes: &axes(state),
                models: &models,
            };
            comparison.ui(ui, widths);
        },
    ))
}

fn compared(state: &AppState, models: &[(&Model, &Row)]) -> Vec<Beside> {
    let models: Vec<&Model> = models.iter().map(|(model, _)| *model).collect();
    compare(&models, state.derived())
}

/// Axes that hold all own and published models.
fn axes(state: &AppState) -> Vec<Axis> {
    let models = state.library.models().iter();
    let points: Vec<_> = models.map(|model| point(&model.values, None)).collect();
    Axis::all(points.iter()).to_vec()
}

/// Whether scores are relative to one reference.
fn is_comparable(state: &AppState, models: &[(&Model, &Row)]) -> bool {
    let published = models.iter().filter(|(model, _)| model.is_published());
    let published = published.count();
    state.derived().comparable || published == 0 || published == models.len()
}

/// What the lines are drawn from.
struct Comparison<'a> {
    models: &'a [(&'a Model, &'a Row)],
    found: &'a [Beside],
    axes: &'a [Axis],
    comparable: bool,
}

impl Comparison<'_> {
    fn ui(&self, ui: &mut Ui, widths: Widths) {
        let models = self.models;
        ui.spacing_mut().item_spacing = vec2(6.0, 0.0);
        // Lines end with the last column.
        ui.set_max_width(widths.all(models.len()));
        lines::head(ui, models, widths);
        lines::score(ui, models, widths, self.comparable);
        for (axis, dimension) in self.axes.iter().zip(Dimension::ALL) {
            lines::line(ui, dimension, axis, models, self.found, widths);
        }
        ui.add_space(4.0);
        hint(
            ui,
            "Dots: better lies right; the line spans all own and published models; bars are 95 % \
             intervals. Triangles point up where a model is better than the first.",
        );
        ui.add_space(10.0);
        ui.spacing_mut().item_spacing = vec2(6.0, 4.0);
        significance::significance(ui, models, self.found);
    }
}
