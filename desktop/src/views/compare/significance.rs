//! Whether figures differ by more than chance.

use eframe::egui;
use egui::{Grid, Label, RichText, Ui};
use shared::Dimension;
use shared::dimension::Direction;
use shared::statistics::is_significant;

use crate::analysis::comparison::{Beside, Outcome, Tested};
use crate::state::model::Model;
use crate::state::row::Row;
use crate::theme::Palette;
use crate::views::cards::{card, p_value};
use crate::views::widgets::hint;

/// Draws the tests of all models against the first.
pub(super) fn significance(ui: &mut Ui, models: &[(&Model, &Row)], found: &[Beside]) {
    let Some(((first, _), others)) = models.split_first() else {
        return;
    };
    card(ui, "Are the differences more than chance?", |ui| {
        hint(
            ui,
            &format!(
                "Differences to {} on the same images: 95 % intervals of the paired bootstrap, \
                 two-sided p-values corrected by Holm's method for all comparisons shown here; \
                 McNemar's test (mid-p) for accuracy.",
                first.name
            ),
        );
        for ((model, _), beside) in others.iter().zip(found) {
            ui.add_space(4.0);
            ui.add(Label::new(RichText::new(&model.name).strong()).truncate());
            match &beside.tests {
                Ok(tests) => tests_of(ui, model, tests),
                Err(reason) => drop(ui.label(RichText::new(*reason).color(Palette::of(ui).weak))),
            }
        }
    });
}

fn tests_of(ui: &mut Ui, model: &Model, tests: &[Tested]) {
    let weak = Palette::of(ui).weak;
    Grid::new(("significance", &model.id))
        .num_columns(4)
        .striped(true)
        .spacing([18.0, 4.0])
        .min_col_width(60.0)
        .show(ui, |ui| {
            for heading in ["figure", "difference", "95 % interval", "p"] {
                ui.label(RichText::new(heading).small().color(weak));
            }
            ui.end_row();
            for test in tests {
                ui.label(test.dimension.map_or("QUBA", Dimension::name));
                match &test.outcome {
                    Ok(outcome) => line(ui, test.dimension, outcome),
                    Err(reason) => {
                        ui.label("");
                        ui.label("");
                        ui.label(RichText::new(reason).color(weak));
                    }
                }
                ui.end_row();
            }
        });
}

fn line(ui: &mut Ui, dimension: Option<Dimension>, outcome: &Outcome) {
    let palette = Palette::of(ui);
    let digits = match dimension {
        Some(Dimension::CalibrationError) => 5,
        _ => 4,
    };
    let signed = |value: f64| format!("{value:+.digits$}");
    ui.label(signed(outcome.difference));
    let (low, high) = (outcome.interval.low, outcome.interval.high);
    ui.label(format!("{} to {}", signed(low), signed(high)));
    let p = p_value(outcome.p);
    let direction = dimension.map_or(Direction::HigherIsBetter, Dimension::direction);
    let better = outcome.difference * direction.sign() > 0.0;
    // The first model is the one that the others are better or worse than.
    let (words, color) = match (is_significant(outcome.p), better) {
        (false, _) => ("may be chance", palette.weak),
        (true, true) => ("significantly better", palette.better),
        (true, false) => ("significantly worse", palette.worse),
    };
    ui.label(RichText::new(format!("{p}, {words}")).color(color))
        .on_hover_text(outcome.test.name());
}
