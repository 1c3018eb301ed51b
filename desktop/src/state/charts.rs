//! What the plots show.

use serde::{Deserialize, Serialize};
use shared::Dimension;

use crate::chart::Quantity;

/// The quantities of a plot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Axes {
    /// From left to right; the cost in the trade-off.
    pub x: Quantity,
    /// From bottom to top; the quality in the trade-off.
    pub y: Quantity,
}

/// Axes and layers of the plots.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ChartChoices {
    /// Any two quantities.
    pub scatter: Axes,
    /// Deployment cost against quality.
    pub trade_off: Axes,
    /// Whether the scatter shows its Pareto front.
    pub front: bool,
    /// Whether models are named in the plots.
    pub labels: bool,
}

impl Default for ChartChoices {
    fn default() -> Self {
        Self {
            scatter: Axes {
                x: Quantity::Value(Dimension::Accuracy),
                y: Quantity::Value(Dimension::CorruptionRobustness),
            },
            trade_off: Axes {
                x: Quantity::Value(Dimension::Parameters),
                y: Quantity::Quba,
            },
            front: false,
            labels: true,
        }
    }
}
