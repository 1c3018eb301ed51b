//! Functions of one element.

use std::f32::consts::{FRAC_1_SQRT_2, PI};

use anyhow::bail;
use tract_onnx::prelude::*;
use tract_onnx::tract_core::ops::element_wise::ElementWiseOp;
use tract_onnx::tract_core::ops::logic::Not;
use tract_onnx::tract_core::ops::math::{
    Abs, Ceil, Cos, Erf, Exp, Floor, Ln, Neg, PowConst, Recip, Rsqrt, Sign, Sin, Sqrt, Square, Tanh,
};
use tract_onnx::tract_core::ops::nn::gelu_approximate::GeluApproximate;
use tract_onnx::tract_core::ops::nn::gelu_exact::GeluExact;
use tract_onnx::tract_core::ops::nn::silu::Silu;
use tract_onnx::tract_core::ops::nn::{HardSwish, LeakyRelu, Sigmoid};

use super::super::emit::{Binary, Emitter, Unary};
use super::super::program::Value;
use super::Lowering;

pub(super) fn elementwise(
    l: &mut Lowering,
    node: &TypedNode,
    op: &ElementWiseOp,
) -> anyhow::Result<Value> {
    let op = &*op.0;
    let x = l.input(node, 0)?;
    let emit = &mut l.emit;
    let plain = [
        (op.is::<Abs>(), Unary::Abs),
        (op.is::<Ceil>(), Unary::Ceil),
        (op.is::<Cos>(), Unary::Cos),
        (op.is::<Exp>(), Unary::Exp),
        (op.is::<Floor>(), Unary::Floor),
        (op.is::<Ln>(), Unary::Log),
        (op.is::<Neg>(), Unary::Neg),
        (op.is::<Recip>(), Unary::Reciprocal),
        (op.is::<Sigmoid>(), Unary::Sigmoid),
        (op.is::<Sign>(), Unary::Sign),
        (op.is::<Sin>(), Unary::Sin),
        (op.is::<Sqrt>(), Unary::Sqrt),
        (op.is::<Tanh>(), Unary::Tanh),
    ];
    if let Some((_, op)) = plain.into_iter().find(|(fits, _)| *fits) {
        return Ok(emit.unary(op, x));
    }
    if op.is::<Square>() {
        emit.mul(x, x)
    } else if op.is::<Rsqrt>() {
        let root = emit.unary(Unary::Sqrt, x);
        Ok(emit.unary(Unary::Reciprocal, root))
    } else if op.is::<Not>() {
        emit.number_minus(1.0, x)
    } else if op.is::<Silu>() {
        let sigmoid = emit.unary(Unary::Sigmoid, x);
        emit.mul(x, sigmoid)
    } else if op.is::<Erf>() {
        emit.erf(x)
    } else if op.is::<GeluExact>() {
        gelu(emit, x)
    } else if op.is::<HardSwish>() {
        hard_swish(emit, x)
    } else if let Some(op) = op.downcast_ref::<GeluApproximate>() {
        gelu_approximate(emit, x, op.fast_impl)
    } else if let Some(op) = op.downcast_ref::<LeakyRelu>() {
        let slope = emit.scalar(op.alpha);
        emit.binary(Binary::PRelu, x, slope)
    } else if let Some(op) = op.downcast_ref::<PowConst>() {
        power(emit, x, op.exponent)
    } else {
        bail!("no form of it is known to work")
    }
}

/// A constant power. Negative numbers have only whole ones, so the others may go by logarithms.
pub(super) fn power(emit: &mut Emitter, x: Value, exponent: f32) -> anyhow::Result<Value> {
    let size = exponent.abs();
    if size.fract() != 0.0 && size.fract() != 0.5 {
        let logarithm = emit.unary(Unary::Log, x);
        let scaled = emit.scaled(logarithm, exponent)?;
        return Ok(emit.unary(Unary::Exp, scaled));
    }
    if size > 8.0 {
        bail!("the exponent {exponent} has no form that is known to work");
    }
    let mut found = None;
    for _ in 0..size as usize {
        found = Some(found.map_or(Ok(x), |found| emit.mul(found, x))?);
    }
    if size.fract() == 0.5 {
        let root = emit.unary(Unary::Sqrt, x);
        found = Some(found.map_or(Ok(root), |found| emit.mul(found, root))?);
    }
    let Some(found) = found else {
        let zero = emit.sub(x, x)?;
        return emit.shifted(zero, 1.0);
    };
    if exponent < 0.0 {
        return Ok(emit.unary(Unary::Reciprocal, found));
    }
    Ok(found)
}

/// `x (1 + erf(x/√2)) / 2`
fn gelu(emit: &mut Emitter, x: Value) -> anyhow::Result<Value> {
    let scaled = emit.scaled(x, FRAC_1_SQRT_2)?;
    let erf = emit.erf(scaled)?;
    let share = emit.shifted(erf, 1.0)?;
    let half = emit.scaled(x, 0.5)?;
    emit.mul(half, share)
}

/// `x (1 + tanh(√(2/π) (x + 0.044715 x³))) / 2`; tract's fast form has `x²` there.
fn gelu_approximate(emit: &mut Emitter, x: Value, fast: bool) -> anyhow::Result<Value> {
    let power = if fast { x } else { emit.mul(x, x)? };
    let inner = emit.scaled(power, 0.044_715)?;
    let inner = emit.shifted(inner, 1.0)?;
    let inner = emit.mul(x, inner)?;
    let inner = emit.scaled(inner, (2.0 / PI).sqrt())?;
    let tanh = emit.unary(Unary::Tanh, inner);
    let share = emit.shifted(tanh, 1.0)?;
    let half = emit.scaled(x, 0.5)?;
    emit.mul(half, share)
}

/// `x · clip(x + 3, 0, 6) / 6`
fn hard_swish(emit: &mut Emitter, x: Value) -> anyhow::Result<Value> {
    let moved = emit.shifted(x, 3.0)?;
    let Some(share) = emit.clip(moved, 0.0, 6.0) else {
        bail!("a clip between 0 and 6")
    };
    let share = emit.scaled(share, 1.0 / 6.0)?;
    emit.mul(x, share)
}
