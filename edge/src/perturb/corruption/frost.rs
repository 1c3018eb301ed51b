//! Frost: an ice texture blended in. The textures are synthetic.
//!
//! The published images blend photographs. These textures share their colour means, standard
//! deviations and spectral slopes, and are drawn as often; results agree in distribution only.

use std::sync::LazyLock;

use image::RgbImage;
use shared::outcome::Severity;

use super::by_severity;
use super::raster::{Raster, Scale, overlaps};
use crate::perturb::rng::SplitMix64;

/// Side of a texture, which tiles the plane.
const SIDE: usize = 512;

/// The most texture that one pixel averages per axis; only images under 14 pixels reach it.
const MAX_STEP: f64 = 16.0;

/// Colour statistics of one photograph, in levels; the falloff of the octaves and the brightness of
/// the crystals together give its spectral slope.
struct Look {
    mean: [f64; 3],
    deviation: [f64; 3],
    falloff: f64,
    crystal: f64,
}

const LOOKS: [Look; 4] = [
    Look {
        mean: [78.0, 149.0, 166.0],
        deviation: [27.0, 17.0, 15.0],
        falloff: 0.7,
        crystal: 2.8,
    },
    Look {
        mean: [201.0, 205.0, 215.0],
        deviation: [21.0, 22.0, 23.0],
        falloff: 0.9,
        crystal: 0.6,
    },
    Look {
        mean: [138.0, 153.0, 165.0],
        deviation: [28.0, 28.0, 30.0],
        falloff: 0.72,
        crystal: 1.25,
    },
    Look {
        mean: [112.0, 123.0, 135.0],
        deviation: [44.0, 43.0, 42.0],
        falloff: 0.95,
        crystal: 0.6,
    },
];

static TEXTURES: [LazyLock<Raster<f64>>; 4] = [
    LazyLock::new(|| texture(0)),
    LazyLock::new(|| texture(1)),
    LazyLock::new(|| texture(2)),
    LazyLock::new(|| texture(3)),
];

/// Blends a random crop of a random texture.
pub(super) fn frost(image: &RgbImage, severity: Severity, rng: &mut SplitMix64) -> Raster {
    let (kept, added) = by_severity(
        severity,
        [(1.0, 0.4), (0.8, 0.6), (0.7, 0.7), (0.65, 0.7), (0.6, 0.75)],
    );
    // Two of the five photographs are the same.
    let texture = match rng.integer(0, 5) {
        0 => &TEXTURES[0],
        1 | 2 => &TEXTURES[1],
        3 => &TEXTURES[2],
        _ => &TEXTURES[3],
    };
    let step = (1.0 / Scale::of(image).0).min(MAX_STEP);
    let top = rng.integer(0, SIDE as i64) as f64;
    let left = rng.integer(0, SIDE as i64) as f64;
    let mut out = Raster::levels(image);
    let columns = overlaps(out.width, left, step);
    let mut line = vec![0.0; SIDE * 3];
    for (row, cells) in out
        .rows_mut()
        .zip(overlaps(image.height() as usize, top, step))
    {
        line.fill(0.0);
        for (y, share) in cells {
            for (sum, value) in line.iter_mut().zip(texture.row(y as usize % SIDE)) {
                *sum += share * value;
            }
        }
        for (pixel, cells) in row.chunks_exact_mut(3).zip(&columns) {
            for (channel, value) in pixel.iter_mut().enumerate() {
                let average =
                    |&(x, share): &(i64, f64)| share * line[x as usize % SIDE * 3 + channel];
                let ice: f64 = cells.iter().map(average).sum();
                *value = (kept * f64::from(*value) + added * ice).clamp(0.0, 255.0) as f32;
            }
        }
    }
    out
}

