//! `edge rank`: scores and order of result files.

mod csv;
mod json;
mod reference;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use shared::dimension::Values;
use shared::labels::LabelSet;
use shared::metrics::adversarial::black_box;
use shared::metrics::{measure, values};
use shared::quba::{
    Coverage, Placement, Preset, Ranking, Reference, Weights, placement, ranking, score,
};
use shared::result::Evaluation;
use shared::{Dimension, Protocol};

use super::args::{FormatArguments, RankArguments, WeightArguments};
use super::table::Table;
use super::words::{self, NOT_MEASURED};
use super::{Exit, inputs};

/// One model to rank.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    file: PathBuf,
    name: String,
    values: Values,
    protocol: String,
    /// The black-box attack that adversarial robustness is measured by, where it is.
    black_box: Option<String>,
    /// How the corrupted images came about, where corruption robustness was measured.
    corruptions: Option<String>,
    /// Whether the labels are those of the study.
    is_imagenet: bool,
}

impl Entry {
    pub(super) fn new(file: &Path, evaluation: &Evaluation) -> Self {
        let mut protocols: Vec<&str> = evaluation.protocols.iter().map(|(_, p)| p.name()).collect();
        protocols.dedup();
        let values = values(&measure(evaluation));
        let corruptions =
            values[Dimension::CorruptionRobustness].and_then(|_| evaluation.corruption_origin());
        Self {
            file: file.to_owned(),
            name: evaluation.model.name.clone(),
            values,
            protocol: protocols.join("+"),
            corruptions,
            black_box: black_box(evaluation).map(|attack| attack.to_string()),
            is_imagenet: evaluation.label_set.hash == LabelSet::imagenet().hash(),
        }
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
    let entries: Vec<Entry> = inputs
        .evaluations
        .iter()
        .map(|(p, e)| Entry::new(p, e))
        .collect();
    let weights = weights(&arguments.weighting)?;
    let (reference, failed) = reference::choose(&arguments.reference, &entries)?;
    let report = Report::new(&entries, &reference, &weights, arguments.against_published);
    report.print(arguments.format.into())?;
    Ok(Exit::of(inputs.failed + failed > 0))
}

/// Ranks `entries` under the default reference and weights.
pub(super) fn print_default(entries: &[Entry], format: Format) -> Result<()> {
    let reference = reference::default_for(entries);
    Report::new(entries, &reference, &Weights::default(), false).print(format)
}

fn weights(arguments: &WeightArguments) -> Result<Weights> {
    match (&arguments.weights, &arguments.preset) {
        (Some(text), _) => text.parse().context("bad --weights"),
        (None, Some(name)) => Ok(name.parse::<Preset>().context("bad --preset")?.weights()),
        (None, None) => Ok(Weights::default()),
    }
}

/// A ranking ready to be printed.
struct Report<'a> {
    entries: &'a [Entry],
    ranking: Ranking,
    reference: &'a Reference,
    weights: &'a Weights,
    /// By entry: its place among the published models; empty unless asked for.
    places: Vec<Option<Placement>>,
}

