//! The nine figures, what each adds to the score, and when another model would lead.

use eframe::egui;
use egui::{Align, Label, Layout, RichText, Ui};
use shared::Dimension;
use shared::words::{NOT_MEASURED, value};

use super::Shown;
use crate::analysis::why::Takeover;
use crate::chart::dimension_interval;
use crate::state::words;
use crate::theme::Palette;
use crate::views::cards::{card, cell, fixed, signed_bar};
use crate::views::widgets::{above, hint};

/// Widths of name, value, rank and percentile.
const NAME: f32 = 182.0;
const VALUE: f32 = 68.0;
const RANK: f32 = 70.0;
const BEATEN: f32 = 52.0;

/// Value, rank and contribution of every dimension.
pub fn figures(ui: &mut Ui, shown: &Shown<'_>) {
    card(ui, "Figures and what they add to the score", |ui| {
        let weak = Palette::of(ui).weak;
        ui.spacing_mut().item_spacing = egui::vec2(4.0, 2.0);
        let heading = |text: &str| RichText::new(text).small().color(weak);
        ui.horizontal(|ui| {
            cell(ui, NAME, Align::Min, heading("dimension"));
            cell(ui, VALUE, Align::Max, heading("value (95 %)"));
            cell(ui, RANK, Align::Max, heading("rank"));
            cell(ui, BEATEN, Align::Max, heading("percentile"));
            ui.add_space(8.0);
            ui.label(heading("contribution"));
        });
        let contributions = shown.row.score.as_ref().map(|score| score.contributions);
        let largest = contributions.map_or(0.0, |all| {
            all.0
                .iter()
                .flatten()
                .fold(0.0, |most: f64, value| most.max(value.abs()))
        });
        for dimension in Dimension::ALL {
            let added = contributions.and_then(|all| all[dimension]);
            figure(ui, shown, dimension, added, largest);
        }
        ui.add_space(2.0);
        hint(ui, &percentiles(shown));
    });
}

/// What the percentiles are relative to, and that of the score.
fn percentiles(shown: &Shown<'_>) -> String {
    let rows = if shown.state.choices.filter.clean_only {
        "published models with clean rows"
    } else {
        "published models"
    };
    let meaning = format!("Percentile: share of the {rows} that a figure beats.");
    match shown.row.score_percentile {
        Some(share) => format!("{meaning} The score beats {} %.", words::percentile(share)),
        None => meaning,
    }
}

fn figure(ui: &mut Ui, shown: &Shown<'_>, dimension: Dimension, added: Option<f64>, most: f64) {
    let palette = Palette::of(ui);
    let model = shown.model;
    ui.horizontal(|ui| {
        // Values with and without an interval stand on lines of one height.
        let height = if model.is_published() { 18.0 } else { 28.0 };
        ui.set_min_height(height);
        cell(ui, NAME, Align::Min, dimension.name());
        let size = egui::vec2(VALUE, height);
        ui.allocate_ui_with_layout(size, Layout::right_to_left(Align::Center), |ui| {
            ui.set_min_size(size);
            let number = RichText::new(value(dimension, model.values[dimension])).strong();
            let label = match dimension_interval(model, dimension) {
                Some((low, high)) => above(ui, number, &format!("{low:.3} to {high:.3}")),
                None => ui.label(number),
            };
            let measured = model.measurements().map(|own| &own.measured[dimension]);
            match measured {
                Some(Err(reason)) => {
                    label.on_hover_text(format!("not measured: {reason}"));
                }
                Some(Ok(measured)) => {
                    let parts: Vec<String> = measured
                        .parts
                        .iter()
                        .map(|part| format!("{}: {:.4}", part.name, part.value))
                        .collect();
                    if !parts.is_empty() {
                        label.on_hover_text(parts.join("\n"));
                    }
                }
                None => {}
            }
        });
        let rank = shown.page.ranks[dimension];
        let rank = rank.map_or_else(
            || NOT_MEASURED.to_owned(),
            |(rank, of)| format!("{rank} of {of}"),
        );
        cell(
            ui,
            RANK,
            Align::Max,
            RichText::new(rank).color(palette.weak),
        );
        let beaten = shown.row.percentiles[dimension];
        let beaten = beaten.map_or_else(|| NOT_MEASURED.to_owned(), words::percentile);
        cell(ui, BEATEN, Align::Max, beaten);
        ui.add_space(8.0);
        let Some(added) = added else {
            ui.label(RichText::new(NOT_MEASURED).color(palette.weak));
            return;
        };
        let room = (ui.available_width() - 52.0).max(20.0);
        signed_bar(ui, room, added, most);
        cell(ui, 48.0, Align::Max, format!("{added:+.3}"));
    });
}

/// How far each weight must move before the leader changes.
pub fn why(ui: &mut Ui, shown: &Shown<'_>) {
    card(ui, "When another model would lead", |ui| {
        let Some(why) = shown.why else {
            hint(ui, "No model has a score.");
            return;
        };
        let leader = why.names.get(why.leader).map_or("", String::as_str);
        let layer = if shown.model.is_published() {
            "published models"
        } else {
            "own results"
        };
        ui.add(
            Label::new(format!(
                "{leader} leads the {layer}, until one weight moves:"
            ))
            .wrap(),
        );
        let weak = Palette::of(ui).weak;
        ui.spacing_mut().item_spacing = egui::vec2(4.0, 3.0);
        let side = ((ui.available_width() - 184.0 - 44.0 - 16.0) / 2.0).max(60.0);
        let heading = |text: &str| RichText::new(text).small().color(weak);
        ui.horizontal(|ui| {
            cell(ui, 184.0, Align::Min, heading("weight of"));
            cell(ui, 40.0, Align::Max, heading("now"));
            ui.add_space(4.0);
            cell(ui, side, Align::Min, heading("down to"));
            cell(ui, side, Align::Min, heading("up to"));
        });
        for dimension in Dimension::ALL {
            let moves = why.moves[dimension];
            ui.horizontal(|ui| {
                cell(ui, 184.0, Align::Min, dimension.name());
                let now = shown.state.choices.weights[dimension];
                cell(
                    ui,
                    40.0,
                    Align::Max,
                    RichText::new(format!("{now:.2}")).color(weak),
                );
                ui.add_space(4.0);
                for takeover in [moves.down, moves.up] {
                    fixed(ui, side, Align::Min, |ui| {
                        takes_over(ui, &why.names, takeover)
                    });
                }
            });
        }
    });
}

fn takes_over(ui: &mut Ui, names: &[String], takeover: Option<Takeover>) {
    let Some(takeover) = takeover else {
        ui.label(RichText::new("never").small().color(Palette::of(ui).weak));
        return;
    };
    let name = names.get(takeover.model).map_or("", String::as_str);
    let weight = format!("{:.2}", takeover.weight);
    ui.label(RichText::new(&weight).strong());
    ui.add(Label::new(RichText::new(name).small()).truncate())
        .on_hover_text(format!("from {weight} on, {name} leads"));
}
