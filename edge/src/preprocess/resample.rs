//! PIL's antialiased resize, bit for bit, for the part of the image that survives the crop.
//!
//! PIL convolves 8-bit pixels in two passes, width before height, rounding to 8 bits in between, with
//! kernel weights in fixed point. The weights of an output pixel depend on its place in the *whole*
//! resized image only, so computing a part gives the same bits as computing all and cropping.
//!
//! Pillow's sources before 13 always work in that order. Pillow 13.0 was seen to start with the height
//! for some shapes: when the shorter side is reduced, for portraits taller than about 2:1, and for many
//! resizes that scale the sides by different factors. There bilinear differs by one level; bicubic and
//! Lanczos differ by tens of levels on pure noise, since overshoot is clipped between the passes.

use std::f64::consts::PI;
use std::ops::Range;

use image::RgbImage;
use shared::result::Interpolation;

use super::geometry::Axis;

/// Fraction bits of a weight: 32 less 8 for the pixel and 2 for overshoot and sign.
const PRECISION: u32 = 22;

/// Steps up to which PIL's running sum of the nearest filter is repeated rather than multiplied.
const MAX_RUNNING_SUM: u64 = 1 << 20;

/// Resampling filter: a kernel, or none for the nearest pixel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Filter {
    Nearest,
    Bilinear,
    Bicubic,
    Lanczos,
}

impl From<Interpolation> for Filter {
    fn from(interpolation: Interpolation) -> Self {
        match interpolation {
            Interpolation::Nearest => Self::Nearest,
            Interpolation::Bilinear => Self::Bilinear,
            Interpolation::Bicubic => Self::Bicubic,
            Interpolation::Lanczos => Self::Lanczos,
        }
    }
}

impl Filter {
    /// Half width of the kernel at scale 1, in source pixels.
    fn support(self) -> f64 {
        match self {
            Self::Nearest => 0.5,
            Self::Bilinear => 1.0,
            Self::Bicubic => 2.0,
            Self::Lanczos => 3.0,
        }
    }

    fn weight(self, x: f64) -> f64 {
        let distance = x.abs();
        match self {
            Self::Nearest => f64::from(u8::from(distance <= 0.5)),
            Self::Bilinear => (1.0 - distance).max(0.0),
            Self::Bicubic => cubic(distance),
            Self::Lanczos if distance < 3.0 => sinc(x) * sinc(x / 3.0),
            Self::Lanczos => 0.0,
        }
    }
}

/// Keys' cubic convolution with a = −0.5, for a distance of at least 0.
fn cubic(x: f64) -> f64 {
    const A: f64 = -0.5;
    if x < 1.0 {
        ((A + 2.0) * x - (A + 3.0)) * x * x + 1.0
    } else if x < 2.0 {
        (((x - 5.0) * x + 8.0) * x - 4.0) * A
    } else {
        0.0
    }
}

fn sinc(x: f64) -> f64 {
    if x == 0.0 {
        1.0
    } else {
        (x * PI).sin() / (x * PI)
    }
}

/// Weights of the kept output pixels of one axis, in fixed point.
///
/// Every pixel has equally many, the missing ones being zero: loops of one length run faster.
#[derive(Clone, Debug, Default)]
struct Kernels {
    /// Per output pixel: its first source pixel.
    starts: Vec<usize>,
    /// Weights per output pixel, at least 1.
    taps: usize,
    /// Per output pixel: the weights of `taps` source pixels.
    weights: Vec<i32>,
    /// Per output pixel, while filling: its first source pixel and its range of `ragged`.
    spans: Vec<(usize, Range<usize>)>,
    /// Weights without the zeros that make them equally many.
    ragged: Vec<i32>,
}

impl Kernels {
    fn fill(&mut self, filter: Filter, axis: Axis) {
        self.spans.clear();
        self.ragged.clear();
        match filter {
            Filter::Nearest => self.fill_nearest(axis),
            _ => self.fill_weighted(filter, axis),
        }
        self.equalise(axis.source as usize);
    }

