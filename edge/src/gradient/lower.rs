//! The forward graph in operators that tract can simplify further beside their gradient.

use anyhow::Context;
use tract_onnx::prelude::*;
use tract_onnx::tract_core::internal::*;
use tract_onnx::tract_core::ops::array::{Pad, PadMode, Slice};
use tract_onnx::tract_core::ops::downsample::Downsample;

/// A graph simplified as tract does, also where tract gives up on it for its subsampling.
///
/// # Errors
/// When the graph cannot be simplified either way.
pub(crate) fn decluttered(graph: TypedModel) -> TractResult<TypedModel> {
    match graph.clone().into_decluttered() {
        Ok(graph) => Ok(graph),
        Err(error) => match without_subsampling(graph).and_then(TypedModel::into_decluttered) {
            Ok(graph) => Ok(graph),
            Err(_) => Err(error),
        },
    }
}

/// A graph without subsampling: tract moves it before changes of axes, and gives up on the whole
/// graph where a reshape forbids that. So the axis is split into groups of which the first elements
/// are taken.
pub(super) fn without_subsampling(mut graph: TypedModel) -> TractResult<TypedModel> {
    let subsampled: Vec<usize> = graph
        .nodes()
        .iter()
        .filter(|node| node.op_as::<Downsample>().is_some_and(|op| op.stride > 0))
        .map(|node| node.id)
        .collect();
    for id in subsampled {
        let patch = grouped(&graph, graph.node(id))?;
        patch.apply(&mut graph)?;
    }
    Ok(graph)
}

fn grouped(graph: &TypedModel, node: &TypedNode) -> TractResult<TypedModelPatch> {
    let op = node.op_as::<Downsample>().context("a subsampling")?;
    let (axis, stride) = (op.axis, op.stride.unsigned_abs());
    let fact = graph.outlet_fact(node.inputs[0])?;
    let length = fact.shape[axis].to_usize()?;
    let kept = node.outputs[0].fact.shape[axis].to_usize()?;
    let end = length.min(op.modulo + kept * stride);
    let mut pads = vec![(0, 0); fact.rank()];
    pads[axis] = (0, op.modulo + kept * stride - end);
    let zero = tensor0(0f32).cast_to_dt(fact.datum_type)?.into_owned();
    let mode = PadMode::Constant(zero.into_arc_tensor());
    let groups = tvec!(kept.to_dim(), stride.to_dim());
    let mut patch = TypedModelPatch::default();
    let mut wire = patch.tap_model(graph, node.inputs[0])?;
    let steps: [Box<dyn TypedOp>; 5] = [
        Box::new(Slice::new(axis, op.modulo, end)),
        Box::new(Pad { pads, mode }),
        Box::new(AxisOp::Reshape(
            axis,
            tvec!((kept * stride).to_dim()),
            groups,
        )),
        Box::new(Slice::new(axis + 1, 0, 1)),
        Box::new(AxisOp::Rm(axis + 1)),
    ];
    for (step, op) in steps.into_iter().enumerate() {
        let name = format!("{}.{step}", node.name);
        wire = *patch
            .wire_node(name, op, &[wire])?
            .first()
            .context("an operator without output")?;
    }
    patch.shunt_outside(graph, OutletId::new(node.id, 0), wire)?;
    Ok(patch)
}
