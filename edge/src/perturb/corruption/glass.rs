//! Glass blur: local shuffling between two Gaussian blurs.

use image::RgbImage;
use shared::outcome::Severity;

use super::by_severity;
use super::filter::gaussian;
use super::raster::{Border, Raster, Scale};
use crate::perturb::rng::SplitMix64;

/// Blurs, truncates to 8 bits, copies random neighbours over pixels, blurs again. The reference
/// means to swap pixels, but its array views make each swap a copy.
pub(super) fn glass_blur(image: &RgbImage, severity: Severity, rng: &mut SplitMix64) -> Raster {
    let (sigma, reach, passes) = by_severity(
        severity,
        [
            (0.7, 1, 2),
            (0.9, 2, 1),
            (1.0, 2, 3),
            (1.1, 3, 2),
            (1.5, 4, 2),
        ],
    );
    let scale = Scale::of(image);
    let sigma = scale.length(sigma);
    // In f64 and on [0, 1], because rounding decides where even areas are truncated to.
    let unit: [f64; 256] = std::array::from_fn(|v| v as f64 / 255.0);
    let source = Raster {
        width: image.width() as usize,
        height: image.height() as usize,
        channels: 3,
        values: image
            .as_raw()
            .iter()
            .map(|&v| unit[usize::from(v)])
            .collect(),
    };
    let mut levels = gaussian(&source, sigma, 4.0, Border::Nearest).map(|v| (v * 255.0) as u8);
    for _ in 0..passes {
        shuffle(&mut levels, reach, scale, rng);
    }
    gaussian(&levels.map(f32::from), sigma, 4.0, Border::Nearest).clipped()
}

/// One pass from the lower right to the upper left; `reach` in reference pixels.
fn shuffle(levels: &mut Raster<u8>, reach: i64, scale: Scale, rng: &mut SplitMix64) {
    // The furthest displacements to the upper left and to the lower right.
    let back = scale.length(reach as f64).ceil() as usize;
    let forward = scale.length((reach - 1) as f64).ceil() as usize;
    let (width, height) = (levels.width, levels.height);
    let pixels = levels.values.as_chunks_mut::<3>().0;
    for y in (back + 1..height.saturating_sub(forward)).rev() {
        for x in (back + 1..width.saturating_sub(forward)).rev() {
            let dx = displacement(reach, scale, rng);
            let dy = displacement(reach, scale, rng);
            let from = (y as i64 + dy) * width as i64 + x as i64 + dx;
            pixels[y * width + x] = pixels[from as usize];
        }
    }
}

/// An integer of [-reach, reach), scaled and rounded up or down at random so that its mean scales.
/// The fraction left over from choosing the integer decides, so it takes one draw at any scale.
fn displacement(reach: i64, Scale(scale): Scale, rng: &mut SplitMix64) -> i64 {
    let position = rng.uniform() * (2 * reach) as f64;
    let whole = position as i64;
    if scale == 1.0 {
        return whole - reach;
    }
    ((whole - reach) as f64 * scale + (position - whole as f64)).floor() as i64
}
