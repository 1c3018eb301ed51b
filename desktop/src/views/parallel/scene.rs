//! Where lines lie, and how they are painted.

use eframe::egui;
use egui::epaint::PathShape;
use egui::{Align2, Color32, FontId, Pos2, Rect, Shape, Stroke, TextStyle, Ui, pos2};
use shared::Dimension;

use super::{Line, Lines};
use crate::analysis::axes::{AXES, Axis, Point};
use crate::state::AppState;
use crate::state::filter::PublishedLayer;
use crate::theme::Palette;

/// A line is reached by the pointer within this distance.
const REACH: f32 = 6.0;

/// The lines in a rectangle.
pub(super) struct Scene<'a> {
    pub(super) lines: &'a Lines,
    pub(super) plot: Rect,
}

impl Scene<'_> {
    pub(super) fn x(&self, axis: usize) -> f32 {
        self.plot.left() + self.plot.width() * axis as f32 / (AXES - 1) as f32
    }

    fn at(&self, axis: usize, value: f64) -> Pos2 {
        let position = self.lines.axes[axis].position(value) as f32;
        pos2(
            self.x(axis),
            self.plot.bottom() - self.plot.height() * position,
        )
    }

    pub(super) fn position(&self, y: f32) -> f64 {
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
    pub(super) fn nearest(&self, at: Pos2, state: &AppState) -> Option<usize> {
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

    pub(super) fn paint(&self, ui: &Ui, state: &AppState, hovered: Option<usize>) {
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
        let small = TextStyle::Small.resolve(ui.style());
        // Where axes lie close, large names would touch.
        let narrow = self.x(1) - self.x(0) < 46.0;
        let heading = if narrow {
            small.clone()
        } else {
            TextStyle::Body.resolve(ui.style())
        };
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
            write(
                ui,
                pos2(x, self.plot.top() - 28.0),
                name(axis),
                &heading,
                ink,
            );
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

pub(super) fn full_name(axis: &Axis) -> &'static str {
    axis.dimension.map_or("QUBA", Dimension::name)
}

pub(super) fn number(axis: &Axis, value: f64) -> String {
    match axis.dimension {
        None => format!("{value:.2}"),
        Some(dimension) => shared::words::value(dimension, Some(value)),
    }
}
