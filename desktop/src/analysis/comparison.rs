//! Up to six models side by side.

use shared::Dimension;
use shared::dimension::Values;
use shared::quba::{Reference, Weights};
use shared::statistics::holm;
use shared::uncertainty::{self, Difference, Interval, NotCompared, Test};

use crate::state::derived::Derived;
use crate::state::model::Model;

/// One model beside the first.
#[derive(Clone, Debug)]
pub struct Beside {
    /// Its values minus those of the first, where both have one.
    pub differences: Values,
    /// The score and the dimensions on the images that both saw, or why none is compared.
    pub tests: Result<Vec<Tested>, &'static str>,
}

/// Whether a figure of two models differs by more than chance.
#[derive(Clone, Debug)]
pub struct Tested {
    /// The dimension, or the score.
    pub dimension: Option<Dimension>,
    /// How sure the difference is, or why that is not known, in words.
    pub outcome: Result<Outcome, String>,
}

/// How sure a difference is.
#[derive(Clone, Copy, Debug)]
pub struct Outcome {
    /// The figure of the model less that of the first.
    pub difference: f64,
    /// Its 95 % interval.
    pub interval: Interval,
    /// Two-sided p-value, corrected by Holm's method for everything that is compared at once.
    pub p: f64,
    /// How it was found.
    pub test: Test,
}

/// Compares every model with the first of them, under the current weights.
pub fn compare(models: &[&Model], derived: &Derived) -> Vec<Beside> {
    let Some((first, others)) = models.split_first() else {
        return Vec::new();
    };
    let mut found: Vec<Beside> = others
        .iter()
        .map(|other| beside(first, other, derived))
        .collect();
    correct(&mut found);
    found
}

fn beside(first: &Model, other: &Model, derived: &Derived) -> Beside {
    Beside {
        differences: first
            .values
            .map(|d, value| Some(other.values[d]? - (*value)?)),
        tests: match &derived.weights {
            Some(weights) => tests(first, other, weights, &derived.reference),
            None => Err("the weights are not valid"),
        },
    }
}

fn tests(
    first: &Model,
    other: &Model,
    weights: &Weights,
    reference: &Reference,
) -> Result<Vec<Tested>, &'static str> {
    let (Some(a), Some(b)) = (first.measurements(), other.measurements()) else {
        return Err("the study published no outcomes per image");
    };
    let (Some(x), Some(y)) = (a.certainty(), b.certainty()) else {
        return Err("being computed");
    };
    let first = uncertainty::Model {
        evaluation: &a.evaluation,
        resampled: &x.resampled,
    };
    let second = uncertainty::Model {
        evaluation: &b.evaluation,
        resampled: &y.resampled,
    };
    let found = uncertainty::compare(first, second, weights, reference);
    let mut tests = vec![tested(None, &found.quba)];
    let dimensions = found.dimensions.iter();
    // Whatever the images are, parameters are what they are.
    let dimensions = dimensions.filter(|(d, _)| *d != Dimension::Parameters);
    tests.extend(dimensions.map(|(d, difference)| tested(Some(d), difference)));
    Ok(tests)
}

fn tested(dimension: Option<Dimension>, found: &Result<Difference, NotCompared>) -> Tested {
    let outcome = match found {
        Err(reason) => Err(reason.to_string()),
        Ok(found) => match &found.certainty {
            Err(reason) => Err(reason.to_string()),
            Ok(certainty) => Ok(Outcome {
                difference: found.value(),
                interval: certainty.interval,
                p: certainty.p,
                test: certainty.test,
            }),
        },
    };
    Tested { dimension, outcome }
}

/// Many comparisons at once find differences by chance.
fn correct(found: &mut [Beside]) {
    let tests = found
        .iter_mut()
        .filter_map(|beside| beside.tests.as_mut().ok());
    let mut outcomes: Vec<&mut Outcome> = tests
        .flatten()
        .filter_map(|test| test.outcome.as_mut().ok())
        .collect();
    let p_values: Vec<f64> = outcomes.iter().map(|outcome| outcome.p).collect();
    for (outcome, p) in outcomes.iter_mut().zip(holm(&p_values)) {
        outcome.p = p;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::AppState;
    use crate::state::testing;

    #[test]
    fn differences_come_with_intervals_and_the_correction_for_all_of_them() {
        let mut state = AppState::default();
        state.add_files(testing::demo());
        state.refresh();
        let compared = |state: &AppState, n: usize| {
            let models: Vec<&Model> = state.library.models().iter().take(n).collect();
            compare(&models, state.derived())
        };
        assert_eq!(
            compared(&state, 2)[0].tests.as_ref().unwrap_err(),
            &"being computed"
        );
        state.library.resample();
        state.refresh();
        let (two, three) = (compared(&state, 2), compared(&state, 3));
        assert_eq!(three.len(), 2);
        for beside in &three {
            let tests = beside.tests.as_ref().unwrap();
            assert_eq!(
                tests.len(),
                9,
                "the score and all dimensions but parameters"
            );
            for test in tests {
                let Ok(outcome) = &test.outcome else { continue };
                assert!(outcome.interval.low <= outcome.interval.high);
                if let Some(dimension) = test.dimension {
                    let difference = beside.differences[dimension].unwrap();
                    assert!((outcome.difference - difference).abs() < 1e-12);
                }
            }
        }
        let p = |found: &[Beside]| {
            let accuracy = &found[0].tests.as_ref().unwrap()[1];
            assert_eq!(accuracy.dimension, Some(Dimension::Accuracy));
            accuracy.outcome.as_ref().unwrap().p
        };
        assert!(p(&two) <= p(&three), "more comparisons, larger p-values");
    }

    #[test]
    fn published_models_are_compared_without_tests() {
        let mut state = AppState::default();
        state.add_files(testing::demo());
        state.library.resample();
        state.refresh();
        let models = state.library.models();
        let published = models.iter().find(|m| m.is_published()).unwrap();
        let found = compare(&[&models[0], published], state.derived());
        assert!(found[0].tests.is_err());
        assert!(compare(&[], state.derived()).is_empty());
    }
}
