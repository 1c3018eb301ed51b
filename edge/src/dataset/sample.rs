//! Which images of a set are shown when not all are.

use super::ImageSet;
use super::config::stem;

/// Positions, ascending, of at most `n` images of a set; all of them for `None`.
///
/// Images are ranked within their class by the BLAKE3 hash of class, file stem and `seed`, then
/// taken rank by rank, within a rank by hash. So classes are represented evenly (±1 where they
/// have enough images), a larger sample contains every smaller one, and the choice is the same for
/// every model and device, and for a clean set and its corrupted copies.
pub fn sample(set: &ImageSet, n: Option<usize>, seed: u64) -> Vec<u32> {
    let positions = 0..u32::try_from(set.items.len()).unwrap_or(u32::MAX);
    let Some(n) = n.filter(|&n| n < set.items.len()) else {
        return positions.collect();
    };
    let mut images: Vec<(u32, [u8; 32], &str, u32)> = positions
        .zip(set.items.iter())
        .map(|(position, item)| {
            (
                item.label,
                hash(item.label, &item.path, seed),
                item.path.as_str(),
                position,
            )
        })
        .collect();
    images.sort_unstable();
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
    let mut chosen: Vec<u32> = ranked.into_iter().take(n).map(|image| image.4).collect();
    chosen.sort_unstable();
    chosen
}

fn hash(label: u32, path: &str, seed: u64) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&seed.to_le_bytes());
    hasher.update(&label.to_le_bytes());
    hasher.update(stem(path).as_bytes());
    *hasher.finalize().as_bytes()
}
