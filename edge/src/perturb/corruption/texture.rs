//! Synthetic frost textures.
//!
//! A plane of needles and shards of ice, most of them along a slowly turning direction or at 60
//! degrees to it. What the published photographs are recognised by, and what hides a picture
//! beneath them, is how contrast is spread over scales: the textures have the photographs' colour
//! means, deviations and luminance contrast in every octave.

use super::filter::gaussian;
use super::raster::{Border, Raster};
use crate::perturb::rng::{SplitMix64, fill_normal};

/// Side of a texture, which tiles the plane.
pub(super) const SIDE: usize = 512;

/// Standard deviations, in pixels, of the successive Gaussians between which octaves lie.
const SCALES: [f64; 6] = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0];

/// Statistics of one photograph, in levels, and crystals of its kind.
struct Look {
    mean: [f64; 3],
    deviation: [f64; 3],
    /// Standard deviation of the luminance in each octave, finest first, and of what remains.
    contrast: [f64; 7],
    crystals: usize,
    /// Shortest and longest crystal in pixels.
    length: [f64; 2],
    /// Half widths at the foot of the thinnest and the thickest in pixels.
    width: [f64; 2],
}

const LOOKS: [Look; 4] = [
    Look {
        mean: [78.0, 149.0, 166.0],
        deviation: [27.0, 17.0, 15.0],
        contrast: [6.8, 2.9, 2.1, 2.1, 2.6, 3.2, 11.2],
        crystals: 6000,
        length: [6.0, 30.0],
        width: [1.0, 4.0],
    },
    Look {
        mean: [201.0, 205.0, 215.0],
        deviation: [21.0, 22.0, 23.0],
        contrast: [7.4, 4.2, 4.1, 3.8, 3.7, 3.8, 11.0],
        crystals: 5000,
        length: [8.0, 60.0],
        width: [1.0, 4.0],
    },
    Look {
        mean: [138.0, 153.0, 165.0],
        deviation: [28.0, 28.0, 30.0],
        contrast: [12.3, 6.3, 5.1, 4.1, 3.1, 2.8, 16.5],
        crystals: 8000,
        length: [5.0, 30.0],
        width: [1.0, 5.0],
    },
    Look {
        mean: [112.0, 123.0, 135.0],
        deviation: [44.0, 43.0, 42.0],
        contrast: [15.5, 8.2, 8.3, 8.4, 7.8, 6.7, 21.5],
        crystals: 5000,
        length: [8.0, 50.0],
        width: [1.0, 4.0],
    },
];

/// Texture `index` of 0..4, RGB.
pub(super) fn texture(index: usize) -> Raster<u8> {
    let look = &LOOKS[index];
    let mut rng = SplitMix64::new(0x0001_CEF1_0735 + index as u64);
    let mut field = balanced(crystals(look, &mut rng), &look.contrast);
    let deviation = deviation(&field.values);
    scale(&mut field, 1.0 / deviation);
    let mut out = Raster::zeros(SIDE, SIDE, 3);
    for (pixel, &v) in out.values.chunks_exact_mut(3).zip(&field.values) {
        for ((value, mean), deviation) in pixel.iter_mut().zip(look.mean).zip(look.deviation) {
            *value = (mean + deviation * f64::from(v)).round() as u8;
        }
    }
    out
}

/// Crystals over one another, each of its own brightness and with a bright and a dark flank.
fn crystals(look: &Look, rng: &mut SplitMix64) -> Raster {
    const SIXTY_DEGREES: f64 = std::f64::consts::PI / 3.0;
    let noise = Raster::fill(SIDE, SIDE, || rng.range(-1.0, 1.0) as f32);
    let mut direction = gaussian(&noise, 40.0, 4.0, Border::Wrap);
    let spread = deviation(&direction.values);
    scale(&mut direction, 1.0 / spread);
    let mut field = Raster::zeros(SIDE, SIDE, 1);
    for _ in 0..look.crystals {
        let foot = [(); 2].map(|()| rng.range(0.0, SIDE as f64));
        let [x, y] = foot.map(|v| v as usize);
        let turn = SIXTY_DEGREES * rng.integer(0, 3) as f64;
        let [swerve, brightness] = [(); 2].map(|()| normal(rng));
        let flank = if rng.uniform() < 0.5 { 1.0 } else { -1.0 };
        Crystal {
            foot,
            angle: f64::from(direction.row(y)[x]) + turn + 0.5 * swerve,
            length: rng.range(look.length[0], look.length[1]),
            width: rng.range(look.width[0], look.width[1]),
            brightness,
            flank,
        }
        .draw(&mut field);
    }
    field
}

