//! Snow: bright streaks over a whitened image.

use image::RgbImage;
use shared::outcome::Severity;

use super::by_severity;
use super::filter::motion;
use super::raster::{Raster, Scale};
use super::zoom::Zoom;
use crate::perturb::rng::{SplitMix64, fill_normal};

struct Parameters {
    mean: f64,
    deviation: f64,
    flake: f64,
    threshold: f64,
    radius: f64,
    sigma: f64,
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
    };
    let mut out = Raster::levels(image);
    let layer = flakes(&out, Scale::of(image), &parameters, rng);
    let kept = kept as f32;
    let turned = layer.iter().rev();
    let pixels = out.values.as_chunks_mut::<3>().0;
    for ((pixel, flake), turned) in pixels.iter_mut().zip(&layer).zip(turned) {
        let gray = 0.299 * pixel[0] + 0.587 * pixel[1] + 0.114 * pixel[2];
        let white = 1.5 * gray + 127.5;
        let snow = flake + turned;
        *pixel = pixel.map(|value| kept * value + (1.0 - kept) * value.max(white) + snow);
    }
    out.clipped()
}

/// The layer's levels.
fn flakes(like: &Raster, scale: Scale, p: &Parameters, rng: &mut SplitMix64) -> Vec<f32> {
    let (width, height) = (like.width, like.height);
    let flake = scale.length(p.flake).max(1.0);
    // Where flakes cannot shrink with the image, the noise is narrowed to keep their number.
    let deviation = p.deviation * (spread_after_zoom(p.flake) / spread_after_zoom(flake));
    // In f64, because the layer is cut to whole levels.
    let mut noise = vec![0.0; width * height];
    fill_normal(rng, &mut noise);
    let noise: Vec<[f64; 1]> = noise.iter().map(|v| [p.mean + deviation * v]).collect();
    let zoom = Zoom::new(width, height, flake);
    let mut blended = vec![[0.0]; width + 1];
    let mut enlarged = vec![[0.0]; width];
    let mut levels = Raster::zeros(width, height, 1);
    for (y, row) in levels.rows_mut().enumerate() {
        enlarged.fill([0.0]);
        zoom.add_row(&noise, y, &mut blended, &mut enlarged);
        for (level, &[v]) in row.iter_mut().zip(&enlarged) {
            let shown = if v < p.threshold { 0.0 } else { v };
            *level = f32::from((shown.min(1.0) * 255.0) as u8);
        }
    }
    let degrees = rng.range(-135.0, -45.0);
    let (radius, sigma) = (scale.length(p.radius), scale.length(p.sigma));
    let mut layer = Vec::with_capacity(width * height);
    motion(&levels, radius, sigma, degrees, |row| {
        layer.extend(row.iter().map(|v| f32::from((v + 0.5) as u8)));
    });
    layer
}

/// Ratio of standard deviations after and before white noise is enlarged by linear interpolation:
/// the mean of (1 - t)^2 + t^2 over the phases t = 0, 1/factor, ...
fn spread_after_zoom(factor: f64) -> f64 {
    (2.0 + 1.0 / (factor * factor)) / 3.0
}
