//! Shares of the published models that figures beat.

use shared::PerDimension;
use shared::dimension::{Direction, Values};
use shared::published::PublishedModel;
use shared::statistics::percentile;

use super::choices::Choices;

/// The published models that count: all, or those with clean rows.
pub fn counted(choices: &Choices) -> impl Iterator<Item = &'static PublishedModel> {
    let clean_only = choices.filter.clean_only;
    let models = shared::published::models().iter();
    models.filter(move |model| !clean_only || model.is_clean())
}

/// The figures of the published models that count.
pub struct Published(PerDimension<Vec<f64>>);

impl Published {
    /// Gathers them.
    pub fn of(choices: &Choices) -> Self {
        Self(PerDimension::from_fn(|dimension| {
            sorted(counted(choices).filter_map(|model| model.values[dimension]))
        }))
    }

    /// The share that each figure beats.
    pub fn beaten(&self, values: &Values) -> Values {
        values.map(|d, value| percentile((*value)?, &self.0[d], d.direction()))
    }
}

/// The share of scores that a score beats.
pub fn beaten(score: f64, sorted: &[f64]) -> Option<f64> {
    percentile(score, sorted, Direction::HigherIsBetter)
}

/// Figures in ascending order.
pub fn sorted(figures: impl IntoIterator<Item = f64>) -> Vec<f64> {
    let mut figures: Vec<f64> = figures.into_iter().collect();
    figures.sort_by(f64::total_cmp);
    figures
}
