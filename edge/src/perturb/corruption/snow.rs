//! Snow: bright streaks over a whitened image.

use image::RgbImage;
use shared::outcome::Severity;

use super::filter::{motion, zoom};
use super::raster::{Raster, Scale};
use super::{by_severity, to_levels};
use crate::perturb::rng::SplitMix64;

struct Parameters {
    mean: f64,
    deviation: f64,
    flake: f64,
    threshold: f64,
    radius: f64,
    sigma: f64,
    kept: f64,
}

const PARAMETERS: [[f64; 7]; 5] = [
    [0.1, 0.3, 3.0, 0.5, 10.0, 4.0, 0.8],
    [0.2, 0.3, 2.0, 0.5, 12.0, 4.0, 0.7],
    [0.55, 0.3, 4.0, 0.9, 12.0, 8.0, 0.7],
    [0.55, 0.3, 4.5, 0.85, 12.0, 8.0, 0.65],
    [0.55, 0.3, 2.5, 0.85, 12.0, 12.0, 0.55],
];

/// A layer of enlarged, thresholded, motion-blurred noise, added twice (once turned by 180
/// degrees).
pub(super) fn snow(image: &RgbImage, severity: Severity, rng: &mut SplitMix64) -> Raster {
    let [mean, deviation, flake, threshold, radius, sigma, kept] =
        by_severity(severity, PARAMETERS);
    let parameters = Parameters {
        mean,
        deviation,
        flake,
        threshold,
        radius,
        sigma,
        kept,
    };
    let mut out = Raster::from_rgb(image, 255.0);
    let layer = flakes(&out, Scale::of(image), &parameters, rng);
    let turned = layer.values.iter().rev();
    for ((pixel, flake), turned) in out
        .values
        .chunks_exact_mut(3)
        .zip(&layer.values)
        .zip(turned)
    {
        let gray = 0.299 * pixel[0] + 0.587 * pixel[1] + 0.114 * pixel[2];
        for value in pixel {
            let white = value.max(1.5 * gray + 0.5);
            *value = parameters.kept * *value + (1.0 - parameters.kept) * white + flake + turned;
        }
    }
    to_levels(out)
}

fn flakes(like: &Raster, scale: Scale, p: &Parameters, rng: &mut SplitMix64) -> Raster {
    let flake = scale.length(p.flake).max(1.0);
    // Where flakes cannot shrink with the image, the noise is narrowed to keep their number.
    let deviation = p.deviation * (spread_after_zoom(p.flake) / spread_after_zoom(flake));
    let noise = Raster::fill(like.width, like.height, || rng.normal(p.mean, deviation));
    let levels = zoom(&noise, flake).map(|v| {
        let shown = if v < p.threshold { 0.0 } else { v };
        (shown.clamp(0.0, 1.0) * 255.0).trunc()
    });
    let degrees = rng.range(-135.0, -45.0);
    motion(
        &levels,
        scale.length(p.radius),
        scale.length(p.sigma),
        degrees,
    )
    .map(|v| v.round() / 255.0)
}

/// Ratio of standard deviations after and before white noise is enlarged by linear interpolation:
/// the mean of (1 - t)^2 + t^2 over the phases t = 0, 1/factor, ...
fn spread_after_zoom(factor: f64) -> f64 {
    (2.0 + 1.0 / (factor * factor)) / 3.0
}
