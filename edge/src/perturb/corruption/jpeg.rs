//! JPEG compression with 4:2:0 chroma.
//!
//! Entropy coding is lossless, so only what loses information is computed: colour conversion,
//! chroma averaging, quantised DCT, and their inverses (ITU-T T.81, JFIF 1.02). Edges are
//! replicated and chroma is interpolated as the common codec does it.

use image::RgbImage;
use shared::outcome::Severity;

use super::by_severity;
use super::dct::{LANES, Strip, forward, inverse, transpose};

/// Low-quality JPEG.
pub(super) fn jpeg_compression(image: &RgbImage, severity: Severity) -> RgbImage {
    let quality = by_severity(severity, [25, 18, 15, 10, 7]);
    jpeg_round_trip(image, quality)
}

/// `image` after JPEG encoding (baseline tables scaled to `quality`, clamped to 1..=100, 4:2:0)
/// and decoding. The published data set stores every image with quality 85.
pub fn jpeg_round_trip(image: &RgbImage, quality: u8) -> RgbImage {
    if image.as_raw().is_empty() {
        return image.clone();
    }
    let [mut luma, mut blue, mut red] = to_planes(image);
    quantise(&mut luma, &scaled(&LUMA, quality));
    quantise(&mut blue, &scaled(&CHROMA, quality));
    quantise(&mut red, &scaled(&CHROMA, quality));
    let mut out = image.clone();
    let width = image.width() as usize;
    let [mut blues, mut reds] = [Upsampler::new(width), Upsampler::new(width)];
    for (y, row) in out.chunks_exact_mut(width * 3).enumerate() {
        let chroma = blues.row(&blue, y).iter().zip(reds.row(&red, y));
        let pixels = row.as_chunks_mut::<3>().0.iter_mut();
        for ((pixel, &luma), (&blue, &red)) in pixels.zip(luma.row(y)).zip(chroma) {
            *pixel = to_rgb(luma, blue, red);
        }
    }
    out
}

/// Annex K tables, row-major.
const LUMA: [u16; 64] = [
    16, 11, 10, 16, 24, 40, 51, 61, 12, 12, 14, 19, 26, 58, 60, 55, 14, 13, 16, 24, 40, 57, 69, 56,
    14, 17, 22, 29, 51, 87, 80, 62, 18, 22, 37, 56, 68, 109, 103, 77, 24, 35, 55, 64, 81, 104, 113,
    92, 49, 64, 78, 87, 103, 121, 120, 101, 72, 92, 95, 98, 112, 100, 103, 99,
];
const CHROMA: [u16; 64] = [
    17, 18, 24, 47, 99, 99, 99, 99, 18, 21, 26, 66, 99, 99, 99, 99, 24, 26, 56, 99, 99, 99, 99, 99,
    47, 66, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99,
    99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99,
];

/// The steps of `quality`, indexed by horizontal, then vertical frequency.
fn scaled(table: &[u16; 64], quality: u8) -> [[f32; 8]; 8] {
    let quality = u32::from(quality.clamp(1, 100));
    let percent = if quality < 50 {
        5000 / quality
    } else {
        200 - 2 * quality
    };
    let step = |v: u16| ((u32::from(v) * percent + 50) / 100).clamp(1, 255) as f32;
    std::array::from_fn(|u| std::array::from_fn(|v| step(table[v * 8 + u])))
}

/// One channel, padded to whole blocks and lanes.
struct Plane {
    /// Values of a row, a multiple of [`LANES`].
    stride: usize,
    /// Rows that are more than padding.
    height: usize,
    values: Vec<u8>,
}

impl Plane {
    /// All zeros.
    fn new(width: usize, height: usize) -> Self {
        let stride = width.next_multiple_of(LANES);
        Self {
            stride,
            height,
            values: vec![0; stride * height.next_multiple_of(8)],
        }
    }

    fn row(&self, y: usize) -> &[u8] {
        &self.values[y * self.stride..(y + 1) * self.stride]
    }

