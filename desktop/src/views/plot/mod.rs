//! A chart on screen: painted, pointed at, clicked, zoomed, walked through with keys.

mod card;
mod keys;

use eframe::egui;
use egui::{CursorIcon, PointerButton, Pos2, Response, Role, Sense, Stroke, Ui, WidgetInfo, vec2};
use shared::words::plural;

use self::card::card;
use self::keys::Zoom;
use super::paint::{paint, text_width};
use crate::chart::scene::{Layout, Scene};
use crate::chart::{Axis, Chart};
use crate::state::AppState;
use crate::state::charts::ChartChoices;
use crate::state::model::ModelId;
use crate::state::selection::Selection;
use crate::state::view::View;
use crate::theme::Palette;

/// How far from a point the pointer finds it.
const REACH: f32 = 12.0;

/// A chart with its layout, each made anew only when what it depends on changes.
#[derive(Default)]
pub struct PlotPanel {
    chart: Option<(Inputs, Chart)>,
    scene: Option<(SceneInputs, Scene)>,
    /// The part that is looked at, and the axes it is a part of.
    zoomed: Option<([Axis; 2], [Axis; 2])>,
    /// The point that keys have reached.
    reached: Option<ModelId>,
}

/// Everything that a chart depends on.
#[derive(Clone, PartialEq)]
struct Inputs {
    revision: u64,
    view: View,
    choices: ChartChoices,
    selection: Selection,
    zoomed: Option<[Axis; 2]>,
}

/// Everything that a layout depends on.
#[derive(Clone, PartialEq)]
struct SceneInputs {
    chart: Inputs,
    layout: Layout,
    pixels_per_point: f32,
}

impl PlotPanel {
    /// The chart of the current view.
    pub fn update(&mut self, state: &AppState) -> Option<&Chart> {
        let mut inputs = Inputs {
            revision: state.revision(),
            view: state.view,
            choices: state.charts,
            selection: state.selection.clone(),
            zoomed: self.zoomed.map(|(_, part)| part),
        };
        if self.chart.as_ref().is_none_or(|(old, _)| *old != inputs) {
            let mut chart = Chart::of_view(state, state.view)?;
            match self.zoomed {
                Some((whole, part)) if whole == [chart.x, chart.y] => [chart.x, chart.y] = part,
                _ => {
                    self.zoomed = None;
                    inputs.zoomed = None;
                }
            }
            self.chart = Some((inputs, chart));
        }
        self.chart.as_ref().map(|(_, chart)| chart)
    }

    /// Lays the chart out for a size.
    fn lay_out(&mut self, ui: &Ui, size: egui::Vec2) {
        let Some((chart_inputs, chart)) = &self.chart else {
            return;
        };
        let layout = Layout {
            size: (size.x, size.y),
            palette: Palette::of(ui),
            standalone: false,
        };
        let inputs = SceneInputs {
            chart: chart_inputs.clone(),
            layout,
            pixels_per_point: ui.ctx().pixels_per_point(),
        };
        if self.scene.as_ref().is_none_or(|(old, _)| *old != inputs) {
            let measure = |text: &str, size: f32| text_width(ui, text, size);
            self.scene = Some((inputs, Scene::new(chart, layout, &measure)));
        }
    }

    /// Draws the chart of the current view in all that is left.
    pub fn ui(&mut self, ui: &mut Ui, state: &mut AppState) {
        let size = ui.available_size().max(vec2(200.0, 160.0));
        self.update(state);
        self.lay_out(ui, size);
        let (Some((_, chart)), Some((_, scene))) = (&self.chart, &self.scene) else {
            return;
        };
        if chart.points.is_empty() {
            nothing(ui, state);
            return;
        }
        let (rect, response) = ui.allocate_exact_size(size, Sense::click_and_drag());
        let reached = keys::reached(ui, &response, (chart, scene), &mut self.reached);
        let label = label(chart, reached);
        response.widget_info(|| WidgetInfo::labeled(Role::Image, true, &label));
        let origin = rect.min;
        paint(ui, scene, origin);
        if response.has_focus() {
            keys::show(ui, state, (chart, scene), reached, &response);
        }
        let pointer = response.hover_pos().filter(|_| !response.dragged());
        let found = pointer.and_then(|at| scene.nearest(at - origin.to_vec2(), REACH));
        if let Some(index) = found {
            point_at(ui, state, (chart, scene), index, &response);
        } else if response.clicked_by(PointerButton::Primary)
            && !ui.input(|input| input.modifiers.command)
        {
            state.selection.clear();
        }
        self.zoom(ui, &response, origin);
    }

