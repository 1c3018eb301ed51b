//! Operators that only move, repeat or pick elements.

use tract_onnx::prelude::*;
use tract_onnx::tract_core::internal::*;
use tract_onnx::tract_core::ops::array::{
    Gather, Pad, PadMode, ScatterElements, ScatterReduction, Slice, Topk, TypedConcat,
};
use tract_onnx::tract_core::ops::downsample::Downsample;

use super::{Parts, resample};
use crate::gradient::builder::Builder;

/// `g`, moved back.
pub(super) fn axis_op(b: &mut Builder, node: &TypedNode, g: OutletId) -> TractResult<Parts> {
    let op = node.op_as::<AxisOp>().context("an operation on axes")?;
    Ok(vec![(0, b.wire(op.recip(), &[g])?)])
}

/// The sum of what was repeated.
pub(super) fn broadcast(b: &mut Builder, node: &TypedNode, g: OutletId) -> TractResult<Parts> {
    Ok(vec![(0, b.gathered(g, node.inputs[0])?)])
}

/// Each input's own part of `g`.
pub(super) fn concat(b: &mut Builder, node: &TypedNode, g: OutletId) -> TractResult<Parts> {
    let axis = node.op_as::<TypedConcat>().context("a concatenation")?.axis;
    let mut parts = Vec::new();
    let mut start = 0;
    for (slot, &input) in node.inputs.iter().enumerate() {
        let end = start + b.shape(input)?[axis];
        if b.constant_of(input)?.is_none() {
            parts.push((slot, b.wire(Slice::new(axis, start, end), &[g])?));
        }
        start = end;
    }
    Ok(parts)
}

/// `g` between zeros.
pub(super) fn slice(b: &mut Builder, node: &TypedNode, g: OutletId) -> TractResult<Parts> {
    let op = node.op_as::<Slice>().context("a slice")?;
    let (start, end) = (op.start.to_usize()?, op.end.to_usize()?);
    let length = b.shape(node.inputs[0])?[op.axis];
    let after = length
        .checked_sub(end)
        .context("a slice beyond the end of its input")?;
    Ok(vec![(0, zeros_around(b, g, op.axis, start, after)?)])
}

/// `x` with zeros before and after along one axis.
fn zeros_around(
    b: &mut Builder,
    x: OutletId,
    axis: usize,
    before: usize,
    after: usize,
) -> TractResult<OutletId> {
    if before + after == 0 {
        return Ok(x);
    }
    let mut pads = vec![(0, 0); b.shape(x)?.len()];
    pads[axis] = (before, after);
    let zero = Tensor::zero_scalar_dt(b.kind(x)?)?;
    let mode = PadMode::Constant(zero.into_arc_tensor());
    b.wire(Pad { pads, mode }, &[x])
}

pub(super) fn is_constant_pad(op: &Pad) -> bool {
    matches!(op.mode, PadMode::Constant(_))
}

/// `g` without the padding.
pub(super) fn pad(b: &mut Builder, node: &TypedNode, g: OutletId) -> TractResult<Parts> {
    let op = node.op_as::<Pad>().context("a padding")?;
    let shape = b.shape(node.inputs[0])?;
    let mut part = g;
    for (axis, (&(before, after), length)) in op.pads.iter().zip(shape).enumerate() {
        if before + after > 0 {
            part = b.wire(Slice::new(axis, before, before + length), &[part])?;
        }
    }
    Ok(vec![(0, part)])
}

/// For constant indices: every element gets the sum of `g` over the places it was copied to, as a
/// product with a matrix of ones and zeros.
pub(super) fn gather(b: &mut Builder, node: &TypedNode, g: OutletId) -> TractResult<Parts> {
    let axis = node.op_as::<Gather>().context("a gathering")?.axis;
    let indices = b.constant_of(node.inputs[1])?.context("constant indices")?;
    let indices = indices.cast_to::<i64>()?.into_owned();
    let dims: TVec<TDim> = indices.shape().iter().map(|d| d.to_dim()).collect();
    let length = b.shape(node.inputs[0])?[axis];
    let places = indices.len();
    let element = |&index: &i64| {
        let from_start = if index < 0 {
            index + length as i64
        } else {
            index
        };
        let element = usize::try_from(from_start).ok().filter(|&i| i < length);
        element.with_context(|| format!("no element {index} among {length}"))
    };
    let indices = indices.try_as_plain_ram()?;
    let elements = indices.as_slice::<i64>()?.iter().map(element);
    let elements = elements.collect::<TractResult<Vec<usize>>>()?;
    let flat = match dims.len() {
        0 => b.wire(AxisOp::Add(axis), &[g])?,
        1 => g,
        _ => b.wire(AxisOp::Reshape(axis, dims, tvec!(places.to_dim())), &[g])?,
    };
    let taken = |place: usize| vec![(elements[place], 1.0)];
    let part = resample::given_back(b, flat, axis, length, taken)?;
    Ok(vec![(0, part)])
}

/// `g` at the chosen places, zeros elsewhere.
pub(super) fn largest(b: &mut Builder, node: &TypedNode, g: OutletId) -> TractResult<Parts> {
    let axis = node.op_as::<Topk>().context("the largest elements")?.axis;
    let zeros = Tensor::zero_dt(b.kind(g)?, &b.shape(node.inputs[0])?)?;
    let zeros = b.constant(zeros)?;
    let places = OutletId::new(node.id, 1);
    let scatter = ScatterElements::new(axis, ScatterReduction::Add);
    Ok(vec![(0, b.wire(scatter, &[zeros, places, g])?)])
}

/// `g` with zeros between its elements.
pub(super) fn downsample(b: &mut Builder, node: &TypedNode, g: OutletId) -> TractResult<Parts> {
    let op = node.op_as::<Downsample>().context("a subsampling")?;
    if op.stride < 0 {
        return resample::reversed(b, node, g);
    }
    let (axis, stride) = (op.axis, op.stride.unsigned_abs());
    let kept = b.shape(g)?[axis];
    let length = b.shape(node.inputs[0])?[axis];
    let spread = b.wire(AxisOp::Add(axis + 1), &[g])?;
    let spread = zeros_around(b, spread, axis + 1, 0, stride - 1)?;
    let from = tvec!(kept.to_dim(), stride.to_dim());
    let spread = b.wire(
        AxisOp::Reshape(axis, from, tvec!((kept * stride).to_dim())),
        &[spread],
    )?;
    let after = length.saturating_sub(op.modulo + kept * stride);
    let spread = zeros_around(b, spread, axis, op.modulo, after)?;
    Ok(vec![(0, b.wire(Slice::new(axis, 0, length), &[spread])?)])
}
