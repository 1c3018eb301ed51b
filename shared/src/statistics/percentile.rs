//! Where a figure stands among others, as a share.

use crate::dimension::Direction;

/// Share of the other figures that `value` beats, in [0, 1]; those equal to it count half. `sorted`
/// is in ascending order; `None` where it is empty or the value is NaN.
///
/// The mid-rank form of the percentile rank: the two directions of the same figures add up to 1.
pub fn percentile(value: f64, sorted: &[f64], direction: Direction) -> Option<f64> {
    if sorted.is_empty() || value.is_nan() {
        return None;
    }
    let below = sorted.partition_point(|other| *other < value);
    let above = sorted.len() - sorted.partition_point(|other| *other <= value);
    let beaten = match direction {
        Direction::HigherIsBetter => below,
        Direction::LowerIsBetter => above,
    };
    let equal = sorted.len() - below - above;
    Some((beaten as f64 + 0.5 * equal as f64) / sorted.len() as f64)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use Direction::{HigherIsBetter, LowerIsBetter};

    #[test]
    fn known_values() {
        let others = [0.1, 0.2, 0.2, 0.4];
        let cases = [
            (0.5, HigherIsBetter, 1.0),
            (0.5, LowerIsBetter, 0.0),
            (0.2, HigherIsBetter, 0.5),
            (0.1, HigherIsBetter, 0.125),
            (0.1, LowerIsBetter, 0.875),
            (0.3, HigherIsBetter, 0.75),
        ];
        for (value, direction, share) in cases {
            assert_eq!(percentile(value, &others, direction), Some(share));
        }
    }

    #[test]
    fn nothing_to_compare_with() {
        assert_eq!(percentile(0.5, &[], HigherIsBetter), None);
        assert_eq!(percentile(f64::NAN, &[0.5], HigherIsBetter), None);
    }

    proptest! {
        #[test]
        fn counts_one_by_one(
            value in 0u8..9,
            mut others in prop::collection::vec(0u8..9, 1..40),
        ) {
            others.sort_unstable();
            let half = |&other: &u8| match other.cmp(&value) {
                std::cmp::Ordering::Less => 2,
                std::cmp::Ordering::Equal => 1,
                std::cmp::Ordering::Greater => 0,
            };
            let halves: u32 = others.iter().map(half).sum();
            let sorted: Vec<f64> = others.iter().map(|&other| f64::from(other)).collect();
            let found = percentile(f64::from(value), &sorted, HigherIsBetter).unwrap();
            let expected = f64::from(halves) / 2.0 / sorted.len() as f64;
            prop_assert!((found - expected).abs() < 1e-12);
            let turned = percentile(f64::from(value), &sorted, LowerIsBetter).unwrap();
            prop_assert!((found + turned - 1.0).abs() < 1e-12);
        }
    }
}
