//! Frost: a random crop of a random picture of ice blended in.

use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

use anyhow::{Context, bail, ensure};
use image::RgbImage;
use shared::outcome::{FrostSource, Severity};

use super::by_severity;
use super::raster::{Raster, Scale, overlaps, round_down};
use super::texture::{SIDE, texture};
use crate::perturb::rng::SplitMix64;
use crate::preprocess::decode;

/// Pictures that are used: the reference comes with six but never draws the last.
const PICTURES: usize = 5;

/// The shortest side of a picture, that of the published images.
const SHORTEST: u32 = 224;

/// The most texture that one pixel averages per axis; only images under 14 pixels reach it.
const MAX_STEP: f64 = 16.0;

static TEXTURES: [LazyLock<Raster<u8>>; 4] = [
    LazyLock::new(|| texture(0)),
    LazyLock::new(|| texture(1)),
    LazyLock::new(|| texture(2)),
    LazyLock::new(|| texture(3)),
];

/// The pictures that frost is made with. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Frost(Option<Arc<Pictures>>);

#[derive(Debug)]
struct Pictures {
    pictures: Vec<Raster<u8>>,
    hash: [u8; 32],
}

impl Frost {
    /// Built-in synthetic textures. They have the colour means, standard deviations and spectral
    /// slopes of the published photographs and are drawn as often; results agree with theirs in
    /// distribution only.
    pub fn synthetic() -> Self {
        Self(None)
    }

    /// The first five pictures of `folder`, sorted by name. Hidden files and files whose names do
    /// not end as those of images do are ignored.
    ///
    /// # Errors
    /// When the folder cannot be read or holds no picture, or one of the pictures cannot be decoded
    /// or has a side below 224 pixels.
    pub fn read(folder: &Path) -> anyhow::Result<Self> {
        let mut pictures = Vec::new();
        let mut hasher = blake3::Hasher::new();
        for path in picture_files(folder)? {
            let picture = read_picture(&path)?;
            hasher.update(&picture.width().to_le_bytes());
            hasher.update(&picture.height().to_le_bytes());
            hasher.update(picture.as_raw());
            pictures.push(Raster {
                width: picture.width() as usize,
                height: picture.height() as usize,
                channels: 3,
                values: picture.into_raw(),
            });
        }
        let hash = *hasher.finalize().as_bytes();
        Ok(Self(Some(Arc::new(Pictures { pictures, hash }))))
    }

    /// What a result records about frost made with these pictures.
    pub fn source(&self) -> FrostSource {
        match &self.0 {
            None => FrostSource::Synthetic,
            Some(pictures) => FrostSource::Pictures(pictures.hash),
        }
    }

    /// A random picture and the upper left corner of a random crop of `width` x `height` of its
    /// pixels: the picture is drawn first, then the row, then the column.
    fn crop(
        &self,
        (width, height): (usize, usize),
        rng: &mut SplitMix64,
    ) -> (&Raster<u8>, usize, usize) {
        let (picture, rows, columns) = match &self.0 {
            // Two of the five photographs are the same. Textures have no edges.
            None => {
                let index = [0, 1, 1, 2, 3][rng.integer(0, 5) as usize];
                (&*TEXTURES[index], SIDE, SIDE)
            }
            Some(pictures) => {
                let pictures = &pictures.pictures;
                let picture = &pictures[rng.integer(0, pictures.len() as i64) as usize];
                let rows = picture.height.saturating_sub(height);
                (picture, rows, picture.width.saturating_sub(width))
            }
        };
        let top = rng.integer(0, rows as i64) as usize;
        let left = rng.integer(0, columns as i64) as usize;
        (picture, top, left)
    }
}

/// The files that hold the pictures.
fn picture_files(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let unreadable = || {
        let path = folder.display();
        format!("cannot read the folder of frost pictures; give one that holds them: {path}")
    };
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).with_context(unreadable)? {
        let path = entry.with_context(unreadable)?.path();
        if is_picture(&path) {
            files.push(path);
        }
    }
    files.sort();
    files.truncate(PICTURES);
    ensure!(
        !files.is_empty(),
        "no frost picture found, expected one to five JPEG, PNG, WebP, BMP, GIF or TIFF files; \
         give the folder that holds them: {}",
        folder.display()
    );
    Ok(files)
}

fn is_picture(path: &Path) -> bool {
    const ENDINGS: [&str; 8] = ["jpg", "jpeg", "png", "webp", "bmp", "gif", "tif", "tiff"];
    let hidden = path
        .file_name()
        .is_some_and(|name| name.as_encoded_bytes().starts_with(b"."));
    let ending = path.extension().map(|e| e.to_ascii_lowercase());
    !hidden && ending.is_some_and(|e| ENDINGS.iter().any(|known| e == *known))
}