    fn row_mut(&mut self, y: usize) -> &mut [u8] {
        &mut self.values[y * self.stride..(y + 1) * self.stride]
    }

    /// Repeats the last row down to the end of its block.
    fn pad(&mut self) {
        let last = (self.height - 1) * self.stride..self.height * self.stride;
        for y in self.height..self.values.len() / self.stride {
            self.values.copy_within(last.clone(), y * self.stride);
        }
    }
}

/// 16-bit fixed point.
const fn fixed(v: f64) -> i32 {
    (v * 65536.0 + 0.5) as i32
}

/// Luma, and blue and red chroma at half the size.
fn to_planes(image: &RgbImage) -> [Plane; 3] {
    let (width, height) = (image.width() as usize, image.height() as usize);
    let mut luma = Plane::new(width, height);
    let [mut blue, mut red] = [(); 2].map(|()| Plane::new(luma.stride / 2, height.div_ceil(2)));
    // Chroma of two rows, side by side.
    let mut full = [(); 2].map(|()| vec![0; 2 * luma.stride]);
    for y in 0..height.div_ceil(2) {
        for half in 0..2 {
            let from = (2 * y + half).min(height - 1);
            let pixels = image.as_raw()[from * width * 3..][..width * 3]
                .as_chunks::<3>()
                .0;
            let [blues, reds] = &mut full;
            let part = half * luma.stride..(half + 1) * luma.stride;
            let (blues, reds) = (&mut blues[part.clone()], &mut reds[part]);
            let row = luma.row_mut(from);
            let targets = row.iter_mut().zip(&mut *blues).zip(&mut *reds);
            for (((luma, blue), red), &pixel) in targets.zip(pixels) {
                [*luma, *blue, *red] = to_ycc(pixel);
            }
            for row in [row, blues, reds] {
                let last = row[width - 1];
                row[width..].fill(last);
            }
        }
        halve(blue.row_mut(y), &full[0]);
        halve(red.row_mut(y), &full[1]);
    }
    for plane in [&mut luma, &mut blue, &mut red] {
        plane.pad();
    }
    [luma, blue, red]
}

fn to_ycc(pixel: [u8; 3]) -> [u8; 3] {
    const HALF: i32 = fixed(0.5);
    const CENTRE: i32 = (128 << 16) + 32767;
    const BLUE: [i32; 2] = [fixed(0.168735892), fixed(0.331264108)];
    const RED: [i32; 2] = [fixed(0.418687589), fixed(0.081312411)];
    let [r, g, b] = pixel.map(i32::from);
    let luma = fixed(0.299) * r + fixed(0.587) * g + fixed(0.114) * b + 32768;
    let blue = HALF * b - BLUE[0] * r - BLUE[1] * g + CENTRE;
    let red = HALF * r - RED[0] * g - RED[1] * b + CENTRE;
    [luma, blue, red].map(|v| (v >> 16) as u8)
}

fn to_rgb(luma: u8, blue: u8, red: u8) -> [u8; 3] {
    let (y, cb, cr) = (i32::from(luma), i32::from(blue) - 128, i32::from(red) - 128);
    let r = y + ((fixed(1.402) * cr + 32768) >> 16);
    let g = y + ((-fixed(0.344136286) * cb - fixed(0.714136286) * cr + 32768) >> 16);
    let b = y + ((fixed(1.772) * cb + 32768) >> 16);
    [r, g, b].map(|v| v.clamp(0, 255) as u8)
}

/// 2 x 2 means of two rows that lie side by side. The rounding alternates by column. Padding is
/// averaged too, because a block that crosses the edge averages replicated pixels, not replicated
/// averages.
fn halve(means: &mut [u8], rows: &[u8]) {
    let (upper, lower) = rows.split_at(rows.len() / 2);
    let pairs = upper
        .as_chunks::<2>()
        .0
        .iter()
        .zip(lower.as_chunks::<2>().0);
    for (x, (mean, (a, b))) in means.iter_mut().zip(pairs).enumerate() {
        let sum = u16::from(a[0]) + u16::from(a[1]) + u16::from(b[0]) + u16::from(b[1]);
        *mean = ((sum + 1 + (x as u16 & 1)) >> 2) as u8;
    }
}

