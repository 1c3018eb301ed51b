//! Float images, their borders, and the scaling rule.

use image::RgbImage;

/// A row-major, channel-interleaved image; never empty.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Raster<T = f32> {
    pub(super) width: usize,
    pub(super) height: usize,
    pub(super) channels: usize,
    pub(super) values: Vec<T>,
}

impl<T: Copy + Default> Raster<T> {
    /// All zeros.
    pub(super) fn zeros(width: usize, height: usize, channels: usize) -> Self {
        let values = vec![T::default(); width * height * channels];
        Self {
            width,
            height,
            channels,
            values,
        }
    }

    /// A one-channel image filled in row-major order.
    pub(super) fn fill(width: usize, height: usize, mut draw: impl FnMut() -> T) -> Self {
        let mut out = Self::zeros(width, height, 1);
        for value in &mut out.values {
            *value = draw();
        }
        out
    }

    /// Zeros of the same shape.
    pub(super) fn like(&self) -> Self {
        Self::zeros(self.width, self.height, self.channels)
    }

    /// Row `y`, interleaved.
    pub(super) fn row(&self, y: usize) -> &[T] {
        let length = self.width * self.channels;
        &self.values[y * length..(y + 1) * length]
    }

    /// All rows, top to bottom.
    pub(super) fn rows_mut(&mut self) -> std::slice::ChunksExactMut<'_, T> {
        self.values.chunks_exact_mut(self.width * self.channels)
    }

    /// Every value replaced by its image under `f`.
    pub(super) fn map<U>(&self, f: impl Fn(T) -> U) -> Raster<U> {
        Raster {
            width: self.width,
            height: self.height,
            channels: self.channels,
            values: self.values.iter().map(|&value| f(value)).collect(),
        }
    }

    /// `count` columns added on both sides, filled by the border rule.
    pub(super) fn pad_columns(&self, count: usize, border: Border) -> Self {
        let mut padded = Self::zeros(self.width + 2 * count, self.height, self.channels);
        let source = border.outside(count, self.width);
        let inner = count * self.channels..(count + self.width) * self.channels;
        for (y, row) in padded.rows_mut().enumerate() {
            row[inner.clone()].copy_from_slice(self.row(y));
            fill_border(row, &source, self.channels);
        }
        padded
    }
}

impl Raster {
    /// The image's levels, 0 to 255.
    pub(super) fn levels(image: &RgbImage) -> Self {
        Self {
            width: image.width() as usize,
            height: image.height() as usize,
            channels: 3,
            values: image.as_raw().iter().map(|&v| f32::from(v)).collect(),
        }
    }

    /// Levels clipped to [0, 255].
    pub(super) fn clipped(mut self) -> Self {
        for value in &mut self.values {
            *value = value.clamp(0.0, 255.0);
        }
        self
    }
}

/// Fills the columns beside the inner part of a padded row; `source` is [`Border::outside`].
pub(super) fn fill_border<T: Copy>(row: &mut [T], source: &[(usize, usize)], channels: usize) {
    for &(to, from) in source {
        row.copy_within(from * channels..(from + 1) * channels, to * channels);
    }
}

/// The levels of every pixel, filled up to four values: a vector register.
pub(super) fn quads(image: &RgbImage) -> Vec<[f32; 4]> {
    let pixels = image.as_raw().chunks_exact(3);
    pixels
        .map(|p| [f32::from(p[0]), f32::from(p[1]), f32::from(p[2]), 0.0])
        .collect()
}

/// The largest f32 that is at most `value`, so that truncation to whole levels stays the same.
pub(super) fn round_down(value: f64) -> f32 {
    let nearest = value as f32;
    if f64::from(nearest) > value {
        nearest.next_down()
    } else {
        nearest
    }
}

/// What lies outside an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Border {
    /// `a a | a b c d | d d`
    Nearest,
    /// `b a | a b c d | d c`
    Reflect,
    /// `c b | a b c d | c b`
    Reflect101,
    /// `c d | a b c d | a b`
    Wrap,
}

impl Border {
    /// The position inside `0..n` that stands for position `i`, however far outside it is.
    pub(super) fn index(self, i: i64, n: usize) -> usize {
        let n = n as i64;
        let inside = match self {
            Self::Nearest => i.clamp(0, n - 1),
            Self::Reflect => {
                let phase = i.rem_euclid(2 * n);
                phase.min(2 * n - 1 - phase)
            }
            Self::Reflect101 if n == 1 => 0,
            Self::Reflect101 => {
                let phase = i.rem_euclid(2 * n - 2);
                phase.min(2 * n - 2 - phase)
            }
            Self::Wrap => i.rem_euclid(n),
        };
        inside as usize
    }

    /// For a line of `n` values padded by `count` on both sides: the positions of the padding with
    /// those of the values that they repeat.
    pub(super) fn outside(self, count: usize, n: usize) -> Vec<(usize, usize)> {
        (0..count)
            .chain(count + n..2 * count + n)
            .map(|x| (x, count + self.index(x as i64 - count as i64, n)))
            .collect()
    }
}

/// How long a pixel of the 224-pixel reference is in this image.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Scale(pub(super) f64);

impl Scale {
    /// The scale of an image: its shorter side over 224.
    pub(super) fn of(image: &RgbImage) -> Self {
        Self(f64::from(image.width().min(image.height())) / 224.0)
    }

    /// `pixels` of the reference in pixels of this image.
    pub(super) fn length(self, pixels: f64) -> f64 {
        pixels * self.0
    }
}

/// For every cell of `0..targets`, the source cells it overlaps when target cell `i` covers
/// `[start + i * step, start + (i + 1) * step)`, with the covered share of the target (the shares
/// sum to 1). Source positions may be negative. With `step` 1 and a whole `start` this is a copy.
pub(super) fn overlaps(targets: usize, start: f64, step: f64) -> Vec<Vec<(i64, f64)>> {
    (0..targets)
        .map(|i| {
            let low = start + i as f64 * step;
            let high = low + step;
            let cells = low.floor() as i64..high.ceil() as i64;
            cells
                .map(|j| (j, (high.min((j + 1) as f64) - low.max(j as f64)) / step))
                .filter(|&(_, share)| share > 0.0)
                .collect()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn borders_read_as_drawn() {
        let read = |border: Border| -> Vec<usize> { (-3..7).map(|i| border.index(i, 4)).collect() };
        assert_eq!(read(Border::Nearest), [0, 0, 0, 0, 1, 2, 3, 3, 3, 3]);
        assert_eq!(read(Border::Reflect), [2, 1, 0, 0, 1, 2, 3, 3, 2, 1]);
        assert_eq!(read(Border::Reflect101), [3, 2, 1, 0, 1, 2, 3, 2, 1, 0]);
        assert_eq!(read(Border::Wrap), [1, 2, 3, 0, 1, 2, 3, 0, 1, 2]);
        for border in [
            Border::Nearest,
            Border::Reflect,
            Border::Reflect101,
            Border::Wrap,
        ] {
            assert!((-50..50).all(|i| border.index(i, 1) == 0));
        }
    }

    #[test]
    fn overlaps_copy_at_step_one_and_average_otherwise() {
        assert_eq!(overlaps(3, 2.0, 1.0), [[(2, 1.0)], [(3, 1.0)], [(4, 1.0)]]);
        assert_eq!(overlaps(1, 0.5, 2.0), [[(0, 0.25), (1, 0.5), (2, 0.25)]]);
        for cell in overlaps(50, -7.3, 0.37) {
            assert!((cell.iter().map(|&(_, share)| share).sum::<f64>() - 1.0).abs() < 1e-9);
        }
    }
}
