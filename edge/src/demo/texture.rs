//! The sixteen typical textures: two-tone patterns with cells of about one unit.

use std::f32::consts::TAU;

use libm::{atan2f, cosf, sinf};

use super::class::Class;
use super::rng::{Rng, hash, noise};
use super::shape::Point;

/// A texture laid over the picture.
#[derive(Clone, Copy, Debug)]
pub struct Texture {
    kind: Class,
    centre: Point,
    /// Pixels per cell.
    cell: f32,
    turn: [f32; 2],
    salt: u64,
}

impl Texture {
    /// The texture typical of `kind` with random cell size, turn and details, around `centre`.
    pub fn random(rng: &mut Rng, kind: Class, centre: Point) -> Self {
        let angle = rng.within(-0.5, 0.5);
        Self {
            kind,
            centre,
            cell: rng.within(5.5, 8.0),
            turn: [cosf(angle), sinf(angle)],
            salt: rng.bits(),
        }
    }

    /// The dark (`false`) or light (`true`) tone at a point of the picture.
    pub fn tone(&self, x: f32, y: f32) -> bool {
        let (dx, dy) = (
            (x - self.centre[0]) / self.cell,
            (y - self.centre[1]) / self.cell,
        );
        let [cos, sin] = self.turn;
        tone(
            self.kind,
            cos * dx + sin * dy,
            cos * dy - sin * dx,
            self.salt,
        )
    }
}

fn tone(kind: Class, u: f32, v: f32, salt: u64) -> bool {
    let (i, j) = (u.floor() as i32, v.floor() as i32);
    // Position within the cell, from -0.5 to 0.5.
    let (cu, cv) = (fraction(u) - 0.5, fraction(v) - 0.5);
    match kind {
        // Stripes
        Class::Arrow => fraction(v * 1.1) < 0.5,
        // Zigzag
        Class::Bolt => fraction(v * 0.9 + (fraction(u * 0.6) - 0.5).abs() * 1.8) < 0.5,
        // Dots
        Class::Circle => cu * cu + cv * cv < 0.09,
        // Quarter arcs turned at random
        Class::Crescent => arcs(cu, cv, hash(i, j, salt) < 0.5),
        // Checks
        Class::Cross => (i + j) & 1 == 0,
        // Speckle
        Class::Drop => hash((u * 3.5).floor() as i32, (v * 3.5).floor() as i32, salt) < 0.4,
        // Scales
        Class::Fish => scales(u, v),
        // Concentric rings
        Class::Gear => fraction((u * u + v * v).sqrt()) < 0.5,
        // Grid
        Class::Heart => cu.abs() > 0.34 || cv.abs() > 0.34,
        // Triangles
        Class::Hourglass => cu + cv < 0.0,
        // Bricks
        Class::Key => bricks(u * 0.7, v * 1.3),
        // Blobs
        Class::Mushroom => noise(u * 0.9, v * 0.9, salt) < 0.5,
        // Basket weave
        Class::Ring => fraction(if (i + j) & 1 == 0 { u * 3.0 } else { v * 3.0 }) < 0.5,
        // Rays from the middle
        Class::Square => fraction(atan2f(v, u) * 9.0 / TAU) < 0.5,
        // Plus signs
        Class::Star => cu.abs().min(cv.abs()) < 0.13 && cu.abs().max(cv.abs()) < 0.38,
        // Cracks between cells
        Class::Triangle => cracks(u * 0.8, v * 0.8, salt),
    }
}

fn fraction(x: f32) -> f32 {
    x - x.floor()
}

fn arcs(cu: f32, cv: f32, flip: bool) -> bool {
    let cu = if flip { -cu } else { cu };
    let near = |x: f32, y: f32| ((x * x + y * y).sqrt() - 0.5).abs() < 0.16;
    near(cu + 0.5, cv + 0.5) || near(cu - 0.5, cv - 0.5)
}

/// Rows of overlapping discs, each row shifted by half a disc; the rims are dark.
fn scales(u: f32, v: f32) -> bool {
    let v = v * 1.6;
    let row = v.floor();
    // The disc nearest to the viewer that covers the point lies one row up or in this row.
    for up in [0.0, 1.0] {
        let centre = row - up;
        let shift = if centre as i32 & 1 == 0 { 0.0 } else { 0.5 };
        let du = fraction(u + shift) - 0.5;
        let dv = (v - centre) / 1.6;
        let r = (du * du + dv * dv).sqrt();
        if r < 0.62 && up == 1.0 || r < 0.5 {
            return r < 0.38;
        }
    }
    false
}

fn bricks(u: f32, v: f32) -> bool {
    let shift = if v.floor() as i32 & 1 == 0 { 0.0 } else { 0.5 };
    fraction(u + shift) > 0.16 && fraction(v) > 0.28
}

/// Whether a point lies near the border between the two nearest of random cell centres.
fn cracks(u: f32, v: f32, salt: u64) -> bool {
    let (i, j) = (u.floor() as i32, v.floor() as i32);
    let (mut first, mut second) = (f32::MAX, f32::MAX);
    for dj in -1..=1 {
        for di in -1..=1 {
            let (ci, cj) = (i + di, j + dj);
            let du = ci as f32 + hash(ci, cj, salt) - u;
            let dv = cj as f32 + hash(ci, cj, salt ^ 1) - v;
            let r = (du * du + dv * dv).sqrt();
            (first, second) = if r < first {
                (r, first)
            } else {
                (first, second.min(r))
            };
        }
    }
    second - first < 0.17
}
