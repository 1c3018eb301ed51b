//! How many resamples several tests take.

use shared::statistics::is_significant;

use super::words::count;

/// For [`too_few`], where the rarer side of zero counts twice.
pub(super) const TWO_SIDED: f64 = 2.0;
/// For [`too_few`], where permutations at least as extreme count.
pub(super) const PERMUTED: f64 = 1.0;

/// Enough resamples that a difference can stay significant among that many tests.
pub(super) fn resamples(asked: Option<u32>, tests: usize) -> usize {
    const DEFAULT: usize = 1000;
    const MOST: usize = 20_000;
    let enough = tests.saturating_mul(100).clamp(DEFAULT, MOST);
    asked.map_or(enough, |asked| asked as usize)
}

/// What to say where they are too few for that many tests, the least p-value of one being `least /
/// (resamples + 1)`.
pub(super) fn too_few(resamples: usize, tests: usize, least: f64) -> Option<String> {
    let least = (least * tests as f64 / (resamples + 1) as f64).min(1.0);
    (!is_significant(least)).then(|| {
        format!(
            "warning: with {} resamples no corrected p below {least:.2} can come out of so many \
             tests; raise --resamples",
            count(resamples as u64)
        )
    })
}

#[cfg(test)]
mod tests {
    use super::{PERMUTED, TWO_SIDED, resamples, too_few};

    #[test]
    fn many_tests_take_more_resamples() {
        assert_eq!(resamples(None, 9), 1000);
        assert_eq!(resamples(None, 63), 6300);
        assert_eq!(resamples(None, usize::MAX), 20_000);
        assert_eq!(resamples(Some(200), 63), 200);
        assert_eq!(too_few(1000, 25, TWO_SIDED), None);
        assert!(too_few(1000, 26, TWO_SIDED).is_some());
        assert_eq!(too_few(1000, 26, PERMUTED), None);
    }
}
