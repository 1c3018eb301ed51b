//! Several tests at once.

/// Holm's correction of two-sided p-values: each as large as the level at which its hypothesis is
/// rejected while the chance of any false rejection stays below that level; at least as large as
/// given, at most 1, in the given order.
///
/// Holm (1979), "A simple sequentially rejective multiple test procedure".
pub fn holm(p_values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|&a, &b| p_values[a].total_cmp(&p_values[b]));
    let mut corrected = vec![1.0; p_values.len()];
    let mut largest: f64 = 0.0;
    for (rank, index) in order.into_iter().enumerate() {
        let left = (p_values.len() - rank) as f64;
        // A rejection must follow those of all smaller p-values.
        largest = largest.max((left * p_values[index]).min(1.0));
        corrected[index] = largest;
    }
    corrected
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::holm;

    fn close(found: &[f64], expected: &[f64]) -> bool {
        let near = |(a, b): (&f64, &f64)| (a - b).abs() < 1e-12;
        found.len() == expected.len() && found.iter().zip(expected).all(near)
    }

    /// The worked example of many texts, in which only the first and the last hypothesis fall at
    /// 5 %; then two lists worked out by hand: ties, and the order taking over.
    #[test]
    fn known_values() {
        let cases: [(&[f64], &[f64]); 3] = [
            (&[0.01, 0.04, 0.03, 0.005], &[0.03, 0.06, 0.06, 0.02]),
            (
                &[0.01, 0.02, 0.03, 0.04, 0.05],
                &[0.05, 0.08, 0.09, 0.09, 0.09],
            ),
            (&[0.6, 0.0001, 0.0001], &[0.6, 0.0003, 0.0003]),
        ];
        for (given, expected) in cases {
            let found = holm(given);
            assert!(close(&found, expected), "{given:?}: {found:?}");
        }
        assert!(holm(&[]).is_empty());
    }

    proptest! {
        #[test]
        fn keeps_the_order_and_never_shrinks(
            p_values in proptest::collection::vec(0.0..=1.0_f64, 0..20),
        ) {
            let corrected = holm(&p_values);
            for (i, (&p, &c)) in p_values.iter().zip(&corrected).enumerate() {
                prop_assert!(p <= c && c <= 1.0);
                prop_assert!(c <= p_values.len() as f64 * p);
                for (&q, &d) in p_values.iter().zip(&corrected).skip(i) {
                    prop_assert!(p > q || c <= d);
                    prop_assert!(p < q || c >= d);
                }
            }
        }
    }
}
