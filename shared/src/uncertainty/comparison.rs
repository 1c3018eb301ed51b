//! Two models on the same images.

use super::comparable::{self, NotCompared};
use super::{Interval, NoInterval, Resampled};
use crate::Dimension;
use crate::dimension::PerDimension;
use crate::metrics::records;
use crate::outcome::PassKind;
use crate::quba::{Reference, Weights, score};
use crate::result::Evaluation;
use crate::statistics::mcnemar_mid_p;

/// A model to compare: its records, and what [`super::resample`] made of them.
#[derive(Clone, Copy)]
pub struct Model<'a> {
    /// The records.
    pub evaluation: &'a Evaluation,
    /// The same, resampled.
    pub resampled: &'a Resampled,
}

/// How a p-value was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Test {
    /// McNemar's test (mid-p) on the images that only one model got right.
    McNemar,
    /// The share of paired resamples in which the sign of the difference is the other one.
    Bootstrap,
}

impl Test {
    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Self::McNemar => "McNemar mid-p",
            Self::Bootstrap => "paired bootstrap",
        }
    }
}

/// A figure of both models and how sure their difference is.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// The figure of the first model.
    pub first: f64,
    /// The figure of the second model.
    pub second: f64,
    /// Interval of second − first, and the two-sided p-value of "no difference" before any
    /// correction, in (0, 1]; or why there are none.
    pub certainty: Result<Certainty, NoInterval>,
}

/// See [`Difference::certainty`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Certainty {
    /// Interval of the difference.
    pub interval: Interval,
    /// Two-sided p-value.
    pub p: f64,
    /// How it was found.
    pub test: Test,
}

impl Difference {
    /// Second − first.
    pub fn value(&self) -> f64 {
        self.second - self.first
    }
}

/// Right answers of both models under one pass.
#[derive(Clone, Debug, PartialEq)]
pub struct PassDifference {
    /// The pass.
    pub pass: PassKind,
    /// Images, at least one.
    pub images: u32,
    /// Images that only the first got right.
    pub only_first: u32,
    /// Images that only the second got right.
    pub only_second: u32,
    /// McNemar's two-sided mid-p value before any correction.
    pub p: f64,
}

impl PassDifference {
    /// Accuracy of the second less that of the first.
    pub fn value(&self) -> f64 {
        (f64::from(self.only_second) - f64::from(self.only_first)) / f64::from(self.images)
    }
}

/// Two models compared.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// Dimension by dimension.
    pub dimensions: PerDimension<Result<Difference, NotCompared>>,
    /// The scores. Dimensions without an interval are held at their values.
    pub quba: Result<Difference, NotCompared>,
    /// Scored dimensions that were held fixed for either model, in column order.
    pub held_fixed: Vec<Dimension>,
    /// The passes that showed both models the same images, in order.
    pub passes: Vec<PassDifference>,
}

/// Compares two models that were resampled with the same options: each resample holds the same
/// images for both, so what is hard for both cancels.
pub fn compare(a: Model, b: Model, weights: &Weights, reference: &Reference) -> Comparison {
    let dimensions = PerDimension::from_fn(|dimension| difference(dimension, a, b));
    let quba = scores(&dimensions, a, b, weights, reference);
    let mut held_fixed = a.resampled.held_fixed(weights, reference);
    held_fixed.extend(b.resampled.held_fixed(weights, reference));
    held_fixed.sort_unstable();
    held_fixed.dedup();
    let kinds = a.evaluation.passes.iter().map(|pass| pass.kind);
    Comparison {
        dimensions,
        quba,
        held_fixed,
        passes: kinds.filter_map(|kind| pass(kind, a, b)).collect(),
    }
}

