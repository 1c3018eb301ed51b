//! The portable random generator of every corruption: the same seed gives the same draws on every
//! device and thread.
//!
//! Transcendental functions come from `libm`, not from the platform, whose last bit differs
//! between systems.

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
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Uniform in [0, 1), a multiple of 2^-53. One draw.
    pub fn uniform(&mut self) -> f64 {
        const ULP: f64 = 1.0 / (1u64 << 53) as f64;
        (self.next_u64() >> 11) as f64 * ULP
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

    /// Normal with mean `loc` and standard deviation `scale` (Box-Muller, the sine is discarded).
    /// Two draws.
    pub fn normal(&mut self, loc: f64, scale: f64) -> f64 {
        let radius = (-2.0 * libm::log(1.0 - self.uniform())).sqrt();
        let angle = 2.0 * std::f64::consts::PI * self.uniform();
        loc + scale * radius * libm::cos(angle)
    }

    /// Poisson with mean `lambda` in [0, 700], by inversion. One draw.
    pub fn poisson(&mut self, lambda: f64) -> u32 {
        let u = self.uniform();
        let mut k = 0u32;
        let mut probability = libm::exp(-lambda);
        let mut cumulative = probability;
        while u > cumulative {
            k += 1;
            probability *= lambda / f64::from(k);
            let next = cumulative + probability;
            // The sum can end just below 1: past the mode a vanishing term means it has.
            if next == cumulative && f64::from(k) > lambda {
                break;
            }
            cumulative = next;
        }
        k
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
        assert_eq!(consumed(&|r| f64::from(r.poisson(12.0))), Some(1));
        assert_eq!(consumed(&|r| r.normal(0.0, 1.0)), Some(2));
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
        let (mean, variance) = moments((0..n).map(|_| rng.normal(2.0, 3.0)).collect());
        assert!((mean - 2.0).abs() < 0.1 && (variance - 9.0).abs() < 0.5);
        let (mean, variance) = moments((0..n).map(|_| f64::from(rng.poisson(5.0))).collect());
        assert!((mean - 5.0).abs() < 0.1 && (variance - 5.0).abs() < 0.3);
        let (mean, variance) = moments((0..n).map(|_| rng.integer(-2, 2) as f64).collect());
        assert!((mean + 0.5).abs() < 0.05 && (variance - 1.25).abs() < 0.05);
        assert_eq!(rng.integer(4, 4), 4);
        assert_eq!(rng.poisson(0.0), 0);
    }
}
