//! A plot with keys: arrows lead from point to point, Space selects, plus and minus zoom.

use eframe::egui;
use egui::{
    EventFilter, Key, Modifiers, Rect, Response, Stroke, StrokeKind, Tooltip, Ui, Vec2, vec2,
};

use super::{card, ring, select};
use crate::chart::Chart;
use crate::chart::scene::Scene;
use crate::state::AppState;
use crate::state::model::ModelId;
use crate::theme::Palette;

/// Share of an axis that is left by one step of zooming in.
const STEP: f64 = 0.8;

/// What keys ask a plot to show.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Zoom {
    /// This share of what is shown.
    By(f64),
    /// Everything.
    All,
}

/// The point that keys have reached, after those that were just pressed; `None` without focus.
pub(super) fn reached(
    ui: &Ui,
    response: &Response,
    (chart, scene): (&Chart, &Scene),
    reached: &mut Option<ModelId>,
) -> Option<usize> {
    if !response.has_focus() {
        return None;
    }
    // Otherwise they lead to other controls.
    let arrows = EventFilter {
        horizontal_arrows: true,
        vertical_arrows: true,
        ..EventFilter::default()
    };
    ui.memory_mut(|memory| memory.set_focus_lock_filter(response.id, arrows));
    let position = |id: &ModelId| chart.points.iter().position(|point| point.id == *id);
    let mut index = reached.as_ref().and_then(position);
    if let Some(direction) = arrow(ui) {
        let from = index.and_then(|index| scene.spots.get(index));
        index = match from {
            Some(from) => scene.towards(*from, direction).or(index),
            None => scene.foremost(),
        };
        let point = index.and_then(|index| chart.points.get(index));
        *reached = point.map(|point| point.id.clone());
    }
    index
}

fn arrow(ui: &Ui) -> Option<Vec2> {
    let arrows = [
        (Key::ArrowLeft, vec2(-1.0, 0.0)),
        (Key::ArrowRight, vec2(1.0, 0.0)),
        (Key::ArrowUp, vec2(0.0, -1.0)),
        (Key::ArrowDown, vec2(0.0, 1.0)),
    ];
    let pressed = |key| ui.input_mut(|input| input.consume_key(Modifiers::NONE, key));
    let found = arrows.into_iter().find(|(key, _)| pressed(*key));
    found.map(|(_, direction)| direction)
}

/// Frames the plot, rings the point and shows its card; Space and Enter select it.
pub(super) fn show(
    ui: &Ui,
    state: &mut AppState,
    (chart, scene): (&Chart, &Scene),
    reached: Option<usize>,
    response: &Response,
) {
    let frame = scene.plot.translate(response.rect.min.to_vec2());
    let stroke = Stroke::new(1.6, Palette::of(ui).accent);
    ui.painter()
        .rect_stroke(frame, 0.0, stroke, StrokeKind::Outside);
    let Some(index) = reached else {
        return;
    };
    let (Some(point), Some(spot)) = (chart.points.get(index), scene.spots.get(index)) else {
        return;
    };
    let at = response.rect.min + spot.to_vec2();
    if frame.contains(at) {
        ring(ui, at);
        let beside = Rect::from_center_size(at, Vec2::splat(20.0));
        Tooltip::always_open(ui.ctx().clone(), ui.layer_id(), response.id, beside)
            .show(|ui| card(ui, state, chart, point));
    }
    if ui.input(|input| input.key_pressed(Key::Space) || input.key_pressed(Key::Enter)) {
        select(ui, state, &point.id);
    }
}

/// What the keys that were just pressed ask to show.
pub(super) fn zoom(ui: &Ui, response: &Response) -> Option<Zoom> {
    if !response.has_focus() {
        return None;
    }
    let pressed = |key| ui.input_mut(|input| input.consume_key(Modifiers::NONE, key));
    // Plus is the same key as Equals where Shift is needed for it.
    if pressed(Key::Plus) || pressed(Key::Equals) {
        Some(Zoom::By(STEP))
    } else if pressed(Key::Minus) {
        Some(Zoom::By(1.0 / STEP))
    } else {
        pressed(Key::Num0).then_some(Zoom::All)
    }
}

/// Where zooming keeps things still, from 0 to 1 along the axes: at the point, or in the middle.
pub(super) fn centre(chart: &Chart, reached: Option<&ModelId>) -> (f64, f64) {
    let point = chart.points.iter().find(|point| Some(&point.id) == reached);
    point.map_or((0.5, 0.5), |point| {
        (chart.x.position(point.x), chart.y.position(point.y))
    })
}
