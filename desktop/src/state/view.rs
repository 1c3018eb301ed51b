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
    /// What was opened, with warnings and errors.
    Files,
}

impl View {
    /// All views in the order of their tabs.
    pub const ALL: [Self; 4] = [Self::Rank, Self::Scatter, Self::TradeOff, Self::Files];

    /// The word used on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Rank => "rank",
            Self::Scatter => "scatter",
            Self::TradeOff => "trade-off",
            Self::Files => "files",
        }
    }

    /// The label of the tab.
    pub fn label(self) -> &'static str {
        match self {
            Self::Rank => "Rank",
            Self::Scatter => "Scatter",
            Self::TradeOff => "Trade-off",
            Self::Files => "Files",
        }
    }

    /// Whether the panels for filters and weights stand beside it.
    pub fn compares_models(self) -> bool {
        !matches!(self, Self::Files)
    }
}
