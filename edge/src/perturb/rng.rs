//! The portable random generator of every corruption: the same seed gives the same draws on every
//! device and thread.
//!
//! Transcendental functions come from `libm` or are computed here, not by the platform, whose last
//! bit differs between systems.

pub use shared::random::SplitMix64;

/// Standard normal values (Box-Muller, the sine is discarded), within 1e-10 of the exact function
/// of the draws. Two draws each.
pub fn fill_normal(rng: &mut SplitMix64, values: &mut [f64]) {
    const CHUNK: usize = 64;
    let mut turns = [0.0; CHUNK];
    for part in values.chunks_mut(CHUNK) {
        let turns = &mut turns[..part.len()];
        for (value, turn) in part.iter_mut().zip(&mut *turns) {
            *value = 1.0 - rng.uniform();
            *turn = rng.uniform();
        }
        for (value, &turn) in part.iter_mut().zip(&*turns) {
            *value = (-2.0 * ln(*value)).sqrt() * cos_turns(turn);
        }
    }
}

/// Natural logarithm of a normal positive number, to about 1e-12. Plain arithmetic without
/// branches, so that the compiler computes several at once and every platform the same.
fn ln(x: f64) -> f64 {
    // x = 2^exponent * mantissa with a mantissa from sqrt(1/2) to sqrt(2).
    const ONE: u64 = 0x3FF0_0000_0000_0000;
    const SQRT_HALF: u64 = 0x3FE6_A09E_667F_3BCD;
    const TWO_POW_52: u64 = 0x4330_0000_0000_0000;
    let shifted = x.to_bits().wrapping_add(ONE - SQRT_HALF);
    let mantissa = f64::from_bits((shifted & 0x000F_FFFF_FFFF_FFFF).wrapping_add(SQRT_HALF));
    let exponent =
        f64::from_bits((shifted >> 52) | TWO_POW_52) - (4_503_599_627_370_496.0 + 1023.0);
    // ln m = 2 artanh s, with |s| < 0.172.
    let s = (mantissa - 1.0) / (mantissa + 1.0);
    let z = s * s;
    let series = [13.0, 11.0, 9.0, 7.0, 5.0, 3.0];
    let tail = series.iter().fold(1.0 / 15.0, |sum, n| sum * z + 1.0 / n);
    exponent * std::f64::consts::LN_2 + 2.0 * (s + s * z * tail)
}

/// Cosine of an angle in turns from 0 to 1, to about 1e-11; computed as [`ln`].
fn cos_turns(turns: f64) -> f64 {
    // cos(2 pi t) = sin(2 pi (|t - 1/2| - 1/4)), an angle of at most a quarter turn.
    let x = std::f64::consts::TAU * ((turns - 0.5).abs() - 0.25);
    let z = x * x;
    let series = [
        14.0 * 15.0,
        12.0 * 13.0,
        10.0 * 11.0,
        8.0 * 9.0,
        6.0 * 7.0,
        4.0 * 5.0,
        2.0 * 3.0,
    ];
    x * series.iter().fold(1.0, |sum, n| 1.0 - z * (1.0 / n) * sum)
}

/// Steps that [0, 1) is divided into to find a count.
const GUIDE: usize = 256;

/// A Poisson distribution as a table, for draws by inversion.
#[derive(Clone, Debug)]
pub struct Poisson {
    /// The probability of at most 0, 1, ... events; infinite at the largest count.
    cumulative: Vec<f64>,
    /// The count for the lowest value of every step.
    guide: [u16; GUIDE],
}

impl Poisson {
    /// With mean `lambda` in [0, 700].
    pub fn new(lambda: f64) -> Self {
        let mut probability = libm::exp(-lambda);
        let mut cumulative = vec![probability];
        let mut sum = probability;
        // The sum can end just below 1: past the mode a vanishing term means it has.
        for k in 1..=u16::MAX {
            probability *= lambda / f64::from(k);
            let next = sum + probability;
            if next == sum && f64::from(k) > lambda {
                break;
            }
            sum = next;
            cumulative.push(sum);
        }
        cumulative.push(f64::INFINITY);
        let guide = std::array::from_fn(|step| {
            let low = step as f64 / GUIDE as f64;
            cumulative.partition_point(|&f| f < low) as u16
        });
        Self { cumulative, guide }
    }

