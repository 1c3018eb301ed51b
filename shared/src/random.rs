//! SplitMix64 (Steele, Lea, Flood 2014), the portable generator of SPEC §4.3.

use std::f64::consts::TAU;

/// What every draw adds to the state.
const GAMMA: u64 = 0x9E37_79B9_7F4A_7C15;

/// A generator whose draws depend on its seed alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SplitMix64(
    /// The state; the seed before the first draw.
    pub(crate) u64,
);

impl SplitMix64 {
    /// A generator that starts at `seed`.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The `number`-th of many generators with one seed, unlike its neighbours.
    pub(crate) fn numbered(seed: u64, number: u64) -> Self {
        Self(mix(mix(seed).wrapping_add(number)))
    }

    /// The next 64 random bits.
    #[inline]
    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(GAMMA);
        mix(self.0)
    }

    /// Leaves out `count` draws.
    #[inline]
    pub fn skip(&mut self, count: u64) {
        self.0 = self.0.wrapping_add(count.wrapping_mul(GAMMA));
    }

    /// Uniform in [0, 1), a multiple of 2^-53. One draw.
    #[inline]
    pub fn uniform(&mut self) -> f64 {
        const ULP: f64 = 1.0 / (1u64 << 53) as f64;
        // Through i64, which processors convert in one step.
        (self.next_u64() >> 11) as i64 as f64 * ULP
    }

    /// Uniform in [`low`, `high`). One draw.
    #[inline]
    pub fn range(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.uniform()
    }

    /// Uniform integer in [`low`, `high`); `low` when the interval is empty. One draw.
    #[inline]
    pub fn integer(&mut self, low: i64, high: i64) -> i64 {
        let span = high.saturating_sub(low).max(0) as f64;
        low + (self.uniform() * span) as i64
    }

    /// A position among `count`, all equally likely; 0 where there is none. One draw.
    pub(crate) fn position(&mut self, count: u32) -> u32 {
        // The upper bits scaled: biased by at most count / 2^32, which nobody can see.
        (((self.next_u64() >> 32) * u64::from(count)) >> 32) as u32
    }

    /// A normal value of mean 0 (Box and Muller). Two draws.
    pub(crate) fn normal(&mut self, deviation: f64) -> f64 {
        let (a, b) = (self.uniform(), self.uniform());
        deviation * (-2.0 * (1.0 - a).ln()).sqrt() * (TAU * b).cos()
    }

    /// Brings items into a random order, all orders equally likely (Fisher and Yates).
    pub(crate) fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            let count = u32::try_from(i + 1).unwrap_or(u32::MAX);
            items.swap(i, self.position(count) as usize);
        }
    }
}

/// Scrambles 64 bits, each input bit changing about half of the output.
#[inline]
pub(crate) fn mix(bits: u64) -> u64 {
    let z = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// First outputs for seed 1234567, as published with the reference implementation.
    #[test]
    fn bits_match_the_reference_sequence() {
        let mut random = SplitMix64::new(1_234_567);
        let drawn: Vec<u64> = (0..5).map(|_| random.next_u64()).collect();
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
        let mut skipped = SplitMix64::new(1_234_567);
        skipped.skip(5);
        assert_eq!(skipped, random);
    }

    #[test]
    fn positions_are_equally_likely() {
        let mut random = SplitMix64(1);
        let mut counts = [0u32; 7];
        (0..70_000).for_each(|_| counts[random.position(7) as usize] += 1);
        // Five standard errors of a binomial count.
        assert!(
            counts.iter().all(|&n| n.abs_diff(10_000) < 463),
            "{counts:?}"
        );
        assert_eq!(random.position(0), 0);
    }

    #[test]
    fn orders_are_equally_likely() {
        let mut random = SplitMix64(2);
        let mut counts = std::collections::BTreeMap::new();
        for _ in 0..60_000 {
            let mut items = [0, 1, 2];
            random.shuffle(&mut items);
            *counts.entry(items).or_insert(0u32) += 1;
        }
        assert_eq!(counts.len(), 6);
        // Five standard errors of a binomial count.
        assert!(
            counts.values().all(|&n| n.abs_diff(10_000) < 457),
            "{counts:?}"
        );
    }
}
