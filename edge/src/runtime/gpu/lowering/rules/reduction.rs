//! Reductions, softmax and the norm of layer normalisation.

use anyhow::bail;
use tract_onnx::prelude::*;
use tract_onnx::tract_core::ops::nn::{Reduce, Reducer, RmsNorm, Softmax, SoftmaxKind};

use super::super::emit::{Reduction, Unary};
use super::super::program::Value;
use super::{Lowering, around};

pub(super) fn reduce(l: &mut Lowering, node: &TypedNode, op: &Reduce) -> anyhow::Result<Value> {
    let (reduction, squares) = match op.reducer {
        Reducer::Sum => (Reduction::Sum, false),
        Reducer::Max => (Reduction::Max, false),
        Reducer::Min => (Reduction::Min, false),
        Reducer::Prod => (Reduction::Prod, false),
        Reducer::MeanOfSquares => (Reduction::Mean, true),
        _ => bail!("no form of {:?} is known to work", op.reducer),
    };
    let mut value = l.input(node, 0)?;
    if squares {
        value = l.emit.mul(value, value)?;
    }
    reduced(l, value, &op.axes, reduction)
}

/// Reduces along axes, which stay with length 1: neighbouring ones at once, from the last.
fn reduced(
    l: &mut Lowering,
    mut value: Value,
    axes: &[usize],
    reduction: Reduction,
) -> anyhow::Result<Value> {
    let mut shape = l.emit.shape(value);
    let mut axes = axes.to_vec();
    axes.sort_unstable();
    while let Some(last) = axes.pop() {
        let mut first = last;
        while axes.last().is_some_and(|&axis| axis + 1 == first) {
            first = axes.pop().unwrap_or(first);
        }
        let split = around(&shape, first, last - first + 1);
        value = l.emit.reduce(reduction, value, split)?;
        shape[first..=last].fill(1);
        value = l.emit.reshape(value, &shape)?;
    }
    Ok(value)
}

pub(super) fn softmax(l: &mut Lowering, node: &TypedNode, op: &Softmax) -> anyhow::Result<Value> {
    if op.quant_output_dt.is_some() {
        bail!("it is quantised");
    }
    let x = l.input(node, 0)?;
    let shape = l.emit.shape(x);
    let (Some(&first), Some(&last)) = (op.axes.iter().min(), op.axes.iter().max()) else {
        bail!("it has no axis")
    };
    if last - first + 1 != op.axes.len() {
        bail!("its axes {:?} are no neighbours", op.axes);
    }
    let split = around(&shape, first, op.axes.len());
    if op.kind == SoftmaxKind::Softmax {
        let found = l.emit.softmax(x, split)?;
        return l.emit.reshape(found, &shape);
    }
    let x = l.emit.reshape(x, &split)?;
    let most = l.emit.reduce(Reduction::Max, x, split)?;
    let below = l.emit.sub(x, most)?;
    let powers = l.emit.unary(Unary::Exp, below);
    let sum = l.emit.reduce(Reduction::Sum, powers, split)?;
    let log = l.emit.unary(Unary::Log, sum);
    let found = l.emit.sub(below, log)?;
    l.emit.reshape(found, &shape)
}

/// `x / √(mean x² + ε)`
pub(super) fn rms_norm(l: &mut Lowering, node: &TypedNode, op: &RmsNorm) -> anyhow::Result<Value> {
    let x = l.input(node, 0)?;
    let epsilon = op.eps.cast_to_scalar::<f32>()?;
    let squares = l.emit.mul(x, x)?;
    let mean = reduced(l, squares, &[op.axis], Reduction::Mean)?;
    let mean = l.emit.shifted(mean, epsilon)?;
    let root = l.emit.unary(Unary::Sqrt, mean);
    l.emit.div(x, root)
}
