//! The portable random generator of every corruption: the same seed gives the same draws on every
//! device and thread.
//!
//! Transcendental functions come from `libm` or are computed here, not by the platform, whose last
//! bit differs between systems.

/// What every draw adds to the state.
const GAMMA: u64 = 0x9E37_79B9_7F4A_7C15;

/// SplitMix64 (Steele, Lea, Flood 2014) with the draws the corruptions need.
#[derive(Clone, Debug)]
pub struct SplitMix64 {
    state: u64,
}

impl SplitMix64 {
    /// A generator that starts at `seed`.
    pub fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// The next 64 random bits.
    pub fn next_u64(&mut self) -> u64 {
        self.state = self.state.wrapping_add(GAMMA);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Uniform in [0, 1), a multiple of 2^-53. One draw.
    pub fn uniform(&mut self) -> f64 {
        const ULP: f64 = 1.0 / (1u64 << 53) as f64;
        // Through i64, which processors convert in one step.
        (self.next_u64() >> 11) as i64 as f64 * ULP
    }

    /// Leaves out `count` draws.
    pub fn skip(&mut self, count: u64) {
        self.state = self.state.wrapping_add(count.wrapping_mul(GAMMA));
    }

    /// Uniform in [`low`, `high`). One draw.
    pub fn range(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.uniform()
    }

    /// Uniform integer in [`low`, `high`); `low` when the interval is empty. One draw.
    pub fn integer(&mut self, low: i64, high: i64) -> i64 {
        let span = high.saturating_sub(low).max(0) as f64;
        low + (self.uniform() * span) as i64
    }

    /// Standard normal values (Box-Muller, the sine is discarded), within 1e-10 of the exact
    /// function of the draws. Two draws each.
    pub fn fill_normal(&mut self, values: &mut [f64]) {
        const CHUNK: usize = 64;
        let mut turns = [0.0; CHUNK];
        for part in values.chunks_mut(CHUNK) {
            let turns = &mut turns[..part.len()];
            for (value, turn) in part.iter_mut().zip(&mut *turns) {
                *value = 1.0 - self.uniform();
                *turn = self.uniform();
            }
            for (value, &turn) in part.iter_mut().zip(&*turns) {
                *value = (-2.0 * ln(*value)).sqrt() * cos_turns(turn);
            }
        }
    }

    /// A count from a Poisson distribution. One draw.
    pub fn poisson(&mut self, distribution: &Poisson) -> u32 {
        let u = self.uniform();
        let Poisson { cumulative, guide } = distribution;
        let mut k = usize::from(guide[(u * GUIDE as f64) as usize]);
        while u > cumulative[k] {
            k += 1;
        }
        k as u32
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

    /// The largest count that can be drawn.
    pub fn largest(&self) -> u32 {
        self.cumulative.len() as u32 - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_match_the_reference_sequence() {
        // First outputs for seed 1234567, as published with the reference implementation.
        let mut rng = SplitMix64::new(1_234_567);
        let drawn: Vec<u64> = (0..5).map(|_| rng.next_u64()).collect();
        assert_eq!(
            drawn,
            [
                6_457_827_717_110_365_317,
                3_203_168_211_198_807_973,
                9_817_491_932_198_370_423,
                4_593_380_528_125_082_431,
                16_408_922_859_458_223_821,
            ]
        );
    }

    #[test]
    fn each_draw_consumes_what_it_says() {
        let consumed = |draw: &dyn Fn(&mut SplitMix64) -> f64| {
            let mut rng = SplitMix64::new(7);
            draw(&mut rng);
            let mut counted = SplitMix64::new(7);
            (0..10).find(|_| counted.state == rng.state || counted.next_u64() == 0)
        };
        assert_eq!(consumed(&|r| r.range(-1.0, 1.0)), Some(1));
        assert_eq!(consumed(&|r| r.integer(-3, 3) as f64), Some(1));
        let poisson = Poisson::new(12.0);
        assert_eq!(consumed(&|r| f64::from(r.poisson(&poisson))), Some(1));
        let normal = |r: &mut SplitMix64| {
            let mut values = [0.0; 3];
            r.fill_normal(&mut values);
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
        rng.fill_normal(&mut values);
        let (mean, variance) = moments(values);
        assert!(mean.abs() < 0.03 && (variance - 1.0).abs() < 0.05);
        let five = Poisson::new(5.0);
        let (mean, variance) = moments((0..n).map(|_| f64::from(rng.poisson(&five))).collect());
        assert!((mean - 5.0).abs() < 0.1 && (variance - 5.0).abs() < 0.3);
        let (mean, variance) = moments((0..n).map(|_| rng.integer(-2, 2) as f64).collect());
        assert!((mean + 0.5).abs() < 0.05 && (variance - 1.25).abs() < 0.05);
        assert_eq!(rng.integer(4, 4), 4);
        assert_eq!(rng.poisson(&Poisson::new(0.0)), 0);
    }

    #[test]
    fn normal_values_are_box_muller_of_the_draws() {
        let mut values = vec![0.0; 100_000];
        SplitMix64::new(3).fill_normal(&mut values);
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
                assert_eq!(rng.poisson(&distribution), k, "{lambda} {u}");
            }
        }
    }
}
