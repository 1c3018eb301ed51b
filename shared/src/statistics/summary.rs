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

/// Quantile of ascending values, `share` in [0, 1], linear between neighbours (definition 7 of
/// Hyndman and Fan, 1996). NaN without values.
pub fn quantile(ascending: &[f64], share: f64) -> f64 {
    let Some(last) = ascending.len().checked_sub(1) else {
        return f64::NAN;
    };
    let position = share.clamp(0.0, 1.0) * last as f64;
    let below = (position as usize).min(last);
    let above = (below + 1).min(last);
    let part = position - below as f64;
    ascending[below] + part * (ascending[above] - ascending[below])
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

    /// Expected: `numpy.quantile` with its default method.
    #[test]
    fn quantiles_lie_between_neighbours() {
        let values = [1.0, 2.0, 4.0, 8.0];
        let found = [0.0, 0.25, 0.5, 0.9, 1.0].map(|share| quantile(&values, share));
        for (found, expected) in found.into_iter().zip([1.0, 1.75, 3.0, 6.8, 8.0]) {
            assert!((found - expected).abs() < 1e-12, "{found}");
        }
        assert_eq!(quantile(&[3.0], 0.7), 3.0);
    }

    #[test]
    fn undefined_values_are_nan() {
        assert!(quantile(&[], 0.5).is_nan());
        assert!(mean(&[]).is_nan());
        assert!(standard_deviation(&[], 0).is_nan());
        assert!(standard_deviation(&[1.0], 1).is_nan());
    }
}
