//! Corrupted images made from clean ones while models are evaluated.
//!
//! The published images were made from photographs resized to 256 pixels (shorter side, bilinear,
//! antialiased) and cropped to the central 224 x 224; [`Generator::base`] does the same, in
//! proportion for another side. An image whose shorter side is below that is neither enlarged nor
//! reduced, only cropped to the side where it is longer, and corrupted by the scaling rule of
//! [`super::corruption`]. The corrupted picture then takes the place of the file: every model
//! applies its complete transform to it, as to a stored one.

use std::path::Path;

use image::{RgbImage, imageops};
use shared::outcome::{Corruption, Generation, Origin, Severity};
use shared::result::{Interpolation, Resize};

use super::corruption::{Frost, apply, jpeg_round_trip};
use super::rng::SplitMix64;
use crate::preprocess::{PreprocessError, Preprocessor, decode};

/// The side of the published images in pixels.
pub const PUBLISHED_SIDE: u32 = 224;

/// The longest side that can be asked for in pixels.
pub const MAX_SIDE: u32 = 4096;

/// The quality at which the published images are stored.
const STORED_QUALITY: u8 = 85;

/// How corrupted images are made.
#[derive(Clone, Debug)]
pub struct Method {
    /// Side in pixels of the square that images are brought to first.
    pub side: u32,
    /// Whether corrupted images go through JPEG of quality 85, as the published ones did.
    pub jpeg85: bool,
    /// The pictures that frost is made with.
    pub frost: Frost,
    /// Seed of the run.
    pub seed: u64,
}

impl Method {
    /// What a result records about images of `corruption` made this way.
    pub fn origin(&self, corruption: Corruption) -> Origin {
        Origin::Generated(Generation {
            side: self.side,
            jpeg85: self.jpeg85,
            frost: (corruption == Corruption::Frost).then(|| self.frost.source()),
        })
    }

    /// The corrupted copy of `base`, the picture that [`Generator::base`] made of the file with
    /// this `identity`. Depends on nothing else: the same on every device, thread and order.
    pub fn corrupt(
        &self,
        base: &RgbImage,
        identity: &Identity,
        corruption: Corruption,
        severity: Severity,
    ) -> RgbImage {
        let mut rng = identity.rng(self.seed, corruption, severity);
        let corrupted = apply(base, corruption, severity, &self.frost, &mut rng);
        if self.jpeg85 {
            jpeg_round_trip(&corrupted, STORED_QUALITY)
        } else {
            corrupted
        }
    }
}

/// What identifies an image: the BLAKE3 of its file, so that copies of it under other names and
/// folders are corrupted alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Identity([u8; 32]);

impl Identity {
    /// The identity of the file with these bytes.
    pub fn of(file: &[u8]) -> Self {
        Self(*blake3::hash(file).as_bytes())
    }

    /// The random generator of one cell, seeded with a hash of everything that tells cells apart.
    fn rng(&self, seed: u64, corruption: Corruption, severity: Severity) -> SplitMix64 {
        self.seeded(seed, severity.get(), corruption.name())
    }

    /// The random generator of an attack of this name.
    pub fn rng_of(&self, seed: u64, attack: &str) -> SplitMix64 {
        self.seeded(seed, 0, attack)
    }

    fn seeded(&self, seed: u64, severity: u8, name: &str) -> SplitMix64 {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&self.0);
        hasher.update(&seed.to_le_bytes());
        hasher.update(&[severity]);
        hasher.update(name.as_bytes());
        let mut first = [0; 8];
        hasher.finalize_xof().fill(&mut first);
        SplitMix64::new(u64::from_le_bytes(first))
    }
}

/// A decoded image file with its identity.
#[derive(Clone, Debug)]
pub struct Source {
    /// The picture.
    pub image: RgbImage,
    /// What seeds its corruptions.
    pub identity: Identity,
}

impl Source {
    /// Reads and decodes a file.
    ///
    /// # Errors
    /// Why that cannot be done, in words.
    pub fn read(path: &Path) -> Result<Self, String> {
        let bytes = std::fs::read(path).map_err(|error| format!("cannot read: {error}"))?;
        Ok(Self {
            image: decode(&bytes).map_err(|error| error.to_string())?,
            identity: Identity::of(&bytes),
        })
    }
}

/// Brings images to the size that they are corrupted at; every worker has its own.
#[derive(Clone, Debug)]
pub struct Generator {
    side: u32,
    preprocessor: Preprocessor,
}

