//! Everything computed from files and choices: scores, ranks, places, the lines to show.
//!
//! It adds no metric: scores, ranks and the reference are those of `shared`, so ranks of own
//! results are those of `edge rank`.

use std::collections::BTreeMap;

use shared::comparison::costs::{DeviceError, choose_device, devices, latest_on};
use shared::comparison::{ATTACK_NOTE, BLACK_BOX_NOTE, OTHER_DATA_NOTE};
use shared::comparison::{
    Entry, balance_note, corruption_note, default_reference, mixes_attacks, protocol_note,
    scores_like,
};
use shared::dimension::Values;
use shared::quba::{Coverage, Reference, Score, Weights, placement, rank, ranking, score};
use shared::uncertainty::QubaInterval;

use super::choices::{Choices, MissingPolicy, ReferenceChoice};
use super::filter::PublishedLayer;
use super::model::{Model, Source};
use super::percentiles::{Published, beaten, counted, sorted};
use super::row::Row;
use super::sort::Sort;

/// What was computed for all models.
#[derive(Clone, Debug)]
pub struct Derived {
    /// What scores of own results are relative to.
    pub reference: Reference,
    /// The weights, where they are valid.
    pub weights: Option<Weights>,
    /// Whether own and published scores are relative to the same reference.
    pub comparable: bool,
    /// Whether own results are listed first and the published models after them.
    pub apart: bool,
    /// How comparable the scores of own results are.
    pub coverage: Coverage,
    /// One per model, in the order of the library.
    pub rows: Vec<Row>,
    /// Positions of the shown models, in the order of the table.
    pub shown: Vec<usize>,
    /// Labels of the devices that costs were measured on, sorted.
    pub devices: Vec<String>,
    /// The device whose latencies count, or why there is none.
    pub device: Result<String, DeviceError>,
    /// Why there are no scores.
    pub problem: Option<String>,
    /// What a reader must know to compare the shown models, a sentence each.
    pub notes: Vec<String>,
}

impl Derived {
    /// Computes everything.
    pub fn of(models: &[Model], choices: &Choices, sort: Sort) -> Self {
        let entries: Vec<Entry> = models
            .iter()
            .filter_map(|model| Some(model.measurements()?.entry.clone()))
            .collect();
        let (reference, unfitted) = reference(choices.reference, &entries);
        let comparable = reference == Reference::published();
        let devices = devices(models.iter().flat_map(|model| &model.costs));
        let mut derived = Self {
            comparable,
            apart: !comparable || choices.filter.published == PublishedLayer::Dimmed,
            reference,
            weights: None,
            coverage: Coverage::Complete,
            rows: vec![Row::default(); models.len()],
            shown: Vec::new(),
            device: choose_device(&devices, choices.device.as_deref()),
            devices,
            problem: unfitted,
            notes: Vec::new(),
        };
        let published = Published::of(choices);
        for (row, model) in derived.rows.iter_mut().zip(models) {
            row.percentiles = published.beaten(&model.values);
        }
        match choices.weights() {
            Ok(weights) => {
                derived.score(models, choices, &weights);
                derived.weights = Some(weights);
            }
            Err(error) => derived.problem = Some(error.to_string()),
        }
        derived.find_costs(models);
        derived.show(models, choices, sort);
        derived.notes = derived.notes(&entries, choices);
        derived
    }

