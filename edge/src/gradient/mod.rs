//! The gradient of a classifier's loss with respect to its input.
//!
//! Reverse-mode differentiation of tract's typed, decluttered graph. The nodes between the image
//! and the scores are visited from the last to the first; each has a rule ([`rules`]) that wires
//! ordinary tract operators for the gradient of its inputs, given that of its output. So one
//! planner runs forward and backward operators alike. Weights are constants: nothing is computed
//! for them.

mod builder;
pub(crate) mod operators;
mod rules;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, bail, ensure};
use serde::Serialize;
use tract_onnx::prelude::*;
use tract_onnx::tract_core::internal::*;
use tract_onnx::tract_core::ops::element_wise::ElementWiseOp;
use tract_onnx::tract_core::ops::nn::{Sigmoid, Softmax, SoftmaxKind};

use builder::Builder;

/// A node that no rule differentiates.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Blocker {
    /// Name of the node.
    pub node: String,
    /// Its operator.
    pub operator: String,
}

/// What the cross entropy is computed from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LossOf {
    /// Logits: what a softmax or sigmoid takes that ends the graph, else the outputs.
    Logits,
    /// The outputs, also where they are probabilities: what the study did to some models
    /// (SPEC §1.2).
    Outputs,
}

/// The nodes between the input and the output of `forward` that no rule differentiates, in order
/// of evaluation; none: the graph is differentiable.
///
/// # Errors
/// When the graph is broken.
pub(crate) fn blockers(forward: &TypedModel) -> TractResult<Vec<Blocker>> {
    let between = between(forward)?;
    let mut blockers = Vec::new();
    for id in forward.eval_order()? {
        let node = forward.node(id);
        if between.contains(&id) && rules::rule_of(forward, node).is_none() {
            blockers.push(Blocker {
                node: node.name.clone(),
                operator: node.op.name().into_owned(),
            });
        }
    }
    Ok(blockers)
}

/// Extends a graph with one image input of shape `[batch, …]` and one output of `[batch, classes]`
/// scores (or `[batch, classes, 1, …]`) by the gradient of the cross entropy.
///
/// Inputs: the image, and one row per image that is 1 at its true class and 0 elsewhere. Outputs:
/// the scores, the loss of each image, and the gradient of each image's loss, shaped as the image.
/// Scores stay as they are, whatever the loss is `of`.
///
/// # Errors
/// When an operator has no rule ([`blockers`] names all), or a shape is not known.
pub(crate) fn with_loss_gradient(forward: &TypedModel, of: LossOf) -> anyhow::Result<TypedModel> {
    if let Some(Blocker { node, operator }) = blockers(forward)?.first() {
        bail!("cannot differentiate {operator} (node '{node}')");
    }
    let mut graph = forward.clone();
    let image = *graph
        .input_outlets()?
        .first()
        .context("the graph has no input")?;
    let scores = *graph
        .output_outlets()?
        .first()
        .context("the graph has no output")?;
    let mut builder = Builder::new(&mut graph);
    let (source, moves) = match of {
        LossOf::Logits => logits(forward, scores)?,
        LossOf::Outputs => (scores, Vec::new()),
    };
    builder.within("loss");
    let mut logits = source;
    for op in &moves {
        logits = builder.wire(op.clone(), &[logits])?;
    }
    let (loss, mut slope) = cross_entropy(&mut builder, logits)?;
    for op in moves.iter().rev() {
        slope = builder.wire(op.recip(), &[slope])?;
    }
    let gradient = back(&mut builder, forward, (source, slope), image)?;
    ensure!(
        graph.outlet_fact(gradient)?.shape == graph.outlet_fact(image)?.shape,
        "the gradient is not shaped as the image"
    );
    graph.select_output_outlets(&[scores, loss, gradient])?;
    Ok(graph)
}

