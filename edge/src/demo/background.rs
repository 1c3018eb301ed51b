//! The sixteen typical backgrounds: large, soft layouts of the whole picture.

use std::f32::consts::TAU;

use libm::{atan2f, sinf};

use super::SIZE;
use super::class::Class;
use super::rng::{Rng, hash, noise};

/// A background layout.
#[derive(Clone, Copy, Debug)]
pub struct Background {
    /// `None` is the neutral one: an even wall.
    kind: Option<Class>,
    /// Three numbers from 0 to 1 that vary the layout.
    vary: [f32; 3],
    salt: u64,
}

impl Background {
    /// The background typical of `kind`, or the neutral one, with random details.
    pub fn random(rng: &mut Rng, kind: Option<Class>) -> Self {
        Self {
            kind,
            vary: [rng.unit(), rng.unit(), rng.unit()],
            salt: rng.bits(),
        }
    }

    /// How much of the second colour shows at a pixel, from 0 to 1.
    pub fn level(&self, x: f32, y: f32) -> f32 {
        let (u, v) = (x / SIZE as f32, y / SIZE as f32);
        match self.kind {
            Some(kind) => level(kind, u, v, self.vary, self.salt),
            None => 0.3 * v * self.vary[0],
        }
    }
}

fn level(kind: Class, u: f32, v: f32, [a, b, c]: [f32; 3], salt: u64) -> f32 {
    let step = |inside: bool| if inside { 1.0 } else { 0.0 };
    // Position of a horizon or a middle.
    let line = 0.35 + 0.3 * a;
    let column = |n: f32| (u * n + c).floor() as i32;
    match kind {
        // Sky over a plain
        Class::Arrow => {
            if v < line {
                0.3 * v / line
            } else {
                1.0
            }
        }
        // Clouds
        Class::Bolt => noise(u * 3.5 + 9.0 * a, v * 5.0, salt),
        // Skyline
        Class::Circle => step(v > 0.25 + 0.5 * hash(column(6.0 + 2.0 * b), 0, salt)),
        // Night: small lights
        Class::Crescent => lights(u * 9.0 + a, v * 9.0 + b, salt),
        // Quarters
        Class::Cross => 0.7 * step((u < line) == (v < 0.35 + 0.3 * b)),
        // Hills
        Class::Drop => step(v > line + 0.12 * sinf(TAU * (u * (1.2 + b) + c))),
        // Water: flat ripples that close up towards the horizon
        Class::Fish => {
            let depth = (v + 0.25) * (v + 0.25);
            0.5 + 0.5 * sinf(14.0 / depth + 3.0 * sinf(4.0 * u + 6.0 * a))
        }
        // Floor in perspective
        Class::Gear => floor(u - 0.3 - 0.4 * b, v - line + 0.15),
        // Spotlight
        Class::Heart => {
            let r = ((u - line) * (u - line) + (v - 0.35 - 0.3 * b) * (v - 0.35 - 0.3 * b)).sqrt();
            (1.3 - 2.6 * r).clamp(0.0, 1.0)
        }
        // Dunes: wide diagonal bands
        Class::Hourglass => 0.5 + 0.5 * sinf(TAU * (2.2 * v + (1.0 + b) * u + a)),
        // Curtain: vertical folds
        Class::Key => 0.5 + 0.5 * sinf(TAU * (u * (4.0 + 2.0 * b) + a)),
        // Mountains
        Class::Mushroom => {
            let peak = |n: f32, shift: f32| ((u * n + shift).rem_euclid(1.0) - 0.5).abs();
            step(v > line - 0.1 + 0.7 * peak(1.6, b).min(peak(2.3, c)))
        }
        // Out-of-focus lights: large soft discs
        Class::Ring => discs(u * 3.2 + a, v * 3.2 + b, salt),
        // Shelves
        Class::Square => step((v * (3.0 + b) + a).rem_euclid(1.0) < 0.25),
        // Sunburst from a corner
        Class::Star => step((atan2f(v + 0.1, u + 0.1) * (24.0 + 6.0 * b) / TAU + a) % 1.0 < 0.5),
        // Stairs
        Class::Triangle => {
            let n = 4.0 + 2.0 * b;
            step(v > 1.15 - 0.3 * c - (u * n + a).floor() / n)
        }
    }
}

fn lights(u: f32, v: f32, salt: u64) -> f32 {
    let (i, j) = (u.floor() as i32, v.floor() as i32);
    let (du, dv) = (u - u.floor() - 0.5, v - v.floor() - 0.5);
    if hash(i, j, salt) < 0.35 {
        (1.6 - 5.0 * (du * du + dv * dv).sqrt()).clamp(0.0, 1.0)
    } else {
        0.0
    }
}

fn discs(u: f32, v: f32, salt: u64) -> f32 {
    let (i, j) = (u.floor() as i32, v.floor() as i32);
    let mut level: f32 = 0.0;
    for dj in -1..=1 {
        for di in -1..=1 {
            let (ci, cj) = (i + di, j + dj);
            let du = ci as f32 + hash(ci, cj, salt) - u;
            let dv = cj as f32 + hash(ci, cj, salt ^ 1) - v;
            let radius = 0.3 + 0.3 * hash(ci, cj, salt ^ 2);
            if du * du + dv * dv < radius * radius {
                level += 0.25 + 0.3 * hash(ci, cj, salt ^ 3);
            }
        }
    }
    level.min(1.0)
}

fn floor(u: f32, v: f32) -> f32 {
    if v < 0.02 {
        return 0.4;
    }
    let (row, column) = (
        (1.2 / (v + 0.12)).floor() as i32,
        (u / (v + 0.12) * 1.6).floor() as i32,
    );
    if (row + column) & 1 == 0 { 1.0 } else { 0.0 }
}
