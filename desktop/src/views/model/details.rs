//! Corruptions, out-of-distribution sets, shape and texture, attacks, devices.

use eframe::egui;
use egui::{Align, Label, RichText, Sense, Ui, vec2};
use shared::Dimension;
use shared::words::{NOT_MEASURED, count, plural, value};

use crate::analysis::page::Details;
use crate::state::model::Model;
use crate::theme::Palette;
use crate::views::cards::{card, cell, percent, share_bar};
use crate::views::widgets::hint;

/// 15 corruptions at five severities.
pub fn corruptions(ui: &mut Ui, details: &Details) {
    card(ui, "Corruptions: relative accuracy by severity", |ui| {
        let palette = Palette::of(ui);
        ui.spacing_mut().item_spacing = vec2(2.0, 2.0);
        let width = ((ui.available_width() - 128.0 - 14.0) / 6.0).clamp(30.0, 88.0);
        ui.horizontal(|ui| {
            cell(ui, 128.0, Align::Min, "");
            for heading in ["1", "2", "3", "4", "5", "mean"] {
                let (rect, _) = ui.allocate_exact_size(vec2(width, 14.0), Sense::hover());
                let font = egui::TextStyle::Small.resolve(ui.style());
                let centre = egui::Align2::CENTER_CENTER;
                ui.painter()
                    .text(rect.center(), centre, heading, font, palette.weak);
            }
        });
        for (corruption, row) in details.corruption_names.iter().zip(&details.corruptions) {
            ui.horizontal(|ui| {
                cell(ui, 128.0, Align::Min, corruption.as_str());
                for (severity, &relative) in (1..).zip(row) {
                    heat(
                        ui,
                        width,
                        relative,
                        &format!("{corruption} at severity {severity}"),
                    );
                }
                let all: Option<Vec<f64>> = row.iter().copied().collect();
                let mean = all.map(|all| shared::statistics::mean(&all));
                heat(ui, width, mean, &format!("{corruption}, mean"));
            });
        }
    });
}

/// A coloured cell with a number.
fn heat(ui: &mut Ui, width: f32, relative: Option<f64>, what: &str) {
    let palette = Palette::of(ui);
    let (rect, response) = ui.allocate_exact_size(vec2(width, 18.0), Sense::hover());
    let text = relative.map_or_else(|| NOT_MEASURED.to_owned(), |r| format!("{r:.2}"));
    if let Some(relative) = relative {
        ui.painter()
            .rect_filled(rect, 2.0, palette.goodness(relative as f32));
    }
    let font = egui::TextStyle::Small.resolve(ui.style());
    let color = ui.visuals().text_color();
    ui.painter().text(
        rect.center(),
        egui::Align2::CENTER_CENTER,
        &text,
        font,
        color,
    );
    let label = format!("{what}: {text}");
    response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Label, true, &label));
    response.on_hover_text(label);
}

/// The five out-of-distribution sets.
pub fn sets(ui: &mut Ui, details: &Details) {
    card(ui, "Out-of-distribution sets", |ui| {
        if details.sets.is_empty() {
            hint(ui, "None was evaluated.");
        }
        for set in &details.sets {
            answers(ui, &set.set.to_string(), set.answers, set.relative);
        }
    });
}

/// The attacks, weaker ones first within a method.
pub fn attacks(ui: &mut Ui, details: &Details) {
    card(ui, "Attacks by strength", |ui| {
        if details.attacks.is_empty() {
            hint(ui, "None was run.");
        }
        for tally in &details.attacks {
            answers(ui, &tally.attack.to_string(), tally.answers, tally.relative);
        }
    });
}

/// Accuracy of one pass as bar and numbers.
fn answers(ui: &mut Ui, name: &str, (correct, total): (u32, u32), relative: Option<f64>) {
    let palette = Palette::of(ui);
    ui.spacing_mut().item_spacing = vec2(6.0, 2.0);
    let accuracy = f64::from(correct) / f64::from(total);
    ui.horizontal(|ui| {
        let room = ui.available_width();
        let rest = 56.0 + 104.0 + 24.0;
        let name_width = ((room - rest) * 0.55).max(80.0);
        cell(ui, name_width, Align::Min, name);
        share_bar(
            ui,
            (room - rest - name_width).max(30.0),
            accuracy,
            palette.accent.gamma_multiply(0.75),
        );
        cell(
            ui,
            56.0,
            Align::Max,
            RichText::new(percent(accuracy)).strong(),
        );
        let relative =
            relative.map_or_else(|| NOT_MEASURED.to_owned(), |r| format!("{r:.3} of clean"));
        cell(
            ui,
            96.0,
            Align::Max,
            RichText::new(relative).small().color(palette.weak),
        );
    })
    .response
    .on_hover_text(format!(
        "{name}: {} of {} right",
        count(u64::from(correct)),
        count(u64::from(total))
    ));
}

