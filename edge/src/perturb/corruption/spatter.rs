//! Spatter: drops of water or mud (extra corruption).

use image::RgbImage;
use shared::outcome::Severity;

use super::by_severity;
use super::filter::gaussian;
use super::outline::{canny, chamfer_distance};
use super::raster::{Border, Raster, Scale};
use crate::perturb::rng::{SplitMix64, fill_normal};

/// `[mean, deviation, sigma, threshold, strength or mud sigma, mud?]`
const PARAMETERS: [[f64; 6]; 5] = [
    [0.65, 0.3, 4.0, 0.69, 0.6, 0.0],
    [0.65, 0.3, 3.0, 0.68, 0.6, 0.0],
    [0.65, 0.3, 2.0, 0.68, 0.5, 0.0],
    [0.65, 0.3, 1.0, 0.65, 1.5, 1.0],
    [0.67, 0.4, 1.0, 0.65, 1.5, 1.0],
];

/// Pale turquoise, in the reference's channel order: it adds a blue-green-red colour to RGB.
const WATER: [f32; 3] = [175.0, 238.0, 238.0];
const MUD: [f32; 3] = [63.0, 42.0, 20.0];

/// Thresholded smooth noise makes drops: lit along their outline (water) or opaque (mud).
pub(super) fn spatter(image: &RgbImage, severity: Severity, rng: &mut SplitMix64) -> Raster {
    let [mean, deviation, sigma, threshold, strength, mud] = by_severity(severity, PARAMETERS);
    // Drops need smoothing over a pixel, also where the scaled sigma is shorter.
    let scale = Scale(Scale::of(image).0.max(1.0 / sigma));
    let mut out = Raster::levels(image);
    // Smoothing divides the deviation by sigma; both scale, so that drops cover the same share.
    let deviation = scale.length(deviation);
    let mut noise = Raster::<f64>::zeros(out.width, out.height, 1);
    fill_normal(rng, &mut noise.values);
    let noise = noise.map(|v| mean + deviation * v);
    let liquid = gaussian(&noise, scale.length(sigma), 4.0, Border::Nearest);
    let drops = liquid.map(|v| if v < threshold { 0.0 } else { v });
    if mud == 0.0 {
        let mask = water(&drops, strength, scale);
        blend(&mut out, &mask, |value, m, channel| {
            value + m * WATER[channel]
        });
    } else {
        let opaque = drops.map(|v| if v > threshold { 1.0 } else { 0.0 });
        let mask = gaussian(&opaque, scale.length(strength), 4.0, Border::Nearest);
        let mask = mask.map(|v| if v < 0.8 { 0.0 } else { v });
        blend(&mut out, &mask, |value, m, channel| {
            value * (1.0 - m) + m * MUD[channel]
        });
    }
    out.clipped()
}

fn blend(out: &mut Raster, mask: &Raster<f64>, f: impl Fn(f32, f32, usize) -> f32) {
    for (pixel, &m) in out.values.chunks_exact_mut(3).zip(&mask.values) {
        for (channel, value) in pixel.iter_mut().enumerate() {
            *value = f(*value, m as f32, channel);
        }
    }
}

/// Drops weighted by an embossed map of the distance to their outline; the largest value is
/// `strength`.
fn water(drops: &Raster<f64>, strength: f64, scale: Scale) -> Raster<f64> {
    let drops = drops.map(|v| (v * 255.0) as u8);
    // Distances in reference pixels, of which the first 20 count.
    let distance = chamfer_distance(&canny(&drops, 50, 150)).map(|d| (d / scale.0).min(20.0));
    let relief = equalise(&box3(&distance).map(|v| f64::from(v as u8)));
    let relief = convolve3(
        &relief,
        [[-2.0, -1.0, 0.0], [-1.0, 1.0, 1.0], [0.0, 1.0, 2.0]],
    );
    let mut mask = box3(&relief.map(|v| v.clamp(0.0, 255.0))).map(|v| f64::from((v + 0.5) as u8));
    for (value, drop) in mask.values.iter_mut().zip(&drops.values) {
        *value *= f64::from(*drop);
    }
    let max = mask.values.iter().copied().fold(0.0, f64::max);
    if max == 0.0 {
        return mask;
    }
    mask.map(|v| v / max * strength)
}

fn box3(source: &Raster<f64>) -> Raster<f64> {
    convolve3(source, [[1.0; 3]; 3]).map(|sum| sum * (1.0 / 9.0))
}

/// Correlation with a 3 x 3 kernel, border reflect-101.
fn convolve3(source: &Raster<f64>, kernel: [[f64; 3]; 3]) -> Raster<f64> {
    let padded = source.pad_columns(1, Border::Reflect101);
    let mut out = source.like();
    for (y, row) in out.rows_mut().enumerate() {
        for (dy, weights) in kernel.iter().enumerate() {
            let line = (y + dy) as i64 - 1;
            let from = padded.row(Border::Reflect101.index(line, source.height));
            for (value, window) in row.iter_mut().zip(from.windows(3)) {
                *value += weights.iter().zip(window).map(|(w, v)| w * v).sum::<f64>();
            }
        }
    }
    out
}

/// Histogram equalisation of whole values in [0, 255].
fn equalise(source: &Raster<f64>) -> Raster<f64> {
    let mut histogram = [0usize; 256];
    for &value in &source.values {
        histogram[usize::from(value as u8)] += 1;
    }
    let darkest = histogram
        .iter()
        .find(|&&count| count > 0)
        .copied()
        .unwrap_or(0);
    let others = source.values.len() - darkest;
    if others == 0 {
        return source.clone();
    }
    let gain = 255.0 / others as f64;
    let mut below = 0usize;
    let levels = histogram.map(|count| {
        below += count;
        (below.saturating_sub(darkest) as f64 * gain).round_ties_even()
    });
    source.map(|v| levels[usize::from(v as u8)])
}
