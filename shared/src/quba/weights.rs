//! How much each dimension counts.

use std::fmt;
use std::str::FromStr;

use crate::dimension::{Dimension, PerDimension, UnknownDimension};

/// Nine weights, finite and not negative, at least one positive; only their ratios matter.
///
/// Whether a dimension raises or lowers the score is fixed by the dimension, never by its weight.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Weights(pub(super) PerDimension<f64>);

/// Why weights are refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum WeightsError {
    /// Not of the form `name=number`.
    #[error("weight '{0}': expected NAME=NUMBER, such as acc=1 or adv=1/3")]
    Malformed(String),
    /// The name before the equals sign is no dimension.
    #[error(transparent)]
    UnknownDimension(#[from] UnknownDimension),
    /// The text after the equals sign is no number.
    #[error("weight of {dimension}: expected a number or a fraction, found '{found}'")]
    NotANumber {
        /// The weighted dimension.
        dimension: Dimension,
        /// The text found.
        found: String,
    },
    /// A dimension is named twice.
    #[error("weight of {0}: given twice, expected once")]
    Repeated(Dimension),
    /// A weight below zero.
    #[error(
        "weight of {dimension}: expected zero or more, found {found}; the sign is fixed by the \
         dimension (calibration error and parameters already count against a model)"
    )]
    Negative {
        /// The weighted dimension.
        dimension: Dimension,
        /// The weight found.
        found: f64,
    },
    /// A weight that is infinite, not a number, or so large that the sum overflows.
    #[error("weight of {dimension}: expected a finite number, found {found}")]
    NotFinite {
        /// The weighted dimension.
        dimension: Dimension,
        /// The weight found.
        found: f64,
    },
    /// Nothing counts.
    #[error("all weights are zero, expected at least one above zero")]
    AllZero,
}

impl Default for Weights {
    /// The study's weights: accuracy, robustness (three kinds), calibration, class balance, focus
    /// (object and shape) and size count the same.
    fn default() -> Self {
        let third = 1.0 / 3.0;
        Self(PerDimension([
            1.0, third, third, third, 1.0, 1.0, 0.5, 0.5, 1.0,
        ]))
    }
}

impl Weights {
    /// Weights from numbers.
    ///
    /// # Errors
    /// A weight is negative or not finite, or all are zero.
    pub fn new(weights: PerDimension<f64>) -> Result<Self, WeightsError> {
        // Nine weights of this size still have a finite sum.
        const LARGEST: f64 = f64::MAX / 16.0;
        for (dimension, &found) in weights.iter() {
            if !found.is_finite() || found > LARGEST {
                return Err(WeightsError::NotFinite { dimension, found });
            }
            if found < 0.0 {
                return Err(WeightsError::Negative { dimension, found });
            }
        }
        if weights.0.iter().all(|&weight| weight == 0.0) {
            return Err(WeightsError::AllZero);
        }
        Ok(Self(weights))
    }

    /// The weight of a dimension.
    pub fn get(&self, dimension: Dimension) -> f64 {
        self.0[dimension]
    }

    /// These weights with some replaced, given as `name=number` pairs separated by commas.
    ///
    /// Names are those of [`Dimension::column`] or [`Dimension::name`]; numbers may be fractions
    /// such as `1/3`. Dimensions that are not named keep their weight.
    ///
    /// # Errors
    /// A pair is malformed, unknown or repeated, or the result is refused by [`Weights::new`].
    pub fn adjusted(&self, text: &str) -> Result<Self, WeightsError> {
        let mut weights = self.0;
        let mut named = Vec::new();
        for token in text.split(',').map(str::trim) {
            let Some((name, number)) = token.split_once('=') else {
                return Err(WeightsError::Malformed(token.to_owned()));
            };
            let dimension: Dimension = name.trim().parse()?;
            if named.contains(&dimension) {
                return Err(WeightsError::Repeated(dimension));
            }
            named.push(dimension);
            weights[dimension] =
                parse_number(number.trim()).ok_or_else(|| WeightsError::NotANumber {
                    dimension,
                    found: number.trim().to_owned(),
                })?;
        }
        Self::new(weights)
    }
}

/// A decimal number or a fraction of two.
fn parse_number(text: &str) -> Option<f64> {
    match text.split_once('/') {
        None => text.parse().ok(),
        Some((above, below)) => {
            let (above, below): (f64, f64) =
                (above.trim().parse().ok()?, below.trim().parse().ok()?);
            Some(above / below)
        }
    }
}

impl FromStr for Weights {
    type Err = WeightsError;

    /// The study's weights with the named ones replaced, see [`Weights::adjusted`].
    fn from_str(text: &str) -> Result<Self, WeightsError> {
        Self::default().adjusted(text)
    }
}

impl fmt::Display for Weights {
    /// All nine as `name=number` pairs; parsing the text gives the same weights.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, (dimension, weight)) in self.0.iter().enumerate() {
            let comma = if i == 0 { "" } else { "," };
            write!(f, "{comma}{}={weight}", dimension.column())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn named_weights_replace_the_study_s() {
        let weights: Weights = "adv=0.5, params = 0,ood=2/4".parse().unwrap();
        assert_eq!(weights.get(Dimension::AdversarialRobustness), 0.5);
        assert_eq!(weights.get(Dimension::OodRobustness), 0.5);
        assert_eq!(weights.get(Dimension::Parameters), 0.0);
        assert_eq!(weights.get(Dimension::CorruptionRobustness), 1.0 / 3.0);
        assert_eq!(weights.get(Dimension::Accuracy), 1.0);
    }

    #[test]
    fn printed_weights_parse_to_themselves() {
        let weights = Weights::default();
        assert_eq!(weights.to_string().parse(), Ok(weights));
    }

    #[test]
    fn messages() {
        let refused = [
            "",
            "acc",
            "acc=1,",
            "speed=1",
            "acc=much",
            "acc=1/x",
            "acc=1/0",
            "acc=NaN",
            "acc=1e400",
            "params=-1",
            "acc=1,accuracy=2",
            "acc=0,adv=0,cor=0,ood=0,cal=0,bal=0,obj=0,shape=0,params=0",
        ];
        let lines: Vec<String> = refused
            .iter()
            .map(|text| text.parse::<Weights>().unwrap_err().to_string())
            .collect();
        insta::assert_snapshot!(lines.join("\n"), @r"
        weight '': expected NAME=NUMBER, such as acc=1 or adv=1/3
        weight 'acc': expected NAME=NUMBER, such as acc=1 or adv=1/3
        weight '': expected NAME=NUMBER, such as acc=1 or adv=1/3
        unknown dimension 'speed': expected one of acc, adv, cor, ood, cal, bal, obj, shape, params
        weight of accuracy: expected a number or a fraction, found 'much'
        weight of accuracy: expected a number or a fraction, found '1/x'
        weight of accuracy: expected a finite number, found inf
        weight of accuracy: expected a finite number, found NaN
        weight of accuracy: expected a finite number, found inf
        weight of parameters: expected zero or more, found -1; the sign is fixed by the dimension (calibration error and parameters already count against a model)
        weight of accuracy: given twice, expected once
        all weights are zero, expected at least one above zero
        ");
    }

    #[test]
    fn weights_whose_sum_overflows_are_refused() {
        let huge = Weights::new(PerDimension([f64::MAX; 9]));
        assert!(matches!(huge, Err(WeightsError::NotFinite { .. })));
    }
}
