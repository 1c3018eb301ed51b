//! A vector of yes/no answers, eight to a byte.

use serde::{Deserialize, Serialize};

/// One bit per image, least significant bit first.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Bits {
    len: u32,
    bytes: Vec<u8>,
}

impl Bits {
    /// Number of bits.
    pub fn len(&self) -> usize {
        self.len as usize
    }

    /// Whether there is no bit.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The bit at `index`, or `None` past the end.
    pub fn get(&self, index: usize) -> Option<bool> {
        let byte = self.bytes.get(index / 8)?;
        (index < self.len()).then(|| byte >> (index % 8) & 1 == 1)
    }

    /// Appends a bit.
    pub fn push(&mut self, bit: bool) {
        let position = self.len() % 8;
        if position == 0 {
            self.bytes.push(0);
        }
        if let Some(last) = self.bytes.last_mut() {
            *last |= u8::from(bit) << position;
        }
        self.len += 1;
    }

    /// All bits in order.
    pub fn iter(&self) -> impl Iterator<Item = bool> + '_ {
        (0..self.len()).map(|i| self.bytes[i / 8] >> (i % 8) & 1 == 1)
    }

    /// Number of set bits.
    pub fn count_ones(&self) -> usize {
        self.bytes.iter().map(|b| b.count_ones() as usize).sum()
    }

    /// Whether the bytes fit the length and the unused bits are zero, as every written value does.
    pub fn is_well_formed(&self) -> bool {
        let unused = (8 - self.len() % 8) % 8;
        let tail_clear = self
            .bytes
            .last()
            .is_none_or(|last| unused == 0 || last >> (8 - unused) == 0);
        self.bytes.len() == self.len().div_ceil(8) && tail_clear
    }
}

impl FromIterator<bool> for Bits {
    fn from_iter<I: IntoIterator<Item = bool>>(bits: I) -> Self {
        let mut all = Self::default();
        bits.into_iter().for_each(|bit| all.push(bit));
        all
    }
}