/// Replaces the plane by itself after DCT, quantisation and their inverses, block by block.
fn quantise(plane: &mut Plane, steps: &[[f32; 8]; 8]) {
    // The transform leaves out the factors of an orthonormal one: 1/8 for the mean, exactly, so
    // that the halves of even blocks are rounded as the codec rounds them.
    let norm = |u: usize| if u.is_multiple_of(4) { 0.125 } else { 0.25 };
    let scale = |u: usize, v: usize| libm::sqrt(norm(u) * norm(v)) as f32;
    let scales: [[f32; 8]; 8] = std::array::from_fn(|u| std::array::from_fn(|v| scale(u, v)));
    let mut strip: Strip = [[0.0; LANES]; 8];
    let mut other = strip;
    let stride = plane.stride;
    for rows in plane.values.chunks_exact_mut(8 * stride) {
        for x in (0..stride).step_by(LANES) {
            for (y, line) in strip.iter_mut().enumerate() {
                for (value, &level) in line.iter_mut().zip(&rows[y * stride + x..]) {
                    *value = f32::from(level) - 128.0;
                }
            }
            forward(&strip, &mut other);
            transpose(&other, &mut strip);
            forward(&strip, &mut other);
            for ((line, steps), scales) in other.iter_mut().zip(steps).zip(&scales) {
                round_to_steps(line, steps, scales);
            }
            inverse(&other, &mut strip);
            transpose(&strip, &mut other);
            inverse(&other, &mut strip);
            for (y, line) in strip.iter().enumerate() {
                for (level, value) in rows[y * stride + x..].iter_mut().zip(line) {
                    *level = (value + 128.5).clamp(0.0, 255.0) as i32 as u8;
                }
            }
        }
    }
}

/// Rounds coefficients to multiples of the steps, halves away from zero; scales before and after.
fn round_to_steps(line: &mut [f32; LANES], steps: &[f32; 8], scales: &[f32; 8]) {
    for block in line.as_chunks_mut::<8>().0 {
        for ((value, step), scale) in block.iter_mut().zip(steps).zip(scales) {
            let quotient = *value * scale / step;
            let whole = (quotient.abs() + 0.5) as i32 as f32;
            *value = whole.copysign(quotient) * step * scale;
        }
    }
}

/// Triangle interpolation of a plane to twice the size, row by row.
struct Upsampler {
    /// Weighted sums of two rows, repeated by one at both ends.
    sums: Vec<u16>,
    values: Vec<u8>,
}

impl Upsampler {
    /// For images of `width` pixels.
    fn new(width: usize) -> Self {
        // Columns of the plane beyond that are only padding.
        let used = width.div_ceil(2);
        Self {
            sums: vec![0; used + 2],
            values: vec![0; 2 * used],
        }
    }

    /// Row `y` of the image.
    fn row(&mut self, plane: &Plane, y: usize) -> &[u8] {
        let used = self.sums.len() - 2;
        let near = y / 2;
        let far = if y.is_multiple_of(2) {
            near.saturating_sub(1)
        } else {
            (near + 1).min(plane.height - 1)
        };
        let rows = plane.row(near).iter().zip(plane.row(far));
        for (sum, (&near, &far)) in self.sums[1..=used].iter_mut().zip(rows) {
            *sum = 3 * u16::from(near) + u16::from(far);
        }
        self.sums[0] = self.sums[1];
        self.sums[used + 1] = self.sums[used];
        let sums = self.sums[1..].iter().zip(&self.sums).zip(&self.sums[2..]);
        let pairs = self.values.as_chunks_mut::<2>().0.iter_mut();
        for (pair, ((&near, &left), &right)) in pairs.zip(sums) {
            *pair = [(3 * near + left + 8) >> 4, (3 * near + right + 7) >> 4].map(|v| v as u8);
        }
        &self.values
    }
}
