//! What was computed for one model.

use std::cell::OnceCell;

use shared::dimension::Values;
use shared::quba::{Placement, Score};
use shared::result::Cost;
use shared::uncertainty::QubaInterval;

use super::model::Model;

/// What was computed for one model.
#[derive(Clone, Debug, Default)]
pub struct Row {
    /// The score; `None` where no weighted dimension was measured or the weights are invalid.
    pub score: Option<Score>,
    /// Rank among all models of its layer: own results, or published models.
    pub rank: Option<u32>,
    /// The same under the study's weights.
    pub default_rank: Option<u32>,
    /// Rank among the shown models.
    pub position: Option<u32>,
    /// Signed z-scores, positive where better than the mean of the reference.
    pub z: Values,
    /// Place of an own score among the published ones, on the same dimensions.
    pub place: Option<Placement>,
    /// The interval of the score, once it was asked for.
    pub(super) interval: OnceCell<Option<QubaInterval>>,
    /// Where the model's costs on the chosen device are in [`Model::costs`].
    pub cost: Option<usize>,
    /// Shares of the published models that the figures beat, in [0, 1].
    pub percentiles: Values,
    /// The same of the score, where it is relative to the study.
    pub score_percentile: Option<f64>,
}

impl Row {
    /// What the model costs on the chosen device.
    pub fn cost<'a>(&self, model: &'a Model) -> Option<&'a Cost> {
        model.costs.get(self.cost?)
    }

    /// Images per second on the chosen device, where it was measured.
    pub fn throughput(&self, model: &Model) -> Option<f64> {
        Some(self.cost(model)?.throughput?.images_per_s)
    }

    /// The latency that models are compared by, in milliseconds, on the chosen device.
    pub fn latency(&self, model: &Model) -> Option<f64> {
        Some(self.cost(model)?.latency.p90_ms)
    }

    /// Ranks won against the study's weights.
    pub fn change(&self) -> Option<i64> {
        Some(i64::from(self.default_rank?) - i64::from(self.rank?))
    }
}
