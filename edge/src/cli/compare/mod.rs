//! `edge compare`: models against each other, image by image.

mod csv;
mod json;
mod text;

use anyhow::{Result, ensure};
use shared::Dimension;
use shared::comparison::Entry;
use shared::quba::{Reference, Weights};
use shared::statistics::{holm, is_significant};
use shared::uncertainty::{
    Certainty, Comparison, Difference, Model, NotCompared, Options, Resampled, compare, resample,
};

use super::args::CompareArguments;
use super::rank::{self, Format, reference};
use super::resampling::resamples;
use super::{Exit, inputs, words};

/// Figures of a pair that may be tested: the dimensions that depend on images, and QUBA.
const TESTS_PER_PAIR: usize = 9;

pub(super) fn run(arguments: &CompareArguments) -> Result<Exit> {
    let inputs = inputs::read_all(&arguments.files)?;
    let count = inputs.evaluations.len();
    ensure!(
        count > 1,
        "expected two or more models to compare, found 1 result file"
    );
    let entries: Vec<Entry> = inputs
        .evaluations
        .iter()
        .map(|(_, e)| Entry::of(e))
        .collect();
    let weights = rank::weights(&arguments.weighting)?;
    let (reference, failed) = reference::choose(&arguments.reference, &entries)?;
    let pairs = pairs(count, arguments.all_pairs);
    let options = Options {
        seed: arguments.seed,
        resamples: resamples(arguments.resamples, pairs.len() * TESTS_PER_PAIR),
        ..Options::default()
    };
    let resampled: Vec<Resampled> = inputs
        .evaluations
        .iter()
        .map(|(_, evaluation)| resample(evaluation, options))
        .collect();
    let model = |index: usize| Model {
        evaluation: &inputs.evaluations[index].1,
        resampled: &resampled[index],
    };
    let compared = pairs.into_iter().map(|(a, b)| {
        let comparison = compare(model(a), model(b), &weights, &reference);
        (
            entries[a].name.as_str(),
            entries[b].name.as_str(),
            comparison,
        )
    });
    let report = Report::new(compared.collect(), &weights, &reference, options);
    report.print(arguments.format.into())?;
    let nothing = report.pairs.iter().any(Pair::is_refused);
    Ok(Exit::of(inputs.failed + failed > 0 || nothing))
}

/// Positions of the first and the second model of each pair.
fn pairs(models: usize, all: bool) -> Vec<(usize, usize)> {
    let firsts = if all { models } else { 1 };
    (0..firsts)
        .flat_map(|a| (a + 1..models).map(move |b| (a, b)))
        .collect()
}

/// Figures of two models.
struct Pair<'a> {
    first: &'a str,
    second: &'a str,
    comparison: Comparison,
    /// QUBA, then the dimensions.
    rows: Vec<Row>,
}

impl Pair<'_> {
    /// Whether nothing but the number of parameters could be compared.
    fn is_refused(&self) -> bool {
        self.rows
            .iter()
            .all(|row| row.difference.is_err() || row.dimension == Some(Dimension::Parameters))
    }
}

/// One figure.
struct Row {
    /// The dimension; `None` for QUBA.
    dimension: Option<Dimension>,
    difference: Result<Difference, NotCompared>,
    /// Corrected p-value, where the difference was tested.
    p: Option<f64>,
}

impl Row {
    fn name(&self) -> &'static str {
        self.dimension.map_or("QUBA", Dimension::column)
    }

    fn certainty(&self) -> Option<Certainty> {
        self.difference.as_ref().ok()?.certainty.ok()
    }

    fn is_significant(&self) -> bool {
        self.p.is_some_and(is_significant)
    }
}

/// All pairs, ready to be printed.
struct Report<'a> {
    pairs: Vec<Pair<'a>>,
    /// Number of p-values that were corrected together.
    tests: usize,
    weights: &'a Weights,
    reference: &'a Reference,
    options: Options,
}

impl<'a> Report<'a> {
    fn new(
        compared: Vec<(&'a str, &'a str, Comparison)>,
        weights: &'a Weights,
        reference: &'a Reference,
        options: Options,
    ) -> Self {
        let mut pairs: Vec<Pair> = compared
            .into_iter()
            .map(|(first, second, comparison)| Pair {
                first,
                second,
                rows: rows(&comparison),
                comparison,
            })
            .collect();
        let tested = || {
            pairs
                .iter()
                .flat_map(|pair| &pair.rows)
                .filter_map(Row::certainty)
        };
        let mut corrected = holm(&tested().map(|c| c.p).collect::<Vec<f64>>()).into_iter();
        let tests = corrected.len();
        for row in pairs.iter_mut().flat_map(|pair| &mut pair.rows) {
            row.p = row.certainty().and_then(|_| corrected.next());
        }
        Self {
            pairs,
            tests,
            weights,
            reference,
            options,
        }
    }

    fn print(&self, format: Format) -> Result<()> {
        match format {
            Format::Text => words::print(&text::report(self, super::table::Table::text)),
            Format::Markdown => words::print(&text::report(self, super::table::Table::markdown)),
            Format::Json => {
                words::print(&(serde_json::to_string_pretty(&json::report(self))? + "\n"))
            }
            Format::Csv => {
                words::print(&csv::report(self)?)?;
                eprint!("{}", text::notes(self));
                Ok(())
            }
        }
    }
}

fn rows(comparison: &Comparison) -> Vec<Row> {
    let row = |dimension, difference: &Result<Difference, NotCompared>| Row {
        dimension,
        difference: difference.clone(),
        p: None,
    };
    let mut rows = vec![row(None, &comparison.quba)];
    let dimensions = comparison.dimensions.iter();
    rows.extend(dimensions.map(|(d, difference)| row(Some(d), difference)));
    rows
}

#[cfg(test)]
mod tests {
    use super::pairs;

    #[test]
    fn pairs_of_the_first_or_of_all() {
        assert_eq!(pairs(3, false), [(0, 1), (0, 2)]);
        assert_eq!(pairs(3, true), [(0, 1), (0, 2), (1, 2)]);
    }
}
