//! The panel that sets how much each dimension counts.

use std::cell::Cell;

use eframe::egui;
use egui::{
    Align, Button, Layout, Response, RichText, ScrollArea, Slider, SliderClamping, TextEdit, Ui,
};
use shared::Dimension;
use shared::dimension::Direction;
use shared::quba::{Preset, Weights};

use super::widgets::{hint, list, section};
use crate::state::AppState;
use crate::state::choices::{Choices, MissingPolicy, OwnPreset, ReferenceChoice};
use crate::theme::Palette;

/// Largest weight that a slider reaches; numbers may be typed up to it.
const MOST: f64 = 5.0;

/// The panel.
#[derive(Default)]
pub struct WeightsPanel {
    /// Name of the preset to save.
    name: String,
    /// The weight last typed that is none, with what was expected.
    refused: Option<(Dimension, String)>,
}

impl WeightsPanel {
    /// Draws it.
    pub fn ui(&mut self, ui: &mut Ui, state: &mut AppState) {
        ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
            section(ui, "Weights");
            presets(ui, state);
            ui.add_space(4.0);
            for dimension in Dimension::ALL {
                self.weight(ui, &mut state.choices, dimension);
            }
            if let Some(problem) = &state.derived().problem {
                ui.colored_label(Palette::of(ui).error, format!("No scores: {problem}"));
            }
            self.save(ui, state);
            section(ui, "Scores");
            reference(ui, &mut state.choices);
            missing(ui, &mut state.choices);
        });
    }

    fn weight(&mut self, ui: &mut Ui, choices: &mut Choices, dimension: Dimension) {
        let name = heading(ui, choices, dimension);
        ui.spacing_mut().slider_width = (ui.available_width() - 62.0).max(60.0);
        let before = choices.weights[dimension];
        let typed = Cell::new(None);
        let slider = Slider::new(&mut choices.weights[dimension], 0.0..=MOST)
            .clamping(SliderClamping::Edits)
            .fixed_decimals(2)
            .step_by(0.01)
            .custom_parser(|text| {
                let weight = parsed(text);
                typed.set(Some(weight.as_ref().err().cloned()));
                weight.ok()
            });
        ui.add(slider)
            .labelled_by(name.id)
            .on_hover_text(explained(dimension));
        if let Some(refused) = typed.take() {
            self.refused = refused.map(|problem| (dimension, problem));
        } else if choices.weights[dimension] != before {
            self.refused = None;
        }
        if let Some((_, problem)) = self.refused.as_ref().filter(|(d, _)| *d == dimension) {
            let kept = choices.weights[dimension];
            let text = format!("The weight stays at {kept:.2}: {problem}");
            ui.label(RichText::new(text).small().color(Palette::of(ui).error));
        }
    }

    fn save(&mut self, ui: &mut Ui, state: &mut AppState) {
        ui.horizontal(|ui| {
            let name = self.name.trim().to_owned();
            let valid = !name.is_empty() && state.choices.weights().is_ok();
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                let save = ui.add_enabled(valid, Button::new("Save preset"));
                let field = TextEdit::singleline(&mut self.name)
                    .hint_text("name")
                    .desired_width(f32::INFINITY);
                ui.add(field).labelled_by(save.id);
                if save.clicked() {
                    state.presets.retain(|preset| preset.name != name);
                    state.presets.push(OwnPreset {
                        name,
                        weights: state.choices.weights,
                    });
                    self.name.clear();
                }
            });
        });
    }
}

/// The name of a preset as a person reads it.
pub fn label(preset: Preset) -> &'static str {
    match preset {
        Preset::Study => "Study default",
        Preset::AccuracyFirst => "Accuracy first",
        Preset::SafetyCritical => "Safety critical",
        Preset::Fairness => "Fairness",
        Preset::SmallDevice => "Small device",
        Preset::Equal => "Equal",
    }
}

