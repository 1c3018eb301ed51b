//! McNemar's test of two shares over the same images.

use statrs::function::beta::checked_beta_reg;
use statrs::function::gamma::ln_gamma;

/// Two-sided mid-p value of the hypothesis that two models are right equally often, from the images
/// that only the first and only the second got right; in (0, 1], and 1 where there are none.
///
/// Doubles the smaller tail of the binomial distribution with one half, the observed count half:
/// Fagerland, Lydersen and Laake (2013), "The McNemar test for binary matched-pairs data: mid-p and
/// asymptotic are better than exact conditional". Equal counts give 1.
pub fn mcnemar_mid_p(only_first: u32, only_second: u32) -> f64 {
    let (fewer, more) = (only_first.min(only_second), only_first.max(only_second));
    if fewer == more {
        return 1.0;
    }
    let (k, n) = (f64::from(fewer), f64::from(fewer) + f64::from(more));
    // P(X <= k) of n fair coins is I(1/2; n - k, k + 1).
    let tail = checked_beta_reg(n - k, k + 1.0, 0.5).unwrap_or(0.0);
    let log_count = ln_gamma(n + 1.0) - ln_gamma(k + 1.0) - ln_gamma(n - k + 1.0);
    let observed = (log_count - n * std::f64::consts::LN_2).exp();
    (2.0 * tail - observed).clamp(f64::MIN_POSITIVE, 1.0)
}

/// Two-sided exact conditional p-value of the same hypothesis: never below its level, and larger
/// than the mid-p value; in (0, 1].
pub fn mcnemar_exact_p(only_first: u32, only_second: u32) -> f64 {
    let (fewer, more) = (only_first.min(only_second), only_first.max(only_second));
    if fewer == more {
        return 1.0;
    }
    let (fewer, more) = (f64::from(fewer), f64::from(more));
    let tail = checked_beta_reg(more, fewer + 1.0, 0.5).unwrap_or(0.0);
    (2.0 * tail).clamp(f64::MIN_POSITIVE, 1.0)
}

#[cfg(test)]
mod tests {
    use super::{mcnemar_exact_p, mcnemar_mid_p};

    /// Exact rational sums of binomial coefficients.
    #[test]
    fn exact_values() {
        for (a, b, p) in EXACT {
            let found = mcnemar_exact_p(a, b);
            assert!((found / p - 1.0).abs() < 1e-9, "{a} {b}: {found} {p}");
            assert_eq!(mcnemar_exact_p(b, a), found);
        }
    }

    #[rustfmt::skip]
    const EXACT: [(u32, u32, f64); 8] = [
        (1, 7, 0.0703125),
        (0, 1, 1.0),
        (3, 4, 1.0),
        (10, 25, 0.01667384780012071),
        (180, 240, 0.003937856047126128),
        (59, 16, 6.114156572521502e-07),
        (12, 12, 1.0),
        (2400, 2600, 0.004883649737517518),
    ];

    /// Exact rational sums of binomial coefficients; 1 against 7 is the example of the paper.
    #[test]
    fn known_values() {
        for (a, b, p) in CASES {
            let found = mcnemar_mid_p(a, b);
            assert!(
                (found / p - 1.0).abs() < 1e-9,
                "{a} {b}: {found} against {p}"
            );
            assert_eq!(mcnemar_mid_p(b, a), found);
        }
    }

    #[rustfmt::skip]
    const CASES: [(u32, u32, f64); 7] = [
        (1, 7, 0.0390625),
        (0, 1, 0.5),
        (3, 4, 0.7265625),
        (10, 25, 0.011330984183587134),
        (180, 240, 0.0034046660327213436),
        (2400, 2600, 0.004677045349937089),
        (59, 16, 3.850977823529724e-07),
    ];

    #[test]
    fn limits() {
        assert_eq!(mcnemar_mid_p(0, 0), 1.0);
        assert_eq!(mcnemar_mid_p(40, 40), 1.0);
        let least = mcnemar_mid_p(0, u32::MAX);
        assert!(least > 0.0 && least < 1e-300);
    }
}
