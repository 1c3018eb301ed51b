//! Random colours: no class owns one, so that colour is no cue.

use super::rng::Rng;

/// Red, green and blue from 0 to 255.
pub type Colour = [f32; 3];

/// Rec. 601 luma.
pub fn luma(c: Colour) -> f32 {
    0.299 * c[0] + 0.587 * c[1] + 0.114 * c[2]
}

/// A colour between two others.
pub fn mix(a: Colour, b: Colour, t: f32) -> Colour {
    [0, 1, 2].map(|i| a[i] + (b[i] - a[i]) * t)
}

/// A colour with a random tint around a given luma.
pub fn tinted(rng: &mut Rng, brightness: f32, tint: f32) -> Colour {
    let raw = [0, 1, 2].map(|_| rng.within(-tint, tint));
    let shift = brightness - luma(raw);
    raw.map(|v| (v + shift).clamp(0.0, 255.0))
}

/// Two colours whose lumas differ by a contrast within `contrasts`, in either order.
pub fn pair(rng: &mut Rng, contrasts: [f32; 2], tint: f32) -> [Colour; 2] {
    let contrast = rng.within(contrasts[0], contrasts[1]);
    let low = rng.within(15.0, 240.0 - contrast);
    let colours = [tinted(rng, low, tint), tinted(rng, low + contrast, tint)];
    if rng.chance(0.5) {
        colours
    } else {
        [colours[1], colours[0]]
    }
}

/// Largest difference of a channel between the middles of two pairs.
pub fn apart(a: [Colour; 2], b: [Colour; 2]) -> f32 {
    let (a, b) = (mix(a[0], a[1], 0.5), mix(b[0], b[1], 0.5));
    [0, 1, 2]
        .into_iter()
        .map(|i| (a[i] - b[i]).abs())
        .fold(0.0, f32::max)
}
