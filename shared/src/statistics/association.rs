//! How two figures of models go together, and how sure that is.

use rayon::prelude::*;

use super::correlation::{pearson, ranks_average};
use super::{Interval, kendall, spearman};
use crate::random::SplitMix64;

/// Which rank correlations count against "no association".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Alternative {
    /// As far from zero, in either direction.
    TwoSided,
    /// At least as large: y rises with x.
    Positive,
}

/// How associations are resampled.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sampling {
    /// Seed of the draws.
    pub seed: u64,
    /// Number of bootstrap resamples of the models, and of permutations.
    pub resamples: usize,
    /// Confidence of the intervals, above 0 and below 1.
    pub level: f64,
    /// What p-values are for.
    pub alternative: Alternative,
}

impl Default for Sampling {
    /// 5000 resamples, 95 % intervals, two-sided: SPEC §6.4 but for its one-sided p.
    fn default() -> Self {
        Self {
            seed: 0,
            resamples: 5000,
            level: 0.95,
            alternative: Alternative::TwoSided,
        }
    }
}

/// A statistic and its interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// Of the models themselves.
    pub value: f64,
    /// Over resampled models; `None` where more than one resample in twenty has no value, because
    /// it drew too few different models.
    pub interval: Option<Interval>,
}

/// The association of two figures over models.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Association {
    /// Number of models.
    pub n: usize,
    /// Spearman's rank correlation.
    pub spearman: Estimate,
    /// Its permutation p-value, in (0, 1].
    pub spearman_p: f64,
    /// Kendall's τ-b.
    pub kendall: Estimate,
    /// Its permutation p-value, in (0, 1].
    pub kendall_p: f64,
    /// Share of the variance of y that a straight line in x explains, in [0, 1].
    pub r_squared: Estimate,
}

/// Statistics of one draw; not all are defined.
type Statistics = [Option<f64>; 3];

/// Measures how x and y go together: statistics of the pairs, percentile intervals over pairs drawn
/// with replacement, and p-values over permutations of y, `(1 + number at least as extreme) /
/// (permutations + 1)`.
///
/// `None` where Spearman's correlation is not defined, see [`spearman`]. The same arguments give the
/// same result, whatever the number of threads.
pub fn associate(x: &[f64], y: &[f64], sampling: Sampling) -> Option<Association> {
    let rho = spearman(x, y)?.rho;
    let tau = kendall(x, y)?;
    let r = pearson(x, y)?;
    let bootstrap = bootstrap(x, y, sampling);
    let estimate = |value: f64, which: usize| {
        let drawn: Vec<f64> = bootstrap.iter().filter_map(|draw| draw[which]).collect();
        let enough = drawn.len() * 20 >= sampling.resamples * 19 && !drawn.is_empty();
        Estimate {
            value,
            interval: enough.then(|| Interval::of(drawn, sampling.level)),
        }
    };
    let [spearman_p, kendall_p] = permutation_p(x, y, [rho, tau], sampling);
    Some(Association {
        n: x.len(),
        spearman: estimate(rho, 0),
        spearman_p,
        kendall: estimate(tau, 1),
        kendall_p,
        r_squared: estimate(r * r, 2),
    })
}

/// Spearman, Kendall and R² over models drawn with replacement.
fn bootstrap(x: &[f64], y: &[f64], sampling: Sampling) -> Vec<Statistics> {
    let count = u32::try_from(x.len()).unwrap_or(u32::MAX);
    let draw = |number: u64| {
        let mut random = SplitMix64::numbered(sampling.seed, number);
        let (x, y): (Vec<f64>, Vec<f64>) = x
            .iter()
            .map(|_| random.position(count) as usize)
            .map(|i| (x[i], y[i]))
            .unzip();
        let r = pearson(&x, &y);
        [
            pearson(&ranks_average(&x), &ranks_average(&y)),
            kendall(&x, &y),
            r.map(|r| r * r),
        ]
    };
    (0..sampling.resamples as u64)
        .into_par_iter()
        .map(draw)
        .collect()
}

/// P-values of Spearman's and Kendall's correlation.
fn permutation_p(x: &[f64], y: &[f64], observed: [f64; 2], sampling: Sampling) -> [f64; 2] {
    let (rank_x, rank_y) = (ranks_average(x), ranks_average(y));
    // Other draws than those of the bootstrap.
    let seed = !sampling.seed;
    let extreme = |number: u64| {
        let mut shuffled = rank_y.clone();
        SplitMix64::numbered(seed, number).shuffle(&mut shuffled);
        let found = [pearson(&rank_x, &shuffled), kendall(&rank_x, &shuffled)];
        let reaches = |found: Option<f64>, observed: f64| {
            // Sums in another order may differ in their last bits.
            let found = found.unwrap_or(0.0) + 1e-12;
            match sampling.alternative {
                Alternative::Positive => found >= observed,
                Alternative::TwoSided => (found - 1e-12).abs() + 1e-12 >= observed.abs(),
            }
        };
        [0, 1].map(|i| usize::from(reaches(found[i], observed[i])))
    };
    let counts = (0..sampling.resamples as u64)
        .into_par_iter()
        .map(extreme)
        .reduce(|| [0; 2], |a, b| [a[0] + b[0], a[1] + b[1]]);
    counts.map(|count| (1 + count) as f64 / (sampling.resamples + 1) as f64)
}
