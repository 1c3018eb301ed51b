//! The page of the model selected last.

mod columns;
mod deployment;
mod details;
mod diagrams;
mod facts;
mod figures;

use eframe::egui;
use egui::{RichText, ScrollArea, Ui};

use self::columns::{Card, FILE, ONE, THREE, TWO};
use super::cards::choose_models;
use super::figure::Figure;
use super::widgets::mark;
use crate::analysis::cached::Cached;
use crate::analysis::page::Page;
use crate::analysis::why::{Contest, Moves};
use crate::state::AppState;
use crate::state::choices::Choices;
use crate::state::model::{Model, ModelId};
use crate::state::row::Row;
use crate::theme::Palette;
use shared::PerDimension;
use shared::dimension::Values;

/// A column is at least this wide.
const COLUMN: f32 = 490.0;

/// Width in a file: two columns that are wide enough for names.
const FIGURE: f32 = 1300.0;

/// The view.
#[derive(Default)]
pub struct ModelView {
    page: Cached<(u64, ModelId), Option<Page>>,
    why: Cached<(u64, Choices, bool), Option<Why>>,
}

/// Who leads a layer, and when another would.
pub struct Why {
    /// Names of the models that compete.
    names: Vec<String>,
    leader: usize,
    moves: PerDimension<Moves>,
}

/// What the cards are drawn from.
#[derive(Clone, Copy)]
struct Shown<'a> {
    state: &'a AppState,
    model: &'a Model,
    row: &'a Row,
    page: &'a Page,
    why: Option<&'a Why>,
    /// Whether diagrams can be opened as tables.
    tables: bool,
}

impl ModelView {
    /// Draws it.
    pub fn ui(&mut self, ui: &mut Ui, state: &mut AppState) {
        let found = state.selection.last().and_then(|id| state.library.find(id));
        let Some((index, model)) = found else {
            choose_models(
                ui,
                state,
                "No model is selected",
                "Its page shows everything its files hold.",
            );
            return;
        };
        let models = state.library.models();
        let revision = state.library.revision();
        let page = self
            .page
            .get((revision, model.id.clone()), || Page::of(models, index));
        let published = model.is_published();
        let key = (revision, state.choices.clone(), published);
        let why = self.why.get(key, || Why::of(state, published));
        let (Some(page), Some(row)) = (page, state.derived().rows.get(index)) else {
            return;
        };
        let shown = Shown {
            state,
            model,
            row,
            page,
            why: why.as_ref(),
            tables: true,
        };
        heading(ui, &shown);
        ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
            let columns = match (ui.available_width() / COLUMN) as usize {
                0 | 1 => ONE,
                2 => TWO,
                _ => THREE,
            };
            shown.cards(ui, columns);
        });
    }
}

/// The page for a file.
pub fn figure(state: &AppState) -> Option<Figure<'_>> {
    let (index, model) = state
        .selection
        .last()
        .and_then(|id| state.library.find(id))?;
    let row = state.derived().rows.get(index)?;
    Some(Figure::new("Model page".to_owned(), FIGURE, move |ui| {
        let Some(page) = Page::of(state.library.models(), index) else {
            return;
        };
        let why = Why::of(state, model.is_published());
        let shown = Shown {
            state,
            model,
            row,
            page: &page,
            why: why.as_ref(),
            tables: false,
        };
        heading(ui, &shown);
        shown.cards(ui, FILE);
    }))
}

impl Shown<'_> {
    fn cards(&self, ui: &mut Ui, columns: &[&[Card]]) {
        ui.columns(columns.len(), |uis| {
            for (ui, cards) in uis.iter_mut().zip(columns) {
                for &card in *cards {
                    self.card(ui, card);
                }
            }
        });
    }

    fn card(&self, ui: &mut Ui, card: Card) {
        match (card, &self.page.details) {
            (Card::Figures, _) => figures::figures(ui, self),
            (Card::Why, _) => figures::why(ui, self),
            (Card::Warnings, _) => facts::notes(ui, self.model),
            (Card::Facts, _) => facts::facts(ui, self.model),
            (Card::Runs, _) => facts::runs(ui, self.model),
            (Card::Deployment, _) => deployment::deployment(ui, self.model),
            (_, None) => {}
            (Card::Reliability, Some(details)) => {
                diagrams::reliability(ui, self.model, details, self.tables);
            }
            (Card::Classes, Some(details)) => diagrams::classes(ui, details),
            (Card::Corruptions, Some(details)) => details::corruptions(ui, details),
            (Card::Sets, Some(details)) => details::sets(ui, details),
            (Card::Shape, Some(details)) => details::shape(ui, details),
            (Card::Attacks, Some(details)) => details::attacks(ui, details),
            (Card::Devices, Some(details)) => details::devices(ui, self.model, details),
        }
    }
}

impl Why {
    /// `None` where the layer has no leader.
    fn of(state: &AppState, published: bool) -> Option<Self> {
        let models = state.library.models().iter().zip(&state.derived().rows);
        let layer: Vec<(&Model, &Row)> = models
            .filter(|(model, _)| model.is_published() == published)
            .collect();
        let z: Vec<Values> = layer.iter().map(|(_, row)| row.z).collect();
        // Invalid weights leave nothing to compute.
        state.choices.weights().ok()?;
        let contest = Contest {
            z: &z,
            weights: state.choices.weights,
            missing: state.choices.missing,
        };
        Some(Self {
            leader: contest.leader()?,
            moves: contest.moves(),
            names: layer.iter().map(|(model, _)| model.name.clone()).collect(),
        })
    }
}

fn heading(ui: &mut Ui, shown: &Shown<'_>) {
    let (model, row) = (shown.model, shown.row);
    let palette = Palette::of(ui);
    ui.horizontal_wrapped(|ui| {
        mark(
            ui,
            palette.architecture(&model.architecture),
            &model.architecture,
        )
        .on_hover_text(&model.architecture);
        ui.label(RichText::new(&model.name).heading().strong());
        if !model.detail.is_empty() {
            ui.label(RichText::new(&model.detail).color(palette.weak));
        }
        let layer = if model.is_published() {
            "published model"
        } else {
            "own result"
        };
        ui.label(RichText::new(layer).color(palette.weak));
        if let Some(score) = &row.score {
            ui.separator();
            ui.label(RichText::new(format!("QUBA {:.4}", score.value)).strong());
            if score.is_partial() {
                let missing: Vec<&str> = score.missing.iter().map(|d| d.name()).collect();
                ui.label(RichText::new("partial").color(palette.warning))
                    .on_hover_text(format!("without {}", missing.join(", ")));
            }
        }
        if let Some(rank) = row.rank {
            let layer = if model.is_published() {
                "published models"
            } else {
                "own results"
            };
            ui.label(format!("rank {rank} among {layer}"));
        }
        if let Some(place) = row.place {
            ui.label(RichText::new(format!("{place} with the published")).color(palette.weak));
        }
    });
    ui.add_space(2.0);
}
