//! SplitMix64 (Steele, Lea, Flood 2014), the portable generator of SPEC §4.3.

/// What every draw adds to the state.
const GAMMA: u64 = 0x9E37_79B9_7F4A_7C15;

/// A generator whose draws depend on its seed alone.
#[derive(Clone, Debug)]
pub(crate) struct SplitMix64(
    /// The state; the seed before the first draw.
    pub(crate) u64,
);

impl SplitMix64 {
    /// The next 64 random bits.
    pub(crate) fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(GAMMA);
        mix(self.0)
    }

    /// A position among `count`, all equally likely; 0 where there is none. One draw.
    pub(crate) fn position(&mut self, count: u32) -> u32 {
        // The upper bits scaled: biased by at most count / 2^32, which nobody can see.
        (((self.next_u64() >> 32) * u64::from(count)) >> 32) as u32
    }
}

/// Scrambles 64 bits, each input bit changing about half of the output.
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
        let mut random = SplitMix64(1_234_567);
        let drawn: Vec<u64> = (0..3).map(|_| random.next_u64()).collect();
        assert_eq!(
            drawn,
            [
                6_457_827_717_110_365_317,
                3_203_168_211_198_807_973,
                9_817_491_932_198_370_423,
            ]
        );
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
}
