//! Linear filters shared by the blurs and the weather.
//!
//! All sums run over whole rows, several taps at a time, in an order that depends on the kernel
//! alone: the compiler makes vector instructions of that on every platform.

use std::ops::{Add, AddAssign, Mul, Sub};

use super::raster::{Border, Raster, fill_border};

/// What can be filtered: f32, or f64 where the last bits decide.
pub(super) trait Sample:
    Copy + Default + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + AddAssign
{
    /// The nearest value of this type.
    fn of(value: f64) -> Self;
}

impl Sample for f32 {
    fn of(value: f64) -> Self {
        value as f32
    }
}

impl Sample for f64 {
    fn of(value: f64) -> Self {
        value
    }
}

/// Gaussian smoothing: taps up to `int(truncate * sigma + 0.5)`, columns first, then rows.
pub(super) fn gaussian<T: Sample>(
    source: &Raster<T>,
    sigma: f64,
    truncate: f64,
    border: Border,
) -> Raster<T> {
    let taps = gaussian_taps(sigma, (truncate * sigma + 0.5) as usize);
    separable(source, &taps, border)
}

/// Correlation with the same symmetric taps (weights of offsets `0..`) down the columns, then
/// along the rows. The centre is added first, then the outermost taps, as the reference does: glass
/// blur truncates the sums.
pub(super) fn separable<T: Sample>(source: &Raster<T>, taps: &[f64], border: Border) -> Raster<T> {
    let radius = taps.len() - 1;
    let channels = source.channels;
    let length = source.width * channels;
    let outside = border.outside(radius, source.width);
    let mut line = vec![T::default(); length + 2 * radius * channels];
    let mut pairs = Vec::with_capacity(taps.len());
    let mut out = source.like();
    for (y, row) in out.rows_mut().enumerate() {
        let near = |offset: i64| source.row(border.index(y as i64 + offset, source.height));
        pairs.clear();
        pairs.extend(ordered(taps).map(|(t, w)| (near(-(t as i64)), near(t as i64), T::of(w))));
        sum_pairs(&mut line[radius * channels..][..length], &pairs);
        fill_border(&mut line, &outside, channels);
        let at = |column: usize| &line[column * channels..][..length];
        let pairs: Vec<_> = ordered(taps)
            .map(|(t, w)| (at(radius - t), at(radius + t), T::of(w)))
            .collect();
        sum_pairs(row, &pairs);
    }
    out
}

/// Offsets with the weights of both sides, in the order of summation. The centre is its own
/// partner with half the weight, which changes no bit.
fn ordered(taps: &[f64]) -> impl Iterator<Item = (usize, f64)> {
    let outer = taps.iter().copied().enumerate().skip(1).rev();
    std::iter::once((0, taps[0] / 2.0)).chain(outer)
}

/// `out[i]` = sum of `weight * (a[i] + b[i])`.
fn sum_pairs<T: Sample>(out: &mut [T], pairs: &[(&[T], &[T], T)]) {
    out.fill(T::default());
    let (fours, rest) = pairs.as_chunks::<4>();
    for four in fours {
        add_four_pairs(out, four);
    }
    for &(a, b, weight) in rest {
        for ((sum, &a), &b) in out.iter_mut().zip(a).zip(b) {
            *sum += weight * (a + b);
        }
    }
}

fn add_four_pairs<T: Sample>(out: &mut [T], pairs: &[(&[T], &[T], T); 4]) {
    let n = out.len();
    let [(a, b, s), (c, d, t), (e, f, u), (g, h, v)] = *pairs;
    let [a, b, c, d, e, f, g, h] = [a, b, c, d, e, f, g, h].map(|line| &line[..n]);
    for i in 0..n {
        let sum = out[i] + s * (a[i] + b[i]);
        let sum = sum + t * (c[i] + d[i]);
        let sum = sum + u * (e[i] + f[i]);
        out[i] = sum + v * (g[i] + h[i]);
    }
}

/// `out[i]` = sum of `weight * line[i]`.
pub(super) fn sum_lines(out: &mut [f32], lines: &[(&[f32], f32)]) {
    out.fill(0.0);
    let (fours, rest) = lines.as_chunks::<4>();
    for four in fours {
        add_four_lines(out, four);
    }
    for (line, weight) in rest {
        for (sum, value) in out.iter_mut().zip(*line) {
            *sum += weight * value;
        }
    }
}

