//! Operators that tract cannot run or move, or computes wrongly, made of others.

mod corners;
mod logarithm;

use tract_onnx::prelude::*;
use tract_onnx::tract_core::internal::*;
use tract_onnx::tract_core::ops::array::{Gather, Pad, Slice, StridedSlice};

/// Declutters a typed graph, after lowering what stops tract.
///
/// # Errors
/// When tract cannot declutter it all the same.
pub(crate) fn decluttered(mut graph: TypedModel) -> TractResult<TypedModel> {
    Rewriter::<()>::default()
        .with_rule_for("crop", |_, graph, node, _, pad| cropped(graph, node, pad))
        .with_rule_for("logarithm", |_, graph, node, _, op| {
            logarithm::stable(graph, node, op)
        })
        .rewrite(&(), &mut graph)?;
    let mut graph = simplified(graph)?;
    // Only now are all resizings tract's plain ones.
    Rewriter::<()>::default()
        .with_rule_for("corners", |_, graph, node, _, op| {
            corners::by_lengths(graph, node, op)
        })
        .rewrite(&(), &mut graph)?;
    Ok(graph)
}

fn simplified(graph: TypedModel) -> TractResult<TypedModel> {
    let steps = graph
        .nodes()
        .iter()
        .any(|node| node.op_is::<StridedSlice>());
    let decluttered = graph.clone().into_decluttered();
    if decluttered.is_ok() || !steps {
        return decluttered;
    }
    // tract moves subsampling towards the input, and fails at a reshape of the axis (LeViT).
    with_steps_picked(graph)?.into_decluttered()
}

fn with_steps_picked(mut graph: TypedModel) -> TractResult<TypedModel> {
    Rewriter::<()>::default()
        .with_rule_for("pick", |_, graph, node, _, op| picked(graph, node, op))
        .rewrite(&(), &mut graph)?;
    Ok(graph)
}

/// A padding with a negative amount crops, as ONNX has it; tract takes the amount for a huge one
/// and panics when it runs.
fn cropped(
    graph: &TypedModel,
    node: &TypedNode,
    pad: &Pad,
) -> TractResult<Option<TypedModelPatch>> {
    let crop = |amount: usize| isize::try_from(amount).map_or(amount.wrapping_neg(), |_| 0);
    if pad.pads.iter().all(|&(a, b)| crop(a) == 0 && crop(b) == 0) {
        return Ok(None);
    }
    let mut patch = TypedModelPatch::default();
    let mut wire = patch.tap_model(graph, node.inputs[0])?;
    let mut pads = pad.pads.clone();
    for (axis, (before, after)) in pads.iter_mut().enumerate() {
        let (first, last) = (crop(*before), crop(*after));
        if first > 0 || last > 0 {
            let end = patch.outlet_fact(wire)?.shape[axis].clone() - last;
            let slice = Slice::new(axis, first, end);
            wire = patch.wire_node(format!("{}.crop-{axis}", node.name), slice, &[wire])?[0];
        }
        *before = if first > 0 { 0 } else { *before };
        *after = if last > 0 { 0 } else { *after };
    }
    let pad = Pad {
        pads,
        ..pad.clone()
    };
    let wire = patch.wire_node(&node.name, pad, &[wire])?[0];
    patch.shunt_outside(graph, node.id.into(), wire)?;
    Ok(Some(patch))
}

/// A slice with steps as a choice of places, which tract leaves where it is.
fn picked(
    graph: &TypedModel,
    node: &TypedNode,
    op: &StridedSlice,
) -> TractResult<Option<TypedModelPatch>> {
    let Some(places) = places(graph, node, op)? else {
        return Ok(None);
    };
    let mut patch = TypedModelPatch::default();
    let mut wire = patch.tap_model(graph, node.inputs[0])?;
    for (axis, places) in places {
        let name = format!("{}.axis-{axis}", node.name);
        let places = patch.add_const(format!("{name}.places"), tensor1(&places))?;
        wire = patch.wire_node(name, Gather::new(axis), &[wire, places])?[0];
    }
    patch.shunt_outside(graph, node.id.into(), wire)?;
    Ok(Some(patch))
}

/// Axes, and the places taken along each.
type Places = Vec<(usize, Vec<i64>)>;

