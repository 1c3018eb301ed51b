//! Parallel coordinates: a line per model over all dimensions and the score.

mod legend;
mod picks;
mod scene;

use eframe::egui;
use egui::{Rect, Response, Role, Sense, Ui, Vec2, WidgetInfo, vec2};
use shared::words::plural;

use self::legend::legend;
use self::picks::{apart, brush, picks};
use self::scene::{Scene, full_name, number};
use crate::analysis::axes::{AXES, Axis, Point, point};
use crate::analysis::cached::Cached;
use crate::state::AppState;
use crate::state::choices::Choices;
use crate::state::model::ModelId;
use crate::state::sort::Sort;
use crate::views::figure::Figure;
use crate::views::widgets::hint;

/// Size of the lines in a file.
const FIGURE: Vec2 = vec2(1120.0, 520.0);

/// The view.
#[derive(Default)]
pub struct ParallelView {
    lines: Cached<(u64, Choices, Sort), Lines>,
    /// Axis being dragged on, and the position where that began.
    drag: Option<(usize, f64)>,
}

/// The shown models, the published ones first so that they are drawn beneath.
struct Lines {
    axes: [Axis; AXES],
    lines: Vec<Line>,
}

struct Line {
    id: ModelId,
    name: String,
    architecture: String,
    published: bool,
    point: Point,
}

impl ParallelView {
    /// Draws it.
    pub fn ui(&mut self, ui: &mut Ui, state: &mut AppState) {
        let key = (
            state.library.revision(),
            state.choices.clone(),
            state.table.sort,
        );
        let lines = self.lines.get(key, || Lines::of(state));
        if lines.lines.is_empty() {
            ui.centered_and_justified(|ui| ui.label("No model passes the filters."));
            return;
        }
        picks(ui, state, lines);
        let (area, response) = ui.allocate_exact_size(ui.available_size(), Sense::click());
        response.widget_info(|| WidgetInfo::labeled(Role::Image, true, "Parallel coordinates"));
        let scene = Scene {
            lines,
            plot: plot(area),
        };
        brush(ui, state, &scene, &mut self.drag);
        let hovered = if self.drag.is_none() {
            response.hover_pos().and_then(|at| scene.nearest(at, state))
        } else {
            None
        };
        scene.paint(ui, state, hovered);
        act(ui, state, &scene, &response, hovered);
    }
}

/// Lines and what they mean, for a file.
pub fn figure(state: &AppState) -> Option<Figure<'_>> {
    let shown = state.derived().shown.len();
    if shown == 0 {
        return None;
    }
    let title = format!("Dimensions of {}", plural(shown as u64, "model"));
    Some(Figure::new(title, FIGURE.x, move |ui| {
        let lines = Lines::of(state);
        hint(
            ui,
            &format!("Better lies higher on every axis.{}", apart(state, &lines)),
        );
        let (area, _) = ui.allocate_exact_size(FIGURE, Sense::hover());
        let scene = Scene {
            lines: &lines,
            plot: plot(area),
        };
        scene.paint(ui, state, None);
        legend(ui, state, &lines);
    }))
}

/// Where lines lie within an area.
fn plot(area: Rect) -> Rect {
    Rect::from_min_max(area.min + vec2(46.0, 44.0), area.max - vec2(46.0, 26.0))
}

impl Lines {
    fn of(state: &AppState) -> Self {
        let comparable = state.derived().comparable;
        let mut lines: Vec<Line> = state
            .shown()
            .map(|(model, row)| {
                // Scores relative to another reference do not belong on the same axis.
                let score = row
                    .score
                    .as_ref()
                    .filter(|_| comparable || !model.is_published());
                Line {
                    id: model.id.clone(),
                    name: model.name.clone(),
                    architecture: model.architecture.clone(),
                    published: model.is_published(),
                    point: point(&model.values, score.map(|score| score.value)),
                }
            })
            .collect();
        lines.sort_by_key(|line| !line.published);
        Self {
            axes: Axis::all(lines.iter().map(|line| &line.point)),
            lines,
        }
    }
}

/// Hover and click on lines.
fn act(
    ui: &Ui,
    state: &mut AppState,
    scene: &Scene<'_>,
    response: &Response,
    hovered: Option<usize>,
) {
    let Some(line) = hovered.and_then(|index| scene.lines.lines.get(index)) else {
        return;
    };
    let values = scene
        .lines
        .axes
        .iter()
        .zip(line.point)
        .filter_map(|(axis, value)| Some(format!("{} {}", full_name(axis), number(axis, value?))));
    let text = format!("{}\n{}", line.name, values.collect::<Vec<_>>().join("\n"));
    response.clone().on_hover_text_at_pointer(text);
    if response.clicked() {
        if ui.input(|input| input.modifiers.command) {
            state.selection.toggle(&line.id);
        } else {
            state.selection.toggle_only(&line.id);
        }
    }
}
