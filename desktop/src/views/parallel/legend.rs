//! What colours and picks mean, where nothing can be pointed at.

use std::collections::BTreeSet;

use eframe::egui;
use egui::{Color32, Sense, Stroke, Ui, vec2};
use shared::Dimension;

use super::Lines;
use super::scene::{full_name, number};
use crate::state::AppState;
use crate::state::filter::PublishedLayer;
use crate::theme::Palette;
use crate::views::widgets::{hint, mark};

/// Colours of the lines, then picks in words.
pub(super) fn legend(ui: &mut Ui, state: &AppState, lines: &Lines) {
    let palette = Palette::of(ui);
    let behind = state.choices.filter.published == PublishedLayer::Dimmed;
    let chosen = state.selection.ids();
    let groups: BTreeSet<&str> = lines
        .lines
        .iter()
        .filter(|line| !(line.published && behind || chosen.contains(&line.id)))
        .map(|line| line.architecture.as_str())
        .collect();
    ui.horizontal_wrapped(|ui| {
        for (index, id) in chosen.iter().enumerate() {
            if let Some(line) = lines.lines.iter().find(|line| line.id == *id) {
                mark(ui, palette.series(index), &line.name);
                entry(ui, &line.name);
            }
        }
        for group in groups {
            key(ui, palette.architecture(group).color);
            entry(ui, group);
        }
        if behind && lines.lines.iter().any(|line| line.published) {
            key(ui, palette.weak.gamma_multiply(0.5));
            entry(ui, "published models");
        }
    });
    let names: Vec<String> = Dimension::ALL
        .map(|dimension| format!("{}: {}", dimension.column(), dimension.name()))
        .into();
    hint(ui, &names.join(" · "));
    for (axis, brush) in lines.axes.iter().zip(&state.pages.brushes.0) {
        if let Some((low, high)) = brush {
            let (low, high) = (number(axis, *low), number(axis, *high));
            hint(
                ui,
                &format!("picked by {}: {low} to {high}", full_name(axis)),
            );
        }
    }
}

fn entry(ui: &mut Ui, name: &str) {
    ui.label(name);
    ui.add_space(8.0);
}

/// A piece of a line.
fn key(ui: &mut Ui, color: Color32) {
    let (rect, _) = ui.allocate_exact_size(vec2(18.0, 12.0), Sense::hover());
    let stroke = Stroke::new(2.0, color);
    ui.painter().hline(rect.x_range(), rect.center().y, stroke);
}
