//! Linear filters shared by the blurs and the weather.

use super::raster::{Border, Raster};

/// Gaussian smoothing: taps up to `int(truncate * sigma + 0.5)`, rows first, then columns.
pub(super) fn gaussian(source: &Raster, sigma: f64, truncate: f64, border: Border) -> Raster {
    let taps = gaussian_taps(sigma, (truncate * sigma + 0.5) as usize);
    if taps.len() > source.width.max(source.height) && source.channels == 1 {
        return smooth_wide(source, &taps, border);
    }
    separable(source, &taps, border)
}

/// Correlation with the same symmetric taps (weights of offsets `0..`) down the columns, then
/// along the rows.
pub(super) fn separable(source: &Raster, taps: &[f64], border: Border) -> Raster {
    along_rows(&across_rows(source, taps, border), taps, border)
}

/// The non-negative half of a normalised Gaussian kernel: weights of offsets `0..=radius`.
pub(super) fn gaussian_taps(sigma: f64, radius: usize) -> Vec<f64> {
    let weights: Vec<f64> = (0..=radius)
        .map(|t| libm::exp(-0.5 / (sigma * sigma) * (t * t) as f64))
        .collect();
    let sum = weights[0] + 2.0 * weights[1..].iter().sum::<f64>();
    weights.into_iter().map(|w| w / sum).collect()
}

/// The outermost taps are added first, as the reference does: glass blur truncates the sums.
fn across_rows(source: &Raster, taps: &[f64], border: Border) -> Raster {
    let mut out = source.like();
    for (y, row) in out.rows_mut().enumerate() {
        add_scaled(row, source.row(y), taps[0]);
        for (t, &weight) in taps.iter().enumerate().skip(1).rev() {
            let above = source.row(border.index(y as i64 - t as i64, source.height));
            let below = source.row(border.index(y as i64 + t as i64, source.height));
            add_scaled_pair(row, above, below, weight);
        }
    }
    out
}

fn along_rows(source: &Raster, taps: &[f64], border: Border) -> Raster {
    let radius = taps.len() - 1;
    let padded = source.pad_columns(radius, border);
    let mut out = source.like();
    for (y, row) in out.rows_mut().enumerate() {
        correlate_row(row, padded.row(y), taps, source.channels);
    }
    out
}

/// Adds to `row` the symmetric correlation of `padded` (as many columns wider on both sides as
/// there are taps after the first) with `taps`.
fn correlate_row(row: &mut [f64], padded: &[f64], taps: &[f64], channels: usize) {
    let radius = taps.len() - 1;
    let length = row.len();
    let at = |column: usize| &padded[column * channels..column * channels + length];
    add_scaled(row, at(radius), taps[0]);
    for (t, &weight) in taps.iter().enumerate().skip(1).rev() {
        if weight != 0.0 {
            add_scaled_pair(row, at(radius - t), at(radius + t), weight);
        }
    }
}

/// [`gaussian`] for a kernel wider than the image: the border is folded into one weight per pair
/// of positions, so the cost no longer grows with sigma.
fn smooth_wide(source: &Raster, taps: &[f64], border: Border) -> Raster {
    let vertical = folded(taps, source.height, border);
    let mut middle = source.like();
    for (y, row) in middle.rows_mut().enumerate() {
        for (j, weights) in vertical.iter().enumerate() {
            add_scaled(row, source.row(j), weights[y]);
        }
    }
    let horizontal = folded(taps, source.width, border);
    let mut out = source.like();
    for (y, row) in out.rows_mut().enumerate() {
        for (&value, weights) in middle.row(y).iter().zip(&horizontal) {
            add_scaled(row, weights, value);
        }
    }
    out
}

/// `folded[j][i]`: the weight of source position `j` in output position `i`.
fn folded(taps: &[f64], n: usize, border: Border) -> Vec<Vec<f64>> {
    let mut weights = vec![vec![0.0; n]; n];
    for i in 0..n {
        weights[i][i] += taps[0];
        for (t, &weight) in taps.iter().enumerate().skip(1).rev() {
            weights[border.index(i as i64 - t as i64, n)][i] += weight;
            weights[border.index(i as i64 + t as i64, n)][i] += weight;
        }
    }
    weights
}

