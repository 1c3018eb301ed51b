//! The 19 corruptions of ImageNet-C (Hendrycks and Dietterich 2019), generated from clean images.
//!
//! Parameters, order of draws, borders, truncations and oddities are those of the published
//! images' generator for images of 224 x 224 pixels. Only frost differs where its textures are
//! synthetic: then it is comparable in distribution, not pixel by pixel.
//!
//! # Other sizes
//!
//! A corruption should look the same relative to the pictured object. Lengths (blur radii and
//! sigmas, glass and elastic displacements, flake sizes, frost crops) are therefore multiplied by
//! `min(width, height) / 224`:
//!
//! - Where white noise is smoothed over a scaled length (elastic, spatter), its amplitude scales too.
//! - The defocus kernel is resampled by area, glass displacements are rounded at random, and motion
//!   blur keeps at least 3 taps, so that mild severities stay mild but visible on small images.
//! - Snow flakes and spatter drops keep a size of 1 pixel, their noise is adapted so that they cover
//!   the same share; the frost texture is averaged over the area of a pixel; the fog map's side is
//!   the next power of two that holds the longer side.
//! - Strengths (noise sigma, contrast, brightness, zoom factors, pixelate fractions, JPEG quality)
//!   are the same for all sizes.
//!
//! At 224 pixels every scaled number is exactly the published one.

mod blur;
mod dct;
mod elastic;
mod filter;
mod fog;
mod frost;
mod glass;
mod jpeg;
mod noise;
mod outline;
mod pixelate;
mod raster;
mod snow;
mod spatter;
mod texture;
mod tone;
mod wide;
mod zoom;

#[cfg(test)]
mod tests;

use image::RgbImage;
use shared::outcome::{Corruption, Severity};

pub use self::frost::Frost;
pub use self::jpeg::jpeg_round_trip;
use self::raster::Raster;
use super::rng::SplitMix64;

/// The corrupted copy of `image` (any size, also empty), levels truncated to 8 bits.
/// Frost is made with the pictures of `frost`.
///
/// Takes its randomness from `rng` alone: equal state, equal result, on every device.
pub fn apply(
    image: &RgbImage,
    corruption: Corruption,
    severity: Severity,
    frost: &Frost,
    rng: &mut SplitMix64,
) -> RgbImage {
    if image.as_raw().is_empty() {
        return image.clone();
    }
    match corrupt(image, corruption, severity, frost, rng) {
        Corrupted::Bytes(out) => out,
        Corrupted::Levels(levels) => {
            let mut out = image.clone();
            for (byte, level) in out.iter_mut().zip(levels.values) {
                *byte = level as u8;
            }
            out
        }
    }
}

/// A corrupted image.
enum Corrupted {
    /// Of whole levels.
    Bytes(RgbImage),
    /// Before truncation, values in [0, 255].
    Levels(Raster),
}

/// The corrupted image; `image` must not be empty.
fn corrupt(
    image: &RgbImage,
    corruption: Corruption,
    severity: Severity,
    frost: &Frost,
    rng: &mut SplitMix64,
) -> Corrupted {
    let levels = match corruption {
        Corruption::ImpulseNoise => return Corrupted::Bytes(noise::impulse(image, severity, rng)),
        Corruption::MotionBlur => return Corrupted::Bytes(blur::motion_blur(image, severity, rng)),
        Corruption::Frost => return Corrupted::Bytes(frost::frost(image, severity, frost, rng)),
        Corruption::Pixelate => return Corrupted::Bytes(pixelate::pixelate(image, severity)),
        Corruption::JpegCompression => {
            return Corrupted::Bytes(jpeg::jpeg_compression(image, severity));
        }
        Corruption::GaussianNoise => noise::gaussian(image, severity, rng),
        Corruption::ShotNoise => noise::shot(image, severity, rng),
        Corruption::DefocusBlur => blur::defocus(image, severity),
        Corruption::GlassBlur => glass::glass_blur(image, severity, rng),
        Corruption::ZoomBlur => blur::zoom_blur(image, severity),
        Corruption::Snow => snow::snow(image, severity, rng),
        Corruption::Fog => fog::fog(image, severity, rng),
        Corruption::Brightness => tone::brightness(image, severity),
        Corruption::Contrast => tone::contrast(image, severity),
        Corruption::ElasticTransform => elastic::elastic_transform(image, severity, rng),
        Corruption::SpeckleNoise => noise::speckle(image, severity, rng),
        Corruption::GaussianBlur => blur::gaussian(image, severity),
        Corruption::Spatter => spatter::spatter(image, severity, rng),
        Corruption::Saturate => tone::saturate(image, severity),
    };
    Corrupted::Levels(levels)
}

/// The entry of a table of five that belongs to `severity`.
fn by_severity<T: Copy>(severity: Severity, table: [T; 5]) -> T {
    table[usize::from(severity.get()) - 1]
}
