//! Blurs by a fixed kernel: Gaussian, defocus, motion, zoom.

use image::RgbImage;
use shared::outcome::Severity;

use super::filter::{correlate_symmetric, gaussian_taps, motion};
use super::raster::{Border, Raster, Scale, overlaps, quads};
use super::zoom::Zoom;
use super::{by_severity, filter};
use crate::perturb::rng::SplitMix64;

/// Gaussian blur, edge clamp.
pub(super) fn gaussian(image: &RgbImage, severity: Severity) -> Raster {
    let sigma = by_severity(severity, [1.0, 2.0, 3.0, 4.0, 6.0]);
    let sigma = Scale::of(image).length(sigma);
    filter::gaussian(&Raster::levels(image), sigma, 4.0, Border::Nearest).clipped()
}

/// Correlation with a slightly smoothed disk.
pub(super) fn defocus(image: &RgbImage, severity: Severity) -> Raster {
    let (radius, alias) = by_severity(
        severity,
        [(3, 0.1), (4, 0.5), (6, 0.5), (8, 0.5), (10, 0.5)],
    );
    let kernel = scaled_quadrant(&disk_quadrant(radius, alias), Scale::of(image));
    correlate_symmetric(&Raster::levels(image), &kernel, Border::Reflect101).clipped()
}

/// The non-negative quadrant of the reference's disk kernel. Its grid has radius 8 up to disk
/// radius 8, and the smoothing reflects at the grid's edge: the kernels of radius 8 and 10
/// therefore sum to more than 1, in the published images too.
fn disk_quadrant(radius: usize, alias: f64) -> Vec<Vec<f64>> {
    let half = radius.max(8);
    let taps = gaussian_taps(alias, if radius <= 8 { 1 } else { 2 });
    let side = 2 * half + 1;
    let inside = |i: usize| {
        let (x, y) = ((i % side).abs_diff(half), (i / side).abs_diff(half));
        if x * x + y * y <= radius * radius {
            1.0
        } else {
            0.0
        }
    };
    let mut disk = Raster::<f64>::zeros(side, side, 1);
    let area: f64 = (0..side * side).map(inside).sum();
    for (i, value) in disk.values.iter_mut().enumerate() {
        *value = inside(i) / area;
    }
    let smooth = filter::separable(&disk, &taps, Border::Reflect101);
    (half..side)
        .map(|y| smooth.row(y)[half..].to_vec())
        .collect()
}

/// The kernel for another image size: every tap is a square of one reference pixel, its weight
/// goes to the pixels that the scaled square covers. At scale 1 nothing changes.
fn scaled_quadrant(quadrant: &[Vec<f64>], Scale(scale): Scale) -> Vec<Vec<f64>> {
    let reach = quadrant.len() as i64 - 1;
    let half = ((reach as f64 + 0.5) * scale - 0.5).ceil().max(0.0) as usize;
    // Reference tap t covers [t - 1/2, t + 1/2]; positions below are shifted by 1/2.
    let shares = overlaps(half + 1, 0.5 - 0.5 / scale, 1.0 / scale);
    let weight = |cells: &[(i64, f64)], other: &[(i64, f64)]| -> f64 {
        let pairs = cells.iter().flat_map(|a| other.iter().map(move |b| (a, b)));
        pairs
            .filter(|((y, _), (x, _))| y.abs() <= reach && x.abs() <= reach)
            .map(|((y, p), (x, q))| {
                quadrant[y.unsigned_abs() as usize][x.unsigned_abs() as usize] * p * q
            })
            .sum::<f64>()
            / (scale * scale)
    };
    shares
        .iter()
        .map(|rows| shares.iter().map(|columns| weight(rows, columns)).collect())
        .collect()
}

/// Motion blur at a random angle within 45 degrees of the horizontal, in 8-bit levels.
pub(super) fn motion_blur(image: &RgbImage, severity: Severity, rng: &mut SplitMix64) -> RgbImage {
    let (radius, sigma) = by_severity(
        severity,
        [
            (10.0, 3.0),
            (15.0, 5.0),
            (15.0, 8.0),
            (15.0, 12.0),
            (20.0, 15.0),
        ],
    );
    let scale = Scale::of(image);
    let degrees = rng.range(-45.0, 45.0);
    let (radius, sigma) = (scale.length(radius), scale.length(sigma));
    let mut out = image.clone();
    let mut rows = out.chunks_exact_mut(image.width() as usize * 3);
    motion(&Raster::levels(image), radius, sigma, degrees, |row| {
        for (byte, value) in rows.next().into_iter().flatten().zip(row) {
            *byte = (value + 0.5) as u8;
        }
    });
    out
}

/// Mean of the image and its enlargements.
pub(super) fn zoom_blur(image: &RgbImage, severity: Severity) -> Raster {
    let (count, step) = by_severity(
        severity,
        [(12, 0.01), (16, 0.01), (11, 0.02), (13, 0.02), (11, 0.03)],
    );
    let (width, height) = (image.width() as usize, image.height() as usize);
    // The reference's factors are start + i * ((start + step) - start); the rounding decides how
    // many pixels the crop has.
    let step = (1.0 + step) - 1.0;
    let zooms: Vec<Zoom<f32>> = (0..count)
        .map(|i| Zoom::new(width, height, 1.0 + f64::from(i) * step))
        .collect();
    let source = quads(image);
    let mut blended = vec![[0.0; 4]; width + 1];
    let mut sum = vec![[0.0; 4]; width];
    let mut out = Raster::zeros(width, height, 3);
    let share = 1.0 / (count as f32 + 1.0);
    for (y, row) in out.rows_mut().enumerate() {
        sum.copy_from_slice(&source[y * width..(y + 1) * width]);
        for zoom in &zooms {
            zoom.add_row(&source, y, &mut blended, &mut sum);
        }
        for (pixel, sum) in row.chunks_exact_mut(3).zip(&sum) {
            for (value, sum) in pixel.iter_mut().zip(sum) {
                *value = sum * share;
            }
        }
    }
    out.clipped()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kernel_sum(quadrant: &[Vec<f64>]) -> f64 {
        let mirrored = |i: usize| if i == 0 { 1.0 } else { 2.0 };
        let rows = quadrant.iter().enumerate();
        rows.map(|(y, row)| {
            let columns = row.iter().enumerate();
            mirrored(y) * columns.map(|(x, v)| mirrored(x) * v).sum::<f64>()
        })
        .sum()
    }

    #[test]
    fn large_disks_brighten_as_in_the_reference() {
        assert!((kernel_sum(&disk_quadrant(8, 0.5)) - 1.01298).abs() < 5e-6);
        assert!((kernel_sum(&disk_quadrant(10, 0.5)) - 1.01079).abs() < 5e-6);
        assert!((kernel_sum(&disk_quadrant(3, 0.1)) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn scaling_keeps_the_kernel_sum_and_scale_one_keeps_the_kernel() {
        for (radius, alias) in [(3, 0.1), (8, 0.5), (10, 0.5)] {
            let kernel = disk_quadrant(radius, alias);
            let sum = kernel_sum(&kernel);
            assert_eq!(scaled_quadrant(&kernel, Scale(1.0)), kernel);
            for scale in [1.0 / 224.0, 0.1, 64.0 / 224.0, 0.5, 384.0 / 224.0, 3.0] {
                let scaled = scaled_quadrant(&kernel, Scale(scale));
                assert!(
                    (kernel_sum(&scaled) - sum).abs() < 1e-9,
                    "radius {radius} scale {scale}"
                );
            }
        }
    }
}