    /// A count. One draw.
    pub fn draw(&self, rng: &mut SplitMix64) -> u32 {
        let u = rng.uniform();
        let mut k = usize::from(self.guide[(u * GUIDE as f64) as usize]);
        while u > self.cumulative[k] {
            k += 1;
        }
        k as u32
    }

    /// The largest count that can be drawn.
    pub fn largest(&self) -> u32 {
        self.cumulative.len() as u32 - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_draw_consumes_what_it_says() {
        let consumed = |draw: &dyn Fn(&mut SplitMix64) -> f64| {
            let mut rng = SplitMix64::new(7);
            draw(&mut rng);
            let mut counted = SplitMix64::new(7);
            (0..10).find(|_| counted == rng || counted.next_u64() == 0)
        };
        assert_eq!(consumed(&|r| r.range(-1.0, 1.0)), Some(1));
        assert_eq!(consumed(&|r| r.integer(-3, 3) as f64), Some(1));
        let poisson = Poisson::new(12.0);
        assert_eq!(consumed(&|r| f64::from(poisson.draw(r))), Some(1));
        let normal = |r: &mut SplitMix64| {
            let mut values = [0.0; 3];
            fill_normal(r, &mut values);
            values[0]
        };
        assert_eq!(consumed(&normal), Some(6));
        let skip = |r: &mut SplitMix64| {
            r.skip(5);
            0.0
        };
        assert_eq!(consumed(&skip), Some(5));
    }

    #[test]
    fn moments_are_those_of_the_distributions() {
        let mut rng = SplitMix64::new(1);
        let n = 20_000;
        let moments = |values: Vec<f64>| {
            let mean = values.iter().sum::<f64>() / f64::from(n);
            let variance = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / f64::from(n);
            (mean, variance)
        };
        let mut values = vec![0.0; 20_000];
        fill_normal(&mut rng, &mut values);
        let (mean, variance) = moments(values);
        assert!(mean.abs() < 0.03 && (variance - 1.0).abs() < 0.05);
        let five = Poisson::new(5.0);
        let (mean, variance) = moments((0..n).map(|_| f64::from(five.draw(&mut rng))).collect());
        assert!((mean - 5.0).abs() < 0.1 && (variance - 5.0).abs() < 0.3);
        let (mean, variance) = moments((0..n).map(|_| rng.integer(-2, 2) as f64).collect());
        assert!((mean + 0.5).abs() < 0.05 && (variance - 1.25).abs() < 0.05);
        assert_eq!(rng.integer(4, 4), 4);
        assert_eq!(Poisson::new(0.0).draw(&mut rng), 0);
    }

    #[test]
    fn normal_values_are_box_muller_of_the_draws() {
        let mut values = vec![0.0; 100_000];
        fill_normal(&mut SplitMix64::new(3), &mut values);
        let mut rng = SplitMix64::new(3);
        for value in values {
            let radius = (-2.0 * libm::log(1.0 - rng.uniform())).sqrt();
            let exact = radius * libm::cos(std::f64::consts::TAU * rng.uniform());
            assert!((value - exact).abs() < 1e-10, "{value} {exact}");
        }
        for u in [0.0, 0.25, 0.5, 0.75, 1.0] {
            assert!((cos_turns(u) - libm::cos(std::f64::consts::TAU * u)).abs() < 1e-10);
        }
        for x in [
            f64::EPSILON / 2.0,
            1e-9,
            0.5,
            0.7,
            0.71,
            1.0 - f64::EPSILON,
            1.0,
        ] {
            assert!((ln(x) - libm::log(x)).abs() < 1e-11, "{x}");
        }
    }

    #[test]
    fn poisson_counts_are_those_of_plain_inversion() {
        let mut rng = SplitMix64::new(9);
        for lambda in [0.0, 0.01, 0.7, 3.0, 17.0, 60.0, 700.0] {
            let distribution = Poisson::new(lambda);
            for _ in 0..2000 {
                let u = rng.clone().uniform();
                let (mut k, mut probability) = (0, libm::exp(-lambda));
                let mut cumulative = probability;
                while u > cumulative {
                    k += 1;
                    probability *= lambda / f64::from(k);
                    cumulative += probability;
                }
                assert_eq!(distribution.draw(&mut rng), k, "{lambda} {u}");
            }
        }
    }
}
