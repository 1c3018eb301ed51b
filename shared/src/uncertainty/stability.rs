//! How sure the order of several models is.

use rayon::prelude::*;

use super::comparison::sign_p;
use super::{Interval, NotCompared, Resampled, ties};
use crate::Dimension;
use crate::dimension::PerDimension;
use crate::quba::{Reference, Weights, score};
use crate::random::SplitMix64;
use crate::statistics::{holm, is_significant};

/// What is varied beside the images.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Perturbation {
    /// Relative deviation of each weight around the given one, at least 0: weights are multiplied
    /// by independent log-normal factors of this coefficient of variation, so that none turns
    /// negative, a weight of 0 stays 0, and doubling is as likely as halving. 0 keeps the weights.
    pub weight_spread: f64,
    /// The k of "in the top k", at least 1.
    pub top: usize,
}

/// The place of one model over resampled images and varied weights.
#[derive(Clone, Debug, PartialEq)]
pub struct Standing {
    /// Probability of the highest score; equal scores share it.
    pub first: f64,
    /// Probability of one of the k highest scores, likewise.
    pub top: f64,
    /// Interval of the rank, widened to whole ranks; equal scores have all ranks of their group.
    pub ranks: (u32, u32),
    /// Groups of models that the data cannot separate under the given weights, ascending; models
    /// that share none differ significantly.
    pub groups: Vec<usize>,
}

/// The places of several models.
#[derive(Clone, Debug, PartialEq)]
pub struct Stability {
    /// By model; `None` without a score.
    pub standings: Vec<Option<Standing>>,
    /// Pairs of models that were tested, all corrected together.
    pub pairs: usize,
    /// Those that the data separate.
    pub separated: usize,
    /// Scored dimensions that were held fixed for any model, in column order: places look surer
    /// than they are by their share.
    pub held_fixed: Vec<Dimension>,
}

/// Ranks resampled models by QUBA, again in every resample and under other weights each time: the
/// share of resamples in which a model has a rank is the rank acceptability index of SMAA-2
/// (Lahdelma and Salminen, 2001).
///
/// Models that saw the same images are drawn together, so what is hard for all cancels. Two models
/// are separated where the two-sided p-value of their paired difference in QUBA under the given
/// weights, the rarer side of zero as in [`super::compare`], is [significant](is_significant) after
/// Holm's correction over all pairs. Groups are numbered from the best model on.
///
/// # Errors
/// [`NotCompared::Options`] where the models were resampled with different options.
pub fn stability(
    models: &[Resampled],
    weights: &Weights,
    reference: &Reference,
    perturbation: Perturbation,
) -> Result<Stability, NotCompared> {
    let Some(options) = models.first().map(Resampled::options) else {
        return Ok(Stability {
            standings: Vec::new(),
            pairs: 0,
            separated: 0,
            held_fixed: Vec::new(),
        });
    };
    if models.iter().any(|model| model.options() != options) {
        return Err(NotCompared::Options);
    }
    let scored = scored(models, weights, reference);
    let places = places(models, &scored, weights, reference, perturbation);
    let (groups, pairs, separated) = grouped(models, &scored, weights, reference);
    let mut standings = vec![None; models.len()];
    for ((&model, places), groups) in scored.iter().zip(&places).zip(groups) {
        standings[model] = Some(places.standing(perturbation.top, options.level, groups));
    }
    let fixed = scored
        .iter()
        .flat_map(|&model| models[model].held_fixed(weights, reference));
    let mut held_fixed: Vec<Dimension> = fixed.collect();
    held_fixed.sort_unstable();
    held_fixed.dedup();
    Ok(Stability {
        standings,
        pairs,
        separated,
        held_fixed,
    })
}

/// Positions of the models that have a score, best first.
fn scored(models: &[Resampled], weights: &Weights, reference: &Reference) -> Vec<usize> {
    let of = |model: &Resampled| Some(score(model.values(), reference, weights)?.value);
    let scores: Vec<Option<f64>> = models.iter().map(of).collect();
    let mut scored: Vec<usize> = (0..models.len()).filter(|&i| scores[i].is_some()).collect();
    scored.sort_by(|&a, &b| {
        scores[b]
            .partial_cmp(&scores[a])
            .unwrap_or(std::cmp::Ordering::Equal)
    });
    scored
}

/// One model in every resample.
#[derive(Clone, Default)]
struct Places {
    /// Models with a higher score.
    above: Vec<u32>,
    /// Models with the same score, itself counted.
    equal: Vec<u32>,
}

