//! Constants made of others.

use anyhow::{Context, ensure};

use super::{Emitter, Value};

impl Emitter {
    /// A constant of one number or of `length` as one of `length`.
    pub(in super::super) fn repeated_constant(
        &mut self,
        value: Value,
        length: usize,
    ) -> anyhow::Result<Value> {
        let numbers = self.numbers(value).context("it changes")?;
        match numbers[..] {
            [number] if length != 1 => self.constant(vec![number; length], &[length]),
            _ => {
                ensure!(
                    numbers.len() == length,
                    "{} numbers for {length}",
                    numbers.len()
                );
                Ok(value)
            }
        }
    }

    /// A constant kernel, reversed along both spatial axes.
    pub(in super::super) fn mirrored(&mut self, kernel: Value) -> anyhow::Result<Value> {
        let shape = self.four(kernel)?;
        let mut numbers = self.numbers(kernel).context("it changes")?.to_vec();
        for window in numbers.chunks_exact_mut((shape[2] * shape[3]).max(1)) {
            window.reverse();
        }
        self.constant(numbers, &shape)
    }
}
