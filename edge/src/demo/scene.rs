//! A photograph-like picture: a textured shape in front of a background, lit, partly covered, noisy.

use image::{Rgb, RgbImage};
use libm::{cosf, sinf};

use super::SIZE;
use super::background::Background;
use super::class::Class;
use super::outline::{Outline, Pose};
use super::palette::{self, Colour, mix};
use super::rng::Rng;
use super::texture::Texture;

/// What a picture shows; everything else is random.
#[derive(Clone, Copy, Debug)]
pub struct Content {
    /// Whose silhouette.
    pub shape: Class,
    /// Whose texture fills it.
    pub texture: Class,
    /// Whose background lies behind it; `None` is a neutral one.
    pub background: Option<Class>,
}

/// How hard a picture is to read.
#[derive(Clone, Copy, Debug)]
pub struct Difficulty {
    /// Range of the silhouette's radius in pixels.
    pub scales: [f32; 2],
    /// Range of the luma contrast of the texture's two tones.
    pub contrasts: [f32; 2],
    /// Probability that something covers a part of the shape.
    pub covered: f32,
}

impl Difficulty {
    /// As a camera finds things: sometimes small, faint or half hidden.
    pub const ORDINARY: Self = Self {
        scales: [13.0, 26.0],
        contrasts: [35.0, 130.0],
        covered: 0.35,
    };
    /// Large, clear and uncovered, so that only the cues compete.
    pub const CLEAR: Self = Self {
        scales: [21.0, 26.0],
        contrasts: [60.0, 120.0],
        covered: 0.0,
    };
}

/// Renders the picture.
pub fn photo(rng: &mut Rng, content: Content, difficulty: Difficulty) -> RgbImage {
    let pose = Pose::random(rng, difficulty.scales);
    let outline = Outline::new(content.shape, &pose);
    let texture = Texture::random(rng, content.texture, pose.centre);
    let background = Background::random(rng, content.background);
    let (surface, ground) = colours(rng, difficulty.contrasts);
    let cover = Cover::random(rng, &pose, difficulty.covered);
    let light = Light::random(rng);
    let grain = rng.within(2.0, 14.0);
    paint(|x, y| {
        let distance = outline.distance(x, y);
        let coverage = Outline::coverage(distance);
        let behind = averaged(x, y, |x, y| background.level(x, y));
        let mut colour = mix(ground[0], ground[1], behind);
        if coverage > 0.0 {
            let tone = averaged(x, y, |x, y| if texture.tone(x, y) { 1.0 } else { 0.0 });
            // The rim turns away from the light.
            let rim = 0.78 + 0.22 * (-distance / 2.5).clamp(0.0, 1.0);
            let front = mix(surface[0], surface[1], tone).map(|v| v * rim);
            colour = mix(colour, front, coverage);
        }
        let colour = light.on(cover.over(colour, x, y), x, y);
        colour.map(|v| v + rng.within(-grain, grain))
    })
}

/// Surface and ground colours that can be told apart.
fn colours(rng: &mut Rng, contrasts: [f32; 2]) -> ([Colour; 2], [Colour; 2]) {
    let surface = palette::pair(rng, contrasts, 70.0);
    let mut ground = palette::pair(rng, [12.0, 60.0], 60.0);
    for _ in 0..8 {
        if palette::apart(surface, ground) > 35.0 {
            break;
        }
        ground = palette::pair(rng, [12.0, 60.0], 60.0);
    }
    (surface, ground)
}

/// An even bar in front of the shape, from border to border.
struct Cover {
    /// Unit normal, distance of the middle from the origin, and half the width in pixels.
    normal: [f32; 2],
    offset: f32,
    half_width: f32,
    colour: Colour,
}

impl Cover {
    fn random(rng: &mut Rng, pose: &Pose, probability: f32) -> Self {
        let width = if rng.chance(probability) {
            rng.within(0.2, 0.6)
        } else {
            0.0
        };
        let angle = rng.within(0.0, std::f32::consts::TAU);
        let normal = [cosf(angle), sinf(angle)];
        let middle = pose.centre[0] * normal[0] + pose.centre[1] * normal[1];
        let brightness = rng.within(30.0, 220.0);
        Self {
            normal,
            offset: middle + pose.scale * rng.within(-0.7, 0.7),
            half_width: 0.5 * width * pose.scale,
            colour: palette::tinted(rng, brightness, 60.0),
        }
    }

    fn over(&self, colour: Colour, x: f32, y: f32) -> Colour {
        if self.half_width == 0.0 {
            return colour;
        }
        let across = self.normal[0] * x + self.normal[1] * y - self.offset;
        mix(
            colour,
            self.colour,
            Outline::coverage(across.abs() - self.half_width),
        )
    }
}

/// Brightness that changes across the picture.
struct Light {
    brightness: f32,
    slope: [f32; 2],
}

impl Light {
    fn random(rng: &mut Rng) -> Self {
        Self {
            brightness: rng.within(0.7, 1.15),
            slope: [rng.within(-0.35, 0.35), rng.within(-0.35, 0.35)],
        }
    }

    fn on(&self, colour: Colour, x: f32, y: f32) -> Colour {
        let [dx, dy] = [x, y].map(|v| v / SIZE as f32 - 0.5);
        let factor = self.brightness * (1.0 + self.slope[0] * dx + self.slope[1] * dy);
        colour.map(|v| v * factor)
    }
}

/// Mean over the four quarters of a pixel.
fn averaged(x: f32, y: f32, value: impl Fn(f32, f32) -> f32) -> f32 {
    let quarters = [(-0.25, -0.25), (0.25, -0.25), (-0.25, 0.25), (0.25, 0.25)];
    quarters
        .map(|(dx, dy)| value(x + dx, y + dy))
        .iter()
        .sum::<f32>()
        / 4.0
}

/// Asks for the colour of every pixel, by its centre, in row order.
pub fn paint(mut colour: impl FnMut(f32, f32) -> Colour) -> RgbImage {
    RgbImage::from_fn(SIZE, SIZE, |x, y| {
        Rgb(colour(x as f32 + 0.5, y as f32 + 0.5).map(|v| v.round().clamp(0.0, 255.0) as u8))
    })
}
