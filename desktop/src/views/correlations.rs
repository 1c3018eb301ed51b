//! Spearman's correlations of the nine dimensions, as a heat map and as a table.

use eframe::egui;
use egui::{
    Align, Align2, Rect, RichText, Role, ScrollArea, Sense, Stroke, TextStyle, Ui, WidgetInfo,
    pos2, vec2,
};
use shared::Dimension;
use shared::statistics::{Correlation, SIGNIFICANCE, is_significant};
use shared::words::plural;

use super::cards::{cell, p_value};
use super::figure::Figure;
use super::widgets::{choice, hint};
use crate::analysis::cached::Cached;
use crate::analysis::correlations::{Correlations, Layer};
use crate::state::AppState;
use crate::theme::Palette;

/// Fewer models have no correlation.
const LEAST_MODELS: usize = 3;

/// Least side of a cell; smaller windows scroll.
const LEAST: f32 = 46.0;

/// Room for names left of the map.
const NAMES: f32 = 190.0;

/// Width of the table beside the map.
const TABLE: f32 = 420.0;

/// Height of a line of the table.
const PAIR: f32 = 18.0;

/// The view.
#[derive(Default)]
pub struct CorrelationsView {
    found: Cached<(u64, Layer), Correlations>,
}

impl CorrelationsView {
    /// Draws it.
    pub fn ui(&mut self, ui: &mut Ui, state: &mut AppState) {
        let options = Layer::ALL.map(|layer| (layer, layer.label()));
        ui.horizontal(|ui| {
            choice(ui, "Models", &mut state.pages.correlations, &options);
        });
        let layer = state.pages.correlations;
        let key = (state.library.revision(), layer);
        let found = self
            .found
            .get(key, || Correlations::of(state.library.models(), layer));
        hint(ui, &explained(found, layer));
        if found.models < LEAST_MODELS {
            ui.centered_and_justified(|ui| ui.label("A correlation needs at least three models."));
            return;
        }
        let room = ui.available_size();
        let beside = room.x > NAMES + 9.0 * LEAST + TABLE;
        let width = if beside {
            room.x - TABLE - 24.0
        } else {
            room.x
        };
        let side = ((width - NAMES) / 9.0)
            .min((room.y - 36.0) / 9.0)
            .clamp(LEAST, 140.0);
        ScrollArea::both().auto_shrink(false).show(ui, |ui| {
            ui.horizontal_top(|ui| {
                map(ui, found, side);
                if beside {
                    ui.add_space(16.0);
                    ui.vertical(|ui| table(ui, found));
                }
            });
            if !beside {
                table(ui, found);
            }
        });
    }
}

/// The map and the table for a file.
pub fn figure(state: &AppState) -> Option<Figure<'_>> {
    const SIDE: f32 = 62.0;
    let layer = state.pages.correlations;
    let models = state.library.models().iter();
    if models.filter(|model| layer.holds(model)).count() < LEAST_MODELS {
        return None;
    }
    let width = NAMES + 9.0 * SIDE + 24.0 + TABLE;
    let title = format!("Correlations of the dimensions: {}", layer.label());
    Some(Figure::new(title, width, move |ui| {
        let found = Correlations::of(state.library.models(), layer);
        hint(ui, &explained(&found, layer));
        ui.add_space(8.0);
        ui.horizontal_top(|ui| {
            map(ui, &found, SIDE);
            ui.add_space(16.0);
            ui.vertical(|ui| table(ui, &found));
        });
    }))
}

fn explained(found: &Correlations, layer: Layer) -> String {
    let all = match layer {
        Layer::Published => {
            " This is the study's figure; 81 of its rows have distorted corruption, \
             out-of-distribution, calibration and balance figures, 30 a second softmax."
        }
        Layer::Clean => " Rows that were not measured as defined are left out.",
        Layer::Own => "",
    };
    let models = plural(found.models as u64, "model");
    format!(
        "Spearman's rank correlation over {models}; filters do not matter. Crossed out: p \
         above {SIGNIFICANCE}.{all}"
    )
}