/// Decisions for shape and texture by category.
pub fn shape(ui: &mut Ui, details: &Details) {
    card(ui, "Shape or texture", |ui| match &details.categories {
        Err(reason) => hint(ui, &format!("Not measured: {reason}.")),
        Ok(categories) => {
            let palette = Palette::of(ui);
            hint(
                ui,
                "Decisions on images of conflicting cues, by the category of the shape: shape, texture, neither.",
            );
            ui.spacing_mut().item_spacing = vec2(6.0, 2.0);
            for (name, decisions) in categories.iter().filter(|(_, d)| d.images > 0) {
                ui.horizontal(|ui| {
                    let room = ui.available_width();
                    cell(ui, 84.0, Align::Min, name.as_str());
                    split(
                        ui,
                        (room - 84.0 - 138.0).max(40.0),
                        decisions.shape,
                        decisions.texture,
                        decisions.images,
                    );
                    let numbers = format!(
                        "{}, {}, {}",
                        decisions.shape,
                        decisions.texture,
                        decisions.images - decisions.shape - decisions.texture
                    );
                    cell(
                        ui,
                        62.0,
                        Align::Max,
                        RichText::new(numbers).small().color(palette.weak),
                    );
                    let bias = decisions
                        .bias()
                        .map_or_else(|| NOT_MEASURED.to_owned(), percent);
                    cell(ui, 52.0, Align::Max, bias);
                });
            }
        }
    });
}

/// Shape from the left, texture after it, neither as ground.
fn split(ui: &mut Ui, width: f32, shape: u32, texture: u32, images: u32) {
    let palette = Palette::of(ui);
    let (rect, _) = ui.allocate_exact_size(vec2(width, 14.0), Sense::hover());
    let rect = rect.shrink2(vec2(0.0, 3.0));
    ui.painter()
        .rect_filled(rect, 2.0, palette.line.gamma_multiply(0.6));
    let at = |n: u32| rect.left() + rect.width() * n as f32 / images.max(1) as f32;
    let part = |from: u32, to: u32| egui::Rect::from_x_y_ranges(at(from)..=at(to), rect.y_range());
    ui.painter()
        .rect_filled(part(0, shape), 2.0, palette.better);
    ui.painter()
        .rect_filled(part(shape, shape + texture), 2.0, palette.worse);
}

/// Other results of the same model file.
pub fn devices(ui: &mut Ui, model: &Model, details: &Details) {
    if details.siblings.is_empty() {
        return;
    }
    card(ui, "The same model elsewhere", |ui| {
        let weak = Palette::of(ui).weak;
        for sibling in &details.siblings {
            ui.label(RichText::new(&sibling.name).strong());
            let text = match sibling.agreement {
                None => "no common clean images".to_owned(),
                Some(a) => format!(
                    "same top class on {} of {}; confidences differ by at most {:.1e}",
                    count(u64::from(a.same)),
                    plural(u64::from(a.images), "clean image"),
                    a.largest_difference
                ),
            };
            ui.add(Label::new(text).wrap());
            let others = &sibling.measurements.entry.values;
            egui::Grid::new(&sibling.name)
                .num_columns(4)
                .striped(true)
                .show(ui, |ui| {
                    for heading in ["dimension", "here", "there", "difference"] {
                        ui.label(RichText::new(heading).small().color(weak));
                    }
                    ui.end_row();
                    for dimension in Dimension::ALL {
                        let (here, there) = (model.values[dimension], others[dimension]);
                        ui.label(dimension.name());
                        ui.label(value(dimension, here));
                        ui.label(value(dimension, there));
                        let difference = here
                            .zip(there)
                            .map(|(here, there)| format!("{:+.5}", there - here));
                        ui.label(difference.unwrap_or_else(|| NOT_MEASURED.to_owned()));
                        ui.end_row();
                    }
                });
        }
    });
}
