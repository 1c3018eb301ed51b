//! Operators that are one matrix along each axis: resizing, mirrored and repeated borders, tiles and
//! running sums.

use tract_onnx::prelude::*;
use tract_onnx::tract_core::internal::*;
use tract_onnx::tract_core::ops::array::{CumSum, Pad, PadMode, Tile};
use tract_onnx::tract_core::ops::downsample::Downsample;
use tract_onnx::tract_core::ops::nn::{NearestUpsample, Resize};

use super::{Parts, is_constant};
use crate::gradient::builder::Builder;

/// Sizes known before running.
pub(super) fn is_fixed(op: &Resize, graph: &TypedModel, node: &TypedNode) -> bool {
    let slots = [op.optional_scales_input, op.optional_sizes_input];
    slots
        .into_iter()
        .flatten()
        .all(|slot| is_constant(graph, node, slot))
}

/// `g` with the operator's own weights: what an output took from an element, it gives back.
pub(super) fn resize(b: &mut Builder, node: &TypedNode, g: OutletId) -> TractResult<Parts> {
    let op = node.op_as::<Resize>().context("a resizing")?;
    let (from, to) = (b.shape(node.inputs[0])?, b.shape(g)?);
    let scales = match op.optional_scales_input {
        Some(slot) => b.constant_of(node.inputs[slot])?,
        None => None,
    };
    let scales = match scales.filter(|scales| scales.len() == from.len()) {
        Some(scales) => {
            let scales = scales.cast_to::<f32>()?;
            scales.try_as_plain_ram()?.as_slice::<f32>()?.to_vec()
        }
        None => from
            .iter()
            .zip(&to)
            .map(|(&from, &to)| to as f32 / from as f32)
            .collect(),
    };
    let mut part = g;
    for (axis, &scale) in scales.iter().enumerate() {
        if from[axis] == to[axis] && scale == 1.0 {
            continue;
        }
        let plan = op.plan_axis(scale, from[axis], to[axis]);
        let weights = |place: usize| {
            let taps = place * plan.window..(place + 1) * plan.window;
            let indices = plan.indices[taps.clone()].iter().copied();
            indices.zip(plan.weights[taps].iter().copied()).collect()
        };
        part = given_back(b, part, axis, from[axis], weights)?;
    }
    Ok(vec![(0, part)])
}

/// `x` along one axis, whose places took the given share of the given elements, given back to them.
pub(super) fn given_back(
    b: &mut Builder,
    x: OutletId,
    axis: usize,
    length: usize,
    taken: impl Fn(usize) -> Vec<(usize, f32)>,
) -> TractResult<OutletId> {
    let places = b.shape(x)?[axis];
    let mut matrix = vec![0f32; places * length];
    for (place, row) in matrix.chunks_exact_mut(length.max(1)).enumerate() {
        for (element, weight) in taken(place) {
            row[element] += weight;
        }
    }
    let matrix = Tensor::from_shape(&[places, length], &matrix)?;
    let matrix = b.constant_like(x, &matrix)?;
    b.matrix_along(x, matrix, axis)
}

/// A padding with elements of `x`.
pub(super) fn is_border(op: &Pad) -> bool {
    matches!(op.mode, PadMode::Reflect | PadMode::Edge)
}

/// Every element gets the sum of `g` over its copies.
pub(super) fn border(b: &mut Builder, node: &TypedNode, g: OutletId) -> TractResult<Parts> {
    let op = node.op_as::<Pad>().context("a padding")?;
    let shape = b.shape(node.inputs[0])?;
    let mut part = g;
    for (axis, (&(before, after), length)) in op.pads.iter().zip(shape).enumerate() {
        if before + after == 0 {
            continue;
        }
        let last = length.saturating_sub(1);
        ensure!(
            op.mode == PadMode::Edge || before.max(after) <= last,
            "a border of {before} and {after} does not mirror {length} elements"
        );
        let taken = |place: usize| {
            let inside = place.saturating_sub(before).min(last);
            let beyond = place.saturating_sub(before + last);
            let element = match op.mode {
                PadMode::Reflect if place < before => before - place,
                PadMode::Reflect if beyond > 0 => last - beyond,
                _ => inside,
            };
            vec![(element, 1.0)]
        };
        part = given_back(b, part, axis, length, taken)?;
    }
    Ok(vec![(0, part)])
}

/// The sum of `g` over the copies, which lie apart.
pub(super) fn tile(b: &mut Builder, node: &TypedNode, g: OutletId) -> TractResult<Parts> {
    let op = node.op_as::<Tile>().context("a repetition")?;
    let mut part = g;
    for (axis, times) in op.multipliers.iter().enumerate() {
        part = summed_copies(b, part, axis, times.to_usize()?, true)?;
    }
    Ok(vec![(0, part)])
}

/// The sum of `g` over the copies, which lie side by side.
pub(super) fn nearest(b: &mut Builder, node: &TypedNode, g: OutletId) -> TractResult<Parts> {
    let op = node.op_as::<NearestUpsample>().context("an upsampling")?;
    let mut part = g;
    for (axis, &times) in op.scales.iter().enumerate() {
        part = summed_copies(b, part, axis, times, false)?;
    }
    Ok(vec![(0, part)])
}

fn summed_copies(
    b: &mut Builder,
    x: OutletId,
    axis: usize,
    times: usize,
    apart: bool,
) -> TractResult<OutletId> {
    if times == 1 {
        return Ok(x);
    }
    let length = b.shape(x)?[axis];
    let each = length.checked_div(times).context("no copies")?;
    let (split, copies) = if apart {
        (tvec!(times.to_dim(), each.to_dim()), axis)
    } else {
        (tvec!(each.to_dim(), times.to_dim()), axis + 1)
    };
    let split = b.wire(AxisOp::Reshape(axis, tvec!(length.to_dim()), split), &[x])?;
    let sum = b.sum(split, &[copies])?;
    b.wire(AxisOp::Rm(copies), &[sum])
}

/// The running sum of `g` from the other end.
pub(super) fn running_sum(b: &mut Builder, node: &TypedNode, g: OutletId) -> TractResult<Parts> {
    let op = node.op_as::<CumSum>().context("a running sum")?;
    let back = CumSum {
        reverse: !op.reverse,
        ..op.clone()
    };
    Ok(vec![(0, b.wire(back, &[g])?)])
}

/// For elements taken from the last to the first: `g` back at their places.
pub(super) fn reversed(b: &mut Builder, node: &TypedNode, g: OutletId) -> TractResult<Parts> {
    let op = node.op_as::<Downsample>().context("a subsampling")?;
    let length = b.shape(node.inputs[0])?[op.axis];
    let taken = |place: usize| {
        let skipped = place * op.stride.unsigned_abs() + 1;
        length
            .checked_sub(skipped)
            .map(|at| (at, 1.0))
            .into_iter()
            .collect()
    };
    Ok(vec![(0, given_back(b, g, op.axis, length, taken)?)])
}
