//! Where the shown images came from.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Where the images of a pass came from. Stored and generated corruptions are not the same method.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Origin {
    /// Files as found on disk.
    Stored,
    /// Made from the clean images at evaluation time (since format 1.1).
    Generated(Generation),
}

/// How images were made from the clean ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Generation {
    /// Side in pixels of the square that an image was resized and cropped to first; images with a
    /// shorter side below it were only cropped.
    pub side: u32,
    /// Whether the corrupted image went through JPEG of quality 85, as the published ones did.
    pub jpeg85: bool,
    /// The frost pictures; `None` for every other corruption.
    pub frost: Option<FrostSource>,
}

/// The pictures that frost was made with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum FrostSource {
    /// Built-in synthetic textures, comparable with the photographs in distribution only.
    Synthetic,
    /// Pictures that the user gave, by the BLAKE3 of their pixels.
    Pictures([u8; 32]),
}

impl Origin {
    /// Whether frost was made with synthetic textures.
    pub fn has_synthetic_frost(self) -> bool {
        matches!(self, Self::Generated(g) if g.frost == Some(FrostSource::Synthetic))
    }
}

impl Origin {
    /// `name` as a label of images of this origin: synthetic frost is marked.
    pub fn label(self, name: impl fmt::Display) -> String {
        if self.has_synthetic_frost() {
            format!("{name} (synthetic)")
        } else {
            name.to_string()
        }
    }
}

impl fmt::Display for Origin {
    /// `stored`, or how the images were generated.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stored => f.pad("stored"),
            Self::Generated(generation) => f.pad(&generation.to_string()),
        }
    }
}

impl fmt::Display for Generation {
    /// For instance `generated at up to 224 px with synthetic frost, stored as JPEG 85`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "generated at up to {} px", self.side)?;
        match self.frost {
            None => {}
            Some(FrostSource::Synthetic) => f.write_str(" with synthetic frost")?,
            Some(FrostSource::Pictures(hash)) => {
                f.write_str(" with frost pictures ")?;
                hash.iter()
                    .take(4)
                    .try_for_each(|byte| write!(f, "{byte:02x}"))?;
            }
        }
        if self.jpeg85 {
            f.write_str(", stored as JPEG 85")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words() {
        let plain = Generation {
            side: 224,
            jpeg85: false,
            frost: None,
        };
        let synthetic = Generation {
            jpeg85: true,
            frost: Some(FrostSource::Synthetic),
            ..plain
        };
        let pictures = Generation {
            frost: Some(FrostSource::Pictures([0xab; 32])),
            ..plain
        };
        let words = [plain, synthetic, pictures].map(|g| Origin::Generated(g).to_string());
        assert_eq!(
            words,
            [
                "generated at up to 224 px",
                "generated at up to 224 px with synthetic frost, stored as JPEG 85",
                "generated at up to 224 px with frost pictures abababab",
            ]
        );
        assert_eq!(Origin::Stored.to_string(), "stored");
        assert!(Origin::Generated(synthetic).has_synthetic_frost());
        assert!(!Origin::Generated(pictures).has_synthetic_frost());
    }
}
