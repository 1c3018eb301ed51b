//! Synthetic frost textures.
//!
//! They share the colour means, standard deviations and spectral slopes of the published
//! photographs.

use super::raster::Raster;
use crate::perturb::rng::SplitMix64;

/// Side of a texture, which tiles the plane.
pub(super) const SIDE: usize = 512;

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

/// Texture `index` of 0..4, RGB.
pub(super) fn texture(index: usize) -> Raster<u8> {
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
            *value = (mean + deviation * v).round() as u8;
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
        for (index, look) in LOOKS.iter().enumerate() {
            let texture = texture(index);
            let pixels = (SIDE * SIDE) as f64;
            for channel in 0..3 {
                let values = || {
                    texture.values[channel..]
                        .iter()
                        .step_by(3)
                        .map(|&v| f64::from(v))
                };
                let mean = values().sum::<f64>() / pixels;
                let variance = values().map(|v| (v - mean).powi(2)).sum::<f64>() / pixels;
                assert!((mean - look.mean[channel]).abs() < 1.5, "mean {mean}");
                assert!((variance.sqrt() - look.deviation[channel]).abs() < 2.0);
            }
        }
    }
}