    fn fill_weighted(&mut self, filter: Filter, axis: Axis) {
        let scale = f64::from(axis.source) / axis.resized as f64;
        let stretch = scale.max(1.0);
        let support = filter.support() * stretch;
        let mut exact = Vec::new();
        for out in axis.first..axis.first + u64::from(axis.kept) {
            let center = (out as f64 + 0.5) * scale;
            let start = (center - support + 0.5).max(0.0) as usize;
            let end = ((center + support + 0.5) as usize).min(axis.source as usize);
            let offset = 0.5 - center;
            exact.clear();
            exact
                .extend((start..end).map(|x| filter.weight((x as f64 + offset) * stretch.recip())));
            self.push_normalised(start, &exact);
        }
    }

    /// Fills up with zeros, before the weights where the source of `pixels` ends behind them.
    fn equalise(&mut self, pixels: usize) {
        let lengths = self.spans.iter().map(|(_, range)| range.len());
        self.taps = lengths.max().unwrap_or(0).max(1);
        self.starts.clear();
        self.weights.clear();
        for (start, range) in &self.spans {
            let first = (*start).min(pixels - self.taps);
            let at = self.weights.len() + start - first;
            self.starts.push(first);
            self.weights.resize(self.weights.len() + self.taps, 0);
            self.weights[at..at + range.len()].copy_from_slice(&self.ragged[range.clone()]);
        }
    }

    /// Adds a pixel whose weights, scaled to sum 1, are `exact` from source pixel `start` on.
    fn push_normalised(&mut self, start: usize, exact: &[f64]) {
        let sum: f64 = exact.iter().sum();
        let first = self.ragged.len();
        let sum = if sum == 0.0 { 1.0 } else { sum };
        self.ragged.extend(exact.iter().map(|weight| {
            // Rounds half away from zero.
            let scaled = weight / sum * f64::from(1 << PRECISION);
            (scaled + 0.5_f64.copysign(scaled)) as i32
        }));
        while self.ragged.len() > first + 1 && self.ragged.last() == Some(&0) {
            self.ragged.pop();
        }
        self.spans.push((start, first..self.ragged.len()));
    }

    /// PIL steps through the source with a running sum, whose rounding decides ties.
    fn fill_nearest(&mut self, axis: Axis) {
        let scale = f64::from(axis.source) / axis.resized as f64;
        let mut position = scale * 0.5;
        if axis.first < MAX_RUNNING_SUM {
            (0..axis.first).for_each(|_| position += scale);
        } else {
            position += scale * axis.first as f64;
        }
        self.ragged.push(1 << PRECISION);
        for _ in 0..axis.kept {
            self.spans
                .push(((position as usize).min(axis.source as usize - 1), 0..1));
            position += scale;
        }
    }

    /// Source pixels that any kept pixel reads.
    fn source_range(&self) -> Range<usize> {
        match (self.starts.iter().min(), self.starts.iter().max()) {
            (Some(first), Some(last)) => *first..last + self.taps,
            _ => 0..0,
        }
    }

    /// Each output pixel's first source pixel and weights.
    fn iter(&self) -> impl Iterator<Item = (usize, &[i32])> {
        let weights = self.weights.chunks_exact(self.taps);
        self.starts.iter().copied().zip(weights)
    }
}

/// The two passes, with their buffers.
#[derive(Clone, Debug)]
pub(super) struct Resampler {
    filter: Filter,
    horizontal: Kernels,
    vertical: Kernels,
    /// Source rows that the vertical pass needs, already resized in width.
    rows: Vec<u8>,
    sums: Vec<i32>,
}

impl Resampler {
    pub(super) fn new(filter: Filter) -> Self {
        let (horizontal, vertical) = (Kernels::default(), Kernels::default());
        Self {
            filter,
            horizontal,
            vertical,
            rows: Vec::new(),
            sums: Vec::new(),
        }
    }

