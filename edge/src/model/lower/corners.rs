//! Resizing between corners by a scale that fits no whole number of elements.

use tract_onnx::prelude::*;
use tract_onnx::tract_core::internal::*;
use tract_onnx::tract_core::ops::nn::Resize;
use tract_onnx::tract_core::ops::nn::resize::CoordTransformer;

/// Gives the resulting lengths in place of scales: ONNX and PyTorch place the last element of the
/// result at the last of the input, tract at a place that the rounded length no longer has.
pub(super) fn by_lengths(
    graph: &TypedModel,
    node: &TypedNode,
    op: &Resize,
) -> TractResult<Option<TypedModelPatch>> {
    let aligned = op.coord_transformer == CoordTransformer::AlignCorners;
    if !aligned || op.optional_scales_input.is_none() {
        return Ok(None);
    }
    let shape = graph.outlet_fact(node.id.into())?.shape.as_concrete();
    let lengths = shape.map(|shape| {
        shape
            .iter()
            .map(|&length| length as i64)
            .collect::<Vec<_>>()
    });
    let lengths = lengths.context("a shape that is not known before running")?;
    let mut patch = TypedModelPatch::default();
    let x = patch.tap_model(graph, node.inputs[0])?;
    let lengths = patch.add_const(format!("{}.lengths", node.name), tensor1(&lengths))?;
    let op = Resize {
        optional_scales_input: None,
        optional_sizes_input: Some(1),
        ..op.clone()
    };
    let found = patch.wire_node(&node.name, op, &[x, lengths])?[0];
    patch.shunt_outside(graph, node.id.into(), found)?;
    Ok(Some(patch))
}
