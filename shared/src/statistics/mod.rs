//! Summaries of values and how they go together.

mod association;
mod correlation;
mod holm;
mod interval;
mod kendall;
mod mcnemar;
mod pareto;
mod percentile;
mod selection;
mod significance;
mod summary;
#[cfg(test)]
mod tests;

pub use association::{Alternative, Association, Estimate, Sampling, associate};
pub use correlation::{Correlation, CorrelationMatrix, ranks_average, spearman, spearman_matrix};
pub use holm::holm;
pub use interval::Interval;
pub use kendall::kendall;
pub use mcnemar::{mcnemar_exact_p, mcnemar_mid_p};
pub use pareto::{Trade, dominates, pareto_front, trades};
pub use percentile::percentile;
pub use selection::{
    Selection, Threshold, default_thresholds, misranking, select, threshold_sweep,
};
pub use significance::{SIGNIFICANCE, is_significant};
pub use summary::{mean, quantile, standard_deviation};
