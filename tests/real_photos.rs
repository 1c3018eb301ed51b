//! Corruptions of real photographs: stronger with severity.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use std::path::Path;

use edge::perturb::corruption::Frost;
use edge::perturb::generate::{Generator, Identity, Method, PUBLISHED_SIDE};
use edge::preprocess::decode;
use image::RgbImage;
use shared::outcome::{Corruption, Severity};

/// Photographs taken, spread over all classes.
const PHOTOS: usize = 20;

/// Every tenth photograph below `folder`, as it is corrupted.
fn photos(folder: &Path) -> Vec<(Identity, RgbImage)> {
    let list = |folder: &Path| {
        let entries = std::fs::read_dir(folder).unwrap().flatten();
        let mut paths: Vec<_> = entries.map(|e| e.path()).collect();
        paths.sort();
        paths
    };
    let files: Vec<_> = list(folder).iter().flat_map(|class| list(class)).collect();
    let mut generator = Generator::new(PUBLISHED_SIDE).unwrap();
    let step = files.len() / PHOTOS;
    let read = |path: &std::path::PathBuf| {
        let bytes = std::fs::read(path).unwrap();
        let base = generator.base(&decode(&bytes).unwrap());
        (Identity::of(&bytes), base)
    };
    files.iter().step_by(step).take(PHOTOS).map(read).collect()
}

/// Severities, as positions, that grow in strength. The published parameters of four corruptions are
/// not ordered throughout: glass blur trades reach for passes, frost weight of the picture for
/// weight of the frost, and elastic and saturate change their kind between severities 2 and 3.
fn ordered(corruption: Corruption) -> &'static [&'static [usize]] {
    match corruption {
        Corruption::GlassBlur => &[&[0, 2, 4], &[1, 2], &[3, 4]],
        Corruption::Frost => &[&[0, 1, 2, 3], &[0, 1, 2, 4]],
        Corruption::ElasticTransform | Corruption::Saturate => &[&[0, 1], &[2, 3, 4]],
        _ => &[&[0, 1, 2, 3, 4]],
    }
}

/// Mean absolute difference in 8-bit levels.
fn distance(a: &RgbImage, b: &RgbImage) -> f64 {
    let gaps = a
        .iter()
        .zip(b.iter())
        .map(|(a, b)| f64::from(a.abs_diff(*b)));
    gaps.sum::<f64>() / a.as_raw().len() as f64
}

#[test]
fn the_mean_distance_grows_with_severity() {
    let Some(real) = tests::real_data() else {
        return;
    };
    let photos = photos(&real.join("data/imagenet/val"));
    assert_eq!(photos.len(), PHOTOS);
    let method = Method {
        side: PUBLISHED_SIDE,
        jpeg85: false,
        frost: Frost::synthetic(),
        seed: 0,
    };
    for corruption in Corruption::ALL {
        let mean = |severity: Severity| {
            let one = |(identity, base): &(Identity, RgbImage)| {
                distance(base, &method.corrupt(base, identity, corruption, severity))
            };
            photos.iter().map(one).sum::<f64>() / photos.len() as f64
        };
        let means = Severity::ALL.map(mean);
        for chain in ordered(corruption) {
            let grows = chain.windows(2).all(|pair| means[pair[0]] < means[pair[1]]);
            assert!(grows, "{corruption}: {means:.2?} at {chain:?}");
        }
    }
}
