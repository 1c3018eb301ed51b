//! Out-of-distribution pictures: the shape stays, the look does not.

use std::f32::consts::TAU;

use image::RgbImage;
use libm::{cosf, sinf};

use super::class::Class;
use super::outline::{Outline, Pose};
use super::palette::{self, Colour, mix};
use super::rng::{Rng, hash, noise};
use super::scene::paint;

const SCALES: [f32; 2] = [17.0, 25.0];
const WHITE: Colour = [255.0; 3];
const BLACK: Colour = [0.0; 3];

/// Black outline on white.
pub fn edge(rng: &mut Rng, shape: Class) -> RgbImage {
    let outline = Outline::new(shape, &Pose::random(rng, SCALES));
    paint(|x, y| {
        mix(
            WHITE,
            BLACK,
            Outline::coverage(outline.distance(x, y).abs() - 0.7),
        )
    })
}

/// Black shape on white.
pub fn silhouette(rng: &mut Rng, shape: Class) -> RgbImage {
    let outline = Outline::new(shape, &Pose::random(rng, SCALES));
    paint(|x, y| mix(WHITE, BLACK, Outline::coverage(outline.distance(x, y))))
}

/// Pencil: the outline drawn three times by an unsteady hand, hatched inside.
pub fn sketch(rng: &mut Rng, shape: Class) -> RgbImage {
    let outline = Outline::new(shape, &Pose::random(rng, SCALES));
    let strokes: Vec<Outline> = (0..3).map(|_| outline.redrawn(rng, 1.2)).collect();
    let (paper, graphite) = (rng.within(215.0, 250.0), rng.within(30.0, 80.0));
    let angle = rng.within(0.0, TAU);
    let (sin, cos) = (sinf(angle), cosf(angle));
    let gap = rng.within(3.0, 4.5);
    let salt = rng.bits();
    paint(|x, y| {
        let pressure = 0.4 + 0.6 * noise(x / 6.0, y / 6.0, salt);
        let line: f32 = strokes
            .iter()
            .map(|s| Outline::coverage(s.distance(x, y).abs() - 0.3))
            .fold(0.0, |sum, stroke| sum + 0.6 * stroke);
        let across = cos * x + sin * y + 2.0 * noise(x / 9.0, y / 9.0, salt ^ 1);
        let hatch = Outline::coverage((across.rem_euclid(gap) - gap / 2.0).abs() - 0.3);
        let inside = Outline::coverage(outline.distance(x, y) + 1.0);
        let ink = (line + 0.55 * hatch * inside).min(1.0) * pressure;
        let tone = paper + (graphite - paper) * ink + rng.within(-8.0, 8.0);
        [tone; 3]
    })
}

/// Repainted in curved brush strokes of a few colours, shape and background alike.
pub fn stylized(rng: &mut Rng, shape: Class) -> RgbImage {
    let outline = Outline::new(shape, &Pose::random(rng, SCALES));
    let [front, behind] = palette::pair(rng, [50.0, 110.0], 90.0);
    let salt = rng.bits();
    paint(|x, y| {
        let angle = TAU * noise(x / 24.0, y / 24.0, salt);
        let (sin, cos) = (sinf(angle), cosf(angle));
        let (along, across) = ((cos * x + sin * y) / 7.0, (cos * y - sin * x) / 1.8);
        let stroke = (noise(along, across, salt ^ 1) * 4.0).floor() / 3.0 - 0.5;
        let wobble = 2.4 * (noise(x / 4.0, y / 4.0, salt ^ 2) - 0.5);
        let covered = Outline::coverage(outline.distance(x, y) + wobble);
        mix(behind, front, covered).map(|v| v + 45.0 * stroke)
    })
}

/// A work of art: a cartoon, an embroidery or a mosaic.
pub fn rendition(rng: &mut Rng, shape: Class) -> RgbImage {
    let outline = Outline::new(shape, &Pose::random(rng, SCALES));
    let [front, behind] = palette::pair(rng, [50.0, 130.0], 110.0);
    match rng.below(3) {
        0 => cartoon(rng, &outline, front, behind),
        1 => embroidery(rng, &outline, front, behind),
        _ => mosaic(rng, &outline, front, behind),
    }
}

/// Flat colours, one hard shadow, a thick dark outline.
fn cartoon(rng: &mut Rng, outline: &Outline, front: Colour, behind: Colour) -> RgbImage {
    let shadow = rng.within(3.0, 6.0);
    paint(|x, y| {
        let lit = Outline::coverage(outline.distance(x - shadow, y - shadow));
        let fill = mix(front.map(|v| v * 0.7), front, lit);
        let distance = outline.distance(x, y);
        let colour = mix(behind, fill, Outline::coverage(distance));
        mix(colour, [20.0; 3], Outline::coverage(distance.abs() - 1.3))
    })
}

/// Slanted stitches on woven cloth, with a stitched rim.
fn embroidery(rng: &mut Rng, outline: &Outline, front: Colour, behind: Colour) -> RgbImage {
    let lean = if rng.chance(0.5) { 1.0 } else { -1.0 };
    let salt = rng.bits();
    paint(|x, y| {
        let weave = if (x as i32 + y as i32) & 1 == 0 {
            12.0
        } else {
            -12.0
        };
        let thread = ((x + lean * y) / 2.0).floor() as i32;
        let shade = 60.0 * (hash(thread, (y / 6.0) as i32, salt) - 0.5);
        let distance = outline.distance(x, y);
        let rim = Outline::coverage(distance.abs() - 1.0);
        let stitch = front.map(|v| v + shade);
        let colour = mix(
            behind.map(|v| v + weave),
            stitch,
            Outline::coverage(distance),
        );
        mix(colour, front.map(|v| v * 0.5), rim)
    })
}

/// Tiles, each in one colour, with dark joints.
fn mosaic(rng: &mut Rng, outline: &Outline, front: Colour, behind: Colour) -> RgbImage {
    let tile = rng.within(3.0, 4.2);
    let salt = rng.bits();
    paint(|x, y| {
        let (i, j) = ((x / tile).floor(), (y / tile).floor());
        let inside = outline.distance((i + 0.5) * tile, (j + 0.5) * tile) < 0.0;
        let shade = 55.0 * (hash(i as i32, j as i32, salt) - 0.5);
        let joint = (x / tile - i) * tile < 0.8 || (y / tile - j) * tile < 0.8;
        let colour = if inside { front } else { behind };
        colour.map(|v| if joint { 0.6 * v } else { v + shade })
    })
}
