//! Frost: a random crop of a random picture of ice blended in.

use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

use anyhow::{Context, bail, ensure};
use image::RgbImage;
use shared::outcome::{FrostSource, Severity};

use super::by_severity;
use super::raster::{Raster, Scale, overlaps};
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
    /// Built-in synthetic textures. They have the colour means, standard deviations and contrast in
    /// every octave of the published photographs and are drawn as often; results agree with theirs
    /// in distribution only.
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
) -> RgbImage {
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
) -> RgbImage {
    let weighted = |weight: f64| std::array::from_fn::<f64, 256, _>(|v| weight * v as f64);
    let (kept, added) = (weighted(kept), weighted(added));
    let mut out = image.clone();
    let length = image.width() as usize * 3;
    let mut ice = Vec::with_capacity(length);
    for (y, row) in out.chunks_exact_mut(length).enumerate() {
        let line = picture.row((top + y) % picture.height);
        ice.clear();
        while ice.len() < length {
            let rest = &line[(left * 3 + ice.len()) % line.len()..];
            ice.extend_from_slice(&rest[..rest.len().min(length - ice.len())]);
        }
        for (level, &ice) in row.iter_mut().zip(&ice) {
            // The conversion clips.
            *level = (kept[usize::from(*level)] + added[usize::from(ice)]) as u8;
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
) -> RgbImage {
    let mut out = image.clone();
    let rows = overlaps(image.height() as usize, top as f64, step);
    let columns = overlaps(image.width() as usize, left as f64, step);
    let mut line = vec![0.0; picture.width * 3];
    for (row, cells) in out.chunks_exact_mut(columns.len() * 3).zip(rows) {
        line.fill(0.0);
        for (y, share) in cells {
            let values = picture.row(y as usize % picture.height);
            for (sum, &value) in line.iter_mut().zip(values) {
                *sum += share * f64::from(value);
            }
        }
        for (pixel, cells) in row.as_chunks_mut::<3>().0.iter_mut().zip(&columns) {
            for (channel, level) in pixel.iter_mut().enumerate() {
                let at = |x: i64| line[x as usize % picture.width * 3 + channel];
                let ice: f64 = cells.iter().map(|&(x, share)| share * at(x)).sum();
                *level = (kept * f64::from(*level) + added * ice) as u8;
            }
        }
    }
    out
}

#[cfg(test)]
mod tests;
