//! Up to six models side by side.

use shared::dimension::Values;
use shared::statistics::mcnemar_mid_p;

use super::outcomes::{Answers, answers};
use crate::state::model::Model;

/// One model beside the first.
#[derive(Clone, Debug)]
pub struct Beside {
    /// Its values minus those of the first, where both have one.
    pub differences: Values,
    /// Answers on the images that both hold, the clean ones first, or why none can be compared.
    pub tests: Result<Vec<Significance>, &'static str>,
}

/// Whether answers differ by more than chance.
#[derive(Clone, Debug, PartialEq)]
pub struct Significance {
    /// The answers; "first" is the first model.
    pub answers: Answers,
    /// McNemar's two-sided mid-p value.
    pub p: f64,
}

/// Compares every model with the first of them.
pub fn compare(models: &[&Model]) -> Vec<Beside> {
    let Some((first, others)) = models.split_first() else {
        return Vec::new();
    };
    others.iter().map(|other| beside(first, other)).collect()
}

fn beside(first: &Model, other: &Model) -> Beside {
    Beside {
        differences: first
            .values
            .map(|d, value| Some(other.values[d]? - (*value)?)),
        tests: tests(first, other),
    }
}

fn tests(first: &Model, other: &Model) -> Result<Vec<Significance>, &'static str> {
    let (Some(a), Some(b)) = (first.measurements(), other.measurements()) else {
        return Err("the study published no outcomes per image");
    };
    let tests: Vec<Significance> = answers(&a.evaluation, &b.evaluation)
        .into_iter()
        .map(|answers| Significance {
            p: mcnemar_mid_p(answers.counts.only_first, answers.counts.only_second),
            answers,
        })
        .collect();
    if tests.is_empty() {
        return Err("no images in common");
    }
    Ok(tests)
}

#[cfg(test)]
mod tests {
    use shared::Dimension;

    use super::*;
    use crate::state::library::Library;
    use crate::state::testing;

    #[test]
    fn differences_and_counts_agree_with_the_accuracies() {
        let mut library = Library::default();
        library.insert(testing::demo());
        let models: Vec<&Model> = library.models().iter().take(3).collect();
        let found = compare(&models);
        assert_eq!(found.len(), 2);
        for (beside, other) in found.iter().zip(&models[1..]) {
            let tests = beside.tests.as_ref().unwrap();
            // Clean, five sets, backgrounds, shapes, corruptions, two attacks.
            assert_eq!(tests.len(), 11);
            let Significance { answers, p } = &tests[0];
            let counts = answers.counts;
            let net = f64::from(counts.only_second) - f64::from(counts.only_first);
            let difference = beside.differences[Dimension::Accuracy].unwrap();
            assert!(
                (net / f64::from(counts.images) - difference).abs() < 1e-12,
                "{}",
                other.name
            );
            assert!(*p > 0.0 && *p <= 1.0);
        }
        let published = library.models().iter().find(|m| m.is_published()).unwrap();
        let found = compare(&[models[0], published]);
        assert!(found[0].tests.is_err());
        assert!(compare(&[]).is_empty());
    }
}
