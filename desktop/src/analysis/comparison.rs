//! Up to six models side by side.

use shared::dimension::Values;
use shared::metrics::paired::{Paired, paired};
use shared::statistics::mcnemar_mid_p;

use crate::state::model::Model;

/// One model beside the first.
#[derive(Clone, Debug)]
pub struct Beside {
    /// Its values minus those of the first, where both have one.
    pub differences: Values,
    /// Right answers on the clean images that both hold, or why they cannot be compared.
    pub clean: Result<Significance, &'static str>,
}

/// Whether clean accuracies differ by more than chance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Significance {
    /// The counts; "first" is the first model.
    pub counts: Paired,
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
        clean: significance(first, other),
    }
}

fn significance(first: &Model, other: &Model) -> Result<Significance, &'static str> {
    let (Some(a), Some(b)) = (first.measurements(), other.measurements()) else {
        return Err("the study published no outcomes per image");
    };
    let counts = paired(&a.evaluation, &b.evaluation).ok_or("no common clean images")?;
    Ok(Significance {
        counts,
        p: mcnemar_mid_p(counts.only_first, counts.only_second),
    })
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
            let Significance { counts, p } = beside.clean.unwrap();
            let net = f64::from(counts.only_second) - f64::from(counts.only_first);
            let difference = beside.differences[Dimension::Accuracy].unwrap();
            assert!(
                (net / f64::from(counts.images) - difference).abs() < 1e-12,
                "{}",
                other.name
            );
            assert!(p > 0.0 && p <= 1.0);
        }
        let published = library.models().iter().find(|m| m.is_published()).unwrap();
        let found = compare(&[models[0], published]);
        assert!(found[0].clean.is_err());
        assert!(compare(&[]).is_empty());
    }
}