fn difference(dimension: Dimension, a: Model, b: Model) -> Result<Difference, NotCompared> {
    let value = |model: Model| model.resampled.values()[dimension];
    let (Some(first), Some(second)) = (value(a), value(b)) else {
        return Err(NotCompared::NotMeasured);
    };
    comparable::check(dimension, a.evaluation, b.evaluation)?;
    if a.resampled.options() != b.resampled.options() {
        return Err(NotCompared::Options);
    }
    let mut certainty = paired(dimension, a, b);
    if let (Dimension::Accuracy, Ok(certainty)) = (dimension, &mut certainty)
        && let Some(clean) = pass(PassKind::Clean, a, b)
    {
        certainty.p = clean.p;
        certainty.test = Test::McNemar;
    }
    Ok(Difference {
        first,
        second,
        certainty,
    })
}

/// The difference of a dimension over paired resamples. What does not vary for one of the models,
/// because it was always wrong, is a constant beside the other.
fn paired(dimension: Dimension, a: Model, b: Model) -> Result<Certainty, NoInterval> {
    let of = |model: Model| match model.resampled.replicates(dimension) {
        Ok(replicates) => Ok(replicates.to_vec()),
        Err(NoInterval::NoVariation) => {
            let value = model.resampled.values()[dimension].unwrap_or(f64::NAN);
            Ok(vec![value; model.resampled.options().resamples])
        }
        Err(reason) => Err(reason),
    };
    certainty(&of(a)?, &of(b)?, a.resampled.options().level)
}

fn certainty(first: &[f64], second: &[f64], level: f64) -> Result<Certainty, NoInterval> {
    let differences = first.iter().zip(second).map(|(a, b)| b - a).collect();
    let differences = super::resampled::varying(differences)?;
    Ok(Certainty {
        p: sign_p(&differences),
        interval: Interval::of(differences, level),
        test: Test::Bootstrap,
    })
}

/// Twice the share of differences on the rarer side of zero, the sample itself counted on either
/// side (Davison and Hinkley, 1997, §4.2): at most 0.05 just where the 95 % interval leaves zero out.
pub(super) fn sign_p(differences: &[f64]) -> f64 {
    let above = differences.iter().filter(|&&d| d >= 0.0).count();
    let below = differences.iter().filter(|&&d| d <= 0.0).count();
    let rarer = above.min(below);
    (2.0 * (rarer + 1) as f64 / (differences.len() + 1) as f64).min(1.0)
}

fn scores(
    dimensions: &PerDimension<Result<Difference, NotCompared>>,
    a: Model,
    b: Model,
    weights: &Weights,
    reference: &Reference,
) -> Result<Difference, NotCompared> {
    let of = |model: Model| score(model.resampled.values(), reference, weights);
    let (Some(first), Some(second)) = (of(a), of(b)) else {
        return Err(NotCompared::NotMeasured);
    };
    for (dimension, difference) in dimensions.iter() {
        // A dimension that both scores lack keeps neither from being compared.
        let missing = first.missing.contains(&dimension) && second.missing.contains(&dimension);
        if let (Err(reason), true, false) = (difference, weights.get(dimension) > 0.0, missing) {
            return Err(NotCompared::Dimension {
                dimension,
                reason: Box::new(reason.clone()),
            });
        }
    }
    let replicates = |model: Model| model.resampled.quba_replicates(weights, reference);
    let (Some(x), Some(y)) = (replicates(a), replicates(b)) else {
        return Err(NotCompared::NotMeasured);
    };
    Ok(Difference {
        first: first.value,
        second: second.value,
        certainty: certainty(&x, &y, a.resampled.options().level),
    })
}

/// One pass, where both saw the same images.
fn pass(kind: PassKind, a: Model, b: Model) -> Option<PassDifference> {
    comparable::check_pass(kind, a.evaluation, b.evaluation).ok()?;
    let first = records::answers(a.evaluation, kind).ok()?;
    let second = records::answers(b.evaluation, kind).ok()?;
    let only = |x: &[bool], y: &[bool]| {
        records::count(x.iter().zip(y).filter(|&(&x, &y)| x && !y).count())
    };
    let (only_first, only_second) = (only(&first, &second), only(&second, &first));
    Some(PassDifference {
        pass: kind,
        images: records::count(first.len()),
        only_first,
        only_second,
        p: mcnemar_mid_p(only_first, only_second),
    })
}
