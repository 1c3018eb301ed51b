//! JPEG compression with 4:2:0 chroma.
//!
//! Entropy coding is lossless, so only what loses information is computed: colour conversion,
//! chroma averaging, quantised DCT, and their inverses (ITU-T T.81, JFIF 1.02). Edges are
//! replicated and chroma is interpolated as the common codec does it.

use image::RgbImage;
use shared::outcome::Severity;

use super::by_severity;
use super::raster::Raster;

/// Low-quality JPEG.
pub(super) fn jpeg_compression(image: &RgbImage, severity: Severity) -> Raster {
    let quality = by_severity(severity, [25, 18, 15, 10, 7]);
    Raster::from_rgb(&jpeg_round_trip(image, quality), 1.0)
}

/// `image` after JPEG encoding (baseline tables scaled to `quality`, clamped to 1..=100, 4:2:0)
/// and decoding. The published data set stores every image with quality 85.
pub fn jpeg_round_trip(image: &RgbImage, quality: u8) -> RgbImage {
    if image.as_raw().is_empty() {
        return image.clone();
    }
    let (width, height) = (image.width() as usize, image.height() as usize);
    let [luma, blue, red] = to_ycc(image);
    let code = |plane: Plane, table: &[u16; 64]| quantise(&plane, &scaled(table, quality));
    let luma = code(luma, &LUMA);
    let halved = |plane: &Plane| upsample(&code(halve(plane), &CHROMA), width, height);
    let (blue, red) = (halved(&blue), halved(&red));
    let mut out = image.clone();
    for (i, pixel) in out.pixels_mut().enumerate() {
        pixel.0 = to_rgb(luma.values[i], blue.values[i], red.values[i]);
    }
    out
}

/// Annex K tables, row-major.
const LUMA: [u16; 64] = [
    16, 11, 10, 16, 24, 40, 51, 61, 12, 12, 14, 19, 26, 58, 60, 55, 14, 13, 16, 24, 40, 57, 69, 56,
    14, 17, 22, 29, 51, 87, 80, 62, 18, 22, 37, 56, 68, 109, 103, 77, 24, 35, 55, 64, 81, 104, 113,
    92, 49, 64, 78, 87, 103, 121, 120, 101, 72, 92, 95, 98, 112, 100, 103, 99,
];
const CHROMA: [u16; 64] = [
    17, 18, 24, 47, 99, 99, 99, 99, 18, 21, 26, 66, 99, 99, 99, 99, 24, 26, 56, 99, 99, 99, 99, 99,
    47, 66, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99,
    99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99,
];

fn scaled(table: &[u16; 64], quality: u8) -> [f32; 64] {
    let quality = u32::from(quality.clamp(1, 100));
    let percent = if quality < 50 {
        5000 / quality
    } else {
        200 - 2 * quality
    };
    table.map(|v| ((u32::from(v) * percent + 50) / 100).clamp(1, 255) as f32)
}

struct Plane {
    width: usize,
    height: usize,
    values: Vec<u8>,
}

/// 16-bit fixed point.
fn fixed(v: f64) -> i32 {
    (v * 65536.0 + 0.5) as i32
}

fn to_ycc(image: &RgbImage) -> [Plane; 3] {
    let (width, height) = (image.width() as usize, image.height() as usize);
    let plane = |weights: [i32; 3], bias: i32| {
        let value = |p: &image::Rgb<u8>| {
            let sum: i32 =
                p.0.iter()
                    .zip(weights)
                    .map(|(&v, w)| i32::from(v) * w)
                    .sum();
            ((sum + bias) >> 16) as u8
        };
        Plane {
            width,
            height,
            values: image.pixels().map(value).collect(),
        }
    };
    let (blue_r, red_b) = (-fixed(0.168735892), -fixed(0.081312411));
    let (blue_g, red_g) = (-fixed(0.331264108), -fixed(0.418687589));
    let centre = (128 << 16) + 32767;
    [
        plane([fixed(0.299), fixed(0.587), fixed(0.114)], 32768),
        plane([blue_r, blue_g, fixed(0.5)], centre),
        plane([fixed(0.5), red_g, red_b], centre),
    ]
}

fn to_rgb(luma: u8, blue: u8, red: u8) -> [u8; 3] {
    let (y, cb, cr) = (i32::from(luma), i32::from(blue) - 128, i32::from(red) - 128);
    let r = y + ((fixed(1.402) * cr + 32768) >> 16);
    let g = y + ((-fixed(0.344136286) * cb - fixed(0.714136286) * cr + 32768) >> 16);
    let b = y + ((fixed(1.772) * cb + 32768) >> 16);
    [r, g, b].map(|v| v.clamp(0, 255) as u8)
}

