//! `edge rank`: scores and order of result files.

mod costs;
mod csv;
mod json;
pub(super) mod reference;
mod stability;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use shared::comparison::{
    ATTACK_NOTE, BLACK_BOX_NOTE, Entry, OTHER_DATA_NOTE, PUBLISHED_NOTE, balance_note,
    corruption_note, default_reference, mixes_attacks, place_among, protocol_note,
};
use shared::dimension::Values;
use shared::quba::{Coverage, Placement, Preset, Ranking, Reference, Weights, ranking};
use shared::result::Evaluation;
use shared::uncertainty::{Options, QubaInterval, Resampled, resample};
use shared::{Dimension, published};

use super::args::{FormatArguments, RankArguments, WeightArguments};
use super::table::Table;
use super::words::{self, NOT_MEASURED};
use super::{Exit, inputs};
use costs::{Costs, Front};
use stability::Places;
pub use stability::StabilityArguments;

/// The models to rank.
#[derive(Default)]
pub(super) struct Models {
    /// One entry per file.
    entries: Vec<Entry>,
    /// Where each entry was read.
    files: Vec<PathBuf>,
    /// By entry: the values over resampled images.
    resampled: Vec<Resampled>,
}

impl Models {
    pub(super) fn of<'a>(results: impl IntoIterator<Item = (&'a Path, &'a Evaluation)>) -> Self {
        Self::resampled(results, Options::default())
    }

    fn resampled<'a>(
        results: impl IntoIterator<Item = (&'a Path, &'a Evaluation)>,
        options: Options,
    ) -> Self {
        let mut models = Self::default();
        for (file, evaluation) in results {
            models.entries.push(Entry::of(evaluation));
            models.files.push(file.to_owned());
            models.resampled.push(resample(evaluation, options));
        }
        models
    }
}

/// How a table is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    Text,
    Json,
    Csv,
    Markdown,
}

impl From<FormatArguments> for Format {
    fn from(arguments: FormatArguments) -> Self {
        match arguments {
            FormatArguments { json: true, .. } => Self::Json,
            FormatArguments { csv: true, .. } => Self::Csv,
            FormatArguments { markdown: true, .. } => Self::Markdown,
            _ => Self::Text,
        }
    }
}

pub(super) fn run(arguments: &RankArguments) -> Result<Exit> {
    let inputs = inputs::read_all(&arguments.files)?;
    let costs = Costs::choose(&arguments.limits, &inputs.evaluations)?;
    let (evaluations, left_out) = costs::within(&arguments.limits, &costs, inputs.evaluations)?;
    let results = evaluations.iter();
    let results = results.map(|(path, evaluation)| (path.as_path(), evaluation));
    let options = arguments.stability.options(evaluations.len());
    let models = Models::resampled(results, options);
    let weights = weights(&arguments.weighting)?;
    let (reference, failed) = reference::choose(&arguments.reference, &models.entries)?;
    let mut report = Report::new(&models, &reference, &weights, arguments.against_published);
    report.front = Some(Front::new(&costs, &evaluations, &report.ranking));
    report.left_out = left_out;
    let resampled = &models.resampled;
    report.stability = Places::of(&arguments.stability, resampled, &weights, &reference)?;
    report.print(arguments.format.into())?;
    Ok(Exit::of(inputs.failed + failed > 0))
}

/// Ranks models under the default reference and weights.
pub(super) fn print_default(models: &Models, format: Format) -> Result<()> {
    let reference = default_reference(&models.entries);
    Report::new(models, &reference, &Weights::default(), false).print(format)
}

pub(super) fn weights(arguments: &WeightArguments) -> Result<Weights> {
    match (&arguments.weights, &arguments.preset) {
        (Some(text), _) => text.parse().context("bad --weights"),
        (None, Some(name)) => Ok(name.parse::<Preset>().context("bad --preset")?.weights()),
        (None, None) => Ok(Weights::default()),
    }
}

/// A ranking ready to be printed.
struct Report<'a> {
    models: &'a Models,
    ranking: Ranking,
    reference: &'a Reference,
    weights: &'a Weights,
    /// By entry: its place among the published models; empty unless asked for.
    places: Vec<Option<Placement>>,
    /// Scores against costs, where models are compared by them.
    front: Option<Front<'a>>,
    /// Results that are not ranked, and why.
    left_out: Vec<String>,
    /// By entry: how sure its score is.
    intervals: Vec<Option<QubaInterval>>,
    /// How sure the order is, where that was asked.
    stability: Option<Places>,
}

impl<'a> Report<'a> {
    fn new(
        models: &'a Models,
        reference: &'a Reference,
        weights: &'a Weights,
        against_published: bool,
    ) -> Self {
        let measured: Vec<Values> = models.entries.iter().map(|e| e.values).collect();
        let places = if against_published {
            measured
                .iter()
                .map(|v| place_among(published::models(), v, reference, weights))
                .collect()
        } else {
            Vec::new()
        };
        let ranking = ranking(&measured, reference, weights);
        let resampled = models.resampled.iter();
        let intervals = resampled.map(|r| r.quba_interval(weights, reference));
        Self {
            intervals: intervals.collect(),
            models,
            ranking,
            reference,
            weights,
            places,
            front: None,
            left_out: Vec::new(),
            stability: None,
        }
    }

