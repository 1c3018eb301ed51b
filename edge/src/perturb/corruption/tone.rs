//! Corruptions of brightness, contrast and saturation.

use image::RgbImage;
use shared::outcome::Severity;

use super::by_severity;
use super::raster::{Raster, round_down};

/// HSV value raised by a constant. Hue and saturation stay, so all channels keep their ratios to
/// the largest.
pub(super) fn brightness(image: &RgbImage, severity: Severity) -> Raster {
    let raise = by_severity(severity, [0.1, 0.2, 0.3, 0.4, 0.5]);
    // For every value: the new one, and how many times the old one that is.
    let raised: [(f32, f32); 256] = std::array::from_fn(|v| {
        let value = v as f64 / 255.0;
        let new = (value + raise).clamp(0.0, 1.0) * 255.0;
        (round_down(new), (new / v.max(1) as f64) as f32)
    });
    per_pixel(image, |pixel| {
        let value = pixel[0].max(pixel[1]).max(pixel[2]);
        let (new, ratio) = raised[usize::from(value)];
        pixel.map(|v| new - f32::from(value - v) * ratio)
    })
}

/// HSV saturation mapped linearly: distances from the largest channel change in proportion. Grey
/// has hue 0, red.
pub(super) fn saturate(image: &RgbImage, severity: Severity) -> Raster {
    let (gain, offset) = by_severity(
        severity,
        [(0.3, 0.0), (0.1, 0.0), (2.0, 0.0), (5.0, 0.1), (20.0, 0.2)],
    );
    per_pixel(image, |pixel| {
        let value = pixel[0].max(pixel[1]).max(pixel[2]);
        let range = value - pixel[0].min(pixel[1]).min(pixel[2]);
        let (v, range) = (f32::from(value), f32::from(range));
        if range == 0.0 {
            let rest = v * (1.0 - offset);
            return [v, rest, rest];
        }
        let saturation = (range / v * gain + offset).clamp(0.0, 1.0);
        let ratio = saturation * v / range;
        pixel.map(|channel| v - f32::from(value - channel) * ratio)
    })
}

/// Distance from the channel mean shrunk.
pub(super) fn contrast(image: &RgbImage, severity: Severity) -> Raster {
    let factor = by_severity(severity, [0.4, 0.3, 0.2, 0.1, 0.05]);
    let mut sums = [0u64; 3];
    for pixel in image.as_raw().chunks_exact(3) {
        for (sum, &value) in sums.iter_mut().zip(pixel) {
            *sum += u64::from(value);
        }
    }
    let pixels = (image.as_raw().len() / 3) as f64;
    let levels = sums.map(|sum| {
        let mean = sum as f64 / pixels / 255.0;
        let level = |v: usize| ((v as f64 / 255.0 - mean) * factor + mean).clamp(0.0, 1.0) * 255.0;
        std::array::from_fn::<f32, 256, _>(|v| round_down(level(v)))
    });
    per_pixel(image, |pixel| {
        let [r, g, b] = pixel.map(usize::from);
        [levels[0][r], levels[1][g], levels[2][b]]
    })
}

fn per_pixel(image: &RgbImage, f: impl Fn([u8; 3]) -> [f32; 3]) -> Raster {
    let mut out = Raster::zeros(image.width() as usize, image.height() as usize, 3);
    let pixels = image.as_raw().as_chunks::<3>().0;
    for (new, &pixel) in out.values.as_chunks_mut::<3>().0.iter_mut().zip(pixels) {
        *new = f(pixel);
    }
    out
}