fn normal(rng: &mut SplitMix64) -> f64 {
    let mut value = [0.0];
    fill_normal(rng, &mut value);
    value[0]
}

/// A wedge that runs out to a point.
struct Crystal {
    foot: [f64; 2],
    angle: f64,
    length: f64,
    /// Half the width at the foot.
    width: f64,
    brightness: f64,
    /// How much brighter one edge is than the middle.
    flank: f64,
}

impl Crystal {
    fn draw(&self, field: &mut Raster) {
        let (cos, sin) = (libm::cos(self.angle), libm::sin(self.angle));
        let reach = self.length as i64 + 2;
        let [left, top] = self.foot.map(|v| v as i64);
        let inside = |i: i64| i.rem_euclid(SIDE as i64) as usize;
        for y in top - reach..=top + reach {
            for x in left - reach..=left + reach {
                let (dx, dy) = (x as f64 - self.foot[0], y as f64 - self.foot[1]);
                let (along, across) = (dx * cos + dy * sin, dy * cos - dx * sin);
                let width = self.width * (1.0 - along / self.length);
                if along >= 0.0 && across.abs() <= width {
                    let slope = self.flank * across / width.max(0.5);
                    field.values[inside(y) * SIDE + inside(x)] = (self.brightness + slope) as f32;
                }
            }
        }
    }
}

/// `field` with its octaves scaled to the wanted standard deviations.
fn balanced(field: Raster, contrast: &[f64; 7]) -> Raster {
    let mut sum = field.like();
    for (mut octave, wanted) in octaves(field).into_iter().zip(contrast) {
        let found = deviation(&octave.values);
        scale(&mut octave, wanted / found);
        for (sum, value) in sum.values.iter_mut().zip(octave.values) {
            *sum += value;
        }
    }
    sum
}

/// The differences between successive smoothings, finest first, and the last without its mean.
fn octaves(field: Raster) -> Vec<Raster> {
    let mut rest = field;
    let mut octaves = Vec::new();
    for sigma in SCALES {
        let smooth = gaussian(&rest, sigma, 4.0, Border::Wrap);
        for (value, smooth) in rest.values.iter_mut().zip(&smooth.values) {
            *value -= smooth;
        }
        octaves.push(std::mem::replace(&mut rest, smooth));
    }
    let mean = mean(&rest.values) as f32;
    octaves.push(rest.map(|v| v - mean));
    octaves
}

fn scale(field: &mut Raster, factor: f64) {
    for value in &mut field.values {
        *value = (f64::from(*value) * factor) as f32;
    }
}

fn mean(values: &[f32]) -> f64 {
    values.iter().map(|&v| f64::from(v)).sum::<f64>() / values.len() as f64
}

fn deviation(values: &[f32]) -> f64 {
    let mean = mean(values);
    let squares = values.iter().map(|&v| (f64::from(v) - mean).powi(2));
    (squares.sum::<f64>() / values.len() as f64).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn textures_have_the_statistics_of_the_photographs() {
        for (index, look) in LOOKS.iter().enumerate() {
            let texture = texture(index);
            let channel = |c: usize| -> Vec<f32> {
                let values = texture.values[c..].iter().step_by(3);
                values.map(|&v| f32::from(v)).collect()
            };
            let channels = [0, 1, 2].map(channel);
            for (values, (wanted, spread)) in
                channels.iter().zip(look.mean.iter().zip(look.deviation))
            {
                assert!(
                    (mean(values) - wanted).abs() < 1.5,
                    "{index}: {}",
                    mean(values)
                );
                let found = deviation(values);
                assert!((found - spread).abs() < 2.0, "{index}: {found}");
            }
            let mut luminance = Raster::zeros(SIDE, SIDE, 1);
            for (i, value) in luminance.values.iter_mut().enumerate() {
                *value = channels.iter().map(|c| c[i]).sum::<f32>() / 3.0;
            }
            // Octaves overlap, so that scaling one changes its neighbours a little.
            let found = octaves(luminance)
                .iter()
                .map(|o| deviation(&o.values))
                .collect::<Vec<_>>();
            for (found, wanted) in found.iter().zip(look.contrast).take(5) {
                assert!(
                    (found / wanted - 1.0).abs() < 0.45,
                    "{index}: {found:.1} {wanted:.1}"
                );
            }
        }
    }
}
