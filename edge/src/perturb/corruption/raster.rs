//! Float images, their borders, and the scaling rule.

use image::RgbImage;

/// A row-major, channel-interleaved image of f64 values; never empty.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Raster {
    pub(super) width: usize,
    pub(super) height: usize,
    pub(super) channels: usize,
    pub(super) values: Vec<f64>,
}

impl Raster {
    /// All zeros.
    pub(super) fn zeros(width: usize, height: usize, channels: usize) -> Self {
        let values = vec![0.0; width * height * channels];
        Self {
            width,
            height,
            channels,
            values,
        }
    }

    /// A one-channel image filled in row-major order.
    pub(super) fn fill(width: usize, height: usize, mut draw: impl FnMut() -> f64) -> Self {
        let values = (0..width * height).map(|_| draw()).collect();
        Self {
            width,
            height,
            channels: 1,
            values,
        }
    }

    /// The image divided by `divisor`.
    pub(super) fn from_rgb(image: &RgbImage, divisor: f64) -> Self {
        Self {
            width: image.width() as usize,
            height: image.height() as usize,
            channels: 3,
            values: image
                .as_raw()
                .iter()
                .map(|&v| f64::from(v) / divisor)
                .collect(),
        }
    }

    /// Zeros of the same shape.
    pub(super) fn like(&self) -> Self {
        Self::zeros(self.width, self.height, self.channels)
    }

    /// Row `y`, interleaved.
    pub(super) fn row(&self, y: usize) -> &[f64] {
        let length = self.width * self.channels;
        &self.values[y * length..(y + 1) * length]
    }

    /// All rows, top to bottom.
    pub(super) fn rows_mut(&mut self) -> std::slice::ChunksExactMut<'_, f64> {
        self.values.chunks_exact_mut(self.width * self.channels)
    }

    /// Every value replaced by its image under `f`.
    pub(super) fn map(mut self, f: impl Fn(f64) -> f64) -> Self {
        for value in &mut self.values {
            *value = f(*value);
        }
        self
    }

    /// `count` columns added on both sides, filled by the border rule.
    pub(super) fn pad_columns(&self, count: usize, border: Border) -> Self {
        let c = self.channels;
        let mut padded = Self::zeros(self.width + 2 * count, self.height, c);
        let source: Vec<usize> = (0..padded.width)
            .map(|x| border.index(x as i64 - count as i64, self.width) * c)
            .collect();
        let inner = count * c..(count + self.width) * c;
        for (y, row) in padded.rows_mut().enumerate() {
            let from = self.row(y);
            row[inner.clone()].copy_from_slice(from);
            for x in (0..count).chain(count + self.width..2 * count + self.width) {
                row[x * c..(x + 1) * c].copy_from_slice(&from[source[x]..source[x] + c]);
            }
        }
        padded
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
        };
        inside as usize
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
        for border in [Border::Nearest, Border::Reflect, Border::Reflect101] {
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
