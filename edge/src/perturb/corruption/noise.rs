//! Noise drawn independently for every channel element, in row-major, channel-last order.

use image::RgbImage;
use shared::outcome::Severity;

use super::raster::Raster;
use super::{by_severity, to_levels};
use crate::perturb::rng::SplitMix64;

/// `clip(x + N(0, sigma))`.
pub(super) fn gaussian(image: &RgbImage, severity: Severity, rng: &mut SplitMix64) -> Raster {
    let sigma = by_severity(severity, [0.08, 0.12, 0.18, 0.26, 0.38]);
    per_element(image, |x| x + rng.normal(0.0, sigma))
}

/// `clip(Poisson(c x) / c)`.
pub(super) fn shot(image: &RgbImage, severity: Severity, rng: &mut SplitMix64) -> Raster {
    let photons = by_severity(severity, [60.0, 25.0, 12.0, 5.0, 3.0]);
    per_element(image, |x| f64::from(rng.poisson(x * photons)) / photons)
}

/// Each element is hit with probability `a`, and then 1 or 0 with equal chance.
pub(super) fn impulse(image: &RgbImage, severity: Severity, rng: &mut SplitMix64) -> Raster {
    let amount = by_severity(severity, [0.03, 0.06, 0.09, 0.17, 0.27]);
    let hits: Vec<bool> = image
        .as_raw()
        .iter()
        .map(|_| rng.uniform() <= amount)
        .collect();
    let mut hits = hits.into_iter();
    per_element(image, |x| {
        let salt = rng.uniform() <= 0.5;
        match hits.next() {
            Some(true) if salt => 1.0,
            Some(true) => 0.0,
            _ => x,
        }
    })
}

/// `clip(x + x N(0, c))`.
pub(super) fn speckle(image: &RgbImage, severity: Severity, rng: &mut SplitMix64) -> Raster {
    let sigma = by_severity(severity, [0.15, 0.2, 0.35, 0.45, 0.6]);
    per_element(image, |x| x + x * rng.normal(0.0, sigma))
}

fn per_element(image: &RgbImage, mut f: impl FnMut(f64) -> f64) -> Raster {
    let mut out = Raster::from_rgb(image, 255.0);
    for value in &mut out.values {
        *value = f(*value);
    }
    to_levels(out)
}
