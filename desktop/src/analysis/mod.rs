//! What the pages of models, comparisons and correlations show, computed from the state.
//!
//! Plain functions without a window; every metric and statistic is one of `shared`. Views keep
//! results in a [`cached::Cached`] by what they depend on.

pub mod axes;
pub mod cached;
pub mod comparison;
pub mod correlations;
pub mod page;
pub mod why;
