//! Named weights for common purposes.

use std::fmt;
use std::str::FromStr;

use super::Weights;
use crate::dimension::PerDimension;

/// A named set of weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preset {
    /// The study's weights.
    Study,
    /// Accuracy outweighs all else.
    AccuracyFirst,
    /// Robustness and calibration first, size ignored.
    SafetyCritical,
    /// Class balance outweighs all else.
    Fairness,
    /// Few parameters outweigh all else.
    SmallDevice,
    /// Nine equal weights.
    Equal,
}

impl Preset {
    /// All presets, the default first.
    pub const ALL: [Self; 6] = [
        Self::Study,
        Self::AccuracyFirst,
        Self::SafetyCritical,
        Self::Fairness,
        Self::SmallDevice,
        Self::Equal,
    ];

    /// The word used in options.
    pub fn name(self) -> &'static str {
        match self {
            Self::Study => "study",
            Self::AccuracyFirst => "accuracy-first",
            Self::SafetyCritical => "safety-critical",
            Self::Fairness => "fairness",
            Self::SmallDevice => "small-device",
            Self::Equal => "equal",
        }
    }

    /// What the weights express, for a person who chooses.
    pub fn description(self) -> &'static str {
        match self {
            Self::Study => "the study's weights: six themes count the same",
            Self::AccuracyFirst => "accuracy counts as much as everything else together",
            Self::SafetyCritical => {
                "every kind of robustness counts like accuracy, calibration twice; size does not"
            }
            Self::Fairness => "class balance counts as much as everything else together",
            Self::SmallDevice => "few parameters count as much as everything else together",
            Self::Equal => "all nine dimensions count the same",
        }
    }

    /// The weights.
    pub fn weights(self) -> Weights {
        const THIRD: f64 = 1.0 / 3.0;
        let weights = match self {
            Self::Study => [1.0, THIRD, THIRD, THIRD, 1.0, 1.0, 0.5, 0.5, 1.0],
            Self::AccuracyFirst => [5.0, THIRD, THIRD, THIRD, 1.0, 1.0, 0.5, 0.5, 1.0],
            Self::SafetyCritical => [1.0, 1.0, 1.0, 1.0, 2.0, 1.0, 0.5, 0.5, 0.0],
            Self::Fairness => [1.0, THIRD, THIRD, THIRD, 1.0, 5.0, 0.5, 0.5, 1.0],
            Self::SmallDevice => [1.0, THIRD, THIRD, THIRD, 1.0, 1.0, 0.5, 0.5, 5.0],
            Self::Equal => [1.0; 9],
        };
        Weights(PerDimension(weights))
    }
}

impl fmt::Display for Preset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A word that names no preset.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "unknown preset '{0}': expected one of study, accuracy-first, safety-critical, fairness, \
     small-device, equal"
)]
pub struct UnknownPreset(pub String);

impl FromStr for Preset {
    type Err = UnknownPreset;

    fn from_str(word: &str) -> Result<Self, UnknownPreset> {
        Self::ALL
            .into_iter()
            .find(|preset| preset.name() == word)
            .ok_or_else(|| UnknownPreset(word.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dimension::Dimension;

    #[test]
    fn names_lead_back_and_the_message_lists_them_all() {
        let message = UnknownPreset("x".to_owned()).to_string();
        for preset in Preset::ALL {
            assert_eq!(preset.name().parse(), Ok(preset));
            assert!(message.contains(preset.name()));
        }
    }

    #[test]
    fn presets_are_valid_and_only_the_study_s_is_the_default() {
        for preset in Preset::ALL {
            let is_default = preset.weights() == Weights::default();
            assert_eq!(is_default, preset == Preset::Study, "{preset}");
            assert!(Weights::new(preset.weights().0).is_ok(), "{preset}");
        }
    }

    #[test]
    fn descriptions_hold() {
        for (preset, leading) in [
            (Preset::AccuracyFirst, Dimension::Accuracy),
            (Preset::Fairness, Dimension::ClassBalance),
            (Preset::SmallDevice, Dimension::Parameters),
        ] {
            let weights = preset.weights();
            let sum: f64 = Dimension::ALL.map(|d| weights.get(d)).iter().sum();
            assert!((2.0 * weights.get(leading) - sum).abs() < 1e-12, "{preset}");
        }
    }
}
