//! Reductions along axes, and normalisations made of them.

use tract_onnx::prelude::*;
use tract_onnx::tract_core::internal::*;
use tract_onnx::tract_core::ops::logic::CompEq;
use tract_onnx::tract_core::ops::math::{Exp, Rsqrt};
use tract_onnx::tract_core::ops::nn::{Reduce, Reducer, RmsNorm, Softmax, SoftmaxKind};

use super::{Parts, Rule};
use crate::gradient::builder::Builder;

pub(super) fn rule_of(op: &Reduce) -> Option<Rule> {
    match op.reducer {
        Reducer::Sum => Some(sum),
        Reducer::MeanOfSquares => Some(mean_of_squares),
        Reducer::Max | Reducer::Min => Some(extreme),
        Reducer::Prod => Some(product),
        _ => None,
    }
}

/// `g`, repeated.
fn sum(b: &mut Builder, node: &TypedNode, g: OutletId) -> TractResult<Parts> {
    let shape = b.shape(node.inputs[0])?;
    Ok(vec![(0, b.broadcast(g, &shape)?)])
}

/// `2 g x / n`
fn mean_of_squares(b: &mut Builder, node: &TypedNode, g: OutletId) -> TractResult<Parts> {
    let x = node.inputs[0];
    let (from, to) = (b.shape(x)?, b.shape(OutletId::new(node.id, 0))?);
    let count: usize = from
        .iter()
        .zip(&to)
        .filter(|(f, t)| f != t)
        .map(|(f, _)| f)
        .product();
    let part = b.scaled(g, 2.0 / count as f64)?;
    Ok(vec![(0, b.mul(x, part)?)])
}

/// `g` at the extreme, shared evenly between equal ones.
fn extreme(b: &mut Builder, node: &TypedNode, g: OutletId) -> TractResult<Parts> {
    let (x, y) = (node.inputs[0], OutletId::new(node.id, 0));
    let axes = node
        .op_as::<Reduce>()
        .map(|op| op.axes.to_vec())
        .unwrap_or_default();
    // Nothing is beyond the extreme, so what is not short of it is one.
    let short = match node.op_as::<Reduce>().map(|op| op.reducer) {
        Some(Reducer::Min) => b.greater(x, y)?,
        _ => b.greater(y, x)?,
    };
    let one = b.number(1.0, x)?;
    let shape = b.shape(x)?;
    let ones = b.broadcast(one, &shape)?;
    let chosen = b.drop(short, ones)?;
    let count = b.sum(chosen, &axes)?;
    let share = b.div(g, count)?;
    Ok(vec![(0, b.mul(chosen, share)?)])
}

/// `g` times the product of the others, also where some are 0: only a single 0 leaves its own place
/// a product.
fn product(b: &mut Builder, node: &TypedNode, g: OutletId) -> TractResult<Parts> {
    let x = node.inputs[0];
    let axes = node
        .op_as::<Reduce>()
        .map(|op| op.axes.to_vec())
        .unwrap_or_default();
    let (zero, one) = (b.number(0.0, x)?, b.number(1.0, x)?);
    let is_zero = b.binary(CompEq, x, zero)?;
    let zeros = b.choose(is_zero, one, zero)?;
    let count = b.sum(zeros, &axes)?;
    let other_zeros = b.sub(count, zeros)?;
    let half = b.number(0.5, x)?;
    let lost = b.greater(other_zeros, half)?;
    let nonzero = b.choose(is_zero, one, x)?;
    let all = b.reduce(Reducer::Prod, nonzero, &axes)?;
    let others = b.div(all, nonzero)?;
    let others = b.drop(lost, others)?;
    Ok(vec![(0, b.mul(others, g)?)])
}

/// `y (g − Σ g y)`; for the logarithm `g − exp(y) Σ g`.
pub(super) fn softmax(b: &mut Builder, node: &TypedNode, g: OutletId) -> TractResult<Parts> {
    let y = OutletId::new(node.id, 0);
    let op = node.op_as::<Softmax>();
    let axes = op.map(|op| op.axes.to_vec()).unwrap_or_default();
    if op.is_some_and(|op| op.kind == SoftmaxKind::LogSoftmax) {
        let share = b.unary(Exp {}, y)?;
        let total = b.sum(g, &axes)?;
        let part = b.mul(share, total)?;
        return Ok(vec![(0, b.sub(g, part)?)]);
    }
    let product = b.mul(g, y)?;
    let total = b.sum(product, &axes)?;
    let part = b.mul(y, total)?;
    Ok(vec![(0, b.sub(product, part)?)])
}

/// `r (g − y mean(g y))` with `r = 1/√(mean(x²) + ε)`.
pub(super) fn rms_norm(b: &mut Builder, node: &TypedNode, g: OutletId) -> TractResult<Parts> {
    let (x, y) = (node.inputs[0], OutletId::new(node.id, 0));
    let op = node.op_as::<RmsNorm>().context("a root-mean-square norm")?;
    let axes = [op.axis];
    let epsilon = op.eps.cast_to_scalar::<f64>()?;
    let squares = b.reduce(Reducer::MeanOfSquares, x, &axes)?;
    let squares = b.shifted(squares, epsilon)?;
    let scale = b.unary(Rsqrt {}, squares)?;
    let product = b.mul(g, y)?;
    let total = b.sum(product, &axes)?;
    let count = b.shape(x)?[op.axis];
    let mean = b.scaled(total, 1.0 / count as f64)?;
    let along = b.mul(y, mean)?;
    let across = b.sub(g, along)?;
    Ok(vec![(0, b.mul(across, scale)?)])
}
