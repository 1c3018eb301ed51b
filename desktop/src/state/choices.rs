//! What a person sets to rank models: all of it can be undone and is kept in sessions.

use serde::{Deserialize, Serialize};
use shared::PerDimension;
use shared::quba::{Preset, Weights, WeightsError};

use super::filter::Filter;

/// Weights, filters and how scores are computed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Choices {
    /// Weights as set by a person, which need not be valid.
    pub weights: PerDimension<f64>,
    /// Which models are shown.
    pub filter: Filter,
    /// What scores are relative to.
    pub reference: ReferenceChoice,
    /// What happens where a weighted dimension was not measured.
    pub missing: MissingPolicy,
    /// The device whose latencies count, by its label; the only one where there is one.
    pub device: Option<String>,
}

impl Default for Choices {
    fn default() -> Self {
        Self {
            weights: numbers(&Weights::default()),
            filter: Filter::default(),
            reference: ReferenceChoice::default(),
            missing: MissingPolicy::default(),
            device: None,
        }
    }
}

impl Choices {
    /// The weights to score by.
    ///
    /// # Errors
    /// They are refused, for instance as all are zero.
    pub fn weights(&self) -> Result<Weights, WeightsError> {
        Weights::new(self.weights)
    }

    /// Takes over valid weights.
    pub fn set_weights(&mut self, weights: &Weights) {
        self.weights = numbers(weights);
    }

    /// The preset that the weights are those of.
    pub fn preset(&self) -> Option<Preset> {
        Preset::ALL
            .into_iter()
            .find(|preset| numbers(&preset.weights()) == self.weights)
    }
}

/// Weights as nine numbers.
pub fn numbers(weights: &Weights) -> PerDimension<f64> {
    PerDimension::from_fn(|d| weights.get(d))
}

/// What "average" and "one deviation" mean in a score.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ReferenceChoice {
    /// As `edge rank` chooses: the study, or the opened models where they are of other data.
    #[default]
    Automatic,
    /// The study's constants.
    Published,
    /// Fitted on the opened models.
    Opened,
}

impl ReferenceChoice {
    /// All choices, the default first.
    pub const ALL: [Self; 3] = [Self::Automatic, Self::Published, Self::Opened];

    /// The label a person reads.
    pub fn label(self) -> &'static str {
        match self {
            Self::Automatic => "Automatic",
            Self::Published => "The study",
            Self::Opened => "The opened models",
        }
    }
}

/// What happens to models that lack a weighted dimension.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MissingPolicy {
    /// They are scored on the others and marked.
    #[default]
    Partial,
    /// They get no rank.
    Exclude,
}

/// Weights that a person saved.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OwnPreset {
    /// Its name, unique among own presets.
    pub name: String,
    /// The weights, valid when saved.
    pub weights: PerDimension<f64>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_start_with_the_study_and_know_their_preset() {
        let mut choices = Choices::default();
        assert_eq!(choices.preset(), Some(Preset::Study));
        choices.set_weights(&Preset::Equal.weights());
        assert_eq!(choices.preset(), Some(Preset::Equal));
        choices.weights.0[0] = 0.25;
        assert_eq!(choices.preset(), None);
        choices.weights = PerDimension([0.0; 9]);
        assert_eq!(choices.weights(), Err(WeightsError::AllZero));
    }
}
