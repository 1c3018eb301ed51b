//! Which images a pass showed, and their ground truth.

use serde::{Deserialize, Serialize};

/// The images evaluated out of a complete, sorted list, with their true labels.
///
/// Several passes over the same images (a clean set and its corrupted copies) share one list.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ImageList {
    /// BLAKE3 of the complete list's class and file names (no folder, no extension): equal for a
    /// clean set and its corrupted copies, so that images can be matched across passes.
    pub identity: [u8; 32],
    /// Number of images in the complete list.
    pub population: u32,
    /// Positions of the evaluated images in the complete list, ascending.
    pub indices: IndexRuns,
    /// True label of each evaluated image: a class, or a group for the 16-class and IN-9 sets.
    pub labels: Vec<u32>,
    /// Texture group of each evaluated image; empty but for cue conflict.
    pub textures: Vec<u32>,
}

impl ImageList {
    /// BLAKE3 of which images were evaluated: equal for equal lists of files and equal samples of them,
    /// on any device and for any model.
    pub fn hash(&self) -> blake3::Hash {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&self.identity);
        hasher.update(&self.population.to_le_bytes());
        for &(start, images) in self.indices.runs() {
            hasher.update(&start.to_le_bytes());
            hasher.update(&images.to_le_bytes());
        }
        hasher.finalize()
    }
}

/// An ascending set of indices as `(start, length)` runs: one run for a complete pass.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct IndexRuns(Vec<(u32, u32)>);

impl IndexRuns {
    /// The runs, ascending, not touching.
    pub fn runs(&self) -> &[(u32, u32)] {
        &self.0
    }

    /// Number of indices.
    pub fn len(&self) -> usize {
        self.0.iter().map(|&(_, n)| n as usize).sum()
    }

    /// Whether there is no index.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// All indices, ascending.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.0.iter().flat_map(|&(start, n)| start..start + n)
    }

    /// Whether `index` is in the set.
    pub fn contains(&self, index: u32) -> bool {
        let after = self.0.partition_point(|&(start, _)| start <= index);
        after > 0 && index - self.0[after - 1].0 < self.0[after - 1].1
    }

    /// Whether runs are non-empty, ascending, apart from each other and below `population`.
    pub fn is_well_formed(&self, population: u32) -> bool {
        let mut next = Some(0u32);
        for (i, &(start, n)) in self.0.iter().enumerate() {
            let Some(least) = next else { return false };
            let apart = if i == 0 {
                start >= least
            } else {
                start > least
            };
            next = start.checked_add(n);
            if n == 0 || !apart || next.is_none_or(|end| end > population) {
                return false;
            }
        }
        true
    }
}

impl FromIterator<u32> for IndexRuns {
    /// Collects indices in any order; duplicates are kept once.
    fn from_iter<I: IntoIterator<Item = u32>>(indices: I) -> Self {
        let mut sorted: Vec<u32> = indices.into_iter().collect();
        sorted.sort_unstable();
        sorted.dedup();
        let mut runs: Vec<(u32, u32)> = Vec::new();
        for index in sorted {
            match runs.last_mut() {
                Some((start, n)) if *start + *n == index => *n += 1,
                _ => runs.push((index, 1)),
            }
        }
        Self(runs)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn runs_hold_exactly_the_collected_indices(
            indices in proptest::collection::btree_set(0u32..60, 0..40)
        ) {
            let runs: IndexRuns = indices.iter().rev().copied().collect();
            prop_assert!(runs.is_well_formed(60));
            prop_assert_eq!(runs.len(), indices.len());
            prop_assert_eq!(runs.iter().collect::<Vec<_>>(), indices.iter().copied().collect::<Vec<_>>());
            for index in 0..61 {
                prop_assert_eq!(runs.contains(index), indices.contains(&index));
            }
        }
    }

    #[test]
    fn malformed_runs_are_recognised() {
        for (runs, population) in [
            (vec![(0, 0)], 9),
            (vec![(0, 2), (2, 1)], 9),
            (vec![(3, 2), (0, 1)], 9),
            (vec![(0, 10)], 9),
            (vec![(u32::MAX, 2)], u32::MAX),
        ] {
            assert!(
                !IndexRuns(runs.clone()).is_well_formed(population),
                "{runs:?}"
            );
        }
        assert!(IndexRuns(vec![(0, 2), (3, 6)]).is_well_formed(9));
    }
}
