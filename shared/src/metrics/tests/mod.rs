//! Tests of the metrics against recomputed values, signatures and properties.

mod breakdowns;
pub(crate) mod builder;
mod fixtures;
mod malformed;
mod measured;
mod properties;
mod published;
pub(crate) mod random;

use super::gmean;

#[test]
fn gmean_keeps_zero_and_rejects_negatives() {
    assert_eq!(gmean(&[0.3, 0.0]), 0.0);
    assert!((gmean(&[2.0, 8.0]) - 4.0).abs() < 1e-15);
    assert!(gmean(&[0.5, -0.1]).is_nan());
    assert!(gmean(&[]).is_nan());
}
