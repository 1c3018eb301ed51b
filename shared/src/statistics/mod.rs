//! Summaries of values and how they go together.

mod correlation;
mod holm;
mod mcnemar;
mod pareto;
mod percentile;
mod summary;

pub use correlation::{Correlation, CorrelationMatrix, ranks_average, spearman, spearman_matrix};
pub use holm::holm;
pub use mcnemar::{mcnemar_exact_p, mcnemar_mid_p};
pub use pareto::{Trade, dominates, pareto_front, trades};
pub use percentile::percentile;
pub use summary::{mean, quantile, standard_deviation};
