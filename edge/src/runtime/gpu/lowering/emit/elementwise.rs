//! Functions of one value, and what is made of a few of them.

use anyhow::{Context, ensure};

use super::broadcast::Binary;
use super::{Emitter, Numbers, Value};

/// Functions of one element that wonnx has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Unary {
    Abs,
    Ceil,
    Cos,
    Exp,
    Floor,
    Log,
    Neg,
    Reciprocal,
    Relu,
    Sigmoid,
    Sign,
    Sin,
    Sqrt,
    Tanh,
}

impl Unary {
    fn operator(self) -> &'static str {
        match self {
            Self::Abs => "Abs",
            Self::Ceil => "Ceil",
            Self::Cos => "Cos",
            Self::Exp => "Exp",
            Self::Floor => "Floor",
            Self::Log => "Log",
            Self::Neg => "Neg",
            Self::Reciprocal => "Reciprocal",
            Self::Relu => "Relu",
            Self::Sigmoid => "Sigmoid",
            Self::Sign => "Sign",
            Self::Sin => "Sin",
            Self::Sqrt => "Sqrt",
            Self::Tanh => "Tanh",
        }
    }
}

impl Emitter {
    pub(in super::super) fn unary(&mut self, op: Unary, x: Value) -> Value {
        let shape = self.shape(x);
        self.node(op.operator(), &[x], &shape, Vec::new())
    }

    pub(in super::super) fn add(&mut self, a: Value, b: Value) -> anyhow::Result<Value> {
        self.binary(Binary::Add, a, b)
    }

    pub(in super::super) fn sub(&mut self, a: Value, b: Value) -> anyhow::Result<Value> {
        self.binary(Binary::Sub, a, b)
    }

    pub(in super::super) fn mul(&mut self, a: Value, b: Value) -> anyhow::Result<Value> {
        self.binary(Binary::Mul, a, b)
    }

    pub(in super::super) fn div(&mut self, a: Value, b: Value) -> anyhow::Result<Value> {
        self.binary(Binary::Div, a, b)
    }

    /// `x · number`.
    pub(in super::super) fn scaled(&mut self, x: Value, number: f32) -> anyhow::Result<Value> {
        let number = self.scalar(number);
        self.mul(x, number)
    }

    /// `x + number`.
    pub(in super::super) fn shifted(&mut self, x: Value, number: f32) -> anyhow::Result<Value> {
        let number = self.scalar(number);
        self.add(x, number)
    }

    /// `number − x`.
    pub(in super::super) fn number_minus(
        &mut self,
        number: f32,
        x: Value,
    ) -> anyhow::Result<Value> {
        let number = self.scalar(number);
        self.sub(number, x)
    }

    /// `x` between two bounds; `None` where wonnx, which writes them with one decimal, would round.
    pub(in super::super) fn clip(&mut self, x: Value, low: f32, high: f32) -> Option<Value> {
        let exact = |bound: f32| bound.is_finite() && format!("{bound:.1}").parse() == Ok(bound);
        if !exact(low) || !exact(high) || low > high {
            return None;
        }
        let bounds = [low, high].map(|bound| {
            let numbers = Numbers::Float([bound].into());
            self.program.value(&[], Some(numbers))
        });
        let shape = self.shape(x);
        Some(self.node("Clip", &[x, bounds[0], bounds[1]], &shape, Vec::new()))
    }

    /// 1 where `a > b`, else 0.
    pub(in super::super) fn greater(&mut self, a: Value, b: Value) -> anyhow::Result<Value> {
        let difference = self.sub(a, b)?;
        let sign = self.unary(Unary::Sign, difference);
        Ok(self.unary(Unary::Relu, sign))
    }

    /// 1 where `a` and `b` differ, else 0.
    pub(in super::super) fn differs(&mut self, a: Value, b: Value) -> anyhow::Result<Value> {
        let difference = self.sub(a, b)?;
        let sign = self.unary(Unary::Sign, difference);
        Ok(self.unary(Unary::Abs, sign))
    }

