//! The random stream of a picture, and fixed random values on a lattice.

use crate::perturb::rng::SplitMix64;

/// The random stream of one picture.
#[derive(Clone, Debug)]
pub struct Rng(SplitMix64);

impl Rng {
    /// A stream for one picture, from a seed and the words that name the picture.
    pub fn named(seed: u64, words: &[&str]) -> Self {
        let mut state = seed;
        for word in words {
            // The length keeps ("ab", "c") apart from ("a", "bc").
            state = scramble(state ^ word.len() as u64);
            for byte in word.bytes() {
                state = scramble(state ^ u64::from(byte));
            }
        }
        Self(SplitMix64::new(state))
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Uniform in `[0, 1)`.
    pub fn unit(&mut self) -> f32 {
        to_unit(self.bits())
    }

    /// Uniform in `[low, high)`.
    pub fn within(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * self.unit()
    }

    /// Uniform in `0..n`; 0 where `n` is 0.
    pub fn below(&mut self, n: usize) -> usize {
        ((self.unit() * n as f32) as usize).min(n.saturating_sub(1))
    }

    /// True with probability `p`.
    pub fn chance(&mut self, p: f32) -> bool {
        self.unit() < p
    }
}

/// The first draw from a seed, as a hash of it.
fn scramble(seed: u64) -> u64 {
    SplitMix64::new(seed).next_u64()
}

/// The upper 24 bits as a number in `[0, 1)`, exact in f32.
fn to_unit(bits: u64) -> f32 {
    (bits >> 40) as f32 / (1_u64 << 24) as f32
}

/// A fixed random value in `[0, 1)` for a lattice cell.
pub fn hash(x: i32, y: i32, salt: u64) -> f32 {
    let cell = (u64::from(x as u32) << 32) | u64::from(y as u32);
    to_unit(scramble(scramble(cell ^ salt)))
}

/// Smooth lattice noise in `[0, 1)` with period-1 cells.
pub fn noise(x: f32, y: f32, salt: u64) -> f32 {
    let (x0, y0) = (x.floor(), y.floor());
    let smooth = |t: f32| t * t * (3.0 - 2.0 * t);
    let (tx, ty) = (smooth(x - x0), smooth(y - y0));
    let (i, j) = (x0 as i32, y0 as i32);
    let row = |j| hash(i, j, salt) * (1.0 - tx) + hash(i + 1, j, salt) * tx;
    row(j) * (1.0 - ty) + row(j + 1) * ty
}