fn read_picture(path: &Path) -> anyhow::Result<RgbImage> {
    let name = path.display();
    let bytes = std::fs::read(path).with_context(|| format!("cannot read frost picture {name}"))?;
    let picture = match decode(&bytes) {
        Ok(picture) => picture,
        Err(error) => bail!("frost picture: {error}; replace or remove it: {name}"),
    };
    let (width, height) = picture.dimensions();
    ensure!(
        width.min(height) >= SHORTEST,
        "frost picture of {width}x{height} pixels, expected at least {SHORTEST}x{SHORTEST}; \
         replace or remove it: {name}"
    );
    Ok(picture)
}

/// Blends a random crop of a random picture.
pub(super) fn frost(
    image: &RgbImage,
    severity: Severity,
    frost: &Frost,
    rng: &mut SplitMix64,
) -> Raster {
    let (kept, added) = by_severity(
        severity,
        [(1.0, 0.4), (0.8, 0.6), (0.7, 0.7), (0.65, 0.7), (0.6, 0.75)],
    );
    let Scale(scale) = Scale::of(image);
    let step = (1.0 / scale).min(MAX_STEP);
    let covered = |n: u32| (f64::from(n) * step).round() as usize;
    let size = (covered(image.width()), covered(image.height()));
    let (picture, top, left) = frost.crop(size, rng);
    if step == 1.0 {
        blend_exactly(image, picture, (top, left), (kept, added))
    } else {
        blend_averages(image, picture, (top, left), step, (kept, added))
    }
}

/// Blends pixel by pixel. The picture repeats where the image is longer.
fn blend_exactly(
    image: &RgbImage,
    picture: &Raster<u8>,
    (top, left): (usize, usize),
    (kept, added): (f64, f64),
) -> Raster {
    let weighted = |weight: f64| std::array::from_fn::<f64, 256, _>(|v| weight * v as f64);
    let (kept, added) = (weighted(kept), weighted(added));
    let mut out = Raster::zeros(image.width() as usize, image.height() as usize, 3);
    let length = out.width * 3;
    let mut ice = Vec::with_capacity(length);
    let sources = image.as_raw().chunks_exact(length);
    for (y, (row, source)) in out.rows_mut().zip(sources).enumerate() {
        let line = picture.row((top + y) % picture.height);
        ice.clear();
        while ice.len() < length {
            let rest = &line[(left * 3 + ice.len()) % line.len()..];
            ice.extend_from_slice(&rest[..rest.len().min(length - ice.len())]);
        }
        for ((value, &level), &ice) in row.iter_mut().zip(source).zip(&ice) {
            let sum = kept[usize::from(level)] + added[usize::from(ice)];
            *value = round_down(sum.min(255.0));
        }
    }
    out
}

