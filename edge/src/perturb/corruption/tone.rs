//! Corruptions of brightness, contrast and saturation.

use image::RgbImage;
use shared::outcome::Severity;

use super::raster::Raster;
use super::{by_severity, to_levels};

/// HSV value raised by a constant.
pub(super) fn brightness(image: &RgbImage, severity: Severity) -> Raster {
    let raise = by_severity(severity, [0.1, 0.2, 0.3, 0.4, 0.5]);
    in_hsv(image, |[h, s, v]| [h, s, (v + raise).clamp(0.0, 1.0)])
}

/// HSV saturation mapped linearly.
pub(super) fn saturate(image: &RgbImage, severity: Severity) -> Raster {
    let (gain, offset) = by_severity(
        severity,
        [(0.3, 0.0), (0.1, 0.0), (2.0, 0.0), (5.0, 0.1), (20.0, 0.2)],
    );
    in_hsv(image, |[h, s, v]| {
        [h, (s * gain + offset).clamp(0.0, 1.0), v]
    })
}

/// Distance from the channel mean shrunk.
pub(super) fn contrast(image: &RgbImage, severity: Severity) -> Raster {
    let factor = by_severity(severity, [0.4, 0.3, 0.2, 0.1, 0.05]);
    let mut out = Raster::from_rgb(image, 255.0);
    let pixels = (out.width * out.height) as f64;
    let mut means = [0.0; 3];
    for pixel in out.values.chunks_exact(3) {
        for (mean, value) in means.iter_mut().zip(pixel) {
            *mean += value / pixels;
        }
    }
    for pixel in out.values.chunks_exact_mut(3) {
        for (value, mean) in pixel.iter_mut().zip(means) {
            *value = (*value - mean) * factor + mean;
        }
    }
    to_levels(out)
}

fn in_hsv(image: &RgbImage, f: impl Fn([f64; 3]) -> [f64; 3]) -> Raster {
    let mut out = Raster::from_rgb(image, 255.0);
    for pixel in out.values.chunks_exact_mut(3) {
        pixel.copy_from_slice(&hsv_to_rgb(f(rgb_to_hsv([pixel[0], pixel[1], pixel[2]]))));
    }
    to_levels(out)
}

/// Hue in turns; grey has hue and saturation 0. On ties the later channel names the hue.
fn rgb_to_hsv([r, g, b]: [f64; 3]) -> [f64; 3] {
    let v = r.max(g).max(b);
    let delta = v - r.min(g).min(b);
    if delta == 0.0 {
        return [0.0, 0.0, v];
    }
    let sextant = if b == v {
        4.0 + (r - g) / delta
    } else if g == v {
        2.0 + (b - r) / delta
    } else {
        (g - b) / delta
    };
    [(sextant / 6.0).rem_euclid(1.0), delta / v, v]
}

fn hsv_to_rgb([h, s, v]: [f64; 3]) -> [f64; 3] {
    let sextant = (h * 6.0).floor();
    let f = h * 6.0 - sextant;
    let p = v * (1.0 - s);
    let q = v * (1.0 - f * s);
    let t = v * (1.0 - (1.0 - f) * s);
    match sextant as i64 % 6 {
        0 => [v, t, p],
        1 => [q, v, p],
        2 => [p, v, t],
        3 => [p, q, v],
        4 => [t, p, v],
        _ => [v, p, q],
    }
}
