//! What "average" and "one deviation" mean in a score.

use crate::dimension::{Dimension, PerDimension, Values};
use crate::statistics::{mean, standard_deviation};

/// Mean and deviation of one dimension over a set of models.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    /// Mean, in the unit of the dimension.
    pub mean: f64,
    /// Population standard deviation, positive, in the unit of the dimension.
    pub std: f64,
}

/// The set of models that scores are relative to.
#[derive(Clone, Debug, PartialEq)]
pub struct Reference {
    /// Name shown with every score.
    pub name: String,
    /// One scale per dimension; `None` where the set does not define one.
    pub scales: PerDimension<Option<Scale>>,
}

/// Why no reference can be fitted.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum FitError {
    /// No dimension has the two values that a deviation takes.
    #[error(
        "reference '{name}': expected at least 2 models measured on a common dimension, found \
         {models} in all and no such dimension; add models or use the published reference"
    )]
    TooFewModels {
        /// Name of the reference.
        name: String,
        /// Number of models given.
        models: usize,
    },
    /// All models (after trimming) have the same value.
    #[error(
        "reference '{name}': all models have the same {dimension} ({value}), which leaves no scale \
         to score it by; add models that differ in it, leave the dimension out, or use the \
         published reference"
    )]
    ZeroDeviation {
        /// Name of the reference.
        name: String,
        /// The dimension without spread.
        dimension: Dimension,
        /// The value that all models share.
        value: f64,
    },
}

impl Reference {
    /// The study's constants, computed there from unrounded figures of its 326 models.
    pub fn published() -> Self {
        const MEAN: [f64; 9] = [
            0.7990557251908397,
            0.18583778826016084,
            0.5298791080592711,
            0.5664841617855405,
            0.004479927389289115,
            0.783356376851669,
            0.9286352601551336,
            0.30548520497464765,
            55.28778625954198,
        ];
        const STD: [f64; 9] = [
            0.034685710545946026,
            0.11083062192390095,
            0.23383978329969085,
            0.14548627504237352,
            0.0026752085291489288,
            0.024047971612660052,
            0.017724144886557092,
            0.08354531823072534,
            42.8890536095964,
        ];
        let (mean, std) = (PerDimension(MEAN), PerDimension(STD));
        Self {
            name: "published".to_owned(),
            scales: PerDimension::from_fn(|d| {
                Some(Scale {
                    mean: mean[d],
                    std: std[d],
                })
            }),
        }
    }

    /// Signed z-score of a value, positive where it is better than the mean; `None` where the value
    /// is not finite or the reference has no scale for the dimension.
    pub fn z(&self, dimension: Dimension, value: f64) -> Option<f64> {
        let scale = self.scales[dimension]?;
        let signed = dimension.direction().sign() * (value - scale.mean) / scale.std;
        value.is_finite().then_some(signed)
    }

    /// Fits a reference to a set of models by the study's recipe: per dimension, sort the measured
    /// values, drop a tenth (rounded down) at each end, take mean and population deviation.
    ///
    /// A dimension measured by fewer than two models gets no scale and so does not block the
    /// others; scores then list it as missing. Values that are not finite count as not measured.
    ///
    /// # Errors
    /// [`FitError::TooFewModels`] where no dimension has two values; [`FitError::ZeroDeviation`]
    /// where a dimension is measured but does not vary. To fit without such a dimension, set it to
    /// `None` in every model (and its weight to zero).
    pub fn fit(name: impl Into<String>, models: &[Values]) -> Result<Self, FitError> {
        let name = name.into();
        let mut scales = PerDimension([None; 9]);
        for dimension in Dimension::ALL {
            let measured = models.iter().filter_map(|values| values[dimension]);
            let mut sorted: Vec<f64> = measured.filter(|value| value.is_finite()).collect();
            if sorted.len() < 2 {
                continue;
            }
            sorted.sort_by(f64::total_cmp);
            scales[dimension] =
                Some(
                    trimmed_scale(&sorted).map_err(|value| FitError::ZeroDeviation {
                        name: name.clone(),
                        dimension,
                        value,
                    })?,
                );
        }
        if scales.0.iter().all(Option::is_none) {
            return Err(FitError::TooFewModels {
                name,
                models: models.len(),
            });
        }
        Ok(Self { name, scales })
    }
}

/// Scale of at least two sorted values, or the value they share.
fn trimmed_scale(sorted: &[f64]) -> Result<Scale, f64> {
    let trim = sorted.len() / 10;
    let kept = &sorted[trim..sorted.len() - trim];
    let (mean, std) = (mean(kept), standard_deviation(kept, 0));
    // Rounding can leave equal values a deviation of 1e-17, so the values themselves decide.
    if kept.first() == kept.last() || std <= 0.0 || !std.is_finite() {
        return Err(kept[0]);
    }
    Ok(Scale { mean, std })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn models(accuracies: &[f64]) -> Vec<Values> {
        let with = |&acc| {
            let mut values = Values::default();
            values[Dimension::Accuracy] = Some(acc);
            values
        };
        accuracies.iter().map(with).collect()
    }

    #[test]
    fn six_models_are_not_trimmed_and_unmeasured_dimensions_do_not_block() {
        let fitted = Reference::fit("mine", &models(&[3.0, 1.0, 2.0, 4.0, 6.0, 5.0])).unwrap();
        let scale = fitted.scales[Dimension::Accuracy].unwrap();
        assert_eq!(scale.mean, 3.5);
        assert!((scale.std - (35.0_f64 / 12.0).sqrt()).abs() < 1e-15);
        assert_eq!(fitted.scales.0.iter().flatten().count(), 1);
    }

    #[test]
    fn ten_models_lose_one_at_each_end() {
        let fitted = Reference::fit(
            "mine",
            &models(&[-900.0, 1.0, 1.0, 1.0, 1.0, 3.0, 3.0, 3.0, 3.0, 900.0]),
        );
        let expected = Scale {
            mean: 2.0,
            std: 1.0,
        };
        assert_eq!(fitted.unwrap().scales[Dimension::Accuracy], Some(expected));
    }

    #[test]
    fn a_dimension_measured_once_has_no_scale() {
        let mut set = models(&[0.5, 0.6]);
        set[0][Dimension::ShapeBias] = Some(0.2);
        set[1][Dimension::ShapeBias] = Some(f64::NAN);
        let fitted = Reference::fit("mine", &set).unwrap();
        assert_eq!(fitted.scales[Dimension::ShapeBias], None);
    }

    #[test]
    fn errors_say_what_to_do() {
        let error = Reference::fit("mine", &models(&[0.1, 0.1, 0.1])).unwrap_err();
        insta::assert_snapshot!(error, @"reference 'mine': all models have the same accuracy (0.1), which leaves no scale to score it by; add models that differ in it, leave the dimension out, or use the published reference");
        let error = Reference::fit("mine", &models(&[0.1])).unwrap_err();
        insta::assert_snapshot!(error, @"reference 'mine': expected at least 2 models measured on a common dimension, found 1 in all and no such dimension; add models or use the published reference");
    }
}