    /// Writes the kept part of the resized `image` into `out` behind the axes' padding; all else
    /// becomes black. `out` has the size of the crop that the axes were made for.
    pub(super) fn run(&mut self, image: &RgbImage, x: Axis, y: Axis, out: &mut RgbImage) {
        if x.kept < out.width() || y.kept < out.height() {
            out.fill(0);
        }
        if image.is_empty() {
            out.fill(0);
            return;
        }
        self.horizontal.fill(self.filter, x);
        self.vertical.fill(self.filter, y);
        let needed = self.vertical.source_range();
        self.resize_width(image, needed.clone());
        self.resize_height(needed.start, x, y, out);
    }

    fn resize_width(&mut self, image: &RgbImage, needed: Range<usize>) {
        let stride = 3 * image.width() as usize;
        let out_stride = 3 * self.horizontal.starts.len();
        self.rows.resize(needed.len() * out_stride, 0);
        let source =
            image.as_raw()[needed.start * stride..needed.end * stride].chunks_exact(stride);
        for (row, out) in source.zip(self.rows.chunks_exact_mut(out_stride)) {
            resize_row(&self.horizontal, row, out);
        }
    }

    fn resize_height(&mut self, first_row: usize, x: Axis, y: Axis, out: &mut RgbImage) {
        let stride = 3 * x.kept as usize;
        let out_stride = 3 * out.width() as usize;
        let left = 3 * x.pad as usize;
        let out_rows = out.chunks_exact_mut(out_stride).skip(y.pad as usize);
        for ((start, weights), out_row) in self.vertical.iter().zip(out_rows) {
            self.sums.clear();
            self.sums.resize(stride, 1 << (PRECISION - 1));
            let rows = self.rows[(start - first_row) * stride..].chunks_exact(stride);
            for (weight, row) in weights.iter().zip(rows).filter(|(w, _)| **w != 0) {
                for (sum, value) in self.sums.iter_mut().zip(row) {
                    *sum += weight * i32::from(*value);
                }
            }
            for (value, sum) in out_row[left..].iter_mut().zip(&self.sums) {
                *value = level(*sum);
            }
        }
    }
}

/// One row of the horizontal pass; the usual numbers of taps as constants, so that the compiler
/// unrolls their loops.
fn resize_row(kernels: &Kernels, row: &[u8], out: &mut [u8]) {
    match kernels.taps {
        2 => convolve(kernels, 2, row, out),
        3 => convolve(kernels, 3, row, out),
        4 => convolve(kernels, 4, row, out),
        5 => convolve(kernels, 5, row, out),
        6 => convolve(kernels, 6, row, out),
        7 => convolve(kernels, 7, row, out),
        8 => convolve(kernels, 8, row, out),
        9 => convolve(kernels, 9, row, out),
        taps => convolve(kernels, taps, row, out),
    }
}

#[inline(always)]
fn convolve(kernels: &Kernels, taps: usize, row: &[u8], out: &mut [u8]) {
    let ((row, _), (out, _)) = (row.as_chunks::<3>(), out.as_chunks_mut::<3>());
    let weights = kernels.weights.chunks_exact(taps);
    for ((start, weights), pixel) in kernels.starts.iter().zip(weights).zip(out) {
        let mut sum = [1 << (PRECISION - 1); 3];
        for (weight, source) in weights.iter().zip(&row[*start..*start + taps]) {
            sum[0] += weight * i32::from(source[0]);
            sum[1] += weight * i32::from(source[1]);
            sum[2] += weight * i32::from(source[2]);
        }
        *pixel = sum.map(level);
    }
}

/// The 8-bit level of a fixed-point sum.
fn level(sum: i32) -> u8 {
    (sum >> PRECISION).clamp(0, 255) as u8
}