fn map(ui: &mut Ui, found: &Correlations, side: f32) {
    let palette = Palette::of(ui);
    let size = vec2(NAMES + 9.0 * side, 26.0 + 9.0 * side);
    let (rect, _) = ui.allocate_exact_size(size, Sense::hover());
    let origin = rect.min + vec2(NAMES, 26.0);
    let body = TextStyle::Body.resolve(ui.style());
    let text = ui.visuals().text_color();
    for (index, dimension) in Dimension::ALL.into_iter().enumerate() {
        let middle = (index as f32 + 0.5) * side;
        let left = pos2(origin.x - 8.0, origin.y + middle);
        ui.painter().text(
            left,
            Align2::RIGHT_CENTER,
            dimension.name(),
            body.clone(),
            text,
        );
        let top = pos2(origin.x + middle, origin.y - 6.0);
        ui.painter().text(
            top,
            Align2::CENTER_BOTTOM,
            dimension.column(),
            body.clone(),
            palette.weak,
        );
    }
    for (i, row) in Dimension::ALL.into_iter().enumerate() {
        for (j, column) in Dimension::ALL.into_iter().enumerate() {
            let at = origin + vec2(j as f32, i as f32) * side;
            let square = Rect::from_min_size(at, vec2(side, side)).shrink(1.0);
            if i == j {
                ui.painter()
                    .rect_filled(square, 3.0, palette.line.gamma_multiply(0.5));
            } else {
                pair(ui, square, (row, column), found.matrix[row][column]);
            }
        }
    }
}

fn pair(
    ui: &mut Ui,
    square: Rect,
    (row, column): (Dimension, Dimension),
    found: Option<Correlation>,
) {
    let palette = Palette::of(ui);
    let id = ui.scope_id().with(("correlation", row, column));
    let response = ui.interact(square, id, Sense::hover());
    let label = format!("{row} and {column}: {}", words(found));
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, &label));
    let style = if square.width() < 52.0 {
        TextStyle::Small
    } else {
        TextStyle::Body
    };
    let font = style.resolve(ui.style());
    let color = ui.visuals().text_color();
    let (fill, text) = match found {
        Some(found) => (palette.correlation(found.rho), format!("{:+.2}", found.rho)),
        None => (palette.line.gamma_multiply(0.3), "–".to_owned()),
    };
    let painter = ui.painter();
    painter.rect_filled(square, 3.0, fill);
    if found.is_some_and(|found| !is_significant(found.p)) {
        let stroke = Stroke::new(1.0, palette.weak.gamma_multiply(0.8));
        painter.line_segment([square.left_bottom(), square.right_top()], stroke);
    }
    if response.hovered() {
        painter.rect_stroke(
            square,
            3.0,
            Stroke::new(1.5, palette.accent),
            egui::StrokeKind::Inside,
        );
    }
    painter.text(square.center(), Align2::CENTER_CENTER, text, font, color);
    response.on_hover_text(label);
}

fn words(found: Option<Correlation>) -> String {
    found.map_or_else(
        || "not defined".to_owned(),
        |found| {
            format!(
                "rho {:+.4}, n {}, p {}",
                found.rho,
                found.n,
                p_value(found.p)
            )
        },
    )
}

/// All pairs, the strongest first.
fn table(ui: &mut Ui, found: &Correlations) {
    let mut pairs = Vec::new();
    for (i, first) in Dimension::ALL.into_iter().enumerate() {
        for second in Dimension::ALL.into_iter().take(i) {
            pairs.extend(found.matrix[first][second].map(|c| (second, first, c)));
        }
    }
    pairs.sort_by(|a, b| b.2.rho.abs().total_cmp(&a.2.rho.abs()));
    let weak = Palette::of(ui).weak;
    ui.spacing_mut().item_spacing = vec2(6.0, 0.0);
    ui.spacing_mut().interact_size.y = PAIR;
    let heading = |text: &str| RichText::new(text).small().color(weak);
    let line = |ui: &mut Ui, cells: [RichText; 4]| {
        let [pair, rho, n, p] = cells;
        ui.horizontal(|ui| {
            ui.set_max_height(PAIR);
            cell(ui, 218.0, Align::Min, pair);
            cell(ui, 58.0, Align::Max, rho);
            cell(ui, 40.0, Align::Max, n);
            cell(ui, 64.0, Align::Max, p);
        });
    };
    line(
        ui,
        [
            heading("pair, the strongest first"),
            heading("rho"),
            heading("n"),
            heading("p"),
        ],
    );
    for (first, second, found) in pairs {
        let ink = |text: String| {
            let text = RichText::new(text);
            if !is_significant(found.p) {
                text.color(weak)
            } else {
                text
            }
        };
        let cells = [
            format!("{} · {}", short(first), short(second)),
            format!("{:+.4}", found.rho),
            found.n.to_string(),
            p_value(found.p),
        ];
        line(ui, cells.map(ink));
    }
}

/// A name that leaves room for another.
fn short(dimension: Dimension) -> &'static str {
    match dimension {
        Dimension::AdversarialRobustness => "adversarial",
        Dimension::CorruptionRobustness => "corruption",
        Dimension::OodRobustness => "out-of-distribution",
        Dimension::CalibrationError => "calibration error",
        other => other.name(),
    }
}
