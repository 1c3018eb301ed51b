//! Fog: a plasma fractal laid over the image.

use image::RgbImage;
use shared::outcome::Severity;

use super::by_severity;
use super::raster::Raster;
use crate::perturb::rng::SplitMix64;

/// The largest map; longer images repeat it (it is a torus).
const MAX_SIDE: usize = 2048;

/// Adds a plasma map and renormalises to the image's maximum.
pub(super) fn fog(image: &RgbImage, severity: Severity, rng: &mut SplitMix64) -> Raster {
    let (strength, decay) = by_severity(
        severity,
        [(1.5, 2.0), (2.0, 2.0), (2.5, 1.7), (2.5, 1.5), (3.0, 1.4)],
    );
    let mut out = Raster::levels(image);
    let side = map_side(out.width.max(out.height));
    let map = plasma(side, decay, rng);
    let max = image.as_raw().iter().copied().max().unwrap_or(0);
    let max = f64::from(max) / 255.0;
    let gain = (max / (max + strength)) as f32;
    let strength = 255.0 * strength;
    let mut fog = vec![0.0; side];
    for (y, row) in out.rows_mut().enumerate() {
        let heights = &map[y % side * side..][..side];
        for (fog, height) in fog.iter_mut().zip(heights) {
            *fog = (strength * height) as f32;
        }
        let pixels = row.as_chunks_mut::<3>().0;
        for pixels in pixels.chunks_mut(side) {
            for (pixel, fog) in pixels.iter_mut().zip(&fog) {
                *pixel = pixel.map(|value| (value + fog) * gain);
            }
        }
    }
    out.clipped()
}

fn map_side(longer: usize) -> usize {
    longer.min(MAX_SIDE).next_power_of_two().max(2)
}

/// Diamond-square on a torus of `side` (a power of two) squared, scaled to [0, 1], row-major. The
/// amplitude enters squared, as in the reference.
fn plasma(side: usize, decay: f64, rng: &mut SplitMix64) -> Vec<f64> {
    let mut map = vec![0.0; side * side];
    let mut amplitude = 100.0;
    let mut step = side;
    while step >= 2 {
        refine(&mut map, side, step, amplitude, rng);
        step /= 2;
        amplitude /= decay;
    }
    let low = map.iter().copied().fold(f64::INFINITY, f64::min);
    for value in &mut map {
        *value -= low;
    }
    let high = map.iter().copied().fold(0.0, f64::max);
    if high > 0.0 {
        for value in &mut map {
            *value /= high;
        }
    }
    map
}

/// One level: square centres, then the points between corners along rows, then along columns.
fn refine(map: &mut [f64], side: usize, step: usize, amplitude: f64, rng: &mut SplitMix64) {
    let half = step / 2;
    // Each pass: offset of the new points, and of their four neighbours relative to them.
    let back = side - half;
    let diagonal = [(back, back), (half, back), (back, half), (half, half)];
    let upright = [(back, 0), (half, 0), (0, back), (0, half)];
    for (y0, x0, around) in [
        (half, half, diagonal),
        (0, half, upright),
        (half, 0, upright),
    ] {
        for y in (y0..side).step_by(step) {
            let lines = around.map(|(dy, _)| ((y + dy) & (side - 1)) * side);
            for x in (x0..side).step_by(step) {
                let at = |i: usize| map[lines[i] + ((x + around[i].1) & (side - 1))];
                let mean = (at(0) + at(1) + at(2) + at(3)) / 4.0;
                map[y * side + x] = mean + amplitude * rng.range(-amplitude, amplitude);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn map_covers_the_image_and_every_point_is_drawn_once() {
        assert_eq!(
            [1, 2, 64, 65, 224, 256, 9000].map(map_side),
            [2, 2, 64, 128, 256, 256, 2048]
        );
        let mut rng = SplitMix64::new(3);
        let map = plasma(16, 2.0, &mut rng);
        assert!(map.iter().all(|v| (0.0..=1.0).contains(v)));
        let mut counted = SplitMix64::new(3);
        for _ in 0..255 {
            counted.next_u64();
        }
        assert_eq!(counted.next_u64(), rng.next_u64());
    }
}
