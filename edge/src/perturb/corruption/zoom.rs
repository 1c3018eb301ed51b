//! Enlargement around the centre.

use super::filter::Sample;

/// Enlarges images of one size around the centre (linear interpolation on the aligned-corner grid)
/// and cuts the original size.
pub(super) struct Zoom<T> {
    rows: Vec<(usize, T)>,
    columns: Vec<(usize, T)>,
}

impl<T: Sample> Zoom<T> {
    /// For images of `width` x `height` pixels; `factor` is at least 1.
    pub(super) fn new(width: usize, height: usize, factor: f64) -> Self {
        Self {
            rows: axis(height, factor),
            columns: axis(width, factor),
        }
    }

    /// Adds row `y` of the enlarged `source` to `sum`; `blended` is working space of one pixel more
    /// than a row.
    pub(super) fn add_row<const N: usize>(
        &self,
        source: &[[T; N]],
        y: usize,
        blended: &mut [[T; N]],
        sum: &mut [[T; N]],
    ) {
        let width = self.columns.len();
        let (from, fraction) = self.rows[y];
        let row = |y: usize| source[y * width..(y + 1) * width].as_flattened();
        let upper = row(from);
        let lower = row((from + 1).min(self.rows.len() - 1));
        let line = blended[..width].as_flattened_mut();
        for ((value, &a), &b) in line.iter_mut().zip(upper).zip(lower) {
            *value = a + (b - a) * fraction;
        }
        blended[width] = blended[width - 1];
        for (pixel, &(x, fraction)) in sum.iter_mut().zip(&self.columns) {
            let [left, right] = [blended[x], blended[x + 1]];
            for c in 0..N {
                pixel[c] += left[c] + (right[c] - left[c]) * fraction;
            }
        }
    }
}

/// Source position (whole and fractional part) of every output position.
fn axis<T: Sample>(n: usize, factor: f64) -> Vec<(usize, T)> {
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
            (first + whole, T::of(position - whole as f64))
        })
        .collect()
}
