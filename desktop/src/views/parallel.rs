//! Parallel coordinates: a line per model over all dimensions and the score.

use eframe::egui;
use egui::epaint::PathShape;
use egui::{
    Align2, Color32, DragValue, FontId, Pos2, Rect, Response, RichText, Role, Sense, Shape, Stroke,
    TextStyle, Ui, WidgetInfo, pos2, vec2,
};
use shared::Dimension;
use shared::words::plural;

use super::widgets::hint;
use crate::analysis::axes::{AXES, Axis, Point, point};
use crate::analysis::cached::Cached;
use crate::state::AppState;
use crate::state::choices::Choices;
use crate::state::filter::PublishedLayer;
use crate::state::model::ModelId;
use crate::state::sort::Sort;
use crate::theme::Palette;

/// A line is reached by the pointer within this distance.
const REACH: f32 = 6.0;

/// Half the width of an axis that the pointer can drag on.
const GRIP: f32 = 12.0;

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
        let plot = Rect::from_min_max(area.min + vec2(46.0, 44.0), area.max - vec2(46.0, 26.0));
        let scene = Scene { lines, plot };
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

/// The lines in a rectangle.
struct Scene<'a> {
    lines: &'a Lines,
    plot: Rect,
}

impl Scene<'_> {
    fn x(&self, axis: usize) -> f32 {
        self.plot.left() + self.plot.width() * axis as f32 / (AXES - 1) as f32
    }

    fn at(&self, axis: usize, value: f64) -> Pos2 {
        let position = self.lines.axes[axis].position(value) as f32;
        pos2(
            self.x(axis),
            self.plot.bottom() - self.plot.height() * position,
        )
    }

    fn position(&self, y: f32) -> f64 {
        f64::from((self.plot.bottom() - y) / self.plot.height())
    }

    /// The connected parts of a line: it is interrupted where a value is missing.
    fn parts(&self, point: &Point) -> Vec<Vec<Pos2>> {
        let mut parts = vec![Vec::new()];
        for (axis, value) in point.iter().enumerate() {
            match (value, parts.last_mut()) {
                (Some(value), Some(part)) => part.push(self.at(axis, *value)),
                _ => parts.push(Vec::new()),
            }
        }
        parts.retain(|part| !part.is_empty());
        parts
    }

    /// The picked line nearest to the pointer, within reach.
    fn nearest(&self, at: Pos2, state: &AppState) -> Option<usize> {
        let axis = ((at.x - self.plot.left()) / self.plot.width() * (AXES - 1) as f32).floor();
        if !(0.0..(AXES - 1) as f32).contains(&axis) {
            return None;
        }
        let axis = axis as usize;
        let share = (at.x - self.x(axis)) / (self.x(axis + 1) - self.x(axis));
        let distance = |line: &Line| {
            let (from, to) = (
                self.at(axis, line.point[axis]?).y,
                self.at(axis + 1, line.point[axis + 1]?).y,
            );
            Some((from + (to - from) * share - at.y).abs())
        };
        let lines = self.lines.lines.iter().enumerate();
        let picked = lines.filter(|(_, line)| state.pages.brushes.pick(&line.point));
        let near = picked.filter_map(|(index, line)| Some((distance(line)?, index)));
        // Of equally near ones the one on top.
        near.filter(|(d, _)| *d <= REACH)
            .min_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)))
            .map(|(_, index)| index)
    }

    fn paint(&self, ui: &Ui, state: &AppState, hovered: Option<usize>) {
        let palette = Palette::of(ui);
        let behind = state.choices.filter.published == PublishedLayer::Dimmed;
        // A selection stands out from what is not selected.
        let others = !state.selection.ids().is_empty();
        let chosen = |line: &Line| state.selection.contains(&line.id);
        let mut shapes = Vec::with_capacity(self.lines.lines.len());
        for line in self.lines.lines.iter().filter(|line| !chosen(line)) {
            let color = palette.architecture(&line.architecture).color;
            let stroke = match (
                state.pages.brushes.pick(&line.point),
                line.published && behind,
            ) {
                (false, _) => Stroke::new(1.0, palette.weak.gamma_multiply(0.05)),
                (true, true) if state.pages.brushes.any() => {
                    Stroke::new(1.0, palette.weak.gamma_multiply(0.5))
                }
                (true, true) => Stroke::new(1.0, palette.behind()),
                (true, false) if line.published => Stroke::new(1.0, color.gamma_multiply(0.3)),
                (true, false) if others => Stroke::new(1.4, color.gamma_multiply(0.5)),
                (true, false) => Stroke::new(1.6, color),
            };
            self.add(&mut shapes, line, stroke);
        }
        ui.painter().extend(shapes);
        self.axes(ui, state);
        let mut shapes = Vec::new();
        for (index, id) in state.selection.ids().iter().enumerate() {
            if let Some(line) = self.lines.lines.iter().find(|line| line.id == *id) {
                let mark = palette.series(index);
                self.add(&mut shapes, line, Stroke::new(2.8, mark.color));
                for at in self.parts(&line.point).concat() {
                    mark.paint(ui.painter(), at, 4.5);
                }
            }
        }
        if let Some(line) = hovered.and_then(|index| self.lines.lines.get(index)) {
            self.add(
                &mut shapes,
                line,
                Stroke::new(2.4, ui.visuals().strong_text_color()),
            );
        }
        ui.painter().extend(shapes);
    }

    fn add(&self, shapes: &mut Vec<Shape>, line: &Line, stroke: Stroke) {
        shapes.extend(
            self.parts(&line.point)
                .into_iter()
                .map(|part| Shape::Path(PathShape::line(part, stroke))),
        );
    }

    fn axes(&self, ui: &Ui, state: &AppState) {
        let palette = Palette::of(ui);
        let (small, body) = (
            TextStyle::Small.resolve(ui.style()),
            TextStyle::Body.resolve(ui.style()),
        );
        for (index, axis) in self.lines.axes.iter().enumerate() {
            let x = self.x(index);
            ui.painter()
                .vline(x, self.plot.y_range(), Stroke::new(1.0, palette.weak));
            if let Some((low, high)) = state.pages.brushes.0[index] {
                let (a, b) = (self.at(index, low).y, self.at(index, high).y);
                let range = egui::Rangef::new(a.min(b), a.max(b).max(a.min(b) + 2.0));
                let band = Rect::from_x_y_ranges(x - 6.0..=x + 6.0, range);
                ui.painter().rect(
                    band,
                    2.0,
                    palette.accent.gamma_multiply(0.3),
                    Stroke::new(1.0, palette.accent),
                    egui::StrokeKind::Inside,
                );
            }
            let (bottom, top) = axis.ends();
            let ink = ui.visuals().text_color();
            write(ui, pos2(x, self.plot.top() - 28.0), name(axis), &body, ink);
            write(
                ui,
                pos2(x, self.plot.top() - 13.0),
                &number(axis, top),
                &small,
                palette.weak,
            );
            write(
                ui,
                pos2(x, self.plot.bottom() + 12.0),
                &number(axis, bottom),
                &small,
                palette.weak,
            );
        }
    }
}