/// The preset that the weights are those of, in words.
pub fn current(state: &AppState) -> String {
    let own = state
        .presets
        .iter()
        .find(|preset| preset.weights == state.choices.weights);
    match (state.choices.preset(), own) {
        (Some(preset), _) => label(preset).to_owned(),
        (None, Some(own)) => own.name.clone(),
        (None, None) => "Own weights".to_owned(),
    }
}

fn presets(ui: &mut Ui, state: &mut AppState) {
    let current = current(state);
    list(ui, "Preset", &current.clone(), |ui| {
        for preset in Preset::ALL {
            let chosen = label(preset) == current;
            let item = ui
                .selectable_label(chosen, label(preset))
                .on_hover_text(preset.description());
            if item.clicked() {
                state.choices.set_weights(&preset.weights());
            }
        }
        if !state.presets.is_empty() {
            ui.separator();
            own_presets(ui, state, &current);
        }
    });
}

fn own_presets(ui: &mut Ui, state: &mut AppState, current: &str) {
    let mut removed = None;
    for preset in &state.presets {
        ui.horizontal(|ui| {
            if ui
                .selectable_label(preset.name == current, &preset.name)
                .clicked()
            {
                state.choices.weights = preset.weights;
            }
            let remove = ui
                .small_button("Remove")
                .on_hover_text(format!("Remove preset {}", preset.name));
            if remove.clicked() {
                removed = Some(preset.name.clone());
            }
        });
    }
    state
        .presets
        .retain(|preset| Some(&preset.name) != removed.as_ref());
}

/// The name of a dimension with its share of all weights.
fn heading(ui: &mut Ui, choices: &Choices, dimension: Dimension) -> Response {
    let palette = Palette::of(ui);
    let sum: f64 = choices.weights.0.iter().sum();
    let value = choices.weights[dimension];
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 4.0;
        let name = ui.label(sentence_case(dimension.name()));
        if dimension.direction() == Direction::LowerIsBetter {
            ui.label(
                RichText::new("lower is better")
                    .small()
                    .color(palette.warning),
            );
        }
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let share = if sum > 0.0 { value / sum * 100.0 } else { 0.0 };
            let study = Weights::default().get(dimension);
            let color = if value == study {
                palette.weak
            } else {
                palette.accent
            };
            ui.label(RichText::new(format!("{share:.0} %")).small().color(color))
                .on_hover_text(format!(
                    "share of all weights; the study's weight is {study:.2}"
                ));
        });
        name
    })
    .inner
}

/// A weight as it was typed, or what was expected instead.
fn parsed(text: &str) -> Result<f64, String> {
    let weight = text.trim().parse().ok();
    weight
        .filter(|weight| (0.0..=MOST).contains(weight))
        .ok_or_else(|| {
            format!(
                "expected a number from 0 to {MOST}, found '{}'",
                text.trim()
            )
        })
}

fn explained(dimension: Dimension) -> String {
    let better = match dimension.direction() {
        Direction::HigherIsBetter => "higher values raise the score",
        Direction::LowerIsBetter => "lower values raise the score",
    };
    format!(
        "Weight of {} ({}): {better}",
        dimension.name(),
        dimension.unit()
    )
}

fn sentence_case(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(letters).collect()
    })
}

fn reference(ui: &mut Ui, choices: &mut Choices) {
    list(ui, "Relative to", choices.reference.label(), |ui| {
        for choice in ReferenceChoice::ALL {
            ui.selectable_value(&mut choices.reference, choice, choice.label());
        }
    });
}

fn missing(ui: &mut Ui, choices: &mut Choices) {
    let mut exclude = choices.missing == MissingPolicy::Exclude;
    ui.checkbox(&mut exclude, "Rank only complete scores");
    choices.missing = if exclude {
        MissingPolicy::Exclude
    } else {
        MissingPolicy::Partial
    };
    hint(
        ui,
        if exclude {
            "Models that lack a weighted dimension get no rank."
        } else {
            "Models that lack a weighted dimension are scored on the others and marked *."
        },
    );
}
