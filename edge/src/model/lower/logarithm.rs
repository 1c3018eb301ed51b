//! Logarithms of exponentials in forms that neither overflow nor lose small numbers: tract computes
//! them step by step, so that a score of 89 becomes infinite and a log-probability of −104 minus
//! infinity.

use tract_onnx::prelude::*;
use tract_onnx::tract_core::ops::binary::TypedBinOp;
use tract_onnx::tract_core::ops::element_wise::ElementWiseOp;
use tract_onnx::tract_core::ops::math::{self, Add, Exp, Ln, Sub};
use tract_onnx::tract_core::ops::nn::{Reduce, Reducer, Softmax, SoftmaxKind};

/// Rewrites `ln softmax x`, `ln Σ exp x` and `ln (1 + exp x)`.
pub(super) fn stable(
    graph: &TypedModel,
    node: &TypedNode,
    op: &ElementWiseOp,
) -> TractResult<Option<TypedModelPatch>> {
    let fact = graph.outlet_fact(node.inputs[0])?;
    if !op.0.is::<Ln>() || fact.datum_type != f32::datum_type() {
        return Ok(None);
    }
    let inner = graph.node(node.inputs[0].node);
    let mut patch = TypedModelPatch::default();
    let found = if let Some(op) = inner.op_as::<Softmax>() {
        log_softmax(graph, node, inner, op, &mut patch)?
    } else if let Some(op) = inner.op_as::<Reduce>() {
        log_sum_exp(graph, node, inner, op, &mut patch)?
    } else {
        softplus(graph, node, inner, &mut patch)?
    };
    let Some(found) = found else { return Ok(None) };
    patch.shunt_outside(graph, node.id.into(), found)?;
    Ok(Some(patch))
}

fn log_softmax(
    graph: &TypedModel,
    node: &TypedNode,
    inner: &TypedNode,
    op: &Softmax,
    patch: &mut TypedModelPatch,
) -> TractResult<Option<OutletId>> {
    if op.kind != SoftmaxKind::Softmax {
        return Ok(None);
    }
    let op = Softmax {
        kind: SoftmaxKind::LogSoftmax,
        ..op.clone()
    };
    let x = patch.tap_model(graph, inner.inputs[0])?;
    Ok(Some(patch.wire_node(&node.name, op, &[x])?[0]))
}

/// `m + ln Σ exp (x − m)` with the largest `x` as `m`; its own gradient cancels out.
fn log_sum_exp(
    graph: &TypedModel,
    node: &TypedNode,
    inner: &TypedNode,
    op: &Reduce,
    patch: &mut TypedModelPatch,
) -> TractResult<Option<OutletId>> {
    let Some(x) = exponent(graph, inner.inputs[0]).filter(|_| op.reducer == Reducer::Sum) else {
        return Ok(None);
    };
    if is_below_largest(graph, x) {
        return Ok(None);
    }
    let name = &node.name;
    let x = patch.tap_model(graph, x)?;
    let most = Reduce::new(op.axes.clone(), Reducer::Max);
    let most = patch.wire_node(format!("{name}.largest"), most, &[x])?[0];
    let below = patch.wire_node(format!("{name}.below"), math::sub(), &[x, most])?;
    let powers = patch.wire_node(format!("{name}.powers"), math::exp(), &below)?;
    let sum = patch.wire_node(format!("{name}.sum"), op.clone(), &powers)?;
    let log = patch.wire_node(format!("{name}.log"), math::ln(), &sum)?[0];
    Ok(Some(patch.wire_node(name, math::add(), &[log, most])?[0]))
}

/// `m + ln (exp (−m) + exp (x − m))` with the larger of `x` and 0 as `m`.
fn softplus(
    graph: &TypedModel,
    node: &TypedNode,
    inner: &TypedNode,
    patch: &mut TypedModelPatch,
) -> TractResult<Option<OutletId>> {
    let [a, b] = inner.inputs[..] else {
        return Ok(None);
    };
    let is_sum = inner
        .op_as::<TypedBinOp>()
        .is_some_and(|op| op.0.is::<Add>());
    let (x, one) = match (exponent(graph, a), exponent(graph, b)) {
        (Some(x), None) => (x, b),
        (None, Some(x)) => (x, a),
        _ => return Ok(None),
    };
    let one = graph.outlet_fact(one)?.konst.as_ref();
    let one = one
        .filter(|one| one.len() == 1)
        .map(|one| one.cast_to_scalar::<f32>());
    if !is_sum || one.transpose()? != Some(1.0) {
        return Ok(None);
    }
    let name = &node.name;
    let zero = tensor0(0f32).broadcast_into_rank(graph.outlet_fact(x)?.rank())?;
    let zero = patch.add_const(format!("{name}.zero"), zero)?;
    let x = patch.tap_model(graph, x)?;
    let most = patch.wire_node(format!("{name}.largest"), math::max(), &[x, zero])?[0];
    let mut powers = tvec!();
    for (part, value) in [("one", zero), ("x", x)] {
        let below = patch.wire_node(format!("{name}.{part}.below"), math::sub(), &[value, most])?;
        powers.push(patch.wire_node(format!("{name}.{part}.power"), math::exp(), &below)?[0]);
    }
    let sum = patch.wire_node(format!("{name}.sum"), math::add(), &powers)?;
    let log = patch.wire_node(format!("{name}.log"), math::ln(), &sum)?[0];
    Ok(Some(patch.wire_node(name, math::add(), &[log, most])?[0]))
}

/// What a value is the exponential of.
fn exponent(graph: &TypedModel, outlet: OutletId) -> Option<OutletId> {
    let node = graph.node(outlet.node);
    let op = node.op_as::<ElementWiseOp>()?;
    op.0.is::<Exp>().then(|| node.inputs[0])
}

/// Whether the largest is taken off already.
fn is_below_largest(graph: &TypedModel, outlet: OutletId) -> bool {
    let node = graph.node(outlet.node);
    let is_difference = node
        .op_as::<TypedBinOp>()
        .is_some_and(|op| op.0.is::<Sub>());
    let largest = node.inputs.get(1).map(|input| graph.node(input.node));
    let largest = largest.and_then(|node| node.op_as::<Reduce>());
    is_difference && largest.is_some_and(|op| op.reducer == Reducer::Max)
}