fn add_four_lines(out: &mut [f32], lines: &[(&[f32], f32); 4]) {
    let n = out.len();
    let [(a, s), (b, t), (c, u), (d, v)] = *lines;
    let [a, b, c, d] = [a, b, c, d].map(|line| &line[..n]);
    for i in 0..n {
        let sum = out[i] + s * a[i] + t * b[i];
        out[i] = sum + u * c[i] + v * d[i];
    }
}

/// The non-negative half of a normalised Gaussian kernel: weights of offsets `0..=radius`.
pub(super) fn gaussian_taps(sigma: f64, radius: usize) -> Vec<f64> {
    let weights: Vec<f64> = (0..=radius)
        .map(|t| libm::exp(-0.5 / (sigma * sigma) * (t * t) as f64))
        .collect();
    let sum = weights[0] + 2.0 * weights[1..].iter().sum::<f64>();
    weights.into_iter().map(|w| w / sum).collect()
}

/// Correlation with a kernel that is symmetric in both axes; `quadrant[dy][dx]` holds the weights
/// of non-negative offsets.
pub(super) fn correlate_symmetric(
    source: &Raster,
    quadrant: &[Vec<f64>],
    border: Border,
) -> Raster {
    let reach = quadrant.len() - 1;
    let channels = source.channels;
    let length = source.width * channels;
    let padded = source.pad_columns(reach, border);
    // Every kernel row's sum of the rows above and below.
    let mut sums = vec![vec![0.0f32; padded.width * channels]; quadrant.len()];
    let mut out = source.like();
    for (y, row) in out.rows_mut().enumerate() {
        for (dy, sums) in sums.iter_mut().enumerate() {
            let near = |offset: i64| padded.row(border.index(y as i64 + offset, source.height));
            let (above, below) = (near(-(dy as i64)), near(dy as i64));
            for ((sum, a), b) in sums.iter_mut().zip(above).zip(below) {
                *sum = a + b;
            }
        }
        let mut pairs = Vec::with_capacity(quadrant.len() * quadrant.len());
        for (dy, (taps, sums)) in quadrant.iter().zip(&sums).enumerate() {
            // The middle row was added to itself.
            let share = if dy == 0 { 0.5 } else { 1.0 };
            let at = |column: usize| &sums[column * channels..][..length];
            // Less is lost in rounding, and such products are slow.
            let used = ordered(taps).filter(|&(_, weight)| weight > 1e-12);
            pairs.extend(used.map(|(t, w)| (at(reach - t), at(reach + t), (share * w) as f32)));
        }
        sum_pairs(row, &pairs);
    }
    out
}

/// One-sided motion blur: `W = 2 ceil(radius) + 1` Gaussian taps along `degrees`, edge clamp.
/// Every finished row goes to `keep`, top to bottom.
pub(super) fn motion(
    source: &Raster,
    radius: f64,
    sigma: f64,
    degrees: f64,
    mut keep: impl FnMut(&[f32]),
) {
    let width = 2 * radius.ceil() as usize + 1;
    let half = gaussian_taps(sigma, width - 1);
    let sum: f64 = half.iter().sum();
    let radians = degrees.to_radians();
    let (cos, sin) = (libm::cos(radians), libm::sin(radians));
    let offset = |w: usize, part: f64| (w as f64 * part - 0.5).ceil() as i64;
    let padded = source.pad_columns(width, Border::Nearest);
    let length = source.width * source.channels;
    // |offset| <= w < width, so the shifted rows stay within the padding.
    let taps: Vec<_> = half
        .iter()
        .enumerate()
        .map(|(w, weight)| {
            let start = (width as i64 + offset(w, cos)) as usize * source.channels;
            (offset(w, sin), start, (weight / sum) as f32)
        })
        .collect();
    let mut row = vec![0.0; length];
    let mut lines = Vec::with_capacity(taps.len());
    for y in 0..source.height as i64 {
        lines.clear();
        lines.extend(taps.iter().map(|&(dy, start, weight)| {
            let from = Border::Nearest.index(y + dy, source.height);
            (&padded.row(from)[start..start + length], weight)
        }));
        sum_lines(&mut row, &lines);
        keep(&row);
    }
}
