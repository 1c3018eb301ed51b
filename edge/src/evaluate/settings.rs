//! What a run was asked for.

use std::path::PathBuf;
use std::time::Duration;

use serde::Serialize;
use shared::outcome::Attack;
use shared::result::Shard;
use shared::{Dimension, Protocol};

use crate::perturb::corruption::Frost;
use crate::perturb::generate::Method;

/// The validated wishes of one `edge eval` call, models and data apart.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Dimensions to measure.
    pub dimensions: Vec<Dimension>,
    /// Folder of the result files.
    pub out: PathBuf,
    /// At most this many images of each set.
    pub images: Option<u32>,
    /// When to be content with fewer.
    pub budget: Option<Budget>,
    /// The part of the images to evaluate, if not all.
    pub shard: Option<Part>,
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
    /// Where corrupted images come from.
    pub corruptions: CorruptionSource,
    /// Side that images are brought to before they are corrupted.
    pub corruption_size: u32,
    /// Whether generated images go through JPEG of quality 85.
    pub jpeg85: bool,
    /// The pictures that frost is made with.
    pub frost: Frost,
    /// Also evaluate the four corruptions that are not scored.
    pub extra_corruptions: bool,
    /// Attacks beside those that are scored.
    pub more_attacks: Vec<Attack>,
    /// Scored images per image of the black-box attack on models without gradients.
    pub square_queries: u32,
}

/// When to stop evaluating: at the first limit that is reached.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Budget {
    /// Time to spend, in all calls of one run.
    pub time: Option<Duration>,
    /// Width that the 95 % interval of QUBA of every model is to come down to.
    pub width: Option<f64>,
}

/// One of the disjoint parts that a run is split into.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Part {
    /// Which one, from 1 to the count.
    pub index: u32,
    /// How many there are.
    pub count: u32,
}

impl Part {
    /// The part in the name of a result file.
    pub(super) fn suffix(self) -> String {
        format!("shard-{}-of-{}", self.index, self.count)
    }
}

/// Where corrupted images come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CorruptionSource {
    /// Stored folders where there are any, else generated from the clean images; cell by cell.
    Auto,
    /// Stored folders only.
    Stored,
    /// Generated from the clean images, whatever is stored.
    Generated,
}

impl Settings {
    /// Whether adversarial robustness is measured.
    pub fn scores_attacks(&self) -> bool {
        self.dimensions.contains(&Dimension::AdversarialRobustness)
    }

    /// Whether models are attacked along their gradients.
    pub fn wants_gradients(&self) -> bool {
        let mut more = self.more_attacks.iter();
        self.scores_attacks() || more.any(|attack| attack.method.needs_gradient())
    }

    /// How corrupted images are generated.
    pub fn method(&self) -> Method {
        Method {
            side: self.corruption_size,
            jpeg85: self.jpeg85,
            frost: self.frost.clone(),
            seed: self.seed,
        }
    }

    /// The record of the shard, before it has a pass.
    pub(super) fn shard_record(&self) -> Option<Shard> {
        self.shard.map(|Part { index, count }| Shard {
            count,
            images_per_set: self.images,
            index,
            passes: Vec::new(),
            probabilities: None,
        })
    }

    /// Whether all class probabilities of the clean images are needed.
    pub(super) fn wants_ace(&self) -> bool {
        self.dimensions.contains(&Dimension::CalibrationError)
    }
}