    /// The 95 % interval of an own score under the current weights; `None` where there is no score
    /// or none of it varies, and until the images were resampled. Computed when first asked for.
    pub fn interval<'a>(&self, model: &Model, row: &'a Row) -> Option<&'a QubaInterval> {
        let compute = || {
            let resampled = &model.measurements()?.certainty()?.resampled;
            resampled.quba_interval(self.weights.as_ref()?, &self.reference)
        };
        row.interval.get_or_init(compute).as_ref()
    }

    /// Number of shown models, own and published.
    pub fn counts(&self, models: &[Model]) -> (usize, usize) {
        let shown = self.shown.iter().filter_map(|&index| models.get(index));
        let published = shown.filter(|model| model.is_published()).count();
        (self.shown.len() - published, published)
    }

    fn score(&mut self, models: &[Model], choices: &Choices, weights: &Weights) {
        let (own, published) = layers(models);
        let reference = self.reference.clone();
        self.coverage = self.rank_layer(models, &own, &reference, choices, weights);
        self.rank_layer(
            models,
            &published,
            &Reference::published(),
            choices,
            weights,
        );
        self.place_published(models, &published, choices);
        if self.comparable {
            self.place(models, &own, choices, weights);
        }
    }

    /// Shares of the published scores that count which those of the published models beat.
    fn place_published(&mut self, models: &[Model], published: &[usize], choices: &Choices) {
        let clean_only = choices.filter.clean_only;
        let score = |row: &Row| row.score.as_ref().map(|score| score.value);
        let counted = published
            .iter()
            .filter(|&&index| !clean_only || models[index].is_clean());
        let scores = sorted(counted.filter_map(|&index| score(&self.rows[index])));
        for &index in published {
            let row = &mut self.rows[index];
            row.score_percentile = score(row).and_then(|score| beaten(score, &scores));
        }
    }

    /// Scores and ranks one layer with one reference.
    fn rank_layer(
        &mut self,
        models: &[Model],
        layer: &[usize],
        reference: &Reference,
        choices: &Choices,
        weights: &Weights,
    ) -> Coverage {
        let values: Vec<Values> = layer.iter().map(|&index| models[index].values).collect();
        let ranked = ranking(&values, reference, weights);
        for model in ranked.models {
            let row = &mut self.rows[layer[model.index]];
            row.score = model.score;
            row.z = values[model.index].map(|d, value| reference.z(d, (*value)?));
        }
        let ranks = |scores: Vec<Option<Score>>| {
            let counted = |score: &Option<Score>| {
                score
                    .as_ref()
                    .filter(|s| counts(s, choices))
                    .map(|s| s.value)
            };
            rank(&scores.iter().map(counted).collect::<Vec<_>>())
        };
        let current = ranks(
            layer
                .iter()
                .map(|&index| self.rows[index].score.clone())
                .collect(),
        );
        let study = Weights::default();
        let default = ranks(values.iter().map(|v| score(v, reference, &study)).collect());
        for ((&index, now), before) in layer.iter().zip(current).zip(default) {
            self.rows[index].rank = now;
            self.rows[index].default_rank = before;
        }
        ranked.coverage
    }

    /// Places of own results among the published models that count.
    fn place(&mut self, models: &[Model], own: &[usize], choices: &Choices, weights: &Weights) {
        // Models that lack the same dimensions are compared with the same scores.
        let mut others: BTreeMap<[bool; 9], Vec<f64>> = BTreeMap::new();
        for &index in own {
            let values = &models[index].values;
            let pattern = values.0.map(|value| value.is_some());
            let scores = others.entry(pattern).or_insert_with(|| {
                sorted(scores_like(
                    counted(choices),
                    values,
                    &self.reference,
                    weights,
                ))
            });
            let row = &mut self.rows[index];
            row.place = row.score.as_ref().map(|own| placement(own.value, scores));
            let score = row.score.as_ref().map(|own| own.value);
            row.score_percentile = score.and_then(|score| beaten(score, scores));
        }
    }

    fn find_costs(&mut self, models: &[Model]) {
        let Ok(device) = &self.device else {
            return;
        };
        for (row, model) in self.rows.iter_mut().zip(models) {
            let latest = latest_on(&model.costs, device);
            row.cost = latest.and_then(|cost| model.costs.iter().position(|c| c == cost));
        }
    }

    /// Filters, ranks what is left and sorts it.
    fn show(&mut self, models: &[Model], choices: &Choices, sort: Sort) {
        let all = models.iter().enumerate();
        let mut shown: Vec<usize> = all
            .filter(|&(index, model)| {
                choices
                    .filter
                    .admits(model, self.rows[index].latency(model))
            })
            .map(|(index, _)| index)
            .collect();
        let (own, published): (Vec<usize>, Vec<usize>) = shown
            .iter()
            .partition(|&&index| !models[index].is_published());
        if self.comparable {
            self.rank_shown(&shown, choices);
        } else {
            self.rank_shown(&own, choices);
            self.rank_shown(&published, choices);
        }
        shown.sort_by(|&a, &b| {
            let layer = models[a].is_published().cmp(&models[b].is_published());
            let compared = sort.compare((&models[a], &self.rows[a]), (&models[b], &self.rows[b]));
            if self.apart {
                layer.then(compared)
            } else {
                compared
            }
        });
        self.shown = shown;
    }

    fn rank_shown(&mut self, shown: &[usize], choices: &Choices) {
        let counted = |&index: &usize| {
            let score = self.rows[index]
                .score
                .as_ref()
                .filter(|s| counts(s, choices));
            score.map(|score| score.value)
        };
        let ranks = rank(&shown.iter().map(counted).collect::<Vec<_>>());
        for (&index, rank) in shown.iter().zip(ranks) {
            self.rows[index].position = rank;
        }
    }

    fn notes(&self, entries: &[Entry], choices: &Choices) -> Vec<String> {
        let beside = choices.filter.published != PublishedLayer::Hidden && self.comparable;
        let mut notes: Vec<String> = protocol_note(entries).into_iter().collect();
        if self.coverage != Coverage::Complete {
            notes.push(self.coverage.to_string());
        }
        if entries.iter().any(|entry| entry.black_box.is_some()) {
            notes.push(BLACK_BOX_NOTE.to_owned());
        }
        if mixes_attacks(entries, &self.reference, beside) {
            notes.push(ATTACK_NOTE.to_owned());
        }
        notes.extend(balance_note(entries));
        notes.extend(corruption_note(entries));
        if beside && entries.iter().any(|entry| !entry.is_imagenet) {
            notes.push(OTHER_DATA_NOTE.to_owned());
        }
        if !self.comparable && choices.filter.published != PublishedLayer::Hidden {
            notes.push(format!(
                "own scores are relative to {}, those of the published models to the study: the \
                 two are listed one after the other",
                self.reference.name
            ));
        }
        notes
    }
}

/// Positions of own results and of published models.
fn layers(models: &[Model]) -> (Vec<usize>, Vec<usize>) {
    (0..models.len()).partition(|&index| matches!(models[index].source, Source::Own(_)))
}

/// Whether a score takes part in ranks.
fn counts(score: &Score, choices: &Choices) -> bool {
    choices.missing == MissingPolicy::Partial || !score.is_partial()
}

/// The reference chosen, and why it is another where it cannot be fitted.
fn reference(choice: ReferenceChoice, entries: &[Entry]) -> (Reference, Option<String>) {
    match choice {
        ReferenceChoice::Automatic => (default_reference(entries), None),
        ReferenceChoice::Published => (Reference::published(), None),
        ReferenceChoice::Opened => {
            let values: Vec<Values> = entries.iter().map(|entry| entry.values).collect();
            let name = format!("these {} models", values.len());
            match Reference::fit(name, &values) {
                Ok(reference) => (reference, None),
                Err(error) => (Reference::published(), Some(error.to_string())),
            }
        }
    }
}
