//! Pixelate: box reduction and nearest enlargement.

use image::RgbImage;
use shared::outcome::Severity;

use super::by_severity;

/// Reduces both sides to a fraction with a box filter and enlarges again.
pub(super) fn pixelate(image: &RgbImage, severity: Severity) -> RgbImage {
    let fraction = by_severity(severity, [0.6, 0.5, 0.4, 0.3, 0.25]);
    let (width, height) = (image.width() as usize, image.height() as usize);
    let reduced = |n: usize| ((n as f64 * fraction) as usize).max(1);
    let (small_width, small_height) = (reduced(width), reduced(height));
    let narrow = reduce_columns(image.as_raw(), width, small_width);
    let small = reduce_rows(&narrow, height, small_height);
    let mut out = image.clone();
    let columns = nearest(small_width, width);
    let rows = nearest(small_height, height);
    for (row, y) in out.chunks_exact_mut(width * 3).zip(rows) {
        let from = &small[y * small_width * 3..][..small_width * 3];
        let from = from.as_chunks::<3>().0;
        for (pixel, &x) in row.as_chunks_mut::<3>().0.iter_mut().zip(&columns) {
            *pixel = from[x];
        }
    }
    out
}

/// The source positions of each of `targets` cells. All members weigh the same: the resampler's
/// box is not weighted by area. Products are formed as the resampler forms them, because their
/// rounding decides who belongs.
fn members(source: usize, targets: usize) -> Vec<std::ops::Range<usize>> {
    let ratio = source as f64 / targets as f64;
    let inverse = 1.0 / ratio;
    let cell = |i: usize| {
        let centre = (i as f64 + 0.5) * ratio;
        let belongs = |&j: &usize| {
            let distance = (j as f64 - centre + 0.5) * inverse;
            -0.5 < distance && distance <= 0.5
        };
        let low = ((centre - 0.5 * ratio + 0.5) as usize).min(source - 1);
        let high = ((centre + 0.5 * ratio + 0.5) as usize).min(source);
        let first = (low..high).find(belongs).unwrap_or(low);
        let last = (first..high).rev().find(belongs).unwrap_or(first);
        first..last + 1
    };
    (0..targets).map(cell).collect()
}

/// The source position of each of `targets` cells when enlarging with the same box.
fn nearest(source: usize, targets: usize) -> Vec<usize> {
    let ratio = source as f64 / targets as f64;
    (0..targets)
        .map(|i| (((i as f64 + 0.5) * ratio) as usize).min(source - 1))
        .collect()
}

fn reduce_columns(pixels: &[u8], from: usize, to: usize) -> Vec<u8> {
    let cells = members(from, to);
    let mut out = Vec::with_capacity(pixels.len() / from * to);
    for row in pixels.chunks_exact(from * 3) {
        let row = row.as_chunks::<3>().0;
        for cell in &cells {
            let mut sums = [0u32; 3];
            for member in &row[cell.clone()] {
                for (sum, &value) in sums.iter_mut().zip(member) {
                    *sum += u32::from(value);
                }
            }
            out.extend(sums.map(|sum| rounded_mean(sum, cell.len())));
        }
    }
    out
}

fn reduce_rows(pixels: &[u8], from: usize, to: usize) -> Vec<u8> {
    let length = pixels.len() / from;
    let mut out = Vec::with_capacity(length * to);
    let mut sums = vec![0u32; length];
    for cell in members(from, to) {
        let count = cell.len();
        sums.fill(0);
        for row in pixels[cell.start * length..cell.end * length].chunks_exact(length) {
            for (sum, &value) in sums.iter_mut().zip(row) {
                *sum += u32::from(value);
            }
        }
        out.extend(sums.iter().map(|&sum| rounded_mean(sum, count)));
    }
    out
}

/// Halves are rounded up. The quotient is a whole number or far enough from one that f32 cuts it
/// right.
fn rounded_mean(sum: u32, count: usize) -> u8 {
    ((2 * sum + count as u32) as f32 / (2 * count) as f32) as u8
}