/// 2 x 2 means. The rounding alternates by column; columns are added up to whole blocks, because
/// a block that crosses the edge averages replicated pixels, not replicated averages.
fn halve(plane: &Plane) -> Plane {
    let (width, height) = (plane.width.div_ceil(16) * 8, plane.height.div_ceil(2));
    let mut values = Vec::with_capacity(width * height);
    for y in 0..height {
        let row = |y: usize| &plane.values[y.min(plane.height - 1) * plane.width..][..plane.width];
        let (upper, lower) = (row(2 * y), row(2 * y + 1));
        for x in 0..width {
            let pair = [2 * x, 2 * x + 1].map(|x| x.min(plane.width - 1));
            let sum: u16 = pair
                .iter()
                .map(|&x| u16::from(upper[x]) + u16::from(lower[x]))
                .sum();
            values.push(((sum + 1 + (x as u16 & 1)) >> 2) as u8);
        }
    }
    Plane {
        width,
        height,
        values,
    }
}

/// The plane after DCT, quantisation and their inverses, block by block.
fn quantise(plane: &Plane, table: &[f32; 64]) -> Plane {
    let basis = dct_basis();
    let mut values = vec![0; plane.values.len()];
    for y0 in (0..plane.height).step_by(8) {
        for x0 in (0..plane.width).step_by(8) {
            let mut block = [0.0f32; 64];
            for (i, value) in block.iter_mut().enumerate() {
                let y = (y0 + i / 8).min(plane.height - 1);
                let x = (x0 + i % 8).min(plane.width - 1);
                *value = f32::from(plane.values[y * plane.width + x]) - 128.0;
            }
            let mut coefficients = transform(&transform(&block, &basis.0), &basis.0);
            // Two transforms each transpose, so the coefficients are in the table's order.
            for (coefficient, step) in coefficients.iter_mut().zip(table) {
                *coefficient = (*coefficient / step).round() * step;
            }
            let decoded = transform(&transform(&coefficients, &basis.1), &basis.1);
            for (i, value) in decoded.iter().enumerate() {
                let (y, x) = (y0 + i / 8, x0 + i % 8);
                if y < plane.height && x < plane.width {
                    values[y * plane.width + x] = (value + 128.0).round() as u8;
                }
            }
        }
    }
    Plane {
        width: plane.width,
        height: plane.height,
        values,
    }
}

/// The orthonormal 8-point DCT matrix (row `u`, column `x`) and its transpose.
fn dct_basis() -> ([f32; 64], [f32; 64]) {
    let entry = |u: usize, x: usize| {
        let norm = if u == 0 { 0.125f64.sqrt() } else { 0.5 };
        let angle = (2 * x + 1) as f64 * u as f64 * std::f64::consts::PI / 16.0;
        (norm * libm::cos(angle)) as f32
    };
    let forward = std::array::from_fn(|i| entry(i / 8, i % 8));
    let inverse = std::array::from_fn(|i| entry(i % 8, i / 8));
    (forward, inverse)
}

/// The transpose of `matrix * block`.
fn transform(block: &[f32; 64], matrix: &[f32; 64]) -> [f32; 64] {
    let mut out = [0.0; 64];
    for (u, weights) in matrix.chunks_exact(8).enumerate() {
        let mut row = [0.0f32; 8];
        for (values, weight) in block.chunks_exact(8).zip(weights) {
            for (sum, value) in row.iter_mut().zip(values) {
                *sum += weight * value;
            }
        }
        for (x, value) in row.into_iter().enumerate() {
            out[x * 8 + u] = value;
        }
    }
    out
}

/// Triangle interpolation to twice the size, cut to `width` x `height`.
fn upsample(plane: &Plane, width: usize, height: usize) -> Plane {
    // The columns beyond are only padding of the last block.
    let used = width.div_ceil(2);
    let mut values = Vec::with_capacity(width * height);
    let mut sums = vec![0u16; used];
    for y in 0..height {
        let near = y / 2;
        let far = if y % 2 == 0 {
            near.saturating_sub(1)
        } else {
            (near + 1).min(plane.height - 1)
        };
        let row = |y: usize| &plane.values[y * plane.width..y * plane.width + used];
        for ((sum, &a), &b) in sums.iter_mut().zip(row(near)).zip(row(far)) {
            *sum = 3 * u16::from(a) + u16::from(b);
        }
        for x in 0..width {
            let near = x / 2;
            let (far, bias) = if x % 2 == 0 {
                (near.saturating_sub(1), 8)
            } else {
                ((near + 1).min(used - 1), 7)
            };
            values.push(((3 * sums[near] + sums[far] + bias) >> 4) as u8);
        }
    }
    Plane {
        width,
        height,
        values,
    }
}
