//! Whether answers differ by more than chance.

use eframe::egui;
use egui::{Grid, RichText, Ui};
use shared::words::count;

use crate::analysis::comparison::{Beside, Significance};
use crate::state::derived::Row;
use crate::state::model::Model;
use crate::theme::Palette;
use crate::views::cards::{card, p_value};
use crate::views::widgets::hint;

/// p-values below this are called significant.
const LEVEL: f64 = 0.05;

/// Draws the tests of all models against the first.
pub(super) fn significance(ui: &mut Ui, models: &[(&Model, &Row)], found: &[Beside]) {
    let Some(((first, _), others)) = models.split_first() else {
        return;
    };
    card(ui, "Are the differences more than chance?", |ui| {
        hint(
            ui,
            &format!(
                "The same images, one by one: McNemar's test with mid-p values, two-sided, against \
                 {}. Corruptions: images on which one model is right under more of them.",
                first.name
            ),
        );
        for ((model, _), beside) in others.iter().zip(found) {
            ui.add_space(4.0);
            match &beside.tests {
                Ok(tests) => tests_of(ui, model, tests),
                Err(reason) => {
                    ui.horizontal(|ui| {
                        ui.label(RichText::new(&model.name).strong());
                        ui.label(RichText::new(*reason).color(Palette::of(ui).weak));
                    });
                }
            }
        }
        hint(
            ui,
            "Each p stands for itself: of twenty comparisons without a difference, about one falls \
             below 5 %.",
        );
    });
}

fn tests_of(ui: &mut Ui, model: &Model, tests: &[Significance]) {
    let weak = Palette::of(ui).weak;
    ui.label(RichText::new(&model.name).strong());
    Grid::new(("significance", &model.id))
        .num_columns(5)
        .striped(true)
        .spacing([18.0, 4.0])
        .min_col_width(60.0)
        .show(ui, |ui| {
            let headings = [
                "answers",
                "images",
                "only the first right",
                "only this right",
                "p",
            ];
            for heading in headings {
                ui.label(RichText::new(heading).small().color(weak));
            }
            ui.end_row();
            for test in tests {
                line(ui, test);
                ui.end_row();
            }
        });
}

fn line(ui: &mut Ui, test: &Significance) {
    let counts = test.answers.counts;
    ui.label(&test.answers.name);
    for n in [counts.images, counts.only_first, counts.only_second] {
        ui.label(count(u64::from(n)));
    }
    let palette = Palette::of(ui);
    let p = p_value(test.p);
    if test.p >= LEVEL {
        ui.label(RichText::new(format!("{p}, may be chance")).color(palette.weak));
        return;
    }
    // The first model is the one that the others are better or worse than.
    let (word, color) = if counts.only_second > counts.only_first {
        ("better", palette.better)
    } else {
        ("worse", palette.worse)
    };
    ui.label(RichText::new(format!("{p}, significantly {word}")).color(color));
}
