//! Mean and deviation.

/// Arithmetic mean; NaN without values.
pub fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Standard deviation with divisor `n − ddof`: 0 for a population, 1 for a sample. NaN where the
/// divisor is not positive.
pub fn standard_deviation(values: &[f64], ddof: usize) -> f64 {
    if values.len() <= ddof {
        return f64::NAN;
    }
    let mean = mean(values);
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (squares / (values.len() - ddof) as f64).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_values() {
        let values = [2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0];
        assert_eq!(mean(&values), 5.0);
        assert_eq!(standard_deviation(&values, 0), 2.0);
        assert!((standard_deviation(&values, 1) - (32.0_f64 / 7.0).sqrt()).abs() < 1e-15);
    }

    #[test]
    fn undefined_values_are_nan() {
        assert!(mean(&[]).is_nan());
        assert!(standard_deviation(&[], 0).is_nan());
        assert!(standard_deviation(&[1.0], 1).is_nan());
    }
}
