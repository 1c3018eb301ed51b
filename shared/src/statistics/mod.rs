//! Summaries of values and how they go together.

mod correlation;
mod summary;

pub use correlation::{Correlation, CorrelationMatrix, ranks_average, spearman, spearman_matrix};
pub use summary::{mean, standard_deviation};
