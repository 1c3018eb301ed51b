//! Gaussian smoothing by a kernel wider than the image, as matrix products.

use super::filter::{gaussian_taps, sum_lines};
use super::raster::Raster;

/// Smooths a one-channel image with border reflect; taps up to `radius`. The border is folded into
/// one weight per pair of positions, so the cost does not grow with sigma. The weights are the same
/// read from either end, so that the sums and the differences of mirrored values are smoothed
/// separately, which halves the products.
pub(super) fn smooth(source: &Raster, sigma: f64, radius: usize) -> Raster {
    let taps = gaussian_taps(sigma, radius);
    let turned = transposed(&along_columns(source, &taps));
    transposed(&along_columns(&turned, &taps))
}

/// Smooths every column.
fn along_columns(source: &Raster, taps: &[f64]) -> Raster {
    let n = source.height;
    let half = n.div_ceil(2);
    let (even, odd) = folded(taps, n);
    let mut sums = Raster::zeros(source.width, half, 1);
    let mut differences = sums.like();
    let halves = sums.rows_mut().zip(differences.rows_mut());
    for (y, (sums, differences)) in halves.enumerate() {
        let mirrored = source.row(n - 1 - y);
        for (((s, d), a), b) in sums
            .iter_mut()
            .zip(differences)
            .zip(source.row(y))
            .zip(mirrored)
        {
            *s = a + b;
            *d = a - b;
        }
    }
    let (sums, differences) = (product(&even, &sums), product(&odd, &differences));
    let mut out = source.like();
    for y in 0..half {
        let width = source.width;
        let halves = || sums.row(y).iter().zip(differences.row(y));
        // The lower half first: the middle row of an odd number has no difference.
        let below = &mut out.values[(n - 1 - y) * width..][..width];
        for (value, (s, d)) in below.iter_mut().zip(halves()) {
            *value = s - d;
        }
        let above = &mut out.values[y * width..][..width];
        for (value, (s, d)) in above.iter_mut().zip(halves()) {
            *value = s + d;
        }
    }
    out
}

/// The weights of sums and of differences of mirrored values in a line of `n` with border reflect:
/// row `i` and column `j` for output position `i` and source positions `j` and `n - 1 - j`.
fn folded(taps: &[f64], n: usize) -> (Raster, Raster) {
    // Reflection repeats with period 2 n: the weight of every distance on that circle.
    let mut circle = vec![0.0; 2 * n];
    for (t, weight) in taps.iter().enumerate() {
        circle[t % (2 * n)] += weight;
        if t > 0 {
            circle[(2 * n - t % (2 * n)) % (2 * n)] += weight;
        }
    }
    let weight = |i: usize, j: usize| circle[(2 * n + i - j) % (2 * n)] + circle[i + j + 1];
    let half = n.div_ceil(2);
    let mut even = Raster::zeros(half, half, 1);
    let mut odd = even.like();
    for i in 0..half {
        for j in 0..half {
            let (a, b) = (weight(i, j), weight(i, n - 1 - j));
            // The middle of an odd line is its own mirror image: its sum counts it twice.
            even.values[i * half + j] = ((a + b) / 2.0) as f32;
            odd.values[i * half + j] = ((a - b) / 2.0) as f32;
            if 2 * j + 1 == n {
                even.values[i * half + j] = (a / 2.0) as f32;
            }
        }
    }
    (even, odd)
}

/// The matrix product.
fn product(left: &Raster, right: &Raster) -> Raster {
    let mut out = Raster::zeros(right.width, left.height, 1);
    let mut lines = Vec::with_capacity(right.height);
    for (y, row) in out.rows_mut().enumerate() {
        lines.clear();
        let rows = right.values.chunks_exact(right.width);
        lines.extend(rows.zip(left.row(y).iter().copied()));
        sum_lines(row, &lines);
    }
    out
}

fn transposed(source: &Raster) -> Raster {
    const SIDE: usize = 16;
    let (width, height) = (source.width, source.height);
    let mut out = Raster::zeros(height, width, 1);
    for y0 in (0..height).step_by(SIDE) {
        for x0 in (0..width).step_by(SIDE) {
            for y in y0..height.min(y0 + SIDE) {
                for x in x0..width.min(x0 + SIDE) {
                    out.values[x * height + y] = source.values[y * width + x];
                }
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::filter::separable;
    use super::super::raster::Border;
    use super::*;
    use crate::perturb::rng::SplitMix64;

    #[test]
    fn products_equal_the_sum_over_taps() {
        let mut rng = SplitMix64::new(5);
        for (width, height, sigma) in [(24, 17, 9.0), (1, 2, 1.0), (7, 1, 3.0), (9, 31, 40.0)] {
            let noise = Raster::fill(width, height, || rng.range(-1.0, 1.0) as f32);
            let radius = (3.0 * sigma + 0.5) as usize;
            let taps = gaussian_taps(sigma, radius);
            let expected = separable(&noise.map(f64::from), &taps, Border::Reflect);
            let found = smooth(&noise, sigma, radius);
            for (a, b) in found.values.iter().zip(&expected.values) {
                assert!(
                    (f64::from(*a) - b).abs() < 1e-6,
                    "{width} x {height}: {a} {b}"
                );
            }
        }
    }
}