    /// The wheel and keys go nearer, dragging moves, a double click and a key show everything.
    fn zoom(&mut self, ui: &Ui, response: &Response, origin: Pos2) {
        let (Some((_, chart)), Some((_, scene))) = (&self.chart, &self.scene) else {
            return;
        };
        let nearer = keys::zoom(ui, response);
        if response.double_clicked() || nearer == Some(Zoom::All) {
            self.zoomed = None;
            return;
        }
        let plot = scene.plot.translate(origin.to_vec2());
        let mut part = [chart.x, chart.y];
        let drag = response.drag_delta();
        if drag != egui::Vec2::ZERO {
            part[0] = part[0].moved(1.0, 0.0, f64::from(-drag.x / plot.width()));
            part[1] = part[1].moved(1.0, 0.0, f64::from(drag.y / plot.height()));
        }
        if let Some(at) = response.hover_pos().filter(|at| plot.contains(*at)) {
            let wheel = ui.input(|input| input.smooth_scroll_delta().y);
            let pinch = ui.input(|input| input.zoom_delta());
            let share = f64::from((-wheel * 0.004).exp() / pinch);
            let across = f64::from((at.x - plot.left()) / plot.width());
            let up = f64::from((plot.bottom() - at.y) / plot.height());
            // Moving by nothing would still move by a rounding error.
            if share != 1.0 {
                part = [
                    part[0].moved(share, across, 0.0),
                    part[1].moved(share, up, 0.0),
                ];
            }
        }
        if let Some(Zoom::By(share)) = nearer {
            // What keys have reached stays where it is.
            let (across, up) = keys::centre(chart, self.reached.as_ref());
            part = [
                part[0].moved(share, across, 0.0),
                part[1].moved(share, up, 0.0),
            ];
        }
        if part != [chart.x, chart.y] {
            let whole = self.zoomed.map_or([chart.x, chart.y], |(whole, _)| whole);
            self.zoomed = within(whole, part).then_some((whole, part));
        }
    }

    /// A button that shows everything, where only a part is looked at.
    pub fn unzoom(&mut self, ui: &mut Ui) {
        if self.zoomed.is_some()
            && ui
                .button("Show all")
                .on_hover_text("Ends zooming, as a double click does")
                .clicked()
        {
            self.zoomed = None;
        }
    }
}

/// Whether a part is neither much larger than the whole nor so small that figures coincide.
fn within(whole: [Axis; 2], part: [Axis; 2]) -> bool {
    let length = |axis: Axis| axis.range.1 - axis.range.0;
    whole.into_iter().zip(part).all(|(whole, part)| {
        let share = length(part) / length(whole);
        (1e-4..=1.3).contains(&share)
    })
}

/// Rings a point, shows its card, selects it where it is clicked.
fn point_at(
    ui: &Ui,
    state: &mut AppState,
    (chart, scene): (&Chart, &Scene),
    index: usize,
    response: &Response,
) {
    let (Some(point), Some(spot)) = (chart.points.get(index), scene.spots.get(index)) else {
        return;
    };
    ring(ui, response.rect.min + spot.to_vec2());
    ui.ctx().set_cursor_icon(CursorIcon::PointingHand);
    response
        .clone()
        .on_hover_ui_at_pointer(|ui| card(ui, state, chart, point));
    if response.clicked_by(PointerButton::Primary) {
        select(ui, state, &point.id);
    }
}

fn ring(ui: &Ui, at: Pos2) {
    let stroke = Stroke::new(1.6, Palette::of(ui).accent);
    ui.painter().circle_stroke(at, 8.5, stroke);
}

/// Selects a model alone, or with others while Ctrl is held.
fn select(ui: &Ui, state: &mut AppState, id: &ModelId) {
    if ui.input(|input| input.modifiers.command) {
        state.selection.toggle(id);
    } else {
        state.selection.toggle_only(id);
    }
}

/// What a plot shows, and the point that keys have reached, for screen readers.
fn label(chart: &Chart, reached: Option<usize>) -> String {
    let models = plural(chart.points.len() as u64, "model");
    let all = format!("{}: plot of {models}", chart.title());
    let Some(point) = reached.and_then(|index| chart.points.get(index)) else {
        return all;
    };
    let (x, y) = (chart.x.quantity, chart.y.quantity);
    let figures = [(x, point.x), (y, point.y)].map(|(q, f)| format!("{} {}", q.name(), q.text(f)));
    format!("{all}; {}: {}", point.name, figures.join(", "))
}

fn nothing(ui: &mut Ui, state: &mut AppState) {
    let axes = match state.view {
        View::TradeOff => state.charts.trade_off,
        _ => state.charts.scatter,
    };
    let filtered = state.choices.filter.is_set();
    ui.vertical_centered(|ui| {
        ui.add_space(ui.available_height() * 0.35);
        ui.label(format!(
            "No shown model has both {} and {}.",
            axes.x.name(),
            axes.y.name()
        ));
        if filtered && ui.button("Show all models").clicked() {
            state.choices.filter = state.choices.filter.cleared();
        }
    });
}
