//! SplitMix64, the portable generator of SPEC §4.3.

use std::f64::consts::TAU;

pub(super) struct SplitMix64(pub(super) u64);

impl SplitMix64 {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// In [0, 1).
    pub(super) fn uniform(&mut self) -> f64 {
        (self.next() >> 11) as f64 * 2f64.powi(-53)
    }

    /// In 0..end.
    pub(super) fn below(&mut self, end: usize) -> usize {
        (self.uniform() * end as f64) as usize
    }

    pub(super) fn normal(&mut self, scale: f64) -> f64 {
        let (a, b) = (self.uniform(), self.uniform());
        scale * (-2.0 * (1.0 - a).ln()).sqrt() * (TAU * b).cos()
    }

    pub(super) fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.below(i + 1));
        }
    }
}
