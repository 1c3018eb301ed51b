//! The lines of the comparison: names, scores, a line for each dimension.

use eframe::egui;
use egui::{Align, RichText, Sense, Stroke, Ui, vec2};
use shared::Dimension;
use shared::dimension::Direction;
use shared::words::{NOT_MEASURED, value};

use super::{LETTER, MARK, NAME, Widths};
use crate::analysis::axes::Axis;
use crate::analysis::comparison::Beside;
use crate::chart::dimension_interval;
use crate::state::model::Model;
use crate::state::row::Row;
use crate::theme::Palette;
use crate::views::cards::{cell, fixed};
use crate::views::widgets::{Sign, mark, shortened, sign};

/// Height of a line.
const LINE: f32 = 34.0;

/// The names.
pub(super) fn head(ui: &mut Ui, models: &[(&Model, &Row)], widths: Widths) {
    let palette = Palette::of(ui);
    ui.horizontal(|ui| {
        cell(
            ui,
            NAME + widths.dots + 6.0,
            Align::Min,
            RichText::new("difference to the first")
                .small()
                .color(palette.weak),
        );
        for (index, (model, _)) in models.iter().enumerate() {
            fixed(ui, widths.model, Align::Max, |ui| {
                let name = shortened(&model.name, ((widths.model - MARK) / LETTER) as usize);
                ui.label(RichText::new(name).strong())
                    .on_hover_text(&model.name);
                mark(ui, palette.series(index), &model.name);
            });
        }
    });
    ui.add_space(4.0);
    ui.separator();
}

/// The scores with their ranks.
pub(super) fn score(ui: &mut Ui, models: &[(&Model, &Row)], widths: Widths, comparable: bool) {
    let weak = Palette::of(ui).weak;
    let first = models.first().and_then(|(_, row)| row.score.as_ref());
    ui.horizontal(|ui| {
        ui.set_min_height(LINE);
        cell(ui, NAME, Align::Min, RichText::new("QUBA").strong());
        let note = if comparable {
            ""
        } else {
            "own and published scores are relative to different references"
        };
        cell(
            ui,
            widths.dots,
            Align::Min,
            RichText::new(note).small().color(weak),
        );
        for (index, (_, row)) in models.iter().enumerate() {
            ui.vertical(|ui| {
                ui.set_width(widths.model);
                let score = row.score.as_ref();
                let text = score.map_or_else(
                    || NOT_MEASURED.to_owned(),
                    |score| {
                        let partial = if score.is_partial() { "*" } else { "" };
                        format!("{:.4}{partial}", score.value)
                    },
                );
                cell(ui, widths.model, Align::Max, RichText::new(text).strong());
                let difference = score.zip(first).filter(|_| index > 0 && comparable);
                let difference = difference.map(|(s, f)| format!("{:+.4}", s.value - f.value));
                let rank = row.rank.map(|rank| format!("rank {rank}"));
                let below = [difference, rank]
                    .into_iter()
                    .flatten()
                    .collect::<Vec<_>>()
                    .join(", ");
                cell(
                    ui,
                    widths.model,
                    Align::Max,
                    RichText::new(below).small().color(weak),
                );
            });
        }
    });
}

/// A dimension: its name, a dot and a figure for every model.
pub(super) fn line(
    ui: &mut Ui,
    dimension: Dimension,
    axis: &Axis,
    models: &[(&Model, &Row)],
    found: &[Beside],
    widths: Widths,
) {
    ui.separator();
    ui.horizontal(|ui| {
        ui.set_min_height(LINE);
        ui.vertical(|ui| {
            ui.set_width(NAME);
            cell(ui, NAME, Align::Min, dimension.name());
            if dimension.direction() == Direction::LowerIsBetter {
                cell(
                    ui,
                    NAME,
                    Align::Min,
                    RichText::new("lower is better")
                        .small()
                        .color(Palette::of(ui).warning),
                );
            }
        });
        strip(ui, dimension, axis, models, widths.dots);
        for (index, (model, _)) in models.iter().enumerate() {
            ui.vertical(|ui| {
                ui.set_width(widths.model);
                cell(
                    ui,
                    widths.model,
                    Align::Max,
                    value(dimension, model.values[dimension]),
                );
                let beside = index.checked_sub(1).and_then(|index| found.get(index));
                if let Some(difference) = beside.and_then(|beside| beside.differences[dimension]) {
                    fixed(ui, widths.model, Align::Max, |ui| {
                        change(ui, dimension, difference)
                    });
                }
            });
        }
    });
}

fn change(ui: &mut Ui, dimension: Dimension, difference: f64) {
    let palette = Palette::of(ui);
    let better = difference * dimension.direction().sign();
    let text = match dimension {
        _ if difference == 0.0 => "equal".to_owned(),
        Dimension::Parameters if difference.abs() >= 0.01 => format!("{difference:+.3}"),
        Dimension::Parameters | Dimension::CalibrationError => format!("{difference:+.5}"),
        _ => format!("{difference:+.4}"),
    };
    let (arrow, color, word) = match better {
        b if b > 0.0 => (Some(Sign::Up), palette.better, "better"),
        b if b < 0.0 => (Some(Sign::Down), palette.worse, "worse"),
        _ => (None, palette.weak, "equal"),
    };
    ui.spacing_mut().item_spacing.x = 2.0;
    ui.label(RichText::new(text).small().color(color));
    if let Some(arrow) = arrow {
        sign(ui, arrow, color, word);
    }
}

fn strip(ui: &mut Ui, dimension: Dimension, axis: &Axis, models: &[(&Model, &Row)], width: f32) {
    let palette = Palette::of(ui);
    let (rect, response) = ui.allocate_exact_size(vec2(width, LINE - 6.0), Sense::hover());
    let line = rect.shrink2(vec2(8.0, 0.0));
    ui.painter().hline(
        line.x_range(),
        line.center().y,
        Stroke::new(2.0, palette.line),
    );
    let mut words = Vec::new();
    for (index, (model, _)) in models.iter().enumerate() {
        let Some(measured) = model.values[dimension] else {
            continue;
        };
        let at = |figure: f64| line.left() + line.width() * axis.position(figure) as f32;
        // Equal figures lie beneath each other, not on each other.
        let lane = (index as f32 - (models.len() - 1) as f32 / 2.0) * (20.0 / models.len() as f32);
        let (mark, y) = (palette.series(index), line.center().y + lane);
        let mut text = format!("{} {}", model.name, value(dimension, Some(measured)));
        if let Some((low, high)) = dimension_interval(model, dimension) {
            let ends = at(low).min(at(high))..=at(low).max(at(high));
            let stroke = Stroke::new(1.5, mark.color.gamma_multiply(0.6));
            ui.painter().hline(ends, y, stroke);
            let (low, high) = (value(dimension, Some(low)), value(dimension, Some(high)));
            text += &format!(" (95 %: {low} to {high})");
        }
        mark.paint(ui.painter(), egui::pos2(at(measured), y), 4.5);
        words.push(text);
    }
    let label = format!("{dimension}: {}", words.join(", "));
    response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Image, true, &label));
    response.on_hover_text(words.join("\n"));
}
