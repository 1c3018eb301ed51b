//! Pixelate: box reduction and nearest enlargement.

use image::RgbImage;
use shared::outcome::Severity;

use super::by_severity;
use super::raster::Raster;

/// Reduces both sides to a fraction with a box filter and enlarges again.
pub(super) fn pixelate(image: &RgbImage, severity: Severity) -> Raster {
    let fraction = by_severity(severity, [0.6, 0.5, 0.4, 0.3, 0.25]);
    let source = Raster::from_rgb(image, 1.0);
    let reduced = |n: usize| ((n as f64 * fraction) as usize).max(1);
    let (width, height) = (reduced(source.width), reduced(source.height));
    let small = reduce_rows(&reduce_columns(&source, width), height);
    let mut out = source.like();
    let (rows, columns) = (nearest(height, out.height), nearest(width, out.width));
    for (row, y) in out.rows_mut().zip(rows) {
        for (pixel, x) in row.chunks_exact_mut(3).zip(&columns) {
            pixel.copy_from_slice(&small.row(y)[x * 3..x * 3 + 3]);
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

fn reduce_columns(source: &Raster, width: usize) -> Raster {
    let cells = members(source.width, width);
    let mut out = Raster::zeros(width, source.height, 3);
    for (y, row) in out.rows_mut().enumerate() {
        for (pixel, cell) in row.chunks_exact_mut(3).zip(&cells) {
            for member in source.row(y)[cell.start * 3..cell.end * 3].chunks_exact(3) {
                for (sum, value) in pixel.iter_mut().zip(member) {
                    *sum += value;
                }
            }
            for sum in pixel {
                *sum = rounded_mean(*sum, cell.len());
            }
        }
    }
    out
}

fn reduce_rows(source: &Raster, height: usize) -> Raster {
    let mut out = Raster::zeros(source.width, height, 3);
    for (row, cell) in out.rows_mut().zip(members(source.height, height)) {
        let count = cell.len();
        for y in cell {
            for (sum, value) in row.iter_mut().zip(source.row(y)) {
                *sum += value;
            }
        }
        for sum in row {
            *sum = rounded_mean(*sum, count);
        }
    }
    out
}

fn rounded_mean(sum: f64, count: usize) -> f64 {
    (sum / count as f64 + 0.5).floor()
}