/// Correlation with a kernel that is symmetric in both axes; `quadrant[dy][dx]` holds the weights
/// of non-negative offsets.
pub(super) fn correlate_symmetric(
    source: &Raster,
    quadrant: &[Vec<f64>],
    border: Border,
) -> Raster {
    let padded = source.pad_columns(quadrant.len() - 1, border);
    let mut pair = vec![0.0; padded.width * padded.channels];
    let mut out = source.like();
    for (y, row) in out.rows_mut().enumerate() {
        for (dy, taps) in quadrant.iter().enumerate() {
            let above = padded.row(border.index(y as i64 - dy as i64, source.height));
            if dy == 0 {
                correlate_row(row, above, taps, source.channels);
                continue;
            }
            let below = padded.row(border.index(y as i64 + dy as i64, source.height));
            for ((sum, a), b) in pair.iter_mut().zip(above).zip(below) {
                *sum = a + b;
            }
            correlate_row(row, &pair, taps, source.channels);
        }
    }
    out
}

/// One-sided motion blur: `W = 2 ceil(radius) + 1` Gaussian taps along `degrees`, edge clamp.
pub(super) fn motion(source: &Raster, radius: f64, sigma: f64, degrees: f64) -> Raster {
    let width = 2 * radius.ceil() as usize + 1;
    let half = gaussian_taps(sigma, width - 1);
    let sum: f64 = half.iter().sum();
    let radians = degrees.to_radians();
    let (cos, sin) = (libm::cos(radians), libm::sin(radians));
    let offset = |w: usize, part: f64| (w as f64 * part - 0.5).ceil() as i64;
    let padded = source.pad_columns(width, Border::Nearest);
    let length = source.width * source.channels;
    let mut out = source.like();
    for (y, row) in out.rows_mut().enumerate() {
        for (w, &weight) in half.iter().enumerate() {
            let from = Border::Nearest.index(y as i64 + offset(w, sin), source.height);
            // |offset| <= w < width, so the shifted row stays within the padding.
            let start = (width as i64 + offset(w, cos)) as usize * source.channels;
            add_scaled(row, &padded.row(from)[start..start + length], weight / sum);
        }
    }
    out
}

/// Enlarges around the centre by `factor` >= 1 (linear interpolation on the aligned-corner grid)
/// and cuts the original size.
pub(super) fn zoom(source: &Raster, factor: f64) -> Raster {
    let mut out = source.like();
    add_zoomed(&mut out, source, factor);
    out
}

/// Adds [`zoom`] of `source` to `sum`, which has its shape.
pub(super) fn add_zoomed(sum: &mut Raster, source: &Raster, factor: f64) {
    let columns = zoom_axis(source.width, factor);
    let rows = zoom_axis(source.height, factor);
    let c = source.channels;
    let mut blended = vec![0.0; source.width * c];
    for (row, (y, fraction)) in sum.rows_mut().zip(rows) {
        let (upper, lower) = (source.row(y), source.row((y + 1).min(source.height - 1)));
        for ((value, a), b) in blended.iter_mut().zip(upper).zip(lower) {
            *value = a + (b - a) * fraction;
        }
        for (pixel, &(x, fraction)) in row.chunks_exact_mut(c).zip(&columns) {
            let right = (x + 1).min(source.width - 1);
            for (channel, value) in pixel.iter_mut().enumerate() {
                let (a, b) = (blended[x * c + channel], blended[right * c + channel]);
                *value += a + (b - a) * fraction;
            }
        }
    }
}

/// Source position (whole and fractional part) of every output position.
fn zoom_axis(n: usize, factor: f64) -> Vec<(usize, f64)> {
    let crop = ((n as f64 / factor).ceil() as usize).clamp(1, n);
    let first = (n - crop) / 2;
    let enlarged = ((crop as f64 * factor).round_ties_even() as usize).max(n);
    let trim = (enlarged - n) / 2;
    let step = if enlarged > 1 {
        (crop - 1) as f64 / (enlarged - 1) as f64
    } else {
        0.0
    };
    (trim..trim + n)
        .map(|i| {
            let position = i as f64 * step;
            let whole = (position as usize).min(crop - 1);
            (first + whole, position - whole as f64)
        })
        .collect()
}

fn add_scaled(row: &mut [f64], source: &[f64], weight: f64) {
    for (sum, value) in row.iter_mut().zip(source) {
        *sum += weight * value;
    }
}

fn add_scaled_pair(row: &mut [f64], a: &[f64], b: &[f64], weight: f64) {
    for ((sum, a), b) in row.iter_mut().zip(a).zip(b) {
        *sum += weight * (a + b);
    }
}