/// Blends with the picture's mean over squares of side `step`.
fn blend_averages(
    image: &RgbImage,
    picture: &Raster<u8>,
    (top, left): (usize, usize),
    step: f64,
    (kept, added): (f64, f64),
) -> Raster {
    let mut out = Raster::zeros(image.width() as usize, image.height() as usize, 3);
    let rows = overlaps(out.height, top as f64, step);
    let columns = overlaps(out.width, left as f64, step);
    let mut line = vec![0.0; picture.width * 3];
    let sources = image.as_raw().chunks_exact(columns.len() * 3);
    for ((row, source), cells) in out.rows_mut().zip(sources).zip(rows) {
        line.fill(0.0);
        for (y, share) in cells {
            let values = picture.row(y as usize % picture.height);
            for (sum, &value) in line.iter_mut().zip(values) {
                *sum += share * f64::from(value);
            }
        }
        let pixels = row.chunks_exact_mut(3).zip(source.chunks_exact(3));
        for ((pixel, source), cells) in pixels.zip(&columns) {
            for (channel, (value, &level)) in pixel.iter_mut().zip(source).enumerate() {
                let at = |x: i64| line[x as usize % picture.width * 3 + channel];
                let ice: f64 = cells.iter().map(|&(x, share)| share * at(x)).sum();
                *value = round_down((kept * f64::from(level) + added * ice).min(255.0));
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder with pictures of these names and sizes, each of its own content.
    fn folder(files: &[(&str, u32, u32)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (i, &(name, width, height)) in files.iter().enumerate() {
            picture(i as u32, width, height)
                .save(folder.path().join(name))
                .unwrap();
        }
        folder
    }

    fn picture(index: u32, width: u32, height: u32) -> RgbImage {
        RgbImage::from_fn(width, height, |x, y| {
            image::Rgb([x + 40 * index, y * 3, x * y + index].map(|v| (v % 256) as u8))
        })
    }

    fn message(folder: &Path) -> String {
        Frost::read(folder).unwrap_err().to_string()
    }

    #[test]
    fn pictures_are_cropped_and_blended_as_published() {
        let sizes = [
            ("b.png", 300, 260),
            ("a.png", 224, 225),
            ("c.png", 640, 480),
        ];
        let folder = folder(&sizes);
        std::fs::write(folder.path().join("notes.txt"), "about").unwrap();
        let pictures = Frost::read(folder.path()).unwrap();
        // Sorted by name.
        let sorted = [1, 0, 2].map(|i| picture(i as u32, sizes[i].1, sizes[i].2));
        let image = picture(9, 224, 224);
        let weights = [(1.0, 0.4), (0.8, 0.6), (0.7, 0.7), (0.65, 0.7), (0.6, 0.75)];
        for (severity, (a, b)) in Severity::ALL.into_iter().zip(weights) {
            for seed in 0..6 {
                let mut rng = SplitMix64::new(seed);
                let found = frost(&image, severity, &pictures, &mut rng);
                let mut draws = SplitMix64::new(seed);
                let ice = &sorted[draws.integer(0, 3) as usize];
                let top = draws.integer(0, i64::from(ice.height()) - 224) as u32;
                let left = draws.integer(0, i64::from(ice.width()) - 224) as u32;
                assert_eq!(rng.next_u64(), draws.next_u64());
                for (x, y, pixel) in image.enumerate_pixels() {
                    for channel in 0..3 {
                        let ice = f64::from(ice.get_pixel(left + x, top + y)[channel]);
                        let expected = (a * f64::from(pixel[channel]) + b * ice).clamp(0.0, 255.0);
                        let found = found.row(y as usize)[x as usize * 3 + channel];
                        assert!((f64::from(found) - expected).abs() < 1e-4);
                    }
                }
            }
        }
    }

    #[test]
    fn any_image_fits_any_picture() {
        let folder = folder(&[("a.png", 224, 224)]);
        let pictures = Frost::read(folder.path()).unwrap();
        for (width, height) in [(1, 1), (1, 500), (500, 1), (224, 900), (30, 20), (448, 448)] {
            let make = |seed| {
                let image = picture(3, width, height);
                frost(
                    &image,
                    Severity::ALL[1],
                    &pictures,
                    &mut SplitMix64::new(seed),
                )
            };
            assert_eq!(make(1), make(1));
        }
        // An even picture stays even, whatever is averaged.
        let even = RgbImage::from_pixel(250, 230, image::Rgb([100, 150, 200]));
        even.save(folder.path().join("a.png")).unwrap();
        let pictures = Frost::read(folder.path()).unwrap();
        for side in [20, 100, 224, 300] {
            let black = RgbImage::new(side, side);
            let out = frost(&black, Severity::ALL[1], &pictures, &mut SplitMix64::new(2));
            for pixel in out.values.chunks_exact(3) {
                let expected = [60.0, 90.0, 120.0];
                assert!(
                    pixel
                        .iter()
                        .zip(expected)
                        .all(|(a, b)| (a - b).abs() < 1e-3)
                );
            }
        }
    }

    #[test]
    fn the_source_tells_pictures_apart() {
        let names = ["a.png", "b.PNG", "c.png", "d.bmp", "e.png", "f.png"];
        let six = folder(&names.map(|name| (name, 230, 224)));
        let first = Frost::read(six.path()).unwrap();
        assert_eq!(Frost::synthetic().source(), FrostSource::Synthetic);
        assert_eq!(Frost::read(six.path()).unwrap().source(), first.source());
        // The sixth is not used, nor is a hidden file.
        std::fs::remove_file(six.path().join("f.png")).unwrap();
        std::fs::write(six.path().join(".a.png"), "").unwrap();
        assert_eq!(Frost::read(six.path()).unwrap().source(), first.source());
        std::fs::remove_file(six.path().join("e.png")).unwrap();
        assert_ne!(Frost::read(six.path()).unwrap().source(), first.source());
    }

    #[test]
    fn unusable_folders_are_explained() {
        let empty = tempfile::tempdir().unwrap();
        assert!(message(empty.path()).starts_with("no frost picture found, expected"));
        let missing = empty.path().join("missing");
        assert!(message(&missing).starts_with("cannot read the folder of frost pictures"));
        let small = folder(&[("a.png", 223, 400)]);
        assert!(message(small.path()).starts_with("frost picture of 223x400 pixels, expected"));
        let broken = folder(&[("a.png", 224, 224)]);
        std::fs::write(broken.path().join("b.jpg"), "no picture").unwrap();
        let found = message(broken.path());
        assert!(found.starts_with("frost picture: not an image"), "{found}");
        assert!(found.ends_with("b.jpg"), "{found}");
    }
}
