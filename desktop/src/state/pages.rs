//! What a person set on the pages that compare models.

use serde::{Deserialize, Serialize};

use crate::analysis::axes::Brushes;
use crate::analysis::correlations::Layer;

/// Choices of single views, kept in sessions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Pages {
    /// The models that correlations are computed over.
    pub correlations: Layer,
    /// What picks lines of the parallel coordinates.
    pub brushes: Brushes,
}
