//! Which definition a dimension was measured by.

use serde::{Deserialize, Serialize};

/// The two definitions of a measurement, where the study's text and its code differ.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub enum Protocol {
    /// What the text of the definition means.
    #[default]
    Correct,
    /// What the study's code does, quirks included.
    Published,
}

impl Protocol {
    /// The word used in options and output.
    pub fn name(self) -> &'static str {
        match self {
            Self::Correct => "correct",
            Self::Published => "published",
        }
    }
}

impl std::fmt::Display for Protocol {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.name())
    }
}
