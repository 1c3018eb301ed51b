//! Elastic transform: a random affine map, then a smooth random displacement.

use image::RgbImage;
use shared::outcome::Severity;

use super::filter::gaussian;
use super::raster::{Border, Raster, Scale};
use super::{by_severity, to_levels};
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
    let source = Raster::from_rgb(image, 255.0);
    let warped = match Affine::jittered(&source, length(jitter), rng) {
        Some(affine) => affine.warp(&source),
        None => source,
    };
    // Smoothing over fewer pixels leaves more of the noise, in inverse proportion.
    let amplitude = scale.length(length(alpha));
    let mut field = || {
        let noise = Raster::fill(warped.width, warped.height, || rng.range(-1.0, 1.0));
        gaussian(&noise, length(sigma), 3.0, Border::Reflect).map(|v| v * amplitude)
    };
    let (dx, dy) = (field(), field());
    to_levels(displace(&warped, &dx, &dy))
}

/// Output position to source position: `(a x + b y + c, d x + e y + f)`.
struct Affine([f64; 6]);

impl Affine {
    /// The inverse of the map that moves three points around the centre by up to `jitter`. `None`
    /// when the points are too close together to define one (images under 3 pixels).
    fn jittered(image: &Raster, jitter: f64, rng: &mut SplitMix64) -> Option<Self> {
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
    fn warp(&self, source: &Raster) -> Raster {
        let [a, b, c, d, e, f] = self.0;
        let fixed = |v: f64| (v * 1024.0).round_ties_even() as i64;
        let mut out = source.like();
        for (y, row) in out.rows_mut().enumerate() {
            let x0 = fixed(b * y as f64 + c).saturating_add(16);
            let y0 = fixed(e * y as f64 + f).saturating_add(16);
            for (x, pixel) in row.chunks_exact_mut(3).enumerate() {
                let u = x0.saturating_add(fixed(a * x as f64)) >> 5;
                let v = y0.saturating_add(fixed(d * x as f64)) >> 5;
                let fraction = |t: i64| (t & 31) as f64 / 32.0;
                let position = (u >> 5, fraction(u), v >> 5, fraction(v));
                interpolate(source, position, Border::Reflect101, pixel);
            }
        }
        out
    }
}

fn displace(source: &Raster, dx: &Raster, dy: &Raster) -> Raster {
    let mut out = source.like();
    for (y, row) in out.rows_mut().enumerate() {
        let shifts = dx.row(y).iter().zip(dy.row(y));
        for (x, (pixel, (dx, dy))) in row.chunks_exact_mut(3).zip(shifts).enumerate() {
            let (u, v) = (x as f64 + dx, y as f64 + dy);
            let (left, top) = (u.floor(), v.floor());
            let position = (left as i64, u - left, top as i64, v - top);
            interpolate(source, position, Border::Reflect, pixel);
        }
    }
    out
}

/// Bilinear value at (`left + fx`, `top + fy`).
fn interpolate(
    source: &Raster,
    (left, fx, top, fy): (i64, f64, i64, f64),
    border: Border,
    pixel: &mut [f64],
) {
    let columns = [left, left + 1].map(|x| border.index(x, source.width) * 3);
    let [upper, lower] = [top, top + 1].map(|y| source.row(border.index(y, source.height)));
    for (channel, value) in pixel.iter_mut().enumerate() {
        let [l, r] = columns.map(|x| x + channel);
        let above = upper[l] + (upper[r] - upper[l]) * fx;
        let below = lower[l] + (lower[r] - lower[l]) * fx;
        *value = above + (below - above) * fy;
    }
}