/// What a slice with steps takes along each of its axes; `None` for one without steps, or with
/// bounds that are not known before running.
fn places(graph: &TypedModel, node: &TypedNode, op: &StridedSlice) -> TractResult<Option<Places>> {
    let shape = &graph.outlet_fact(node.inputs[0])?.shape;
    let constant = |slot: usize| -> TractResult<Option<Arc<Tensor>>> {
        let input = node.inputs.get(slot).context("an input is missing")?;
        Ok(graph.outlet_fact(*input)?.konst.clone())
    };
    let Some(steps) = op.optional_steps_input else {
        return Ok(None);
    };
    let (Some(begin), Some(end), Some(steps)) = (constant(1)?, constant(2)?, constant(steps)?)
    else {
        return Ok(None);
    };
    let steps = integers(&steps)?;
    if op.shrink_axis_mask != 0 || steps.iter().all(|&step| step == 1) || steps.contains(&0) {
        return Ok(None);
    }
    let rank = shape.rank();
    let axes = match op.optional_axes_input.map(constant).transpose()? {
        Some(Some(axes)) => integers(&axes)?,
        Some(None) => return Ok(None),
        None => (0..rank as i32).collect(),
    };
    let mut places = Vec::new();
    for (index, axis) in axes.into_iter().enumerate() {
        let axis = if axis < 0 { axis + rank as i32 } else { axis };
        let axis = usize::try_from(axis)?;
        let length = shape.get(axis).context("an axis that is not there")?;
        let taken = op.prepare_one_dim(index, length, &begin, &end, &steps)?;
        let (Ok(first), Ok(end)) = (taken.begin.to_i64(), taken.end.to_i64()) else {
            return Ok(None);
        };
        let step = taken.stride.unsigned_abs() as usize;
        let taken = if taken.stride > 0 {
            (first..end).step_by(step).collect()
        } else {
            (end + 1..=first).rev().step_by(step).collect()
        };
        places.push((axis, taken));
    }
    Ok(Some(places))
}

fn integers(tensor: &Tensor) -> TractResult<Vec<i32>> {
    let tensor = tensor.cast_to::<i32>()?;
    Ok(tensor.try_as_plain_ram()?.as_slice::<i32>()?.to_vec())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use tract_onnx::tract_core::ops::array::PadMode;

    use super::*;

    fn graph(length: usize) -> (TypedModel, OutletId) {
        let mut graph = TypedModel::default();
        let x = graph.add_source("x", f32::fact([2, length])).unwrap();
        (graph, x)
    }

    /// 0, 1, … through a graph with one output.
    fn run(graph: TypedModel, length: usize) -> Vec<f32> {
        let x: Vec<f32> = (0..2 * length).map(|v| v as f32).collect();
        let x = Tensor::from_shape(&[2, length], &x).unwrap();
        let outputs = graph
            .into_runnable()
            .unwrap()
            .run(tvec!(x.into_tvalue()))
            .unwrap();
        let values = outputs[0].try_as_plain_ram().unwrap();
        values.as_slice().unwrap().to_vec()
    }

    proptest! {
        #[test]
        fn picks_what_a_slice_takes(
            length in 1..=6usize,
            begin in -7..=7i64,
            end in -7..=7i64,
            step in prop::sample::select(vec![-3i64, -2, -1, 2, 3]),
        ) {
            let (mut sliced, x) = graph(length);
            let mut inputs = vec![x];
            for (name, value) in [("begin", begin), ("end", end), ("axes", -1), ("steps", step)] {
                inputs.push(sliced.add_const(name, tensor1(&[value])).unwrap());
            }
            let op = StridedSlice {
                optional_axes_input: Some(3),
                optional_steps_input: Some(4),
                begin_mask: 0,
                end_mask: 0,
                shrink_axis_mask: 0,
            };
            // tract refuses some empty slices.
            let Ok(y) = sliced.wire_node("y", op, &inputs) else {
                return Ok(());
            };
            sliced.select_output_outlets(&y).unwrap();
            let picked = with_steps_picked(sliced.clone()).unwrap();
            prop_assert!(!picked.nodes().iter().any(|node| node.op_is::<StridedSlice>()));
            prop_assert_eq!(run(picked, length), run(sliced, length));
        }

        #[test]
        fn crops_by_negative_amounts(
            length in 5..=6usize,
            before in -2..=3isize,
            after in -2..=3isize,
        ) {
            let (mut padded, x) = graph(length);
            let pads = vec![(0, 0), (before as usize, after as usize)];
            let mode = PadMode::Constant(tensor0(-1f32).into_arc_tensor());
            let y = padded.wire_node("y", Pad { pads, mode }, &[x]).unwrap();
            padded.select_output_outlets(&y).unwrap();
            let expected = (0..2).flat_map(|row| {
                (-before..length as isize + after).map(move |at| {
                    let inside = (0..length as isize).contains(&at);
                    if inside { (row * length as isize + at) as f32 } else { -1.0 }
                })
            });
            let expected: Vec<f32> = expected.collect();
            prop_assert_eq!(run(decluttered(padded).unwrap(), length), expected);
        }
    }
}
