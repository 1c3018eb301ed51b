//! Products summed over axes: matrix products, 1 × 1 convolutions, attention.

use tract_onnx::prelude::*;
use tract_onnx::tract_core::internal::*;
use tract_onnx::tract_core::ops::einsum::EinSum;

use super::Parts;
use crate::gradient::builder::Builder;

/// Not quantised, and no axis twice in one operand.
pub(super) fn is_plain(op: &EinSum) -> bool {
    let (inputs, outputs) = op.axes.to_strs();
    let distinct = |axes: &String| {
        let mut seen: Vec<char> = axes.chars().collect();
        seen.sort_unstable();
        seen.windows(2).all(|pair| pair[0] != pair[1])
    };
    op.q_params.is_none() && inputs.iter().chain(&outputs).all(distinct)
}

/// Each operand gets the product of `g` and the other operands, summed over the axes it lacks.
pub(super) fn einsum(b: &mut Builder, node: &TypedNode, g: OutletId) -> TractResult<Parts> {
    let op = node.op_as::<EinSum>().context("a sum of products")?;
    let (inputs, outputs) = op.axes.to_strs();
    let mut parts = Vec::new();
    for (slot, axes) in inputs.iter().enumerate() {
        if b.constant_of(node.inputs[slot])?.is_some() {
            continue;
        }
        let mut operands = vec![(outputs[0].clone(), g)];
        for (other, axes) in inputs
            .iter()
            .enumerate()
            .filter(|(other, _)| *other != slot)
        {
            operands.push(rotated(b, axes, node.inputs[other])?);
        }
        let known = |axis: &char| operands.iter().any(|(axes, _)| axes.contains(*axis));
        let product: String = axes.chars().filter(known).collect();
        let named: Vec<(&str, OutletId)> = operands
            .iter()
            .map(|(axes, outlet)| (axes.as_str(), *outlet))
            .collect();
        let mut part = b.product(&named, &product, op.operating_dt)?;
        // Axes that the operand alone had were summed over: every element gets the same.
        for (position, _) in axes.chars().enumerate().filter(|(_, axis)| !known(axis)) {
            part = b.wire(AxisOp::Add(position), &[part])?;
        }
        let shape = b.shape(node.inputs[slot])?;
        let part = b.gathered(part, node.inputs[slot])?;
        parts.push((slot, b.broadcast(part, &shape)?));
    }
    Ok(parts)
}

/// An operand, with its first axis last if it is constant. tract arranges weights for the processor
/// before the first run only where a single node takes them, and merges equal constants: so the
/// gradient takes them in another order of axes.
fn rotated(b: &mut Builder, axes: &str, operand: OutletId) -> TractResult<(String, OutletId)> {
    let mut names: Vec<char> = axes.chars().collect();
    let Some(value) = b.constant_of(operand)?.filter(|_| names.len() > 1) else {
        return Ok((axes.to_owned(), operand));
    };
    names.rotate_left(1);
    let last = value.rank() - 1;
    let value = Tensor::clone(&value).move_axis(0, last)?;
    Ok((names.iter().collect(), b.constant(value)?))
}
