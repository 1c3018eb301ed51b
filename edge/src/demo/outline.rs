//! A silhouette placed in a picture: pose, and signed distance in pixels.

use libm::{cosf, sinf};

use super::SIZE;
use super::class::Class;
use super::rng::Rng;
use super::shape::{self, Point};

/// Where and how a shape lies in the picture.
#[derive(Clone, Copy, Debug)]
pub struct Pose {
    /// Centre in pixels.
    pub centre: Point,
    /// Pixels per unit of the silhouette.
    pub scale: f32,
    /// Rotation in radians.
    pub angle: f32,
    /// Ratio of width to height, as a factor on x and a divisor on y.
    pub stretch: f32,
    /// Horizontal shear.
    pub shear: f32,
    /// Perspective: how much nearer (positive) the bottom is than the top.
    pub tilt: f32,
}

impl Pose {
    /// A pose with a scale within `scales`, kept inside the picture.
    pub fn random(rng: &mut Rng, scales: [f32; 2]) -> Self {
        let scale = rng.within(scales[0], scales[1]);
        let slack = (SIZE as f32 / 2.0 - 1.05 * scale).max(0.0);
        let middle = SIZE as f32 / 2.0;
        Self {
            centre: [middle, middle].map(|m| m + rng.within(-slack, slack)),
            scale,
            angle: rng.within(-0.5, 0.5),
            stretch: rng.within(0.88, 1.14),
            shear: rng.within(-0.15, 0.15),
            tilt: rng.within(-0.18, 0.18),
        }
    }

    /// In the middle of the picture, 24 pixels per unit.
    #[cfg(test)]
    pub fn upright() -> Self {
        let centre = [SIZE as f32 / 2.0; 2];
        Self {
            centre,
            scale: 24.0,
            angle: 0.0,
            stretch: 1.0,
            shear: 0.0,
            tilt: 0.0,
        }
    }

    fn place(&self, [x, y]: Point) -> Point {
        let depth = self.scale / (1.0 - self.tilt * y);
        let (x, y) = (x * self.stretch + self.shear * y, y / self.stretch);
        let (sin, cos) = (sinf(self.angle), cosf(self.angle));
        [
            self.centre[0] + depth * (cos * x - sin * y),
            self.centre[1] + depth * (sin * x + cos * y),
        ]
    }
}

/// The placed polygons of a shape.
#[derive(Clone, Debug)]
pub struct Outline {
    polygons: Vec<Vec<Point>>,
}

impl Outline {
    /// The silhouette of `class` under `pose`.
    pub fn new(class: Class, pose: &Pose) -> Self {
        let mut polygons = shape::silhouette(class);
        polygons
            .iter_mut()
            .flatten()
            .for_each(|p| *p = pose.place(*p));
        Self { polygons }
    }

    /// The same outline with every corner moved by up to `reach` pixels, as a hand would draw it.
    pub fn redrawn(&self, rng: &mut Rng, reach: f32) -> Self {
        let shift = [rng.within(-reach, reach), rng.within(-reach, reach)];
        let mut polygons = self.polygons.clone();
        for point in polygons.iter_mut().flatten() {
            *point = [0, 1].map(|i| point[i] + shift[i] + rng.within(-reach, reach) * 0.3);
        }
        Self { polygons }
    }

    /// Distance in pixels to the outline, negative inside the shape.
    pub fn distance(&self, x: f32, y: f32) -> f32 {
        let mut nearest = f32::MAX;
        let mut inside = false;
        for polygon in &self.polygons {
            let Some(mut a) = polygon.last().copied() else {
                continue;
            };
            for &b in polygon {
                let (ex, ey) = (b[0] - a[0], b[1] - a[1]);
                let (px, py) = (x - a[0], y - a[1]);
                let length = (ex * ex + ey * ey).max(1e-12);
                let t = ((px * ex + py * ey) / length).clamp(0.0, 1.0);
                let (dx, dy) = (px - t * ex, py - t * ey);
                nearest = nearest.min(dx * dx + dy * dy);
                if (a[1] > y) != (b[1] > y) && x < a[0] + (y - a[1]) * ex / ey {
                    inside = !inside;
                }
                a = b;
            }
        }
        if inside {
            -nearest.sqrt()
        } else {
            nearest.sqrt()
        }
    }

    /// The part of a pixel that the shape covers, from its distance.
    pub fn coverage(distance: f32) -> f32 {
        (0.5 - distance).clamp(0.0, 1.0)
    }
}