impl Places {
    fn standing(&self, top: usize, level: f64, groups: Vec<usize>) -> Standing {
        let within = |top: usize| {
            let share = |(&above, &equal): (&u32, &u32)| {
                // Among equals chance decides.
                let places = (top as f64 - f64::from(above)).clamp(0.0, f64::from(equal));
                places / f64::from(equal)
            };
            let sum: f64 = self.above.iter().zip(&self.equal).map(share).sum();
            sum / self.above.len() as f64
        };
        let best = self.above.iter().map(|&above| f64::from(above) + 1.0);
        let worst = self.above.iter().zip(&self.equal);
        let worst = worst.map(|(&above, &equal)| f64::from(above) + f64::from(equal));
        let low = Interval::of(best.collect(), level).low.floor();
        let high = Interval::of(worst.collect(), level).high.ceil();
        Standing {
            first: within(1),
            top: within(top),
            ranks: (low as u32, high as u32),
            groups,
        }
    }
}

/// By scored model: its places over the resamples, each under weights of its own.
fn places(
    models: &[Resampled],
    scored: &[usize],
    weights: &Weights,
    reference: &Reference,
    perturbation: Perturbation,
) -> Vec<Places> {
    let options = scored.first().map(|&model| models[model].options());
    let Some(options) = options else {
        return Vec::new();
    };
    let in_resample = |resample: usize| {
        let weights = varied(weights, perturbation.weight_spread, options.seed, resample);
        let quba = |&model: &usize| models[model].quba_in(resample, &weights, reference);
        let scores: Vec<f64> = scored.iter().map(|m| quba(m).unwrap_or(f64::NAN)).collect();
        let count = |holds: &dyn Fn(f64) -> bool| {
            u32::try_from(scores.iter().filter(|&&other| holds(other)).count()).unwrap_or(u32::MAX)
        };
        let place = |&own: &f64| {
            (
                count(&|other| other > own),
                count(&|other| other == own).max(1),
            )
        };
        scores.iter().map(place).collect::<Vec<(u32, u32)>>()
    };
    let resamples: Vec<Vec<(u32, u32)>> = (0..options.resamples)
        .into_par_iter()
        .map(in_resample)
        .collect();
    let of = |model: usize| {
        let (above, equal) = resamples.iter().map(|places| places[model]).unzip();
        Places { above, equal }
    };
    (0..scored.len()).map(of).collect()
}

/// The weights of one resample, the same for all models.
fn varied(weights: &Weights, spread: f64, seed: u64, resample: usize) -> Weights {
    // Of a log-normal variable with this coefficient of variation.
    let deviation = (spread * spread).ln_1p().sqrt();
    // Other draws than those of images, whatever their seeds.
    let mut random = SplitMix64::numbered(seed ^ 0x5745_4947_4854_5321, resample as u64);
    let varied = PerDimension::from_fn(|d| weights.get(d) * random.normal(deviation).exp());
    // Out of range is only what no user means.
    Weights::new(varied).unwrap_or(*weights)
}

/// By scored model: its groups; then the number of pairs, and of separated ones.
fn grouped(
    models: &[Resampled],
    scored: &[usize],
    weights: &Weights,
    reference: &Reference,
) -> (Vec<Vec<usize>>, usize, usize) {
    let replicates: Vec<Vec<f64>> = scored
        .par_iter()
        .map(|&model| {
            models[model]
                .quba_replicates(weights, reference)
                .unwrap_or_default()
        })
        .collect();
    let pairs: Vec<(usize, usize)> = (0..scored.len())
        .flat_map(|a| (a + 1..scored.len()).map(move |b| (a, b)))
        .collect();
    let p: Vec<f64> = pairs
        .par_iter()
        .map(|&(a, b)| difference_p(&replicates[a], &replicates[b]))
        .collect();
    let mut apart = vec![false; scored.len() * scored.len()];
    for (&(a, b), p) in pairs.iter().zip(holm(&p)) {
        apart[a * scored.len() + b] = is_significant(p);
    }
    let separated = apart.iter().filter(|&&apart| apart).count();
    let groups = ties::groups(scored.len(), |a, b| apart[a * scored.len() + b]);
    (groups, pairs.len(), separated)
}

fn difference_p(first: &[f64], second: &[f64]) -> f64 {
    // What rounding alone makes of equal scores is no difference.
    let difference = |(a, b): (&f64, &f64)| if (a - b).abs() > 1e-12 { a - b } else { 0.0 };
    let differences: Vec<f64> = first.iter().zip(second).map(difference).collect();
    sign_p(&differences)
}