/// Wires the gradient in `input`, given that of one outlet.
fn back(
    builder: &mut Builder,
    forward: &TypedModel,
    (outlet, slope): (OutletId, OutletId),
    input: OutletId,
) -> anyhow::Result<OutletId> {
    let between = between(forward)?;
    let mut slopes = BTreeMap::from([(outlet, slope)]);
    for id in forward.eval_order()?.into_iter().rev() {
        let node = forward.node(id);
        let slope = slopes.get(&OutletId::new(id, 0)).copied();
        let rule = rules::rule_of(forward, node).filter(|_| between.contains(&id));
        let (Some(slope), Some(rule)) = (slope, rule) else {
            continue;
        };
        builder.within(&node.name);
        for (slot, part) in rule(builder, node, slope)? {
            let source = node.inputs[slot];
            let sum = match slopes.get(&source) {
                Some(&other) => builder.add(other, part)?,
                None => part,
            };
            slopes.insert(source, sum);
        }
    }
    slopes
        .get(&input)
        .copied()
        .context("no gradient reaches the image")
}

/// Nodes that depend on the input and that the output depends on, sources left out.
fn between(forward: &TypedModel) -> TractResult<BTreeSet<usize>> {
    let mut reached: BTreeSet<usize> = forward.input_outlets()?.iter().map(|o| o.node).collect();
    let sources = reached.clone();
    for id in forward.eval_order()? {
        if forward
            .node(id)
            .inputs
            .iter()
            .any(|i| reached.contains(&i.node))
        {
            reached.insert(id);
        }
    }
    // The order of evaluation holds only what the outputs need.
    Ok(reached.difference(&sources).copied().collect())
}

/// What a final softmax or sigmoid takes, and the operators after it, which only move axes; else the
/// scores.
fn logits(forward: &TypedModel, scores: OutletId) -> TractResult<(OutletId, Vec<AxisOp>)> {
    let (mut moves, mut last) = (Vec::new(), scores);
    while let Some(op) = forward.node(last.node).op_as::<AxisOp>() {
        moves.push(op.clone());
        last = forward.node(last.node).inputs[0];
    }
    let node = forward.node(last.node);
    let classes = forward.outlet_fact(scores)?.shape.get(1);
    let shape = &forward.outlet_fact(last)?.shape;
    let over_classes = |op: &Softmax| {
        op.kind == SoftmaxKind::Softmax && op.axes.len() == 1 && shape.get(op.axes[0]) == classes
    };
    let sigmoid = node.op_as::<ElementWiseOp>();
    let sigmoid = sigmoid.is_some_and(|op| op.0.is::<Sigmoid>());
    if sigmoid || node.op_as::<Softmax>().is_some_and(over_classes) {
        moves.reverse();
        Ok((node.inputs[0], moves))
    } else {
        Ok((scores, Vec::new()))
    }
}

/// Cross entropy with the rows of a new input, and its slope in the logits:
/// `loss = −Σ target · log softmax(z)`, `∂loss/∂z = softmax(z) − target` (rows sum to 1).
fn cross_entropy(builder: &mut Builder, logits: OutletId) -> anyhow::Result<(OutletId, OutletId)> {
    let shape = builder.shape(logits)?;
    ensure!(
        shape.len() >= 2 && shape[2..].iter().all(|&dim| dim == 1),
        "the scores have shape {shape:?}, expected one score per class"
    );
    let target = builder.source("target", logits, &shape[..2])?;
    let mut flat = logits;
    for axis in (2..shape.len()).rev() {
        flat = builder.wire(AxisOp::Rm(axis), &[flat])?;
    }
    let log = builder.softmax(flat, 1, SoftmaxKind::LogSoftmax)?;
    let weighted = builder.mul(target, log)?;
    let sum = builder.sum(weighted, &[1])?;
    let loss = builder.neg(sum)?;
    let probabilities = builder.softmax(flat, 1, SoftmaxKind::Softmax)?;
    let mut slope = builder.sub(probabilities, target)?;
    for axis in 2..shape.len() {
        slope = builder.wire(AxisOp::Add(axis), &[slope])?;
    }
    Ok((loss, slope))
}