/// Texture `index`, RGB levels.
fn texture(index: usize) -> Raster<f64> {
    let look = &LOOKS[index];
    let mut rng = SplitMix64::new(0x0001_CEF1_0735 + index as u64);
    let mut field = ridged_noise(look.falloff, &mut rng);
    standardise(&mut field);
    // A soft threshold: clear ice saturates, cracks stand out.
    for value in &mut field {
        *value = libm::tanh(0.8 * *value);
    }
    for _ in 0..rng.integer(40, 81) {
        grow_dendrite(&mut field, look.crystal, &mut rng);
    }
    standardise(&mut field);
    let mut out = Raster::zeros(SIDE, SIDE, 3);
    for (pixel, v) in out.values.chunks_exact_mut(3).zip(field) {
        for ((value, mean), deviation) in pixel.iter_mut().zip(look.mean).zip(look.deviation) {
            *value = (mean + deviation * v).clamp(0.0, 255.0).round();
        }
    }
    out
}

/// To mean 0 and standard deviation 1.
fn standardise(field: &mut [f64]) {
    let n = field.len() as f64;
    let mean = field.iter().sum::<f64>() / n;
    let deviation = (field.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / n).sqrt();
    for value in field {
        *value = (*value - mean) / deviation;
    }
}

/// Six octaves of value noise on a torus, folded so that the middle value makes a ridge.
fn ridged_noise(falloff: f64, rng: &mut SplitMix64) -> Vec<f64> {
    let mut field = vec![0.0; SIDE * SIDE];
    for octave in 0..6 {
        let cells = 4usize << octave;
        let amplitude = libm::pow(cells as f64, -falloff);
        let lattice = Raster::fill(cells, cells, || rng.uniform());
        let size = SIDE / cells;
        for (y, row) in field.chunks_exact_mut(SIDE).enumerate() {
            let upper = lattice.row(y / size);
            let lower = lattice.row((y / size + 1) % cells);
            let fy = smooth_step((y % size) as f64 / size as f64);
            for (x, value) in row.iter_mut().enumerate() {
                let (left, right) = (x / size, (x / size + 1) % cells);
                let fx = smooth_step((x % size) as f64 / size as f64);
                let above = upper[left] + (upper[right] - upper[left]) * fx;
                let below = lower[left] + (lower[right] - lower[left]) * fx;
                let noise = above + (below - above) * fy;
                *value += amplitude * (1.0 - (2.0 * noise - 1.0).abs());
            }
        }
    }
    field
}

fn smooth_step(t: f64) -> f64 {
    t * t * (3.0 - 2.0 * t)
}

/// A crystal: a wandering bright line whose branches leave at 60 degrees and are shorter each time.
fn grow_dendrite(field: &mut [f64], brightness: f64, rng: &mut SplitMix64) {
    const SIXTY_DEGREES: f64 = std::f64::consts::PI / 3.0;
    let side = SIDE as f64;
    let stem = (
        rng.range(0.0, side),
        rng.range(0.0, side),
        rng.range(0.0, 6.0),
        120.0,
    );
    let mut open = vec![stem];
    while let Some((mut x, mut y, direction, length)) = open.pop() {
        let mut angle = direction * SIXTY_DEGREES;
        for step in 1..=length as usize {
            angle += rng.range(-0.06, 0.06);
            x = (x + libm::cos(angle)).rem_euclid(side);
            y = (y + libm::sin(angle)).rem_euclid(side);
            let cell = (y as usize % SIDE) * SIDE + x as usize % SIDE;
            field[cell] = (field[cell] + brightness).min(2.0 * brightness);
            if step % 12 == 0 && length > 12.0 {
                let turn = if rng.uniform() < 0.5 { 1.0 } else { -1.0 };
                let remaining = (length - step as f64) * 0.45;
                open.push((x, y, angle / SIXTY_DEGREES + turn, remaining));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn textures_have_the_statistics_of_the_photographs() {
        for (texture, look) in TEXTURES.iter().zip(&LOOKS) {
            let pixels = (SIDE * SIDE) as f64;
            for channel in 0..3 {
                let values = || texture.values.iter().skip(channel).step_by(3);
                let mean = values().sum::<f64>() / pixels;
                let variance = values().map(|v| (v - mean).powi(2)).sum::<f64>() / pixels;
                assert!((mean - look.mean[channel]).abs() < 1.5, "mean {mean}");
                assert!((variance.sqrt() - look.deviation[channel]).abs() < 2.0);
            }
        }
    }
}
