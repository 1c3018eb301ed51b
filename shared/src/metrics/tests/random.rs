//! Draws that the tests need beyond those of the generator.

use std::f64::consts::TAU;

pub(crate) use crate::random::SplitMix64;

impl SplitMix64 {
    /// In [0, 1).
    pub(crate) fn uniform(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 * 2f64.powi(-53)
    }

    /// In 0..end.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        (self.uniform() * end as f64) as usize
    }

    pub(crate) fn normal(&mut self, scale: f64) -> f64 {
        let (a, b) = (self.uniform(), self.uniform());
        scale * (-2.0 * (1.0 - a).ln()).sqrt() * (TAU * b).cos()
    }

    pub(crate) fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.below(i + 1));
        }
    }
}
