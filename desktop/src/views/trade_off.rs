//! What deploying a model costs against what it is good for, and the way along the front.

use eframe::egui;
use egui::{
    Align, Label, Layout, Panel, Response, RichText, Role, ScrollArea, Sense, Ui, WidgetInfo,
};
use egui_extras::{Column, TableBuilder, TableRow};
use shared::statistics::Trade;

use super::axes::{self, quantity};
use super::plot::PlotPanel;
use super::widgets::mark;
use crate::chart::{Chart, Point, Quantity, offered};
use crate::state::AppState;
use crate::state::model::ModelId;
use crate::theme::{Form, Mark, Palette, ROW_HEIGHT, quiet_table};

/// The view.
#[derive(Default)]
pub struct TradeOffView {
    plot: PlotPanel,
}

impl TradeOffView {
    /// Draws it.
    pub fn ui(&mut self, ui: &mut Ui, state: &mut AppState) {
        let (costs, qualities): (Vec<Quantity>, Vec<Quantity>) =
            offered(state).into_iter().partition(|q| q.is_cost());
        ui.horizontal_wrapped(|ui| {
            let axes = &mut state.charts.trade_off;
            quantity(ui, "Quality", &mut axes.y, &qualities);
            quantity(ui, "Cost", &mut axes.x, &costs);
            axes::labels(ui, &mut state.charts.labels);
            self.plot.unzoom(ui);
            let axes = state.charts.trade_off;
            if axes.x.is_on_device() || axes.y.is_on_device() {
                axes::device(ui, state);
            }
        });
        axes::notes(ui, self.plot.update(state));
        let mut clicked = None;
        let chart = self.plot.update(state);
        if let Some(chart) = chart.filter(|chart| !chart.front.is_empty()) {
            // The heading and the head of the table stand above the lines.
            let lines =
                (chart.front.len() as f32 + 2.6) * (ROW_HEIGHT + ui.spacing().item_spacing.y);
            let height = lines.min(ui.available_height() * 0.36);
            Panel::bottom("trades")
                .resizable(true)
                .default_size(height)
                .size_range(80.0..=ui.available_height() * 0.6)
                .show(ui, |ui| clicked = front(ui, chart));
        }
        if let Some(id) = clicked {
            if ui.input(|input| input.modifiers.command) {
                state.selection.toggle(&id);
            } else {
                state.selection.toggle_only(&id);
            }
        }
        self.plot.ui(ui, state);
    }
}

fn heading(chart: &Chart) -> String {
    match chart.front.as_slice() {
        [only] => {
            let name = chart.points.get(*only).map(|point| point.name.as_str());
            format!(
                "{} has both the least cost and the best quality",
                name.unwrap_or_default()
            )
        }
        front => format!(
            "Pareto front: {} models, none of which is beaten in both",
            front.len()
        ),
    }
}

/// The front as a table, from cheap to good; the model of the line that was clicked.
fn front(ui: &mut Ui, chart: &Chart) -> Option<ModelId> {
    ui.add_space(4.0);
    ui.label(RichText::new(heading(chart)).strong());
    quiet_table(ui);
    ui.style_mut().interaction.selectable_labels = false;
    let scrolled = ScrollArea::horizontal().auto_shrink(false);
    scrolled.show(ui, |ui| stops(ui, chart)).inner
}

fn stops(ui: &mut Ui, chart: &Chart) -> Option<ModelId> {
    let trades = chart.trades();
    let mut clicked = None;
    TableBuilder::new(ui)
        .id_salt("front")
        .striped(true)
        .sense(Sense::click())
        .auto_shrink(false)
        .min_scrolled_height(0.0)
        .max_scroll_height(f32::INFINITY)
        .cell_layout(Layout::left_to_right(Align::Center))
        .column(Column::remainder().at_least(140.0).clip(true))
        .columns(Column::exact(84.0).clip(true), 2)
        .column(Column::exact(136.0).clip(true))
        .column(Column::exact(84.0).clip(true))
        .header(ROW_HEIGHT, |mut header| {
            header.col(|ui| drop(ui.label(RichText::new("model").strong())));
            for axis in [chart.x, chart.y] {
                let quantity = axis.quantity;
                header.col(|ui| {
                    right(ui, RichText::new(quantity.heading()).strong())
                        .on_hover_text(quantity.title());
                });
            }
            for word in ["give up", "gain"] {
                header.col(|ui| drop(right(ui, RichText::new(word).strong())));
            }
        })
        .body(|body| {
            body.rows(ROW_HEIGHT, chart.front.len(), |mut row| {
                let Some(&index) = chart.front.get(row.index()) else {
                    return;
                };
                let trade = trades.iter().find(|trade| trade.to == index);
                stop(&mut row, chart, index, trade);
                if row.response().clicked() {
                    clicked = chart.points.get(index).map(|point| point.id.clone());
                }
            });
        });
    clicked
}

/// A model of the front, and what the way to it costs.
fn stop(row: &mut TableRow<'_, '_>, chart: &Chart, index: usize, trade: Option<&Trade>) {
    let Some(point) = chart.points.get(index) else {
        return;
    };
    let (cost, quality) = (chart.x.quantity, chart.y.quantity);
    row.set_selected(point.selected);
    row.col(|ui| name(ui, point));
    row.col(|ui| drop(right(ui, RichText::new(cost.text(point.x)))));
    row.col(|ui| drop(right(ui, RichText::new(quality.text(point.y)))));
    let words = trade.and_then(|trade| words(chart, trade));
    let [given_up, gained] = words.unwrap_or_default();
    row.col(|ui| {
        let worse = Palette::of(ui).worse;
        right(ui, RichText::new(given_up).color(worse))
            .on_hover_text("More cost than the model above");
    });
    row.col(|ui| {
        let better = Palette::of(ui).better;
        right(ui, RichText::new(gained).color(better))
            .on_hover_text("Better than the model above by this");
    });
}

/// What a step gives up, also as a factor, and what it gains.
fn words(chart: &Chart, trade: &Trade) -> Option<[String; 2]> {
    let (cost, quality) = (chart.x.quantity, chart.y.quantity);
    let (from, to) = (chart.points.get(trade.from)?, chart.points.get(trade.to)?);
    let mut given_up = cost.difference(from.x, to.x);
    if from.x > 0.0 {
        given_up += &format!(" (×{:.2})", to.x / from.x);
    }
    Some([given_up, quality.difference(from.y, to.y)])
}

fn name(ui: &mut Ui, point: &Point) {
    let mut sign = Mark {
        color: Palette::of(ui).architecture(&point.architecture).color,
        form: Form::of_regime(&point.regime),
    };
    if point.dimmed {
        sign = sign.dimmed();
    }
    let group = format!("{}, {}", point.architecture, point.regime);
    mark(ui, sign, &group).on_hover_text(&group);
    let response = ui.add(Label::new(&point.name).truncate());
    response.widget_info(|| {
        WidgetInfo::selected(Role::ListBoxOption, true, point.selected, &point.name)
    });
}

fn right(ui: &mut Ui, text: RichText) -> Response {
    let layout = Layout::right_to_left(Align::Center);
    let cell = ui.with_layout(layout, |ui| {
        ui.add_space(3.0);
        ui.label(text)
    });
    cell.inner
}
