//! Summaries of values and how they go together.

mod correlation;
mod mcnemar;
mod summary;

pub use correlation::{Correlation, CorrelationMatrix, ranks_average, spearman, spearman_matrix};
pub use mcnemar::mcnemar_mid_p;
pub use summary::{mean, standard_deviation};