    /// 1 where `a` and `b` are equal, else 0.
    pub(in super::super) fn equal(&mut self, a: Value, b: Value) -> anyhow::Result<Value> {
        let differs = self.differs(a, b)?;
        self.number_minus(1.0, differs)
    }

    /// `a` where `condition` is 1, `b` where it is 0.
    pub(in super::super) fn choose(
        &mut self,
        condition: Value,
        a: Value,
        b: Value,
    ) -> anyhow::Result<Value> {
        let taken = self.where_it_is(1.0, condition, a)?;
        let other = self.where_it_is(0.0, condition, b)?;
        let found = match (taken, other) {
            (Some(taken), Some(other)) => self.add(taken, other)?,
            (Some(found), None) | (None, Some(found)) => found,
            (None, None) => self.mul(condition, a)?,
        };
        let [a, b] = [a, b].map(|value| self.numbers(value));
        let changes = a.is_none() || b.is_none();
        let mut constants = [a, b].into_iter().flatten();
        if !changes || constants.any(|c| c.iter().any(|v| v.abs() > f32::MAX / 2.0)) {
            return Ok(found);
        }
        // What was infinite is the largest number by now: twice that is infinite again.
        let twice = self.add(found, found)?;
        self.scaled(twice, 0.5)
    }

    /// A value where the condition is `wanted`, which is 0 or 1, and 0 elsewhere; `None` for zeros.
    /// Since infinity times 0 is no number, infinite values become the largest numbers.
    fn where_it_is(
        &mut self,
        wanted: f32,
        condition: Value,
        value: Value,
    ) -> anyhow::Result<Option<Value>> {
        if self.is_zero(value) {
            return Ok(None);
        }
        let picked = |c: f32, v: f32| if c == wanted { v } else { 0.0 };
        if let Some(folded) = self.folded(condition, value, picked)? {
            return Ok(Some(folded));
        }
        let finite = match self.numbers(value) {
            Some(numbers) => {
                let finite = numbers.iter().all(|v| v.is_finite());
                ensure!(finite, "a choice of an infinite constant");
                value
            }
            None => {
                let finite = self.clip(value, f32::MIN, f32::MAX);
                finite.context("a clip between the largest numbers")?
            }
        };
        let share = if wanted == 1.0 {
            condition
        } else {
            self.number_minus(1.0, condition)?
        };
        Ok(Some(self.mul(share, finite)?))
    }

    /// Whether a constant holds nothing but one 0, whose shape does not matter then.
    fn is_zero(&self, value: Value) -> bool {
        self.numbers(value)
            .is_some_and(|numbers| numbers[..] == [0.0])
    }

    /// The error function, by Abramowitz and Stegun's formula 7.1.26: within 1.5e-7.
    pub(in super::super) fn erf(&mut self, x: Value) -> anyhow::Result<Value> {
        const P: f32 = 0.327_591_1;
        const A: [f32; 5] = [
            1.061_405_4,
            -1.453_152_1,
            1.421_413_8,
            -0.284_496_72,
            0.254_829_6,
        ];
        let size = self.unary(Unary::Abs, x);
        let t = self.scaled(size, P)?;
        let t = self.shifted(t, 1.0)?;
        let t = self.unary(Unary::Reciprocal, t);
        let mut sum = self.scaled(t, A[0])?;
        for a in &A[1..] {
            sum = self.shifted(sum, *a)?;
            sum = self.mul(sum, t)?;
        }
        let square = self.mul(x, x)?;
        let bell = self.unary(Unary::Neg, square);
        let bell = self.unary(Unary::Exp, bell);
        let rest = self.mul(sum, bell)?;
        let found = self.number_minus(1.0, rest)?;
        let sign = self.unary(Unary::Sign, x);
        self.mul(sign, found)
    }
}