fn write(ui: &Ui, at: Pos2, text: &str, font: &FontId, color: Color32) {
    ui.painter()
        .text(at, Align2::CENTER_CENTER, text, font.clone(), color);
}

fn name(axis: &Axis) -> &'static str {
    axis.dimension.map_or("QUBA", Dimension::column)
}

fn full_name(axis: &Axis) -> &'static str {
    axis.dimension.map_or("QUBA", Dimension::name)
}

fn number(axis: &Axis, value: f64) -> String {
    match axis.dimension {
        None => format!("{value:.2}"),
        Some(dimension) => shared::words::value(dimension, Some(value)),
    }
}

/// Dragging along an axis picks lines, a click takes the pick back.
fn brush(ui: &Ui, state: &mut AppState, scene: &Scene<'_>, drag: &mut Option<(usize, f64)>) {
    for (index, axis) in scene.lines.axes.iter().enumerate() {
        let x = scene.x(index);
        let grip = Rect::from_x_y_ranges(x - GRIP..=x + GRIP, scene.plot.y_range().expand(4.0));
        let response = ui.interact(
            grip,
            ui.scope_id().with(("axis", index)),
            Sense::click_and_drag(),
        );
        let label = format!("Pick by {}", full_name(axis));
        response.widget_info(|| WidgetInfo::labeled(Role::Button, true, &label));
        if response.drag_started() {
            let origin = ui.input(|input| input.pointer.press_origin());
            *drag = origin.map(|at| (index, scene.position(at.y)));
        }
        if let (true, Some((dragged, from)), Some(at)) =
            (response.dragged(), *drag, response.interact_pointer_pos())
            && dragged == index
        {
            state.pages.brushes.0[index] = Some(axis.brush(from, scene.position(at.y)));
        }
        if response.drag_stopped() {
            *drag = None;
        }
        if response.clicked() {
            state.pages.brushes.0[index] = None;
        }
        if response.hovered() {
            ui.set_cursor_icon(egui::CursorIcon::ResizeVertical);
        }
        response.on_hover_text(full_name(axis));
    }
}

/// The picks as numbers, for keys and for exact limits.
fn picks(ui: &mut Ui, state: &mut AppState, lines: &Lines) {
    let brushes = &mut state.pages.brushes;
    let picked = lines
        .lines
        .iter()
        .filter(|line| brushes.pick(&line.point))
        .count();
    ui.horizontal_wrapped(|ui| {
        ui.label(format!(
            "{picked} of {}",
            plural(lines.lines.len() as u64, "model")
        ));
        ui.menu_button("Pick by", |ui| {
            for (axis, brush) in lines
                .axes
                .iter()
                .zip(&mut brushes.0)
                .filter(|(_, brush)| brush.is_none())
            {
                if ui.button(full_name(axis)).clicked() {
                    *brush = Some(axis.brush(0.5, 1.0));
                }
            }
        });
        for (axis, brush) in lines.axes.iter().zip(&mut brushes.0) {
            let Some((low, high)) = brush else {
                continue;
            };
            ui.separator();
            let name = ui.label(RichText::new(full_name(axis)).strong());
            let speed = ((axis.ends().0 - axis.ends().1) / 400.0).abs();
            let limit = |value| DragValue::new(value).speed(speed).max_decimals(5);
            ui.add(limit(low)).labelled_by(name.id);
            ui.label("to");
            ui.add(limit(high)).labelled_by(name.id);
            let remove = ui.small_button("Remove");
            if remove
                .on_hover_text(format!("Do not pick by {}", full_name(axis)))
                .clicked()
            {
                *brush = None;
            }
        }
    });
    let apart = !state.derived().comparable && lines.lines.iter().any(|line| line.published);
    let note = if apart {
        " Published scores are relative to another reference and left out."
    } else {
        ""
    };
    let how = "Better lies higher on every axis. Drag along an axis to pick models, click it to stop; \
        click a line to select it.";
    hint(ui, &format!("{how}{note}"));
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
