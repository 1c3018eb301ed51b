//! Random weights of images: the bootstrap of Rao and Wu.
//!
//! Drawing all n images of a class with replacement makes its mean vary by (n − 1)/n too little,
//! a lot where a class has few images. So n − 1 are drawn and each counts n/(n − 1) times, which
//! gives every mean its unbiased variance: Rao and Wu (1988), "Resampling inference with complex
//! survey data".

use super::layout::Stratum;
use crate::random::{SplitMix64, mix};

/// Resamples that are computed together.
pub(super) const LANES: usize = 64;

/// The number of times each image of a stratum was drawn, by image, then lane.
pub(super) struct Draws {
    /// [`LANES`] counts per image.
    pub(super) counts: Vec<[u16; LANES]>,
    /// What a draw counts.
    pub(super) scale: f64,
}

impl Draws {
    /// The draws of resamples `first..first + LANES`; those of one resample depend on nothing but
    /// the seeds and its number.
    pub(super) fn of(stratum: &Stratum, seed: u64, first: usize) -> Self {
        let images = stratum.images.len();
        let mut counts = vec![[0u16; LANES]; images];
        let (Ok(choices), true) = (u32::try_from(images), images > 1) else {
            return Self::once(images);
        };
        for (lane, number) in (first as u64..).take(LANES).enumerate() {
            let mut random = SplitMix64(mix(mix(stratum.seed ^ mix(seed)).wrapping_add(number)));
            for _ in 1..choices {
                let count = &mut counts[random.position(choices) as usize][lane];
                *count = count.saturating_add(1);
            }
        }
        let scale = images as f64 / (images - 1) as f64;
        Self { counts, scale }
    }

    /// Each image once: the sample itself.
    pub(super) fn once(images: usize) -> Self {
        Self {
            counts: vec![[1; LANES]; images],
            scale: 1.0,
        }
    }
}