impl<'a> Report<'a> {
    fn new(
        entries: &'a [Entry],
        reference: &'a Reference,
        weights: &'a Weights,
        against_published: bool,
    ) -> Self {
        let measured: Vec<Values> = entries.iter().map(|e| e.values).collect();
        let places = if against_published {
            measured
                .iter()
                .map(|v| place(v, reference, weights))
                .collect()
        } else {
            Vec::new()
        };
        let ranking = ranking(&measured, reference, weights);
        Self {
            entries,
            ranking,
            reference,
            weights,
            places,
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
        let mut header = vec!["model", "rank", "QUBA"];
        header.extend(Dimension::ALL.map(Dimension::column));
        if !self.places.is_empty() {
            header.push("among published");
        }
        let numbers = 1..header.len();
        let mut table = Table::new(header, numbers);
        for model in &self.ranking.models {
            let entry = &self.entries[model.index];
            let rank = model
                .rank
                .map_or(NOT_MEASURED.to_owned(), |r| r.to_string());
            let quba = model.score.as_ref().map_or(NOT_MEASURED.to_owned(), |s| {
                let mark = if s.is_partial() { "*" } else { "" };
                format!("{:.4}{mark}", s.value)
            });
            let mut row = vec![entry.name.clone(), rank, quba];
            let mark = |d| {
                let black_box = entry.black_box.is_some() && d == Dimension::AdversarialRobustness;
                if black_box { "†" } else { "" }
            };
            let cells = entry.values.iter();
            row.extend(cells.map(|(d, v)| words::value(d, *v) + mark(d)));
            if let Some(place) = self.places.get(model.index) {
                row.push(place.map_or(NOT_MEASURED.to_owned(), |p| p.to_string()));
            }
            table.row(row);
        }
        table
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
        if self
            .entries
            .iter()
            .any(|e| e.values.iter().any(|(_, v)| v.is_none()))
        {
            notes.push(format!("{NOT_MEASURED} not measured"));
        }
        if self.ranking.coverage != Coverage::Complete {
            notes.push(format!("* {}", self.ranking.coverage));
        }
        let first = self.entries.first().map(|e| &e.protocol);
        if self.entries.iter().any(|e| Some(&e.protocol) != first) {
            let of = |e: &Entry| format!("{} {}", e.name, e.protocol);
            let list: Vec<String> = self.entries.iter().map(of).collect();
            notes.push(format!(
                "protocols differ, so values do not compare: {}",
                list.join(", ")
            ));
        }
        if self.entries.iter().any(|e| e.black_box.is_some()) {
            notes.push(BLACK_BOX_NOTE.to_owned());
        }
        if self.mixes_attacks() {
            notes.push(ATTACK_NOTE.to_owned());
        }
        notes.extend(self.corruption_note());
        if !self.places.is_empty() {
            notes.push(PUBLISHED_NOTE.to_owned());
            if self.entries.iter().any(|e| !e.is_imagenet) {
                notes.push(OTHER_DATA_NOTE.to_owned());
            }
        }
        notes.into_iter().map(|note| note + "\n").collect()
    }

    /// Whether attacks in pixels stand beside the published figures.
    fn mixes_attacks(&self) -> bool {
        let beside = self.reference.name == Reference::published().name || !self.places.is_empty();
        let in_pixels = |e: &Entry| {
            e.values[Dimension::AdversarialRobustness].is_some()
                && e.protocol != Protocol::Published.name()
        };
        beside && self.entries.iter().any(in_pixels)
    }

    /// How corrupted images came about, and whether that makes `cor` incomparable.
    fn corruption_note(&self) -> Option<String> {
        let of = |e: &Entry| Some(format!("{} {}", e.name, e.corruptions.as_ref()?));
        let origins: Vec<&String> = self
            .entries
            .iter()
            .filter_map(|e| e.corruptions.as_ref())
            .collect();
        let first = origins.first()?;
        if origins.iter().all(|origin| origin == first) {
            return Some(format!("corrupted images: {first}"));
        }
        let list: Vec<String> = self.entries.iter().filter_map(of).collect();
        Some(format!(
            "corrupted images differ in origin, so cor compares only roughly: {}",
            list.join(", ")
        ))
    }
}

const BLACK_BOX_NOTE: &str = "† under Square Attack, as the model has no gradient: weaker than FGSM \
    and PGD, so adv and QUBA do not compare with the others";

const ATTACK_NOTE: &str = "adv: attacked in pixels, while the study attacked normalised tensors; \
    its figures compare with --protocol published alone";

const PUBLISHED_NOTE: &str = "among published: place of the score among the 326 published models, \
    scored on the same dimensions; 81 of them have corruption, out-of-distribution, calibration \
    and balance figures distorted by training-mode normalisation, 30 by a second softmax";

const OTHER_DATA_NOTE: &str = "the study measured ImageNet-1k: places of models measured on \
    other data only indicate";

/// Place among the published models, each scored on the dimensions that `values` has.
fn place(values: &Values, reference: &Reference, weights: &Weights) -> Option<Placement> {
    let own = score(values, reference, weights)?;
    let others: Vec<f64> = shared::published::models()
        .iter()
        .filter_map(|model| {
            let same = model.values.map(|d, v| values[d].and(*v));
            Some(score(&same, reference, weights)?.value)
        })
        .collect();
    Some(placement(own.value, &others))
}
