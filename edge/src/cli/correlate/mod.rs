//! `edge correlate`: how figures go together over models, and what choosing by one costs in another.

mod arguments;
mod csv;
mod json;
mod source;
mod text;

use anyhow::{Result, ensure};
use shared::statistics::{
    Alternative, Association, Estimate, Sampling, Selection, associate, default_thresholds, holm,
    misranking, select, threshold_sweep,
};

use super::rank::Format;
use super::table::Table;
use super::{Exit, words};
use source::{Figure, Source};

pub use arguments::CorrelateArguments;

/// Fewest models of a subset that nobody asked for (SPEC §6.4).
const FEWEST: usize = 10;
/// Fewest models that have a rank correlation.
const FEWEST_ASKED: usize = 3;

pub(super) fn run(arguments: &CorrelateArguments) -> Result<Exit> {
    let source = source::read(arguments)?;
    let sampling = Sampling {
        seed: arguments.seed,
        resamples: arguments.resamples as usize,
        alternative: if arguments.one_sided {
            Alternative::Positive
        } else {
            Alternative::TwoSided
        },
        ..Sampling::default()
    };
    let report = match source.figures.as_slice() {
        [x, y] => Report {
            rows: sweep(x, y, &arguments.from, sampling),
            is_matrix: false,
            source: &source,
            sampling,
        },
        figures => Report {
            rows: matrix(figures, sampling),
            is_matrix: true,
            source: &source,
            sampling,
        },
    };
    ensure!(
        report.rows.iter().any(|row| row.association.is_some()),
        "nothing to correlate: expected {FEWEST_ASKED} or more models whose figures differ, found {}",
        report.rows.iter().map(|row| row.models).max().unwrap_or(0)
    );
    report.print(arguments.format.into())?;
    Ok(Exit::of(source.failed > 0))
}

/// Two figures over some models.
struct Row<'a> {
    x: &'a Figure,
    y: &'a Figure,
    /// The models are those whose x is at least as good; `None` for all.
    from: Option<f64>,
    /// Models with both figures.
    models: usize,
    /// `None` where it is not defined.
    association: Option<Association>,
    selection: Option<Selection>,
}

impl<'a> Row<'a> {
    /// Over the models at `kept`.
    fn new(x: &'a Figure, y: &'a Figure, kept: &[usize], sampling: Sampling) -> Self {
        let measured = kept
            .iter()
            .filter_map(|&model| Some((model, x.values[model]?, y.values[model]?)));
        let measured: Vec<(usize, f64, f64)> = measured.collect();
        let xs: Vec<f64> = measured.iter().map(|m| m.1).collect();
        let ys: Vec<f64> = measured.iter().map(|m| m.2).collect();
        let mut selection = select(&xs, &ys, [x.direction, y.direction]);
        // Back to positions among all models.
        if let Some(selection) = &mut selection {
            for position in selection.chosen.iter_mut().chain(&mut selection.best) {
                *position = measured[*position].0;
            }
        }
        Self {
            x,
            y,
            from: None,
            models: measured.len(),
            association: associate(&xs, &ys, sampling),
            selection,
        }
    }

    /// Probability that a pair of models is ordered wrongly by x, and its interval.
    fn misranked(&self) -> Option<Estimate> {
        let kendall = self.association?.kendall;
        let sign = self.x.direction.sign() * self.y.direction.sign();
        let interval = kendall.interval.map(|tau| {
            let limits = [tau.low, tau.high].map(|tau| misranking(sign * tau));
            shared::statistics::Interval {
                low: limits[0].min(limits[1]),
                high: limits[0].max(limits[1]),
            }
        });
        Some(Estimate {
            value: misranking(sign * kendall.value),
            interval,
        })
    }
}

/// Each two figures.
fn matrix(figures: &[Figure], sampling: Sampling) -> Vec<Row<'_>> {
    let mut rows = Vec::new();
    for (i, x) in figures.iter().enumerate() {
        for y in &figures[i + 1..] {
            let all: Vec<usize> = (0..x.values.len()).collect();
            rows.push(Row::new(x, y, &all, sampling));
        }
    }
    rows
}

/// One pair over all models, then over ever better ones.
fn sweep<'a>(x: &'a Figure, y: &'a Figure, from: &[f64], sampling: Sampling) -> Vec<Row<'a>> {
    let both = |&model: &usize| x.values[model].is_some() && y.values[model].is_some();
    let all: Vec<usize> = (0..x.values.len()).filter(both).collect();
    let xs: Vec<f64> = all.iter().filter_map(|&model| x.values[model]).collect();
    let steps = if from.is_empty() {
        let thresholds = default_thresholds(&xs, x.direction);
        threshold_sweep(&xs, x.direction, &thresholds, FEWEST)
    } else {
        threshold_sweep(&xs, x.direction, from, FEWEST_ASKED)
    };
    let mut rows = vec![Row::new(x, y, &all, sampling)];
    for step in steps.iter().filter(|step| step.kept.len() < all.len()) {
        let kept: Vec<usize> = step.kept.iter().map(|&position| all[position]).collect();
        let row = Row::new(x, y, &kept, sampling);
        rows.push(Row {
            from: Some(step.at),
            ..row
        });
    }
    rows
}

/// Everything, ready to be printed.
struct Report<'a> {
    /// One per pair of the matrix, or one per subset of the models.
    rows: Vec<Row<'a>>,
    is_matrix: bool,
    source: &'a Source,
    sampling: Sampling,
}

impl Report<'_> {
    /// By row: p-values of Spearman's and Kendall's correlation, in a matrix corrected by Holm, each
    /// kind over all pairs.
    fn p_values(&self) -> Vec<Option<[f64; 2]>> {
        let raw = |row: &Row| row.association.map(|a| [a.spearman_p, a.kendall_p]);
        let raw: Vec<Option<[f64; 2]>> = self.rows.iter().map(raw).collect();
        if !self.is_matrix {
            return raw;
        }
        let corrected = [0, 1].map(|which| {
            let defined: Vec<f64> = raw.iter().flatten().map(|p| p[which]).collect();
            holm(&defined).into_iter()
        });
        let [mut spearman, mut kendall] = corrected;
        raw.into_iter()
            .map(|p| p.and_then(|_| Some([spearman.next()?, kendall.next()?])))
            .collect()
    }

    /// Names of the models at some positions.
    fn names(&self, positions: &[usize]) -> Vec<&str> {
        let models = &self.source.models;
        positions.iter().map(|&at| models[at].as_str()).collect()
    }

    fn print(&self, format: Format) -> Result<()> {
        match format {
            Format::Text => words::print(&text::report(self, Table::text)),
            Format::Markdown => words::print(&text::report(self, Table::markdown)),
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
