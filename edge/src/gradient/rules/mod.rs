//! One rule per operator: from the gradient of its output to those of its inputs.
//!
//! In formulas, `x` is an input, `y` the output, `g` the gradient of the loss in `y`, and every
//! product of equal shapes is element-wise. At ties and kinks, rules follow PyTorch.

mod axes;
mod binary;
mod convolution;
mod einsum;
mod elementwise;
mod layout;
mod pooling;
mod reduction;
mod resample;

use tract_onnx::prelude::*;
use tract_onnx::tract_core::internal::*;
use tract_onnx::tract_core::ops::array::{
    CumSum, Gather, MultiBroadcastTo, Pad, Slice, Tile, Topk, TypedConcat,
};
use tract_onnx::tract_core::ops::binary::TypedBinOp;
use tract_onnx::tract_core::ops::cast::Cast;
use tract_onnx::tract_core::ops::cnn::{Conv, Deconv, MaxPool, SumPool};
use tract_onnx::tract_core::ops::downsample::Downsample;
use tract_onnx::tract_core::ops::einsum::EinSum;
use tract_onnx::tract_core::ops::element_wise::ElementWiseOp;
use tract_onnx::tract_core::ops::logic::Iff;
use tract_onnx::tract_core::ops::nn::{NearestUpsample, Reduce, Resize, RmsNorm, Softmax};

use super::builder::Builder;

/// Gradients of some of a node's inputs, by input slot.
pub(super) type Parts = Vec<(usize, OutletId)>;

/// Wires the gradients of a node's inputs, given that of its output. Inputs that nothing depends
/// on may be left out.
pub(super) type Rule = fn(&mut Builder, &TypedNode, OutletId) -> TractResult<Parts>;

/// The rule of a node; `None` where there is none.
pub(super) fn rule_of(graph: &TypedModel, node: &TypedNode) -> Option<Rule> {
    let op: &dyn TypedOp = &*node.op;
    let kind = graph
        .outlet_fact(OutletId::new(node.id, 0))
        .ok()?
        .datum_type;
    if kind == DatumType::Bool {
        return Some(flat);
    }
    if !kind.is_float() {
        // Quantised: what flows around the integers, such as a scale, is no gradient of the whole.
        return None;
    }
    if let Some(op) = op.downcast_ref::<ElementWiseOp>() {
        return elementwise::rule_of(op);
    }
    if let Some(op) = op.downcast_ref::<TypedBinOp>() {
        return binary::rule_of(op);
    }
    if let Some(op) = op.downcast_ref::<Reduce>() {
        return reduction::rule_of(op);
    }
    let rules: [(bool, Rule); 22] = [
        (op.is::<AxisOp>(), axes::axis_op),
        (op.is::<MultiBroadcastTo>(), axes::broadcast),
        (op.is::<TypedConcat>(), axes::concat),
        (op.is::<Slice>(), axes::slice),
        (
            op.downcast_ref::<Pad>().is_some_and(axes::is_constant_pad),
            axes::pad,
        ),
        (
            op.is::<Gather>() && is_constant(graph, node, 1),
            axes::gather,
        ),
        (
            op.downcast_ref::<Pad>().is_some_and(resample::is_border),
            resample::border,
        ),
        (
            op.downcast_ref::<Resize>()
                .is_some_and(|op| resample::is_fixed(op, graph, node)),
            resample::resize,
        ),
        (op.is::<NearestUpsample>(), resample::nearest),
        (op.is::<Tile>(), resample::tile),
        (op.is::<CumSum>(), resample::running_sum),
        (op.is::<Downsample>(), axes::downsample),
        (op.is::<Topk>(), axes::largest),
        (
            op.downcast_ref::<Deconv>()
                .is_some_and(convolution::is_plain_transposed)
                && is_constant(graph, node, 1),
            convolution::deconvolution,
        ),
        (op.is::<Iff>(), binary::iff),
        (
            op.downcast_ref::<Cast>().is_some_and(|c| c.to.is_float()),
            elementwise::cast,
        ),
        (op.is::<Softmax>(), reduction::softmax),
        (op.is::<RmsNorm>(), reduction::rms_norm),
        (
            op.downcast_ref::<EinSum>().is_some_and(einsum::is_plain),
            einsum::einsum,
        ),
        (
            op.downcast_ref::<Conv>().is_some_and(convolution::is_plain)
                && is_constant(graph, node, 1),
            convolution::conv,
        ),
        (
            op.downcast_ref::<MaxPool>()
                .is_some_and(pooling::is_plain_max),
            pooling::max,
        ),
        (op.is::<SumPool>(), pooling::sum),
    ];
    first_fit(rules)
}

/// The rule of the first condition that holds.
fn first_fit(rules: impl IntoIterator<Item = (bool, Rule)>) -> Option<Rule> {
    let mut rules = rules.into_iter();
    rules.find_map(|(fits, rule)| fits.then_some(rule))
}

fn is_constant(graph: &TypedModel, node: &TypedNode, slot: usize) -> bool {
    node.inputs
        .get(slot)
        .and_then(|&input| graph.outlet_fact(input).ok())
        .is_some_and(|fact| fact.konst.is_some())
}

/// A condition: `x` gets nothing.
fn flat(_: &mut Builder, _: &TypedNode, _: OutletId) -> TractResult<Parts> {
    Ok(Vec::new())
}
