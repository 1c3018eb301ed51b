//! The values of every resample, and the intervals they give.

use rayon::prelude::*;

use super::draw::{Draws, LANES};
use super::formula::Formula;
use super::layout::Layout;
use super::sums::Block;
use super::{Interval, NoInterval, Options, QubaInterval};
use crate::Dimension;
use crate::dimension::{PerDimension, Values};
use crate::metrics::{measure, values};
use crate::outcome::PassKind;
use crate::quba::{Reference, Weights, score};
use crate::result::Evaluation;

/// The dimensions of one model in every resample of its images: made once by [`resample`], asked
/// often.
#[derive(Clone, Debug, PartialEq)]
pub struct Resampled {
    options: Options,
    values: Values,
    /// One value per resample, all finite, not all equal.
    replicates: PerDimension<Result<Vec<f64>, NoInterval>>,
}

/// Measures an evaluation on resampled images.
///
/// Deterministic: it depends on the records and the options alone, not on the number of threads.
/// An image has the same weight in all passes that show it, and, with the same options, for all
/// models that saw it: the n-th resamples of two models pair up.
pub fn resample(evaluation: &Evaluation, options: Options) -> Resampled {
    let values = values(&measure(evaluation));
    let mut layout = Layout::of(evaluation);
    let formulas = Formula::of_measured(&values, evaluation, &mut layout);
    let blocks = blocks(&layout, &formulas, options);
    let replicates = PerDimension::from_fn(|dimension| {
        let formula = match (values[dimension], &formulas[dimension]) {
            (None, _) => return Err(NoInterval::NotMeasured),
            (Some(_), None) => return Err(why_no_formula(dimension)),
            (Some(_), Some(formula)) => formula,
        };
        let sum = |block: &Block, _, column: usize, lane: usize| block.columns[column][lane];
        let mut all = replicates(formula, &blocks, sum);
        all.truncate(options.resamples);
        varying(all)
    });
    Resampled {
        options,
        values,
        replicates,
    }
}

fn why_no_formula(dimension: Dimension) -> NoInterval {
    match dimension {
        Dimension::Parameters => NoInterval::Constant,
        Dimension::CalibrationError => NoInterval::AdaptiveError,
        Dimension::ClassBalance => NoInterval::SingleImage,
        _ => NoInterval::Lists,
    }
}

/// All resamples, in blocks.
pub(super) fn blocks(
    layout: &Layout,
    formulas: &PerDimension<Option<Formula>>,
    options: Options,
) -> Vec<Block> {
    let block = |number: usize| {
        Block::of(layout, formulas, |stratum| {
            Draws::of(stratum, options.seed, number * LANES)
        })
    };
    let numbers = 0..options.resamples.div_ceil(LANES);
    numbers.into_par_iter().map(block).collect()
}

/// The value in every lane of every block, where `sum` has the weight of a column, as a pass has it,
/// in a lane.
pub(super) fn replicates(
    formula: &Formula,
    blocks: &[Block],
    sum: impl Fn(&Block, PassKind, usize, usize) -> f64,
) -> Vec<f64> {
    if let Formula::ClassBalance(classes) = formula {
        let factors: Vec<[f64; 2]> = blocks.iter().flat_map(|b| b.balance).flatten().collect();
        return classes.centred_values(&factors);
    }
    let of = |block: &Block| {
        let value = |lane: usize| formula.value(|kind, column| sum(block, kind, column, lane));
        (0..LANES).map(value).collect::<Vec<f64>>()
    };
    blocks.iter().flat_map(of).collect()
}

/// Finite and not all (nearly) equal.
pub(super) fn varying(replicates: Vec<f64>) -> Result<Vec<f64>, NoInterval> {
    if replicates.iter().any(|value| !value.is_finite()) {
        return Err(NoInterval::Undefined);
    }
    let (low, high) = replicates
        .iter()
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), &value| {
            (low.min(value), high.max(value))
        });
    // What rounding alone makes of equal values is no spread.
    if high - low > 1e-12 {
        Ok(replicates)
    } else {
        Err(NoInterval::NoVariation)
    }
}

impl Resampled {
    /// How the images were resampled.
    pub fn options(&self) -> Options {
        self.options
    }

    /// The measured values, of the images themselves.
    pub fn values(&self) -> &Values {
        &self.values
    }

    /// The value of a dimension in each resample, or why there is none.
    ///
    /// # Errors
    /// The dimension has no interval.
    pub fn replicates(&self, dimension: Dimension) -> Result<&[f64], NoInterval> {
        self.replicates[dimension]
            .as_deref()
            .map_err(|&reason| reason)
    }

    /// The interval of a dimension.
    ///
    /// # Errors
    /// Why it has none.
    pub fn interval(&self, dimension: Dimension) -> Result<Interval, NoInterval> {
        let replicates = self.replicates(dimension)?;
        Ok(Interval::of(replicates.to_vec(), self.options.level))
    }

    /// QUBA in each resample, dimensions without an interval at their measured value; `None`
    /// without a score.
    pub fn quba_replicates(&self, weights: &Weights, reference: &Reference) -> Option<Vec<f64>> {
        score(&self.values, reference, weights)?;
        (0..self.options.resamples)
            .map(|resample| self.quba_in(resample, weights, reference))
            .collect()
    }

    /// QUBA in one of the resamples.
    pub(super) fn quba_in(
        &self,
        resample: usize,
        weights: &Weights,
        reference: &Reference,
    ) -> Option<f64> {
        let values = self.replicates.map(|dimension, replicates| {
            let varied = replicates.as_ref().ok().map(|all| all[resample]);
            varied.or(self.values[dimension])
        });
        Some(score(&values, reference, weights)?.value)
    }

    /// The interval of QUBA under any weights and reference, and what it leaves out; cheap enough
    /// for every frame of a screen. `None` without a score, or where nothing in it varies.
    pub fn quba_interval(&self, weights: &Weights, reference: &Reference) -> Option<QubaInterval> {
        let replicates = varying(self.quba_replicates(weights, reference)?).ok()?;
        Some(QubaInterval {
            interval: Interval::of(replicates, self.options.level),
            held_fixed: self.held_fixed(weights, reference),
        })
    }

    /// Scored dimensions that have no interval although other images would change them.
    pub(super) fn held_fixed(&self, weights: &Weights, reference: &Reference) -> Vec<Dimension> {
        let scored = |d: Dimension| {
            weights.get(d) > 0.0 && reference.scales[d].is_some() && self.values[d].is_some()
        };
        let fixed = |d: Dimension| match &self.replicates[d] {
            Ok(_) | Err(NoInterval::Constant) => false,
            Err(_) => scored(d),
        };
        Dimension::ALL.into_iter().filter(|&d| fixed(d)).collect()
    }
}