impl Generator {
    /// # Errors
    /// When the side is 0 or too long.
    pub fn new(side: u32) -> Result<Self, PreprocessError> {
        // 256 for 224 pixels; longer by the same eighth otherwise.
        let resized = (u64::from(side) * 8 / 7).min(u64::from(u32::MAX)) as u32;
        let resize = Resize::ShorterSide(resized);
        let preprocessor =
            Preprocessor::for_pictures(resize, (side, side), Interpolation::Bilinear)?;
        Ok(Self { side, preprocessor })
    }

    /// The picture that `image` is corrupted as: see the module.
    pub fn base(&mut self, image: &RgbImage) -> RgbImage {
        let (width, height) = image.dimensions();
        if width.min(height) >= self.side {
            return self.preprocessor.crop_u8(image);
        }
        let (kept_width, kept_height) = (width.min(self.side), height.min(self.side));
        let (x, y) = ((width - kept_width) / 2, (height - kept_height) / 2);
        imageops::crop_imm(image, x, y, kept_width, kept_height).to_image()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gradient(width: u32, height: u32) -> RgbImage {
        RgbImage::from_fn(width, height, |x, y| {
            image::Rgb([(x * 255 / width) as u8, (y * 255 / height) as u8, 99])
        })
    }

    #[test]
    fn photographs_are_cropped_and_small_images_kept() {
        let mut generator = Generator::new(PUBLISHED_SIDE).unwrap();
        for (width, height) in [(500, 375), (224, 300), (225, 225), (3000, 224)] {
            let base = generator.base(&gradient(width, height));
            assert_eq!(base.dimensions(), (224, 224), "{width} x {height}");
        }
        for (width, height) in [(64, 64), (223, 224), (1, 1), (32, 50)] {
            let image = gradient(width, height);
            assert_eq!(generator.base(&image), image);
        }
        let strip = gradient(30, 100_000);
        let base = generator.base(&strip);
        assert_eq!(base.dimensions(), (30, 224));
        assert_eq!(base.get_pixel(7, 0), strip.get_pixel(7, 49_888));
        let mut larger = Generator::new(384).unwrap();
        assert_eq!(larger.base(&gradient(640, 480)).dimensions(), (384, 384));
        assert!(Generator::new(0).is_err());
        assert!(Generator::new(u32::MAX).is_err());
    }

    #[test]
    fn base_has_the_published_geometry() {
        // torchvision: 512 x 256 keeps its size, and the crop starts at ((512 - 224) / 2, 16).
        let image = gradient(512, 256);
        let base = Generator::new(PUBLISHED_SIDE).unwrap().base(&image);
        assert_eq!(base.get_pixel(0, 0), image.get_pixel(144, 16));
        assert_eq!(base.get_pixel(223, 223), image.get_pixel(367, 239));
    }

    #[test]
    fn randomness_depends_on_file_seed_corruption_and_severity_alone() {
        let base = gradient(40, 30);
        let method = |seed| Method {
            side: PUBLISHED_SIDE,
            jpeg85: false,
            frost: Frost::synthetic(),
            seed,
        };
        let [mild, severe] = [Severity::ALL[0], Severity::ALL[4]];
        let make = |file: &[u8], seed, corruption, severity| {
            method(seed).corrupt(&base, &Identity::of(file), corruption, severity)
        };
        let noise = Corruption::GaussianNoise;
        let first = make(b"a", 0, noise, mild);
        assert_eq!(first, make(b"a", 0, noise, mild));
        assert_ne!(first, make(b"b", 0, noise, mild));
        assert_ne!(first, make(b"a", 1, noise, mild));
        // The draws differ too, not only what is made of them.
        let draw =
            |corruption, severity| Identity::of(b"a").rng(0, corruption, severity).next_u64();
        assert_ne!(draw(noise, mild), draw(noise, severe));
        assert_ne!(draw(noise, mild), draw(Corruption::ShotNoise, mild));
        let attack = |file, seed, name| Identity::of(file).rng_of(seed, name).next_u64();
        let pgd = attack(b"a", 0, "pgd");
        assert_eq!(pgd, attack(b"a", 0, "pgd"));
        for other in [
            attack(b"b", 0, "pgd"),
            attack(b"a", 1, "pgd"),
            attack(b"a", 0, "square"),
        ] {
            assert_ne!(pgd, other);
        }
    }

    #[test]
    fn jpeg_storage_is_the_last_step() {
        let base = gradient(48, 48);
        let make = |jpeg85| {
            let method = Method {
                side: PUBLISHED_SIDE,
                jpeg85,
                frost: Frost::synthetic(),
                seed: 0,
            };
            let identity = Identity::of(b"a");
            method.corrupt(&base, &identity, Corruption::Fog, Severity::ALL[0])
        };
        assert_eq!(make(true), jpeg_round_trip(&make(false), 85));
        assert_ne!(make(true), make(false));
    }
}
