//! What a part of a split run keeps until all parts are merged: format 2.

use serde::{Deserialize, Serialize};

use crate::outcome::{IndexRuns, PassKind};

/// A shard: one of the disjoint parts, stratified by class, that a run was split into.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shard {
    /// Number of shards of the run.
    pub count: u32,
    /// At most this many images of each set in all shards together; `None` for all images.
    pub images_per_set: Option<u32>,
    /// Which of them, from 1 to the count.
    pub index: u32,
    /// Its passes that other shards still have to complete, sorted; each with the number of images
    /// whose outputs were not finite.
    pub passes: Vec<(PassKind, u32)>,
    /// What the adaptive calibration error of all shards together is computed from.
    pub probabilities: Option<Probabilities>,
}

impl Shard {
    /// What an evaluation holds one shard of.
    pub fn key(&self) -> (u32, Option<u32>, u32) {
        (self.count, self.images_per_set, self.index)
    }

    /// Whether both are parts of the same split.
    pub fn is_of_split(&self, other: &Self) -> bool {
        (self.count, self.images_per_set) == (other.count, other.images_per_set)
    }
}

/// The class probabilities of a shard's clean images, exact but for their order: sorted and
/// written as differences, they take about 2.5 bytes each in a shard of 12,500 images.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Probabilities {
    /// Positions of the images in the complete list.
    pub images: IndexRuns,
    /// By class, the [`ace_keys`](crate::metrics::calibration::ace_keys) of the images: the first
    /// one, then the differences from one to the next.
    pub columns: Vec<Vec<u32>>,
}

impl Probabilities {
    /// Of the ascending keys of each class.
    pub fn new(images: IndexRuns, keys: impl IntoIterator<Item = Vec<u32>>) -> Self {
        let differences = |mut keys: Vec<u32>| {
            let mut last = 0;
            for key in &mut keys {
                (*key, last) = (*key - last, *key);
            }
            keys
        };
        let columns = keys.into_iter().map(differences).collect();
        Self { images, columns }
    }

    /// The keys of a class, ascending; none of a class that there is not.
    pub fn keys(&self, class: usize) -> impl Iterator<Item = u32> + '_ {
        let differences = self.columns.get(class).into_iter().flatten();
        differences.scan(0u32, |key, difference| {
            *key = key.saturating_add(*difference);
            Some(*key)
        })
    }
}
