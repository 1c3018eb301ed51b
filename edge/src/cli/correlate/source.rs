//! Where figures come from: result files, the published models, a table.

use std::path::Path;

use anyhow::{Context, Result, anyhow, ensure};
use shared::comparison::{
    BLACK_BOX_NOTE, Entry, balance_note, corruption_note, default_reference, protocol_note,
};
use shared::dimension::Values;
use shared::published::{self, PublishedModel};
use shared::quba::{Reference, Weights, score};
use shared::{Dimension, Direction};

use super::CorrelateArguments;
use crate::cli::words::plural;
use crate::cli::{inputs, rank, words};

/// One figure of all models.
pub(super) struct Figure {
    pub(super) name: String,
    pub(super) direction: Direction,
    /// By model; `None` where it was not measured.
    pub(super) values: Vec<Option<f64>>,
}

/// Models and their figures.
pub(super) struct Source {
    /// Names of the models.
    pub(super) models: Vec<String>,
    /// x and y where they were asked for, else the nine dimensions.
    pub(super) figures: Vec<Figure>,
    /// What a reader must know of them.
    pub(super) notes: Vec<String>,
    /// Inputs that could not be read.
    pub(super) failed: u32,
}

pub(super) fn read(arguments: &CorrelateArguments) -> Result<Source> {
    let pair = arguments.x.as_deref().zip(arguments.y.as_deref());
    match (&arguments.table, pair) {
        (Some(path), Some(pair)) => table(path, pair, arguments),
        (_, _) if arguments.published => published(arguments, pair),
        _ => results(arguments, pair),
    }
}

fn results(arguments: &CorrelateArguments, pair: Option<(&str, &str)>) -> Result<Source> {
    let inputs = inputs::read_all(&arguments.files)?;
    let evaluated = inputs
        .evaluations
        .iter()
        .filter(|(_, e)| !e.is_costs_only());
    let entries: Vec<Entry> = evaluated.map(|(_, e)| Entry::of(e)).collect();
    let values: Vec<Values> = entries.iter().map(|e| e.values).collect();
    let (figures, scores) = figures(&values, pair, arguments, &default_reference(&entries))?;
    let mut notes: Vec<String> = scores.into_iter().collect();
    notes.extend(protocol_note(&entries));
    if entries.iter().any(|e| e.black_box.is_some()) {
        notes.push(BLACK_BOX_NOTE.to_owned());
    }
    notes.extend(balance_note(&entries));
    notes.extend(corruption_note(&entries));
    Ok(Source {
        models: entries.into_iter().map(|e| e.name).collect(),
        figures,
        notes,
        failed: inputs.failed,
    })
}

fn published(arguments: &CorrelateArguments, pair: Option<(&str, &str)>) -> Result<Source> {
    let kept = |model: &&PublishedModel| !arguments.clean || model.is_clean();
    let models: Vec<&PublishedModel> = published::models().iter().filter(kept).collect();
    let values: Vec<Values> = models.iter().map(|model| model.values).collect();
    let (figures, scores) = figures(&values, pair, arguments, &Reference::published())?;
    let mut notes = vec![format!(
        "published: {}",
        plural(models.len() as u64, "model")
    )];
    let distorted = models.iter().filter(|model| !model.is_clean()).count();
    if distorted > 0 {
        notes.push(format!(
            "{distorted} of them have distorted figures (training-mode normalisation, a second \
             softmax): --clean leaves them out"
        ));
    }
    notes.extend(scores);
    Ok(Source {
        models: models.into_iter().map(|model| model.id.clone()).collect(),
        figures,
        notes,
        failed: 0,
    })
}

/// The figures asked for, and how scores among them came about.
fn figures(
    models: &[Values],
    pair: Option<(&str, &str)>,
    arguments: &CorrelateArguments,
    reference: &Reference,
) -> Result<(Vec<Figure>, Option<String>)> {
    let dimension = |dimension: Dimension| Figure {
        name: dimension.column().to_owned(),
        direction: dimension.direction(),
        values: models.iter().map(|values| values[dimension]).collect(),
    };
    let Some((x, y)) = pair else {
        return Ok((Dimension::ALL.map(dimension).into(), None));
    };
    let weights = rank::weights(&arguments.weighting)?;
    let figure = |word: &str| {
        if word.eq_ignore_ascii_case("quba") {
            return Ok(quba(models, &weights, reference));
        }
        let known = word.parse().map(dimension);
        known.map_err(|error| anyhow!("{error}, or quba"))
    };
    let figures = vec![figure(x).context("bad --x")?, figure(y).context("bad --y")?];
    let scored = figures.iter().any(|figure| figure.name == "quba");
    let note = scored.then(|| {
        format!(
            "quba: reference: {}; weights: {}; models without a weighted dimension are left out",
            reference.name,
            words::weights(&weights)
        )
    });
    Ok((figures, note))
}

/// Scores of the models that have all weighted dimensions: others do not compare.
fn quba(models: &[Values], weights: &Weights, reference: &Reference) -> Figure {
    let of = |values: &Values| {
        let score = score(values, reference, weights)?;
        (!score.is_partial()).then_some(score.value)
    };
    Figure {
        name: "quba".to_owned(),
        direction: Direction::HigherIsBetter,
        values: models.iter().map(of).collect(),
    }
}

fn table(path: &Path, (x, y): (&str, &str), arguments: &CorrelateArguments) -> Result<Source> {
    let mut reader = csv::Reader::from_path(path)
        .with_context(|| format!("cannot read the table: {}", path.display()))?;
    let header = reader.headers().context("bad header")?.clone();
    let column = |name: &str| {
        let found = header.iter().position(|column| column.trim() == name);
        found.with_context(|| {
            let known: Vec<&str> = header.iter().collect();
            format!(
                "no column '{name}', expected one of {}: {}",
                known.join(", "),
                path.display()
            )
        })
    };
    let name = arguments.name.as_deref().map_or(Ok(0), column)?;
    let places = [column(x)?, column(y)?];
    for lower in &arguments.lower_is_better {
        ensure!(
            [x, y].contains(&lower.as_str()),
            "--lower-is-better '{lower}': expected {x} or {y}"
        );
    }
    let (mut models, mut values) = (Vec::new(), [Vec::new(), Vec::new()]);
    for row in reader.records() {
        let row = row.with_context(|| format!("cannot read the table: {}", path.display()))?;
        models.push(row.get(name).unwrap_or_default().to_owned());
        for (values, &place) in values.iter_mut().zip(&places) {
            values.push(number(&row, place).with_context(|| {
                let line = row.position().map_or(0, csv::Position::line);
                let column = header.get(place).unwrap_or_default();
                format!("line {line}, column '{column}': {}", path.display())
            })?);
        }
    }
    let figures = [x, y].into_iter().zip(values).map(|(name, values)| Figure {
        name: name.to_owned(),
        direction: if arguments.lower_is_better.iter().any(|lower| lower == name) {
            Direction::LowerIsBetter
        } else {
            Direction::HigherIsBetter
        },
        values,
    });
    Ok(Source {
        models,
        figures: figures.collect(),
        notes: Vec::new(),
        failed: 0,
    })
}

/// A cell; `None` where it is empty.
fn number(row: &csv::StringRecord, place: usize) -> Result<Option<f64>> {
    let text = row.get(place).unwrap_or_default().trim();
    if text.is_empty() {
        return Ok(None);
    }
    let number = text.parse::<f64>().ok().filter(|n| n.is_finite());
    let number = number.with_context(|| format!("expected a number or nothing, found '{text}'"))?;
    Ok(Some(number))
}
