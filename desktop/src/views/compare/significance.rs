//! Whether clean accuracies differ by more than chance.

use eframe::egui;
use egui::{RichText, Ui};
use shared::words::count;

use crate::analysis::comparison::{Beside, Significance};
use crate::state::derived::Row;
use crate::state::model::Model;
use crate::theme::Palette;
use crate::views::cards::{card, p_value};
use crate::views::widgets::hint;

/// Draws the tests of all models against the first.
pub(super) fn significance(ui: &mut Ui, models: &[(&Model, &Row)], found: &[Beside]) {
    let Some((first, others)) = models.split_first() else {
        return;
    };
    card(
        ui,
        "Is the difference in clean accuracy more than chance?",
        |ui| {
            hint(
                ui,
                &format!(
                    "The same images, one by one: McNemar's test with mid-p values, two-sided, against {}.",
                    first.0.name
                ),
            );
            let weak = Palette::of(ui).weak;
            egui::Grid::new("significance")
                .num_columns(5)
                .striped(true)
                .spacing([18.0, 4.0])
                .show(ui, |ui| {
                    for heading in [
                        "model",
                        "images",
                        "only the first right",
                        "only this right",
                        "p",
                    ] {
                        ui.label(RichText::new(heading).small().color(weak));
                    }
                    ui.end_row();
                    for ((model, _), beside) in others.iter().zip(found) {
                        ui.label(&model.name);
                        outcome(ui, &beside.clean);
                        ui.end_row();
                    }
                });
            if others.len() > 1 {
                hint(
                    ui,
                    "Each p stands for itself: with several comparisons, one below 5 % is less of a surprise.",
                );
            }
        },
    );
}

/// Counts and p-value, or why there are none.
fn outcome(ui: &mut Ui, clean: &Result<Significance, &'static str>) {
    match clean {
        Err(reason) => {
            ui.label(RichText::new(*reason).color(Palette::of(ui).weak));
        }
        Ok(Significance { counts, p }) => {
            for n in [counts.images, counts.only_first, counts.only_second] {
                ui.label(count(u64::from(n)));
            }
            let verdict = if *p < 0.05 {
                "significant at 5 %"
            } else {
                "may be chance"
            };
            ui.label(format!("{}, {verdict}", p_value(*p)));
        }
    }
}
