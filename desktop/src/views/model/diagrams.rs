//! The reliability diagram and the spread of class accuracies, each with its numbers as text.

use eframe::egui;
use egui::{Align, CollapsingHeader, Rect, Role, Sense, Shape, Stroke, Ui, WidgetInfo, pos2, vec2};
use shared::Dimension;
use shared::metrics::calibration::ReliabilityBin;
use shared::words::{count, plural};

use crate::analysis::page::{CLASS_BINS, Classes, Details};
use crate::state::model::Model;
use crate::theme::Palette;
use crate::views::cards::{card, cell, percent, share_bar};
use crate::views::widgets::hint;

/// Height of the diagrams.
const HEIGHT: f32 = 150.0;

/// Accuracy against confidence; `tables` offers the same as numbers.
pub fn reliability(ui: &mut Ui, model: &Model, details: &Details, tables: bool) {
    card(ui, "Reliability", |ui| match &details.reliability {
        Err(reason) => hint(ui, &format!("Not measured: {reason}.")),
        Ok(bins) => {
            let parts = model
                .measurements()
                .and_then(|own| own.measured[Dimension::CalibrationError].as_ref().ok());
            if let Some(parts) = parts {
                let part =
                    |name: &str| parts.parts.iter().find(|p| p.name == name).map(|p| p.value);
                if let (Some(ece), Some(ace)) = (part("ece"), part("ace")) {
                    ui.label(format!("expected error {ece:.4}, adaptive error {ace:.4}"));
                }
            }
            diagram(ui, bins);
            hint(
                ui,
                "Bars: share of right answers by confidence; ticks: mean confidence; below: images.",
            );
            if tables {
                CollapsingHeader::new("Reliability as a table").show(ui, |ui| table(ui, bins));
            }
        }
    });
}

fn diagram(ui: &mut Ui, bins: &[ReliabilityBin]) {
    let palette = Palette::of(ui);
    let counts = 34.0;
    let size = vec2(ui.available_width(), HEIGHT + counts + 18.0);
    let (rect, response) = ui.allocate_exact_size(size, Sense::hover());
    let plot = Rect::from_min_size(rect.min + vec2(34.0, 4.0), vec2(size.x - 44.0, HEIGHT));
    let painter = ui.painter();
    let font = egui::TextStyle::Small.resolve(ui.style());
    for share in [0.0, 0.5, 1.0] {
        let y = plot.bottom() - plot.height() * share;
        painter.hline(plot.x_range(), y, Stroke::new(1.0, palette.line));
        let label = format!("{:.0} %", share * 100.0);
        painter.text(
            pos2(plot.left() - 6.0, y),
            egui::Align2::RIGHT_CENTER,
            label,
            font.clone(),
            palette.weak,
        );
    }
    // The last of the 16 columns is for confidences of exactly 1.
    let corner = pos2(plot.left() + plot.width() * 15.0 / 16.0, plot.top());
    let stroke = Stroke::new(1.0, palette.weak);
    let dashes = Shape::dashed_line(&[plot.left_bottom(), corner], stroke, 5.0, 4.0);
    painter.extend(dashes);
    let most = bins.iter().map(|bin| bin.images).max().unwrap_or(0).max(1);
    for (index, bin) in bins.iter().enumerate() {
        let column = column(plot, index);
        let (Some(accuracy), Some(confidence)) = (bin.accuracy(), bin.confidence()) else {
            continue;
        };
        let top = plot.bottom() - plot.height() * accuracy as f32;
        painter.rect_filled(
            Rect::from_x_y_ranges(column, top..=plot.bottom()),
            1.0,
            palette.accent.gamma_multiply(0.65),
        );
        let tick = plot.bottom() - plot.height() * confidence as f32;
        painter.hline(column, tick, Stroke::new(2.0, palette.worse));
        let below = plot.bottom() + 5.0;
        let height = (counts - 6.0) * (bin.images as f32 / most as f32);
        painter.rect_filled(
            Rect::from_x_y_ranges(column, below..=below + height.max(1.0)),
            1.0,
            palette.weak.gamma_multiply(0.6),
        );
    }
    for (share, text) in [(0.0, "0"), (0.5, "confidence"), (1.0, "1")] {
        let at = pos2(
            plot.left() + plot.width() * 15.0 / 16.0 * share,
            rect.bottom(),
        );
        painter.text(
            at,
            egui::Align2::CENTER_BOTTOM,
            text,
            font.clone(),
            palette.weak,
        );
    }
    response.widget_info(|| WidgetInfo::labeled(Role::Image, true, "Reliability diagram"));
    let hovered = response.hover_pos().and_then(|at| {
        let share = (at.x - plot.left()) / plot.width() * bins.len() as f32;
        bins.get(share.max(0.0) as usize)
            .map(|bin| (share as usize, bin))
    });
    if let Some((index, bin)) = hovered {
        response.on_hover_text_at_pointer(words(index, bin).join("\n"));
    }
}

