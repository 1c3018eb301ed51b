//! The panel that chooses which models are shown.

use std::collections::BTreeMap;

use eframe::egui;
use egui::{CollapsingHeader, DragValue, Id, ScrollArea, TextEdit, Ui};

use super::axes;
use super::widgets::{choice, hint, mark, section};
use crate::state::AppState;
use crate::state::filter::{Filter, Grouping, PublishedLayer};
use crate::theme::Palette;

/// The panel.
#[derive(Default)]
pub struct FilterPanel {
    /// Set to write into the search field with the next frame.
    pub focus_search: bool,
}

impl FilterPanel {
    /// Draws it.
    pub fn ui(&mut self, ui: &mut Ui, state: &mut AppState) {
        ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
            ui.add_space(4.0);
            self.search(ui, &mut state.choices.filter);
            section(ui, "Published models");
            published(ui, &mut state.choices.filter);
            section(ui, "Limits");
            limits(ui, state);
            section(ui, "Groups");
            for grouping in Grouping::ALL {
                groups(ui, state, grouping);
            }
            ui.add_space(8.0);
            let set = state.choices.filter.is_set();
            if ui
                .add_enabled(set, egui::Button::new("Clear filters"))
                .clicked()
            {
                state.choices.filter = state.choices.filter.cleared();
            }
        });
    }

    fn search(&mut self, ui: &mut Ui, filter: &mut Filter) {
        let label = ui.label("Search");
        let response = ui
            .add(
                TextEdit::singleline(&mut filter.search)
                    .id(Id::unique("search models"))
                    .hint_text("name, group or device")
                    .desired_width(f32::INFINITY),
            )
            .labelled_by(label.id);
        if std::mem::take(&mut self.focus_search) {
            response.request_focus();
        }
    }
}

fn published(ui: &mut Ui, filter: &mut Filter) {
    let options = PublishedLayer::ALL.map(|layer| (layer, layer.label()));
    choice(ui, "Published models", &mut filter.published, &options);
    hint(
        ui,
        match filter.published {
            PublishedLayer::Shown => "Among own models, where scores compare.",
            PublishedLayer::Dimmed => "After own models.",
            PublishedLayer::Hidden => "Own models alone.",
        },
    );
    ui.checkbox(&mut filter.clean_only, "Clean rows only")
        .on_hover_text(
            "Leaves out published rows that were probably measured with batch normalisation in \
         training mode or with a second softmax",
        );
}

fn limits(ui: &mut Ui, state: &mut AppState) {
    let measured = !state.derived().devices.is_empty();
    let limits = &mut state.choices.filter.limits;
    limit(ui, "Parameters at most", " M", 25.0, &mut limits.parameters);
    limit(ui, "Size at most", " MB", 100.0, &mut limits.megabytes);
    limit(ui, "MACs at most", " G", 4.0, &mut limits.giga_macs);
    if measured || limits.milliseconds.is_some() {
        let latency = &mut limits.milliseconds;
        limit(ui, "Latency at most", " ms", 50.0, latency);
    }
    limit(ui, "Accuracy at least", " %", 75.0, &mut limits.accuracy);
    let own_alone = [limits.megabytes, limits.giga_macs, limits.milliseconds];
    if own_alone.iter().any(Option::is_some) {
        hint(
            ui,
            "The study states no sizes, MACs and latencies: its models do not keep these limits.",
        );
    }
    if measured {
        axes::device(ui, state);
    }
}

fn limit(ui: &mut Ui, name: &str, unit: &str, start: f64, limit: &mut Option<f64>) {
    ui.horizontal(|ui| {
        let mut on = limit.is_some();
        let check = ui.checkbox(&mut on, name);
        if check.changed() {
            *limit = on.then_some(start);
        }
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            if let Some(value) = limit {
                let speed = (*value * 0.01).max(0.01);
                ui.add(
                    DragValue::new(value)
                        .range(0.0..=f64::MAX)
                        .speed(speed)
                        .max_decimals(2)
                        .suffix(unit),
                )
                .labelled_by(check.id);
            }
        });
    });
}

fn groups(ui: &mut Ui, state: &mut AppState, grouping: Grouping) {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for model in state.library.models() {
        for group in grouping.of(model) {
            *counts.entry(group.clone()).or_default() += 1;
        }
    }
    if counts.is_empty() {
        return;
    }
    let open = grouping == Grouping::Architecture;
    CollapsingHeader::new(grouping.label())
        .default_open(open)
        .show(ui, |ui| {
            for (group, count) in counts {
                ui.horizontal(|ui| {
                    if grouping == Grouping::Architecture {
                        mark(ui, Palette::of(ui).architecture(&group), &group);
                    }
                    let filter = &mut state.choices.filter;
                    let mut shown = filter.shows(grouping, &group);
                    let text = super::widgets::shortened(&group, 30);
                    let label = format!("{text} ({count})");
                    if ui
                        .checkbox(&mut shown, label)
                        .on_hover_text(&group)
                        .changed()
                    {
                        filter.set_shown(grouping, &group, shown);
                    }
                });
            }
        });
}
