//! What is called significant, everywhere.

/// Largest p-value that is called significant.
pub const SIGNIFICANCE: f64 = 0.05;

/// Whether a p-value is at most [`SIGNIFICANCE`]; of several tests, a corrected one.
pub fn is_significant(p: f64) -> bool {
    p <= SIGNIFICANCE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_threshold_itself_is_significant() {
        let found = [0.0, SIGNIFICANCE, 0.050_001, 1.0, f64::NAN].map(is_significant);
        assert_eq!(found, [true, true, false, false, false]);
    }
}
