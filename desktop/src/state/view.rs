//! What fills the window.

use serde::{Deserialize, Serialize};

/// A view that a tab leads to. A new one is added here and in `views/mod.rs`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum View {
    /// The sortable table.
    #[default]
    Rank,
    /// Any two quantities.
    Scatter,
    /// Deployment cost against quality.
    TradeOff,
    /// Everything about the model selected last.
    Model,
    /// The selected models side by side.
    Compare,
    /// How the dimensions go together.
    Correlations,
    /// All dimensions of all models as lines.
    Parallel,
    /// What was opened, with warnings and errors.
    Files,
}

impl View {
    /// All views in the order of their tabs.
    pub const ALL: [Self; 8] = [
        Self::Rank,
        Self::Scatter,
        Self::TradeOff,
        Self::Model,
        Self::Compare,
        Self::Parallel,
        Self::Correlations,
        Self::Files,
    ];

    /// The word used on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Rank => "rank",
            Self::Scatter => "scatter",
            Self::TradeOff => "trade-off",
            Self::Model => "model",
            Self::Compare => "compare",
            Self::Correlations => "correlations",
            Self::Parallel => "parallel",
            Self::Files => "files",
        }
    }

    /// The label of the tab.
    pub fn label(self) -> &'static str {
        match self {
            Self::Rank => "Rank",
            Self::Scatter => "Scatter",
            Self::TradeOff => "Trade-off",
            Self::Model => "Model",
            Self::Compare => "Compare",
            Self::Correlations => "Correlations",
            Self::Parallel => "Parallel",
            Self::Files => "Files",
        }
    }

    /// Whether the panels for filters and weights stand beside it.
    pub fn compares_models(self) -> bool {
        !matches!(self, Self::Files | Self::Correlations)
    }

    /// Whether it shows only models that pass the filters.
    pub fn is_filtered(self) -> bool {
        self.compares_models() && !matches!(self, Self::Model | Self::Compare)
    }
}
