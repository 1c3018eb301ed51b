//! The score of one model.

use super::{Reference, Weights};
use crate::dimension::{Dimension, PerDimension, Values};

/// A QUBA score and what it is made of.
#[derive(Clone, Debug, PartialEq)]
pub struct Score {
    /// Weighted mean of signed z-scores: 0 is average, 1 is one deviation better everywhere.
    pub value: f64,
    /// What each dimension adds to the value; `None` where it is missing or has no weight.
    /// The sum is the value.
    pub contributions: PerDimension<Option<f64>>,
    /// Weighted dimensions that the model was not measured on or the reference has no scale for,
    /// in column order. The other weights are renormalised.
    pub missing: Vec<Dimension>,
}

impl Score {
    /// Whether a weighted dimension is missing: such a score compares only with scores that miss
    /// the same.
    pub fn is_partial(&self) -> bool {
        !self.missing.is_empty()
    }
}

/// Scores one model over the weighted dimensions it was measured on.
///
/// `None` where there is no such dimension, or where extreme values leave no finite score. Values
/// that are not finite count as not measured.
pub fn score(values: &Values, reference: &Reference, weights: &Weights) -> Option<Score> {
    let z = PerDimension::from_fn(|d| reference.z(d, values[d]?));
    let weighted = |d: Dimension| weights.get(d) > 0.0;
    let total: f64 = z
        .iter()
        .filter(|(_, z)| z.is_some())
        .map(|(d, _)| weights.get(d))
        .sum();
    let contributions = z.map(|d, z| {
        z.filter(|_| weighted(d))
            .map(|z| weights.get(d) / total * z)
    });
    let missing = Dimension::ALL
        .into_iter()
        .filter(|&d| weighted(d) && z[d].is_none())
        .collect();
    let value: f64 = contributions.0.iter().flatten().sum();
    (total > 0.0 && value.is_finite()).then_some(Score {
        value,
        contributions,
        missing,
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::dimension::Direction;

    fn values() -> impl Strategy<Value = Values> {
        proptest::array::uniform9(proptest::option::of(0.0..100.0_f64)).prop_map(PerDimension)
    }

    fn weights() -> impl Strategy<Value = Weights> {
        proptest::array::uniform9(0.0..10.0_f64)
            .prop_filter_map("all zero", |w| Weights::new(PerDimension(w)).ok())
    }

    fn close(a: f64, b: f64) -> bool {
        (a - b).abs() <= 1e-9 * a.abs().max(b.abs()).max(1.0)
    }

    proptest! {
        #[test]
        fn only_ratios_of_weights_matter(
            values in values(),
            weights in weights(),
            factor in 1e-3..1e3_f64,
        ) {
            let reference = Reference::published();
            let scaled = PerDimension::from_fn(|d| weights.get(d) * factor);
            let scaled = Weights::new(scaled).unwrap();
            match (score(&values, &reference, &weights), score(&values, &reference, &scaled)) {
                (Some(a), Some(b)) => prop_assert!(close(a.value, b.value)),
                (a, b) => prop_assert_eq!(a, b),
            }
        }

        #[test]
        fn better_values_score_higher(
            values in values(),
            index in 0..9_usize,
            gain in 0.01..10.0_f64,
        ) {
            let dimension = Dimension::ALL[index];
            let (reference, weights) = (Reference::published(), Weights::default());
            let (mut worse, mut better) = (values, values);
            worse[dimension] = Some(50.0);
            better[dimension] = Some(match dimension.direction() {
                Direction::HigherIsBetter => 50.0 + gain,
                Direction::LowerIsBetter => 50.0 - gain,
            });
            let worse = score(&worse, &reference, &weights).unwrap();
            let better = score(&better, &reference, &weights).unwrap();
            prop_assert!(better.value > worse.value);
        }

        #[test]
        fn contributions_sum_to_the_value(values in values(), weights in weights()) {
            if let Some(score) = score(&values, &Reference::published(), &weights) {
                let sum: f64 = score.contributions.0.iter().flatten().sum();
                prop_assert!(close(sum, score.value));
                for d in Dimension::ALL {
                    let counted = score.contributions[d].is_some();
                    let weighted = weights.get(d) > 0.0;
                    prop_assert_eq!(counted, weighted && values[d].is_some());
                    prop_assert_eq!(score.missing.contains(&d), weighted && values[d].is_none());
                }
            }
        }
    }

    fn at_one_deviation(dimensions: &[Dimension]) -> Values {
        let scales = Reference::published().scales;
        let mut values = Values::default();
        for &d in dimensions {
            values[d] = scales[d].map(|s| s.mean + d.direction().sign() * s.std);
        }
        values
    }

    #[test]
    fn one_deviation_better_everywhere_is_one() {
        let values = at_one_deviation(&Dimension::ALL);
        let score = score(&values, &Reference::published(), &Weights::default()).unwrap();
        assert!((score.value - 1.0).abs() < 1e-12);
        assert!(!score.is_partial());
    }

    #[test]
    fn missing_dimensions_renormalise_and_mark_partial() {
        let values = at_one_deviation(&[Dimension::Accuracy, Dimension::CalibrationError]);
        let score = score(&values, &Reference::published(), &Weights::default()).unwrap();
        assert!((score.value - 1.0).abs() < 1e-12);
        assert!(score.is_partial());
        assert_eq!(score.missing.len(), 7);
    }

    #[test]
    fn an_unweighted_dimension_is_not_missed() {
        let only_accuracy = "adv=0,cor=0,ood=0,cal=0,bal=0,obj=0,shape=0,params=0";
        let weights: Weights = only_accuracy.parse().unwrap();
        let values = at_one_deviation(&[Dimension::Accuracy]);
        let full = score(&values, &Reference::published(), &weights).unwrap();
        assert!(!full.is_partial());
        let values = at_one_deviation(&[Dimension::ShapeBias]);
        assert_eq!(score(&values, &Reference::published(), &weights), None);
    }

    #[test]
    fn a_dimension_without_scale_is_missing() {
        let mut reference = Reference::published();
        reference.scales[Dimension::ShapeBias] = None;
        let values = at_one_deviation(&Dimension::ALL);
        let score = score(&values, &reference, &Weights::default()).unwrap();
        assert_eq!(score.missing, [Dimension::ShapeBias]);
    }

    #[test]
    fn values_that_are_not_finite_are_missing() {
        let mut values = at_one_deviation(&Dimension::ALL);
        values[Dimension::Accuracy] = Some(f64::NAN);
        let score = score(&values, &Reference::published(), &Weights::default()).unwrap();
        assert_eq!(score.missing, [Dimension::Accuracy]);
    }
}
