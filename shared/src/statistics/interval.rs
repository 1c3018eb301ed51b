//! Percentile intervals of resamples.

use super::quantile;

/// A percentile interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// Lower limit.
    pub low: f64,
    /// Upper limit.
    pub high: f64,
}

impl Interval {
    /// The middle `level` of the replicates.
    pub(crate) fn of(mut replicates: Vec<f64>, level: f64) -> Self {
        replicates.sort_unstable_by(f64::total_cmp);
        let tail = (1.0 - level) / 2.0;
        Self {
            low: quantile(&replicates, tail),
            high: quantile(&replicates, 1.0 - tail),
        }
    }
}
