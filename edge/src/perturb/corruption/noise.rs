//! Noise on every channel of every pixel.

use std::sync::LazyLock;

use image::RgbImage;
use shared::outcome::Severity;

use super::by_severity;
use super::raster::{Raster, round_down};
use crate::perturb::rng::{Poisson, SplitMix64, fill_normal};

/// Adds Gaussian noise.
pub(super) fn gaussian(image: &RgbImage, severity: Severity, rng: &mut SplitMix64) -> Raster {
    let sigma = by_severity(severity, [0.08, 0.12, 0.18, 0.26, 0.38]);
    let mut out = Raster::levels(image);
    normal_noise(&mut out, rng, |level, noise| level + 255.0 * sigma * noise);
    out
}

/// Adds Gaussian noise in proportion to the value.
pub(super) fn speckle(image: &RgbImage, severity: Severity, rng: &mut SplitMix64) -> Raster {
    let sigma = by_severity(severity, [0.15, 0.2, 0.35, 0.45, 0.6]);
    let mut out = Raster::levels(image);
    normal_noise(&mut out, rng, |level, noise| level + level * sigma * noise);
    out
}

fn normal_noise(out: &mut Raster, rng: &mut SplitMix64, f: impl Fn(f64, f64) -> f64) {
    let mut noise = [0.0; 256];
    for part in out.values.chunks_mut(noise.len()) {
        let noise = &mut noise[..part.len()];
        fill_normal(rng, noise);
        for (value, &noise) in part.iter_mut().zip(&*noise) {
            *value = f(f64::from(*value), noise).clamp(0.0, 255.0) as f32;
        }
    }
}

/// The photon counts of every level, and how bright they are shown.
struct Photons {
    counts: Vec<Poisson>,
    levels: Vec<f32>,
}

impl Photons {
    fn new(most: f64) -> Self {
        let counts: Vec<Poisson> = (0..256)
            .map(|v| Poisson::new(f64::from(v) / 255.0 * most))
            .collect();
        let largest = counts.iter().map(Poisson::largest).max().unwrap_or(0);
        let level = |k: u32| (f64::from(k) / most).clamp(0.0, 1.0) * 255.0;
        Self {
            counts,
            levels: (0..=largest).map(|k| round_down(level(k))).collect(),
        }
    }
}

static PHOTONS: [LazyLock<Photons>; 5] = [
    LazyLock::new(|| Photons::new(60.0)),
    LazyLock::new(|| Photons::new(25.0)),
    LazyLock::new(|| Photons::new(12.0)),
    LazyLock::new(|| Photons::new(5.0)),
    LazyLock::new(|| Photons::new(3.0)),
];

/// Poisson counts of few photons.
pub(super) fn shot(image: &RgbImage, severity: Severity, rng: &mut SplitMix64) -> Raster {
    let Photons { counts, levels } = &*PHOTONS[usize::from(severity.get()) - 1];
    let mut out = Raster::levels(image);
    for (value, &level) in out.values.iter_mut().zip(image.as_raw()) {
        *value = levels[counts[usize::from(level)].draw(rng) as usize];
    }
    out
}

/// Salt and pepper. One draw per value decides whether it is hit; one more, after all of those,
/// which way.
pub(super) fn impulse(image: &RgbImage, severity: Severity, rng: &mut SplitMix64) -> RgbImage {
    let amount = by_severity(severity, [0.03, 0.06, 0.09, 0.17, 0.27]);
    let mut out = image.clone();
    let mut salt = rng.clone();
    salt.skip(out.as_raw().len() as u64);
    for value in out.iter_mut() {
        // Looked up rather than branched on: nothing can guess these choices.
        let grain = 1 + usize::from(salt.uniform() <= 0.5);
        let hit = usize::from(rng.uniform() <= amount);
        *value = [*value, 0, 255][hit * grain];
    }
    *rng = salt;
    out
}
