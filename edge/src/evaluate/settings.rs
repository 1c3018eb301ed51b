//! What a run was asked for.

use std::path::PathBuf;

use shared::{Dimension, Protocol};

/// The validated wishes of one `edge eval` call, models and data apart.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Dimensions to measure.
    pub dimensions: Vec<Dimension>,
    /// Folder of the result files.
    pub out: PathBuf,
    /// At most this many images of each set.
    pub images: Option<u32>,
    /// Worker threads, at least one.
    pub threads: usize,
    /// Seed of everything random.
    pub seed: u64,
    /// Definition used where text and code of the study differ.
    pub protocol: Protocol,
    /// Stop at the first image that cannot be read.
    pub strict: bool,
    /// Ignore earlier results and journals.
    pub fresh: bool,
}

impl Settings {
    /// Whether all class probabilities of the clean images are needed.
    pub(super) fn wants_ace(&self) -> bool {
        self.dimensions.contains(&Dimension::CalibrationError)
    }
}
