//! Draws that the tests need beyond those of the generator.

pub(crate) use crate::random::SplitMix64;

impl SplitMix64 {
    /// In 0..end.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        (self.uniform() * end as f64) as usize
    }
}
