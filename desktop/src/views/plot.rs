//! A chart on screen: painted, pointed at, clicked, zoomed.

use eframe::egui;
use egui::{CursorIcon, Pos2, Response, RichText, Role, Sense, Stroke, Ui, WidgetInfo, vec2};
use shared::words::plural;

use super::paint::{paint, text_width};
use crate::chart::scene::{Layout, Scene};
use crate::chart::{Axis, Chart, Point};
use crate::state::AppState;
use crate::state::charts::ChartChoices;
use crate::state::model::Source;
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
        let label = format!(
            "{}: plot of {}",
            chart.title(),
            plural(chart.points.len() as u64, "model")
        );
        response.widget_info(|| WidgetInfo::labeled(Role::Image, true, &label));
        let origin = rect.min;
        paint(ui, scene, origin);
        let pointer = response.hover_pos().filter(|_| !response.dragged());
        let found = pointer.and_then(|at| scene.nearest(at - origin.to_vec2(), REACH));
        if let Some(index) = found {
            point_at(ui, state, (chart, scene), index, &response);
        } else if response.clicked() && !ui.input(|input| input.modifiers.command) {
            state.selection.clear();
        }
        self.zoom(ui, &response, origin);
    }

    /// The wheel goes nearer, dragging moves, a double click shows everything.
    fn zoom(&mut self, ui: &Ui, response: &Response, origin: Pos2) {
        let (Some((_, chart)), Some((_, scene))) = (&self.chart, &self.scene) else {
            return;
        };
        if response.double_clicked() {
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
    let at = response.rect.min + spot.to_vec2();
    let ring = Stroke::new(1.6, Palette::of(ui).accent);
    ui.painter().circle_stroke(at, 8.5, ring);
    ui.ctx().set_cursor_icon(CursorIcon::PointingHand);
    response
        .clone()
        .on_hover_ui_at_pointer(|ui| card(ui, state, chart, point));
    if response.clicked() {
        if ui.input(|input| input.modifiers.command) {
            state.selection.toggle(&point.id);
        } else {
            state.selection.toggle_only(&point.id);
        }
    }
}

fn card(ui: &mut Ui, state: &AppState, chart: &Chart, point: &Point) {
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
