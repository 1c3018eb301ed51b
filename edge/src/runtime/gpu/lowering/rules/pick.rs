//! Operators that move, join, pick and pad.

use anyhow::{Context, ensure};
use tract_onnx::prelude::*;
use tract_onnx::tract_core::internal::*;
use tract_onnx::tract_core::ops::array::{Gather, Pad, PadMode, Slice, TypedConcat};
use tract_onnx::tract_core::ops::downsample::Downsample;

use super::super::program::Value;
use super::{Lowering, around};

/// All but moves only name the axes anew.
pub(super) fn axes(l: &mut Lowering, node: &TypedNode, op: &AxisOp) -> anyhow::Result<Value> {
    let value = l.input(node, 0)?;
    let AxisOp::Move(from, to) = *op else {
        return Ok(value);
    };
    let mut order: Vec<usize> = (0..l.emit.shape(value).len()).collect();
    let axis = order.remove(from);
    order.insert(to, axis);
    l.emit.transpose(value, &order)
}

pub(super) fn concat(
    l: &mut Lowering,
    node: &TypedNode,
    op: &TypedConcat,
) -> anyhow::Result<Value> {
    let mut parts = Vec::new();
    for slot in 0..node.inputs.len() {
        let split = around(&l.input_shape(node, slot)?, op.axis, 1);
        parts.push((l.input(node, slot)?, split));
    }
    l.emit.concat(&parts)
}

fn take(l: &mut Lowering, node: &TypedNode, axis: usize, taken: &[usize]) -> anyhow::Result<Value> {
    let value = l.input(node, 0)?;
    let split = around(&l.input_shape(node, 0)?, axis, 1);
    l.emit.along(value, split, taken)
}

pub(super) fn slice(l: &mut Lowering, node: &TypedNode, op: &Slice) -> anyhow::Result<Value> {
    let (start, end) = (op.start.to_usize()?, op.end.to_usize()?);
    take(l, node, op.axis, &(start..end).collect::<Vec<_>>())
}

pub(super) fn downsample(
    l: &mut Lowering,
    node: &TypedNode,
    op: &Downsample,
) -> anyhow::Result<Value> {
    let length = l.input_shape(node, 0)?[op.axis];
    let step = op.stride.unsigned_abs().max(1);
    let taken: Vec<usize> = if op.stride > 0 {
        (op.modulo..length).step_by(step).collect()
    } else {
        (0..length - op.modulo).rev().step_by(step).collect()
    };
    take(l, node, op.axis, &taken)
}

pub(super) fn gather(l: &mut Lowering, node: &TypedNode, op: &Gather) -> anyhow::Result<Value> {
    let places = l.constant(node, 1)?.context("its places change")?;
    let places = places.cast_to::<i64>()?;
    let length = l.input_shape(node, 0)?[op.axis];
    let places = places.try_as_plain_ram()?;
    let mut taken = Vec::new();
    for &place in places.as_slice::<i64>()? {
        let place = if place < 0 {
            place + length as i64
        } else {
            place
        };
        taken.push(usize::try_from(place)?);
    }
    take(l, node, op.axis, &taken)
}

/// Borders are picked from the value, or from one more row behind it.
pub(super) fn pad(l: &mut Lowering, node: &TypedNode, op: &Pad) -> anyhow::Result<Value> {
    let shape = l.input_shape(node, 0)?;
    let value = l.input(node, 0)?;
    let last = op
        .pads
        .iter()
        .rposition(|&(before, after)| before + after > 0);
    let Some(last) = last else { return Ok(value) };
    let row: usize = shape[last + 1..].iter().product();
    let outside = shape[..=last].iter().product();
    // Rows of the result, axis by axis; `None` is outside.
    let mut rows: Vec<Option<usize>> = vec![Some(0)];
    for (&length, &(before, after)) in shape.iter().zip(&op.pads).take(last + 1) {
        let mut places = Vec::new();
        for at in 0..before + length + after {
            places.push(place(at, before, length, &op.mode)?);
        }
        let next = |row: Option<usize>| {
            let places = places.iter();
            places.map(move |place| row.zip(*place).map(|(row, place)| row * length + place))
        };
        rows = rows.into_iter().flat_map(next).collect();
    }
    let source = match &op.mode {
        PadMode::Constant(number) if rows.contains(&None) => {
            let border = vec![number.cast_to_scalar::<f32>()?; row];
            let border = l.emit.constant(border, &[row])?;
            l.emit.join(&[value, border])?
        }
        _ => value,
    };
    let rows: Vec<usize> = rows.into_iter().map(|row| row.unwrap_or(outside)).collect();
    l.emit.rows(source, &rows, row)
}

/// Where a padded axis takes its elements from.
fn place(at: usize, before: usize, length: usize, mode: &PadMode) -> anyhow::Result<Option<usize>> {
    let at = at as i64 - before as i64;
    let last = length as i64 - 1;
    ensure!(last >= 0, "an axis without elements");
    let found = match mode {
        _ if (0..=last).contains(&at) => at,
        PadMode::Constant(_) => return Ok(None),
        PadMode::Edge => at.clamp(0, last),
        PadMode::Reflect => {
            let mirrored = if at < 0 { -at } else { 2 * last - at };
            ensure!(
                (0..=last).contains(&mirrored),
                "a border longer than what it mirrors"
            );
            mirrored
        }
    };
    Ok(Some(usize::try_from(found)?))
}
