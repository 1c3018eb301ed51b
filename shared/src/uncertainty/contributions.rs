//! Which images make QUBA uncertain: its variance, split by the passes that show them.

use super::Options;
use super::draw::Draws;
use super::formula::Formula;
use super::layout::Layout;
use super::resampled::{blocks, replicates};
use super::sums::Block;
use crate::dimension::PerDimension;
use crate::metrics::{measure, values};
use crate::outcome::PassKind;
use crate::quba::{Reference, Weights, score};
use crate::result::Evaluation;
use crate::statistics::mean;

/// The covariance matrix of what each group of passes adds to QUBA, in squares of QUBA.
///
/// Entry (a, b) is the covariance of the QUBA where the images of group a alone are resampled and the
/// one where those of group b alone are, in the same resamples. To first order all entries together
/// are the variance of QUBA. Groups that show images of one set covary; others do so by the chance of
/// finitely many resamples alone.
///
/// `group_of` tells the passes apart; what is in no group is not resampled, nor is what has no
/// interval. `None` without a score.
pub fn contributions(
    evaluation: &Evaluation,
    options: Options,
    weights: &Weights,
    reference: &Reference,
    groups: usize,
    group_of: impl Fn(PassKind) -> Option<usize>,
) -> Option<Vec<Vec<f64>>> {
    let measured = values(&measure(evaluation));
    let mut layout = Layout::of(evaluation);
    let formulas = Formula::of_measured(&measured, evaluation, &mut layout);
    let once = Block::of(&layout, &formulas, |stratum| {
        Draws::once(stratum.images.len())
    });
    let blocks = blocks(&layout, &formulas, options);
    let scores_of = |group: usize| -> Option<Vec<f64>> {
        let varies = |kind| group_of(kind) == Some(group);
        let sum = |block: &Block, kind, column: usize, lane: usize| {
            let of = if varies(kind) { block } else { &once };
            of.columns[column][lane]
        };
        let of_dimensions = PerDimension::from_fn(|dimension| match &formulas[dimension] {
            Some(Formula::ClassBalance(_)) if !varies(PassKind::Clean) => Vec::new(),
            Some(formula) => replicates(formula, &blocks, sum),
            None => Vec::new(),
        });
        let value = |dimension, resample: usize| {
            let replicate = of_dimensions[dimension].get(resample).copied();
            let defined = replicate.filter(|value: &f64| value.is_finite());
            defined.or(measured[dimension])
        };
        let score = |resample| {
            let values = PerDimension::from_fn(|dimension| value(dimension, resample));
            Some(score(&values, reference, weights)?.value)
        };
        (0..options.resamples).map(score).collect()
    };
    let scores: Option<Vec<Vec<f64>>> = (0..groups).map(scores_of).collect();
    Some(covariance(scores?))
}

fn covariance(mut scores: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    for scores in &mut scores {
        let centre = mean(scores);
        scores.iter_mut().for_each(|score| *score -= centre);
    }
    let of = |a: &[f64], b: &[f64]| {
        let products = a.iter().zip(b).map(|(a, b)| a * b);
        products.sum::<f64>() / (a.len().max(2) - 1) as f64
    };
    let row = |a: &Vec<f64>| scores.iter().map(|b| of(a, b)).collect();
    scores.iter().map(row).collect()
}
