//! Operators that are one matrix along each axis: resizing, tiles and running sums.

use anyhow::{Context, ensure};
use tract_onnx::prelude::*;
use tract_onnx::tract_core::internal::DimLike;
use tract_onnx::tract_core::ops::array::{CumSum, Tile};
use tract_onnx::tract_core::ops::nn::{NearestUpsample, Resize};

use super::super::emit::Window;
use super::super::program::Value;
use super::{Lowering, around};

/// `None` where the node is none of them.
pub(super) fn lower(l: &mut Lowering, node: &TypedNode) -> Option<anyhow::Result<Value>> {
    if let Some(op) = node.op_as::<Resize>() {
        Some(resize(l, node, op))
    } else if let Some(op) = node.op_as::<Tile>() {
        Some(tile(l, node, op))
    } else if let Some(op) = node.op_as::<NearestUpsample>() {
        Some(nearest(l, node, op))
    } else {
        let op = node.op_as::<CumSum>()?;
        Some(running_sum(l, node, op))
    }
}

/// tract's own weights, axis by axis.
fn resize(l: &mut Lowering, node: &TypedNode, op: &Resize) -> anyhow::Result<Value> {
    let from = l.input_shape(node, 0)?;
    let to = l.shape(OutletId::new(node.id, 0))?;
    let scales = match op.optional_scales_input {
        Some(slot) => l.constant(node, slot)?,
        None => None,
    };
    let scales = match scales.filter(|scales| scales.len() == from.len()) {
        Some(scales) => {
            let scales = scales.cast_to::<f32>()?;
            scales.try_as_plain_ram()?.as_slice::<f32>()?.to_vec()
        }
        None => {
            let lengths = from.iter().zip(&to);
            lengths
                .map(|(&from, &to)| to as f32 / from as f32)
                .collect()
        }
    };
    let mut value = l.input(node, 0)?;
    for (axis, scale) in scales.into_iter().enumerate() {
        if from[axis] == to[axis] && scale == 1.0 {
            continue;
        }
        let plan = op.plan_axis(scale, from[axis], to[axis]);
        let mut matrix = vec![0f32; to[axis] * from[axis]];
        for (tap, (&index, &weight)) in plan.indices.iter().zip(&plan.weights).enumerate() {
            let place = (tap / plan.window) * from[axis] + index;
            *matrix.get_mut(place).context("a place beyond the last")? += weight;
        }
        value = along(l, value, axis, &matrix)?;
    }
    Ok(value)
}

/// A value with a matrix (places × elements) applied along one axis.
fn along(l: &mut Lowering, value: Value, axis: usize, matrix: &[f32]) -> anyhow::Result<Value> {
    let mut shape = l.emit.shape(value);
    let [outer, length, inner] = around(&shape, axis, 1);
    ensure!(length > 0, "an axis without elements");
    let places = matrix.len() / length;
    let weights = l.emit.constant(matrix, &[places, length, 1, 1])?;
    let image = l.emit.reshape(value, &[outer, length, inner, 1])?;
    let window = Window::point([inner, 1]);
    let found = l.emit.conv(image, weights, None, 1, window)?;
    shape[axis] = places;
    l.emit.reshape(found, &shape)
}

/// Picks elements along one axis.
fn pick(l: &mut Lowering, value: Value, axis: usize, taken: &[usize]) -> anyhow::Result<Value> {
    let mut shape = l.emit.shape(value);
    let found = l.emit.along(value, around(&shape, axis, 1), taken)?;
    shape[axis] = taken.len();
    l.emit.reshape(found, &shape)
}

fn tile(l: &mut Lowering, node: &TypedNode, op: &Tile) -> anyhow::Result<Value> {
    let mut value = l.input(node, 0)?;
    for (axis, times) in op.multipliers.iter().enumerate() {
        let length = l.emit.shape(value)[axis];
        let taken = (0..times.to_usize()?).flat_map(|_| 0..length);
        value = pick(l, value, axis, &taken.collect::<Vec<_>>())?;
    }
    Ok(value)
}

fn nearest(l: &mut Lowering, node: &TypedNode, op: &NearestUpsample) -> anyhow::Result<Value> {
    let mut value = l.input(node, 0)?;
    for (axis, &times) in op.scales.iter().enumerate() {
        let length = l.emit.shape(value)[axis];
        let taken = (0..length).flat_map(|at| std::iter::repeat_n(at, times));
        value = pick(l, value, axis, &taken.collect::<Vec<_>>())?;
    }
    Ok(value)
}

fn running_sum(l: &mut Lowering, node: &TypedNode, op: &CumSum) -> anyhow::Result<Value> {
    let value = l.input(node, 0)?;
    let length = l.emit.shape(value)[op.axis];
    let mut matrix = Vec::with_capacity(length * length);
    for place in 0..length {
        matrix.extend((0..length).map(|element| {
            let before = if op.reverse {
                element > place
            } else {
                element < place
            };
            let counts = before || (element == place && !op.exclusive);
            f32::from(u8::from(counts))
        }));
    }
    along(l, value, op.axis, &matrix)
}
