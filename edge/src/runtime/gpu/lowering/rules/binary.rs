//! Functions of two elements, and choices; truth is 1 or 0.

use anyhow::bail;
use tract_onnx::prelude::*;
use tract_onnx::tract_core::ops::binary::TypedBinOp;
use tract_onnx::tract_core::ops::logic::{
    And, CompEq, CompGT, CompGTE, CompLT, CompLTE, CompNE, Or, Xor,
};
use tract_onnx::tract_core::ops::math::{Add, Div, Max, Min, Mul, Pow, Sub, SubF};

use super::super::emit::{Emitter, Unary};
use super::super::program::Value;
use super::Lowering;

pub(super) fn binary(l: &mut Lowering, node: &TypedNode, op: &TypedBinOp) -> anyhow::Result<Value> {
    let op = &*op.0;
    if op.is::<Max>() || op.is::<Min>() {
        return extreme(l, node, op.is::<Max>());
    }
    let (a, b) = (l.input(node, 0)?, l.input(node, 1)?);
    let emit = &mut l.emit;
    if op.is::<Add>() {
        emit.add(a, b)
    } else if op.is::<Sub>() {
        emit.sub(a, b)
    } else if op.is::<SubF>() {
        emit.sub(b, a)
    } else if op.is::<Mul>() || op.is::<And>() {
        emit.mul(a, b)
    } else if op.is::<Div>() {
        emit.div(a, b)
    } else if op.is::<Pow>() {
        power(l, node, a, b)
    } else if op.is::<CompGT>() {
        emit.greater(a, b)
    } else if op.is::<CompLT>() {
        emit.greater(b, a)
    } else if op.is::<CompGTE>() {
        let below = emit.greater(b, a)?;
        emit.number_minus(1.0, below)
    } else if op.is::<CompLTE>() {
        let above = emit.greater(a, b)?;
        emit.number_minus(1.0, above)
    } else if op.is::<Xor>() {
        let difference = emit.sub(a, b)?;
        Ok(emit.unary(Unary::Abs, difference))
    } else if op.is::<CompNE>() {
        emit.differs(a, b)
    } else if op.is::<CompEq>() {
        emit.equal(a, b)
    } else if op.is::<Or>() {
        let sum = emit.add(a, b)?;
        Ok(emit.unary(Unary::Sign, sum))
    } else {
        bail!("no form of it is known to work")
    }
}

/// A power: of a constant number, or by one. wonnx's own is no number for negative bases.
fn power(
    l: &mut Lowering,
    node: &TypedNode,
    base: Value,
    exponent: Value,
) -> anyhow::Result<Value> {
    if let Some(exponent) = l.number(node, 1)? {
        return super::elementwise::power(&mut l.emit, base, exponent);
    }
    let logarithms = match l.emit.numbers(base) {
        Some(numbers) if numbers.iter().all(|&number| number > 0.0) => numbers
            .iter()
            .map(|number| number.ln())
            .collect::<Vec<f32>>(),
        _ => bail!("neither is its base a positive constant nor its exponent a constant number"),
    };
    let shape = l.emit.shape(base);
    let logarithms = l.emit.constant(logarithms, &shape)?;
    let product = l.emit.mul(exponent, logarithms)?;
    Ok(l.emit.unary(Unary::Exp, product))
}

/// The larger or the smaller of two.
fn extreme(l: &mut Lowering, node: &TypedNode, larger: bool) -> anyhow::Result<Value> {
    for slot in [0, 1] {
        if let Some(bound) = l.number(node, slot)? {
            return bounded(l, node, 1 - slot, bound, larger);
        }
    }
    let (a, b) = (l.input(node, 0)?, l.input(node, 1)?);
    better(&mut l.emit, a, b, larger)
}

/// `a` where it is larger (or smaller) than `b`, else `b`.
fn better(emit: &mut Emitter, a: Value, b: Value, larger: bool) -> anyhow::Result<Value> {
    let wins = if larger {
        emit.greater(a, b)?
    } else {
        emit.greater(b, a)?
    };
    emit.choose(wins, a, b)
}

/// An input bounded by a number; two bounds in turn are a clip.
fn bounded(
    l: &mut Lowering,
    node: &TypedNode,
    slot: usize,
    bound: f32,
    larger: bool,
) -> anyhow::Result<Value> {
    let x = l.input(node, slot)?;
    if !larger
        && let Some((inner, low)) = lower_bound(l, node, slot)?
        && let Some(clip) = l.emit.clip(inner, low, bound)
    {
        return Ok(clip);
    }
    let never = if larger {
        f32::NEG_INFINITY
    } else {
        f32::INFINITY
    };
    if bound == never {
        return Ok(x);
    }
    if bound == 0.0 && larger {
        return Ok(l.emit.unary(Unary::Relu, x));
    }
    let number = l.emit.scalar(bound);
    better(&mut l.emit, x, number, larger)
}

/// Where a slot holds the larger of a value and a number: both.
fn lower_bound(
    l: &mut Lowering,
    node: &TypedNode,
    slot: usize,
) -> anyhow::Result<Option<(Value, f32)>> {
    let before = l.graph.node(node.inputs[slot].node);
    let is_max = before
        .op_as::<TypedBinOp>()
        .is_some_and(|op| op.0.is::<Max>());
    if !is_max {
        return Ok(None);
    }
    for slot in [0, 1] {
        if let Some(low) = l.number(before, slot)? {
            return Ok(Some((l.input(before, 1 - slot)?, low)));
        }
    }
    Ok(None)
}

/// The second input where the first holds, else the third.
pub(super) fn choice(l: &mut Lowering, node: &TypedNode) -> anyhow::Result<Value> {
    let (condition, a, b) = (l.input(node, 0)?, l.input(node, 1)?, l.input(node, 2)?);
    l.emit.choose(condition, a, b)
}
