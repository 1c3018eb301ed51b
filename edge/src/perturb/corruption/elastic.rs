//! Elastic transform: a random affine map, then a smooth random displacement.

use image::RgbImage;
use shared::outcome::Severity;

use super::by_severity;
use super::filter::gaussian;
use super::raster::{Border, Raster, Scale, quads};
use super::wide;
use crate::perturb::rng::SplitMix64;

/// Warps by three jittered points, then by a smoothed uniform field.
pub(super) fn elastic_transform(
    image: &RgbImage,
    severity: Severity,
    rng: &mut SplitMix64,
) -> Raster {
    let (alpha, sigma, jitter) = by_severity(
        severity,
        [
            (2.0, 0.7, 0.1),
            (2.0, 0.08, 0.2),
            (0.05, 0.01, 0.02),
            (0.07, 0.01, 0.02),
            (0.12, 0.01, 0.02),
        ],
    );
    let scale = Scale::of(image);
    // The reference multiplies by 244, not 224.
    let length = |factor: f64| scale.length(244.0 * factor);
    let (width, height) = (image.width() as usize, image.height() as usize);
    let source = Pixels {
        width,
        height,
        values: quads(image),
    };
    let warped = match Affine::jittered(&source, length(jitter), rng) {
        Some(affine) => affine.warp(&source),
        None => source,
    };
    // Smoothing over fewer pixels leaves more of the noise, in inverse proportion.
    let amplitude = scale.length(length(alpha)) as f32;
    let mut field = || {
        let noise = Raster::fill(width, height, || rng.range(-1.0, 1.0) as f32);
        smooth(&noise, length(sigma))
    };
    let (dx, dy) = (field(), field());
    displace(&warped, &dx, &dy, amplitude).clipped()
}

/// Gaussian smoothing up to 3 sigma, border reflect.
fn smooth(noise: &Raster, sigma: f64) -> Raster {
    let radius = (3.0 * sigma + 0.5) as usize;
    if radius >= noise.width.max(noise.height) {
        wide::smooth(noise, sigma, radius)
    } else {
        gaussian(noise, sigma, 3.0, Border::Reflect)
    }
}

/// An image whose pixels are four values wide, see [`quads`].
struct Pixels {
    width: usize,
    height: usize,
    values: Vec<[f32; 4]>,
}

impl Pixels {
    /// Bilinear value at (`left + fx`, `top + fy`).
    fn at(&self, (left, fx): (i64, f32), (top, fy): (i64, f32), border: Border) -> [f32; 4] {
        let inside = |i: i64, n: usize| usize::try_from(i).ok().filter(|i| i + 1 < n);
        let pairs = match (inside(left, self.width), inside(top, self.height)) {
            (Some(x), Some(y)) => {
                let upper = y * self.width + x;
                let pair = |start: usize| self.values[start..].first_chunk::<2>();
                pair(upper).zip(pair(upper + self.width))
            }
            _ => None,
        };
        let ([a, b], [c, d]) = match pairs {
            Some((upper, lower)) => (*upper, *lower),
            None => {
                let columns = [left, left + 1].map(|x| border.index(x, self.width));
                let rows = [top, top + 1].map(|y| border.index(y, self.height) * self.width);
                let [upper, lower] = rows.map(|row| columns.map(|x| self.values[row + x]));
                (upper, lower)
            }
        };
        let mut out = [0.0; 4];
        for i in 0..4 {
            let above = a[i] + (b[i] - a[i]) * fx;
            let below = c[i] + (d[i] - c[i]) * fx;
            out[i] = above + (below - above) * fy;
        }
        out
    }
}

/// Output position to source position: `(a x + b y + c, d x + e y + f)`.
struct Affine([f64; 6]);

impl Affine {
    /// The inverse of the map that moves three points around the centre by up to `jitter`. `None`
    /// when the points are too close together to define one (images under 3 pixels).
    fn jittered(image: &Pixels, jitter: f64, rng: &mut SplitMix64) -> Option<Self> {
        let (cx, cy) = ((image.width / 2) as f64, (image.height / 2) as f64);
        let s = (image.width.min(image.height) / 3) as f64;
        let source = [[cx + s, cy + s], [cx + s, cy - s], [cx - s, cy - s]];
        // The reference holds the points as f32.
        let moved = source
            .map(|point| point.map(|v| f64::from(v as f32 + rng.range(-jitter, jitter) as f32)));
        let edges = |p: [[f64; 2]; 3]| {
            [
                p[1][0] - p[0][0],
                p[1][1] - p[0][1],
                p[2][0] - p[0][0],
                p[2][1] - p[0][1],
            ]
        };
        let [px, py, qx, qy] = edges(moved);
        let [sx, sy, tx, ty] = edges(source);
        let determinant = px * qy - qx * py;
        if s == 0.0 || determinant == 0.0 {
            return None;
        }
        let a = (sx * qy - tx * py) / determinant;
        let b = (tx * px - sx * qx) / determinant;
        let d = (sy * qy - ty * py) / determinant;
        let e = (ty * px - sy * qx) / determinant;
        let [x, y] = moved[0];
        Some(Self([
            a,
            b,
            source[0][0] - a * x - b * y,
            d,
            e,
            source[0][1] - d * x - e * y,
        ]))
    }

    /// Bilinear warp, border reflect-101. Source positions are multiples of 1/32 pixel, reached
    /// through 1/1024, as the reference's library computes them.
    fn warp(&self, source: &Pixels) -> Pixels {
        let [a, b, c, d, e, f] = self.0;
        let fixed = |v: f64| (v * 1024.0).round_ties_even() as i64;
        let columns: Vec<(i64, i64)> = (0..source.width)
            .map(|x| (fixed(a * x as f64), fixed(d * x as f64)))
            .collect();
        let split = |t: i64| (t >> 10, (t >> 5 & 31) as f32 / 32.0);
        let mut values = Vec::with_capacity(source.values.len());
        for y in 0..source.height {
            let x0 = fixed(b * y as f64 + c).saturating_add(16);
            let y0 = fixed(e * y as f64 + f).saturating_add(16);
            values.extend(columns.iter().map(|&(u, v)| {
                let (u, v) = (x0.saturating_add(u), y0.saturating_add(v));
                source.at(split(u), split(v), Border::Reflect101)
            }));
        }
        Pixels { values, ..*source }
    }
}

/// Moves every pixel by `amplitude` times the fields.
fn displace(source: &Pixels, dx: &Raster, dy: &Raster, amplitude: f32) -> Raster {
    let mut out = Raster::zeros(source.width, source.height, 3);
    // Splitting the displacement, not the position, loses no precision far from the origin.
    let split = |position: usize, shift: f32| {
        let towards_zero = shift as i64;
        let below = towards_zero - i64::from(towards_zero as f32 > shift);
        (position as i64 + below, shift - below as f32)
    };
    for (y, row) in out.rows_mut().enumerate() {
        let shifts = dx.row(y).iter().zip(dy.row(y));
        for (x, (pixel, (dx, dy))) in row.chunks_exact_mut(3).zip(shifts).enumerate() {
            let (u, v) = (split(x, dx * amplitude), split(y, dy * amplitude));
            pixel.copy_from_slice(&source.at(u, v, Border::Reflect)[..3]);
        }
    }
    out
}
