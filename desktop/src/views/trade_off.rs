//! What deploying a model costs against what it is good for, and the way along the front.

use eframe::egui;
use egui::{Align, Label, Layout, Panel, RichText, Role, Sense, Ui, WidgetInfo};
use egui_extras::{Column, TableBuilder, TableRow};
use shared::statistics::Trade;

use super::axes::{self, quantity};
use super::plot::PlotPanel;
use super::widgets::mark;
use crate::chart::{Chart, Point, Quantity, offered};
use crate::state::AppState;
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
        ui.horizontal(|ui| {
            let axes = &mut state.charts.trade_off;
            quantity(ui, "Quality", &mut axes.y, &qualities);
            quantity(ui, "Cost", &mut axes.x, &costs);
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                axes::labels(ui, &mut state.charts.labels);
                self.plot.unzoom(ui);
            });
        });
        axes::notes(ui, self.plot.chart());
        let chart = Chart::of_view(state, state.view).filter(|chart| !chart.front.is_empty());
        if let Some(chart) = chart {
            // The heading and the head of the table stand above the lines.
            let lines =
                (chart.front.len() as f32 + 2.6) * (ROW_HEIGHT + ui.spacing().item_spacing.y);
            let height = lines.min(ui.available_height() * 0.36);
            Panel::bottom("trades")
                .resizable(true)
                .default_size(height)
                .size_range(80.0..=ui.available_height() * 0.6)
                .show(ui, |ui| front(ui, state, &chart));
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

/// The front as a table, from cheap to good.
fn front(ui: &mut Ui, state: &mut AppState, chart: &Chart) {
    let (cost, quality) = (chart.x.quantity, chart.y.quantity);
    ui.add_space(4.0);
    ui.label(RichText::new(heading(chart)).strong());
    quiet_table(ui);
    ui.style_mut().interaction.selectable_labels = false;
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
        .columns(Column::exact(96.0).clip(true), 2)
        .columns(Column::exact(150.0).clip(true), 2)
        .header(ROW_HEIGHT, |mut header| {
            header.col(|ui| drop(ui.label(RichText::new("model").strong())));
            let words = [cost.name(), quality.name(), "give up", "gain"];
            for word in words {
                header.col(|ui| {
                    right(ui, RichText::new(word).strong());
                });
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
    if let Some(id) = clicked {
        if ui.input(|input| input.modifiers.command) {
            state.selection.toggle(&id);
        } else {
            state.selection.toggle_only(&id);
        }
    }
}

/// A model of the front, and what the way to it costs.
fn stop(row: &mut TableRow<'_, '_>, chart: &Chart, index: usize, trade: Option<&Trade>) {
    let Some(point) = chart.points.get(index) else {
        return;
    };
    let (cost, quality) = (chart.x.quantity, chart.y.quantity);
    row.set_selected(point.selected);
    row.col(|ui| name(ui, point));
    row.col(|ui| right(ui, RichText::new(cost.text(point.x))));
    row.col(|ui| right(ui, RichText::new(quality.text(point.y))));
    let words = trade.map(|trade| words(chart, trade));
    let [given_up, gained] = words.unwrap_or_default();
    row.col(|ui| {
        let worse = Palette::of(ui).worse;
        right(ui, RichText::new(given_up).color(worse));
    });
    row.col(|ui| {
        let better = Palette::of(ui).better;
        right(ui, RichText::new(gained).color(better));
    });
}

/// What a step gives up, also as a factor, and what it gains.
pub fn words(chart: &Chart, trade: &Trade) -> [String; 2] {
    let (cost, quality) = (chart.x.quantity, chart.y.quantity);
    let mut given_up = cost.text(trade.given_up);
    let ends = [trade.from, trade.to].map(|end| chart.points.get(end).map(|point| point.x));
    if let [Some(from), Some(to)] = ends
        && from > 0.0
    {
        given_up += &format!(" (×{:.2})", to / from);
    }
    [given_up, quality.text(trade.gained)]
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

fn right(ui: &mut Ui, text: RichText) {
    ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
        ui.add_space(3.0);
        ui.label(text);
    });
}