/// The bin of exactly 1 stands after the others, as wide as they are.
fn column(plot: Rect, index: usize) -> egui::Rangef {
    let width = plot.width() / 16.0;
    let left = plot.left() + width * index as f32;
    egui::Rangef::new(left + 1.0, left + width - 1.0)
}

fn words(index: usize, bin: &ReliabilityBin) -> [String; 4] {
    let (low, high) = ReliabilityBin::edges(index);
    let range = if low == high {
        "exactly 1".to_owned()
    } else {
        format!("{low:.2} to {high:.2}")
    };
    let or_dash = |share: Option<f64>| share.map_or_else(|| "–".to_owned(), percent);
    [
        format!("confidence {range}"),
        plural(u64::from(bin.images), "image"),
        format!("right {}", or_dash(bin.accuracy())),
        format!("mean confidence {}", or_dash(bin.confidence())),
    ]
}

fn table(ui: &mut Ui, bins: &[ReliabilityBin]) {
    egui::Grid::new("reliability").striped(true).show(ui, |ui| {
        for (index, bin) in bins.iter().enumerate().filter(|(_, bin)| bin.images > 0) {
            for word in words(index, bin) {
                ui.label(word);
            }
            ui.end_row();
        }
    });
}

/// How many classes are how accurate, and the worst of them.
pub fn classes(ui: &mut Ui, details: &Details) {
    card(ui, "Classes", |ui| match &details.classes {
        Err(reason) => hint(ui, &format!("Not measured: {reason}.")),
        Ok(classes) => {
            histogram(ui, classes);
            hint(
                ui,
                &format!(
                    "{} by accuracy. The worst:",
                    plural(classes.count as u64, "class")
                ),
            );
            worst(ui, classes);
        }
    });
}

fn histogram(ui: &mut Ui, classes: &Classes) {
    let palette = Palette::of(ui);
    let size = vec2(ui.available_width(), 92.0);
    let (rect, response) = ui.allocate_exact_size(size, Sense::hover());
    let plot = Rect::from_min_max(rect.min + vec2(4.0, 14.0), rect.max - vec2(4.0, 16.0));
    let painter = ui.painter();
    let font = egui::TextStyle::Small.resolve(ui.style());
    let most = classes.histogram.iter().copied().max().unwrap_or(0).max(1);
    let width = plot.width() / CLASS_BINS as f32;
    for (index, &number) in classes.histogram.iter().enumerate() {
        let left = plot.left() + width * index as f32;
        let height = plot.height() * number as f32 / most as f32;
        let bar = Rect::from_x_y_ranges(
            left + 1.0..=left + width - 1.0,
            plot.bottom() - height..=plot.bottom(),
        );
        painter.rect_filled(bar, 1.0, palette.accent.gamma_multiply(0.65));
        if number > 0 {
            let at = pos2(bar.center().x, bar.top() - 1.0);
            painter.text(
                at,
                egui::Align2::CENTER_BOTTOM,
                count(u64::from(number)),
                font.clone(),
                palette.weak,
            );
        }
    }
    painter.hline(
        plot.x_range(),
        plot.bottom(),
        Stroke::new(1.0, palette.weak),
    );
    for share in [0.0, 0.5, 1.0] {
        let align = [
            egui::Align2::LEFT_TOP,
            egui::Align2::CENTER_TOP,
            egui::Align2::RIGHT_TOP,
        ][(share * 2.0) as usize];
        let at = pos2(plot.left() + plot.width() * share, plot.bottom() + 2.0);
        painter.text(
            at,
            align,
            format!("{:.0} %", share * 100.0),
            font.clone(),
            palette.weak,
        );
    }
    response
        .widget_info(|| WidgetInfo::labeled(Role::Image, true, "Histogram of class accuracies"));
}

fn worst(ui: &mut Ui, classes: &Classes) {
    let palette = Palette::of(ui);
    ui.spacing_mut().item_spacing = vec2(6.0, 1.0);
    for (name, tally) in &classes.worst {
        ui.horizontal(|ui| {
            let room = ui.available_width();
            cell(ui, (room * 0.4).min(240.0), Align::Min, name.as_str());
            share_bar(
                ui,
                (room * 0.25).max(40.0),
                tally.accuracy(),
                palette.worse.gamma_multiply(0.8),
            );
            cell(ui, 52.0, Align::Max, percent(tally.accuracy()));
            ui.label(
                egui::RichText::new(format!("{} of {}", tally.correct, tally.images))
                    .small()
                    .color(palette.weak),
            );
        });
    }
}
