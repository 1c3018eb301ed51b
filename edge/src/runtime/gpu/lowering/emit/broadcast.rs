//! Functions of two values, with broadcasting.

use anyhow::ensure;

use super::{Emitter, Value};

/// Functions of two elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Binary {
    Add,
    Sub,
    Mul,
    Div,
    /// `a` above 0, `a · b` below.
    PRelu,
}

impl Binary {
    fn operator(self) -> &'static str {
        match self {
            Self::Add => "Add",
            Self::Sub => "Sub",
            Self::Mul => "Mul",
            Self::Div => "Div",
            Self::PRelu => "PRelu",
        }
    }
}

/// How two operands share an axis of the result.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Share {
    Both,
    /// The second is repeated.
    First,
    /// The first is repeated.
    Second,
}

impl Emitter {
    /// A function of two values, of which axes of length 1 (or missing in front) are repeated.
    pub(in super::super) fn binary(
        &mut self,
        op: Binary,
        a: Value,
        b: Value,
    ) -> anyhow::Result<Value> {
        let (from_a, from_b) = (self.shape(a), self.shape(b));
        let rank = from_a.len().max(from_b.len());
        let [from_a, from_b] = [from_a, from_b].map(|shape| padded(&shape, rank));
        let mut shape = Vec::new();
        // Axes of the result, neighbours with one way of sharing joined.
        let mut axes: Vec<(Share, usize)> = Vec::new();
        for (&a, &b) in from_a.iter().zip(&from_b) {
            ensure!(a == b || a == 1 || b == 1, "{from_a:?} meets {from_b:?}");
            shape.push(a.max(b));
            let share = match (a, b) {
                (1, 1) => continue,
                (1, _) => Share::Second,
                (_, 1) => Share::First,
                _ => Share::Both,
            };
            match axes.last_mut() {
                Some(last) if last.0 == share => last.1 *= a.max(b),
                _ => axes.push((share, a.max(b))),
            }
        }
        let alike = axes.iter().all(|axis| axis.0 == Share::Both);
        if alike && from_a == from_b && !self.has_ragged_constant(&[a, b]) {
            let (a, b) = (self.reshape(a, &shape)?, self.reshape(b, &shape)?);
            return Ok(self.node(op.operator(), &[a, b], &shape, Vec::new()));
        }
        let (mut to_a, mut to_b, mut to) = (Vec::new(), Vec::new(), Vec::new());
        // With an axis of the result that one lacks, wonnx goes element by element.
        if alike {
            to_a.push(1);
            to.push(1);
        }
        for (share, length) in axes {
            to.push(length);
            to_a.push(if share == Share::Second { 1 } else { length });
            to_b.push(if share == Share::First { 1 } else { length });
        }
        if to_b.is_empty() {
            to_b.push(1);
        }
        let (a, b) = (self.reshape(a, &to_a)?, self.reshape(b, &to_b)?);
        let found = self.node(op.operator(), &[a, b], &to, Vec::new());
        self.reshape(found, &shape)
    }

    /// Whether one is a constant whose length is no multiple of 4: wonnx allocates no more than that
    /// and reads four numbers at a time, which works where the driver takes care.
    fn has_ragged_constant(&self, values: &[Value]) -> bool {
        values
            .iter()
            .any(|&v| self.program.constant(v).is_some() && !self.len(v).is_multiple_of(4))
    }

    /// A value repeated along axes of length 1.
    pub(in super::super) fn repeat(
        &mut self,
        value: Value,
        shape: &[usize],
    ) -> anyhow::Result<Value> {
        let from = padded(&self.shape(value), shape.len());
        ensure!(
            from.len() == shape.len(),
            "{from:?} has more axes than {shape:?}"
        );
        if from == shape {
            return self.reshape(value, shape);
        }
        let missing = from.iter().zip(shape);
        let missing = missing.map(|(&from, &to)| if from == to { 1 } else { to });
        let missing: Vec<usize> = missing.collect();
        let zeros = self.zeros(missing.iter().product());
        let zeros = self.reshape(zeros, &missing)?;
        let found = self.binary(Binary::Add, value, zeros)?;
        ensure!(
            self.shape(found) == shape,
            "{from:?} cannot become {shape:?}"
        );
        Ok(found)
    }
}

fn padded(shape: &[usize], rank: usize) -> Vec<usize> {
    let missing = rank.saturating_sub(shape.len());
    [&vec![1; missing], shape].concat()
}
