//! The metrics: outcome records in, one number per dimension out.
//!
//! [`decision`] holds what is decided per image while the model runs.

pub mod decision;

/// Geometric mean, `exp(mean(ln v))` (SPEC §0).
///
/// Exactly 0 if a value is 0; NaN if one is negative or there is none.
pub fn gmean(values: &[f64]) -> f64 {
    let sum: f64 = values.iter().map(|v| v.ln()).sum();
    (sum / values.len() as f64).exp()
}
