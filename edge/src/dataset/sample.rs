//! Which images of a set are shown when not all are.

use super::ImageSet;
use super::config::stem;

/// Positions, ascending, of at most `n` images of a set, the first of its [`order`]; all of them for
/// `None`.
pub fn sample(set: &ImageSet, n: Option<usize>, seed: u64) -> Vec<u32> {
    let positions = 0..u32::try_from(set.items.len()).unwrap_or(u32::MAX);
    let Some(n) = n.filter(|&n| n < set.items.len()) else {
        return positions.collect();
    };
    let mut chosen = order(set, positions, seed);
    chosen.truncate(n);
    chosen.sort_unstable();
    chosen
}

/// The order in which images at `positions` enter a sample.
///
/// Images are ranked within their class by the BLAKE3 hash of class, file stem and `seed`, then
/// taken rank by rank, within a rank by hash. So classes are represented evenly (±1 where they
/// have enough images), a larger sample contains every smaller one, and the choice is the same for
/// every model and device, and for a clean set and its corrupted copies.
pub fn order(set: &ImageSet, positions: impl Iterator<Item = u32>, seed: u64) -> Vec<u32> {
    let images = by_class(set, positions, seed);
    let mut rank = 0u32;
    let mut ranked = Vec::with_capacity(images.len());
    let mut last_label = None;
    for (label, hash, path, position) in images {
        rank = if last_label == Some(label) {
            rank + 1
        } else {
            0
        };
        last_label = Some(label);
        ranked.push((rank, hash, label, path, position));
    }
    ranked.sort_unstable();
    ranked.into_iter().map(|image| image.4).collect()
}

/// The part `index` (from 0) of `count` of the images at `positions`: they are dealt out in the order
/// of class and hash, so that parts are disjoint, and every part gets of every class and of all
/// images as many as any other, ±1.
pub fn shard(set: &ImageSet, positions: &[u32], seed: u64, index: u32, count: u32) -> Vec<u32> {
    let images = by_class(set, positions.iter().copied(), seed);
    let dealt = images.into_iter().map(|image| image.3);
    let mut part: Vec<u32> = dealt
        .skip(index as usize)
        .step_by(count.max(1) as usize)
        .collect();
    part.sort_unstable();
    part
}

/// Class, hash, path and position of images, sorted.
fn by_class(
    set: &ImageSet,
    positions: impl Iterator<Item = u32>,
    seed: u64,
) -> Vec<(u32, [u8; 32], &str, u32)> {
    let described = |position: u32| {
        let item = set.items.get(position as usize)?;
        let hash = hash(item.label, &item.path, seed);
        Some((item.label, hash, item.path.as_str(), position))
    };
    let mut images: Vec<_> = positions.filter_map(described).collect();
    images.sort_unstable();
    images
}

fn hash(label: u32, path: &str, seed: u64) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&seed.to_le_bytes());
    hasher.update(&label.to_le_bytes());
    hasher.update(stem(path).as_bytes());
    *hasher.finalize().as_bytes()
}
