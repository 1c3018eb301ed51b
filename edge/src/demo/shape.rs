//! The sixteen silhouettes as closed polygons.

use std::f32::consts::{PI, TAU};

use libm::{atan2f, cosf, sinf};

use super::class::Class;

/// A point: x to the right, y downwards.
pub type Point = [f32; 2];

/// The closed polygons of a silhouette within about one unit of the origin; a point inside an odd
/// number of them belongs to the shape.
pub fn silhouette(class: Class) -> Vec<Vec<Point>> {
    match class {
        Class::Arrow => vec![vec![
            [0.0, -1.0],
            [0.8, -0.15],
            [0.28, -0.15],
            [0.28, 1.0],
            [-0.28, 1.0],
            [-0.28, -0.15],
            [-0.8, -0.15],
        ]],
        Class::Bolt => vec![vec![
            [0.3, -1.0],
            [-0.65, 0.2],
            [-0.08, 0.2],
            [-0.4, 1.0],
            [0.65, -0.3],
            [0.08, -0.3],
            [0.65, -1.0],
        ]],
        Class::Circle => vec![disc([0.0, 0.0], 0.85)],
        Class::Crescent => vec![crescent()],
        Class::Cross => vec![cross(0.9, 0.3)],
        Class::Drop => {
            let mut outline = arc([0.0, 0.3], [0.65, 0.65], -PI / 6.0, PI * 7.0 / 6.0, 32);
            outline.push([0.0, -1.0]);
            vec![outline]
        }
        Class::Fish => {
            let mut outline = arc([0.22, 0.0], [0.75, 0.5], -2.8, 2.8, 32);
            outline.extend([[-1.0, 0.55], [-0.8, 0.0], [-1.0, -0.55]]);
            vec![outline]
        }
        Class::Gear => vec![cogs(8, 0.98, 0.7), disc([0.0, 0.0], 0.3)],
        Class::Heart => vec![heart()],
        Class::Hourglass => vec![vec![
            [-0.7, -0.95],
            [0.7, -0.95],
            [0.1, 0.0],
            [0.7, 0.95],
            [-0.7, 0.95],
            [-0.1, 0.0],
        ]],
        Class::Key => vec![key(), disc([0.0, -0.52], 0.2)],
        Class::Mushroom => {
            let mut outline = arc([0.0, 0.1], [0.95, 0.95], -PI, 0.0, 24);
            outline.extend([[0.28, 0.1], [0.36, 0.95], [-0.36, 0.95], [-0.28, 0.1]]);
            vec![outline]
        }
        Class::Ring => vec![disc([0.0, 0.0], 0.95), disc([0.0, 0.0], 0.55)],
        Class::Square => vec![vec![
            [-0.75, -0.75],
            [0.75, -0.75],
            [0.75, 0.75],
            [-0.75, 0.75],
        ]],
        Class::Star => vec![star(5, 1.0, 0.42)],
        Class::Triangle => vec![vec![[0.0, -0.9], [0.95, 0.75], [-0.95, 0.75]]],
    }
}

/// Points on an ellipse from one angle to another, both included.
fn arc(centre: Point, radii: Point, from: f32, to: f32, steps: u16) -> Vec<Point> {
    (0..=steps)
        .map(|i| {
            let angle = from + (to - from) * f32::from(i) / f32::from(steps);
            [
                centre[0] + radii[0] * cosf(angle),
                centre[1] + radii[1] * sinf(angle),
            ]
        })
        .collect()
}

fn disc(centre: Point, radius: f32) -> Vec<Point> {
    arc(centre, [radius, radius], 0.0, TAU, 36)
}

/// A disc less a smaller one that reaches over its right edge.
fn crescent() -> Vec<Point> {
    let (outer, inner, shift) = (0.95_f32, 0.78_f32, 0.42_f32);
    let x = (shift * shift + outer * outer - inner * inner) / (2.0 * shift);
    let y = (outer * outer - x * x).sqrt();
    let (a, b) = (atan2f(y, x), atan2f(y, x - shift));
    let mut outline = arc([0.0, 0.0], [outer, outer], a, TAU - a, 32);
    outline.extend(arc([shift, 0.0], [inner, inner], TAU - b, b, 28));
    outline
}

fn cross(reach: f32, half: f32) -> Vec<Point> {
    let corner = [[half, -reach], [half, -half], [reach, -half]];
    // A quarter turn maps (x, y) to (-y, x).
    let turn = |[x, y]: Point| [-y, x];
    let mut outline = Vec::new();
    let mut quarter = corner;
    for _ in 0..4 {
        outline.extend(quarter);
        quarter = quarter.map(turn);
    }
    outline
}

fn cogs(teeth: u16, outer: f32, inner: f32) -> Vec<Point> {
    let step = TAU / f32::from(teeth);
    (0..teeth)
        .flat_map(|i| {
            let angle = f32::from(i) * step;
            [(-0.3, inner), (-0.2, outer), (0.2, outer), (0.3, inner)]
                .map(|(turn, radius)| polar(angle + turn * step, radius))
        })
        .collect()
}

fn star(points: u16, outer: f32, inner: f32) -> Vec<Point> {
    let step = PI / f32::from(points);
    (0..2 * points)
        .map(|i| {
            polar(
                f32::from(i) * step - PI / 2.0,
                if i % 2 == 0 { outer } else { inner },
            )
        })
        .collect()
}

fn heart() -> Vec<Point> {
    (0..48_u16)
        .map(|i| {
            let t = TAU * f32::from(i) / 48.0;
            let s = sinf(t);
            let y = 13.0 * cosf(t) - 5.0 * cosf(2.0 * t) - 2.0 * cosf(3.0 * t) - cosf(4.0 * t);
            [16.0 * s * s * s / 17.0, (-y - 2.5) / 16.0]
        })
        .collect()
}

/// Bow, shaft and two bits.
fn key() -> Vec<Point> {
    let mut outline = arc(
        [0.0, -0.52],
        [0.48, 0.48],
        PI / 2.0 + 0.33,
        PI * 2.5 - 0.33,
        32,
    );
    outline.extend([
        [0.16, 0.25],
        [0.5, 0.25],
        [0.5, 0.48],
        [0.16, 0.48],
        [0.16, 0.68],
        [0.5, 0.68],
        [0.5, 1.0],
        [-0.16, 1.0],
    ]);
    outline
}

fn polar(angle: f32, radius: f32) -> Point {
    [radius * cosf(angle), radius * sinf(angle)]
}
