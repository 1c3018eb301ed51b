//! The version of the result file format, and which versions this build reads.

use std::fmt;

use super::ReadError;

/// A version of the result file format.
///
/// A minor version appends variants to enums, so that a newer reader understands an older file; a
/// major version changes the structs and brings a reader of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FormatVersion {
    /// Changed when older files need another reader.
    pub major: u16,
    /// Changed when newer files may hold what older readers do not know.
    pub minor: u16,
}

impl FormatVersion {
    /// The version that is written, and the newest that is read. 1.1: generated corruptions; 1.2:
    /// attacks; 1.3: GPUs; 2.0: costs and
    /// shards.
    pub const CURRENT: Self = Self { major: 2, minor: 0 };
    /// The last version of the first format.
    pub const LAST_1: Self = Self { major: 1, minor: 3 };
    /// The oldest version that is read.
    pub const OLDEST: Self = Self { major: 1, minor: 0 };

    /// Whether this build reads files of this version.
    ///
    /// # Errors
    /// [`ReadError::TooNew`] or [`ReadError::TooOld`].
    pub fn readable(self) -> Result<(), ReadError> {
        let supported = match self.major {
            1 => Self::LAST_1,
            _ => Self::CURRENT,
        };
        if self > supported {
            return Err(ReadError::TooNew {
                found: self,
                supported,
            });
        }
        if self < Self::OLDEST {
            return Err(ReadError::TooOld {
                found: self,
                oldest: Self::OLDEST,
            });
        }
        Ok(())
    }
}

impl fmt::Display for FormatVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}