    fn print(&self, format: Format) -> Result<()> {
        match format {
            Format::Text => words::print(&(self.table().text() + "\n" + &self.notes()))?,
            Format::Markdown => words::print(&(self.table().markdown() + "\n" + &self.notes()))?,
            Format::Json => {
                words::print(&(serde_json::to_string_pretty(&json::report(self))? + "\n"))?
            }
            Format::Csv => {
                words::print(&csv::report(self)?)?;
                eprint!("{}", self.notes());
            }
        }
        Ok(())
    }

    fn table(&self) -> Table {
        let mut header = ["model", "rank", "QUBA", "95 % interval"]
            .map(str::to_owned)
            .to_vec();
        header.extend(self.stability.iter().flat_map(Places::headings));
        header.extend(Dimension::ALL.map(|d| d.column().to_owned()));
        if !self.places.is_empty() {
            header.push("among published".to_owned());
        }
        header.extend(
            self.front
                .iter()
                .flat_map(Front::headings)
                .map(str::to_owned),
        );
        let numbers = 1..header.len();
        let mut table = Table::new(header, numbers);
        for model in &self.ranking.models {
            let entry = &self.models.entries[model.index];
            let rank = model
                .rank
                .map_or(NOT_MEASURED.to_owned(), |r| r.to_string());
            let quba = model.score.as_ref().map_or(NOT_MEASURED.to_owned(), |s| {
                let mark = if s.is_partial() { "*" } else { "" };
                format!("{:.4}{mark}", s.value)
            });
            let interval = self.intervals[model.index].as_ref();
            let interval = interval.map_or(NOT_MEASURED.to_owned(), |quba| {
                format!("{:.4} to {:.4}", quba.interval.low, quba.interval.high)
            });
            let mut row = vec![entry.name.clone(), rank, quba, interval];
            let places = self.stability.iter();
            row.extend(places.flat_map(|places| places.cells(model.index)));
            let mark = |d| {
                let black_box = entry.black_box.is_some() && d == Dimension::AdversarialRobustness;
                if black_box { "†" } else { "" }
            };
            let cells = entry.values.iter();
            row.extend(cells.map(|(d, v)| words::value(d, *v) + mark(d)));
            if let Some(place) = self.places.get(model.index) {
                row.push(place.map_or(NOT_MEASURED.to_owned(), |p| p.to_string()));
            }
            row.extend(self.front.iter().flat_map(|front| front.cells(model.index)));
            table.row(row);
        }
        table
    }

    /// How the intervals came about and what they leave out.
    fn interval_note(&self) -> Option<String> {
        let intervals = self.intervals.iter().flatten();
        let mut fixed: Vec<Dimension> = intervals.flat_map(|i| i.held_fixed.clone()).collect();
        fixed.sort_unstable();
        fixed.dedup();
        let first = self.models.resampled.first()?;
        let resamples = words::count(first.options().resamples as u64);
        let mut note = format!("95 % interval of QUBA: {resamples} resamples of the images");
        if let Some(fixed) = words::held_fixed(&fixed) {
            note = format!("{note}; {fixed}");
        }
        Some(note)
    }

    /// What a reader must know to read the table.
    fn notes(&self) -> String {
        let mut notes = vec![
            "cal and params: lower is better; the others: higher".to_owned(),
            format!(
                "reference: {}; weights: {}",
                self.reference.name,
                words::weights(self.weights)
            ),
        ];
        notes.extend(self.interval_note());
        notes.extend(self.stability.iter().flat_map(Places::notes));
        if self
            .models
            .entries
            .iter()
            .any(|e| e.values.iter().any(|(_, v)| v.is_none()))
        {
            notes.push(format!("{NOT_MEASURED} not measured"));
        }
        if self.ranking.coverage != Coverage::Complete {
            notes.push(format!("* {}", self.ranking.coverage));
        }
        notes.extend(protocol_note(&self.models.entries));
        if self.models.entries.iter().any(|e| e.black_box.is_some()) {
            notes.push(BLACK_BOX_NOTE.to_owned());
        }
        if mixes_attacks(
            &self.models.entries,
            self.reference,
            !self.places.is_empty(),
        ) {
            notes.push(ATTACK_NOTE.to_owned());
        }
        notes.extend(balance_note(&self.models.entries));
        notes.extend(corruption_note(&self.models.entries));
        if !self.places.is_empty() {
            notes.push(PUBLISHED_NOTE.to_owned());
            if self.models.entries.iter().any(|e| !e.is_imagenet) {
                notes.push(OTHER_DATA_NOTE.to_owned());
            }
        }
        notes.extend(self.front.iter().map(Front::note));
        let left_out = self.left_out.iter();
        notes.extend(left_out.map(|reason| format!("not ranked: {reason}")));
        notes.into_iter().map(|note| note + "\n").collect()
    }
}
