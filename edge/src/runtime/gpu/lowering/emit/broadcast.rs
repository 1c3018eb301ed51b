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

    fn of(self, a: f32, b: f32) -> f32 {
        match self {
            Self::Add => a + b,
            Self::Sub => a - b,
            Self::Mul => a * b,
            Self::Div => a / b,
            Self::PRelu => {
                if a < 0.0 {
                    a * b
                } else {
                    a
                }
            }
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
        if let Some(folded) = self.folded(a, b, |a, b| op.of(a, b))? {
            return Ok(folded);
        }
        let [from_a, from_b] = self.paired(a, b);
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

    /// A function of two constants; `None` where one changes.
    pub(super) fn folded(
        &mut self,
        a: Value,
        b: Value,
        function: impl Fn(f32, f32) -> f32,
    ) -> anyhow::Result<Option<Value>> {
        let (Some(x), Some(y)) = (self.numbers(a), self.numbers(b)) else {
            return Ok(None);
        };
        let [from_a, from_b] = self.paired(a, b);
        let pairs = from_a.iter().zip(&from_b);
        let fit = pairs.clone().all(|(&a, &b)| a == b || a == 1 || b == 1);
        ensure!(fit, "{from_a:?} meets {from_b:?}");
        let shape: Vec<usize> = pairs.map(|(&a, &b)| a.max(b)).collect();
        let places = places(&from_a, &shape)
            .into_iter()
            .zip(places(&from_b, &shape));
        let numbers: Vec<f32> = places.map(|(a, b)| function(x[a], y[b])).collect();
        Ok(Some(self.constant(numbers, &shape)?))
    }

    /// The shapes of two values with as many axes.
    fn paired(&self, a: Value, b: Value) -> [Vec<usize>; 2] {
        let (from_a, from_b) = (self.shape(a), self.shape(b));
        let rank = from_a.len().max(from_b.len());
        [from_a, from_b].map(|shape| padded(&shape, rank))
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

/// Where the elements of a repeated value come from.
fn places(from: &[usize], to: &[usize]) -> Vec<usize> {
    let mut places = vec![0];
    for (axis, &length) in to.iter().enumerate() {
        let stride: usize = from[axis + 1..].iter().product();
        let step = if from[axis] == 1 { 0 } else { stride };
        let next = |place: usize| (0..length).map(move |at| place + at * step);
        places = places.into_iter().flat_map(next).collect();
    }
    places
}

fn padded(shape: &[usize], rank: usize) -> Vec<usize> {
    let missing = rank.saturating_sub(shape.len());
    [&vec![1; missing], shape].concat()
}
