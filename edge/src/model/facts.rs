//! What can be counted in a model file: parameters, multiply–accumulates, operators.

use std::collections::{BTreeMap, BTreeSet};

use tract_onnx::pb::tensor_proto::DataType;
use tract_onnx::pb::{GraphProto, NodeProto, TensorProto};
use tract_onnx::prelude::*;
use tract_onnx::tract_core::internal::Cost;
use tract_onnx::tract_core::ops::cnn::{Conv, Deconv};
use tract_onnx::tract_core::ops::einsum::EinSum;

use super::onnx::stored_tensors;

/// Number of nodes by operator, or of bytes by element type.
pub type Histogram = BTreeMap<String, u64>;

/// Counts trained parameters (SPEC §1.9): elements of float initializers, each once, without the
/// running statistics of BatchNormalization (inputs 3 and 4).
///
/// A float tensor of a `Constant` node counts where a node takes it as a weight or bias (some
/// exporters store weights so); other constants (clip limits, scales) are not trained. Batch
/// normalisation folded into a convolution hides one value per channel from this count.
pub(super) fn parameters(graph: &GraphProto) -> u64 {
    let inputs = || {
        graph.node.iter().flat_map(|node| {
            node.input
                .iter()
                .enumerate()
                .map(move |(i, name)| (node, i, name.as_str()))
        })
    };
    let statistics: BTreeSet<&str> = inputs()
        .filter(|(node, i, _)| node.op_type == "BatchNormalization" && (3..5).contains(i))
        .map(|(_, _, name)| name)
        .collect();
    let weights: BTreeSet<&str> = inputs()
        .filter(|(node, i, _)| takes_weight(node, *i))
        .map(|(_, _, name)| name)
        .collect();
    let initializers = graph
        .initializer
        .iter()
        .map(|tensor| (tensor.name.as_str(), tensor));
    let constants = graph
        .node
        .iter()
        .filter(|node| node.op_type == "Constant")
        .filter_map(|node| {
            let value = node
                .attribute
                .iter()
                .find(|a| a.name == "value")?
                .t
                .as_ref()?;
            let name = node.output.first()?.as_str();
            weights.contains(name).then_some((name, value))
        });
    let trained: BTreeMap<&str, u64> = initializers
        .chain(constants)
        .filter(|(name, tensor)| is_float(tensor) && !statistics.contains(name))
        .map(|(name, tensor)| (name, elements(tensor)))
        .collect();
    let inner = graph.node.iter().flat_map(|node| &node.attribute);
    let inner = inner.flat_map(|attribute| attribute.g.iter().chain(&attribute.graphs));
    trained.values().sum::<u64>() + inner.map(parameters).sum::<u64>()
}

fn takes_weight(node: &NodeProto, input: usize) -> bool {
    match node.op_type.as_str() {
        "Conv" | "ConvTranspose" | "Gemm" | "PRelu" => input >= 1,
        "MatMul" => true,
        "BatchNormalization"
        | "InstanceNormalization"
        | "LayerNormalization"
        | "GroupNormalization" => (1..3).contains(&input),
        _ => false,
    }
}

fn is_float(tensor: &TensorProto) -> bool {
    [
        DataType::Float,
        DataType::Float16,
        DataType::Bfloat16,
        DataType::Double,
    ]
    .iter()
    .any(|kind| *kind as i32 == tensor.data_type)
}

fn elements(tensor: &TensorProto) -> u64 {
    let sizes = tensor
        .dims
        .iter()
        .map(|&dim| u64::try_from(dim).unwrap_or(0));
    sizes.fold(1, u64::saturating_mul)
}

/// Bytes of all tensors in the file by element type: weights, and the few constants beside them.
/// Types that hold no numbers are left out.
pub(super) fn weight_bytes(graph: &GraphProto) -> Histogram {
    let mut bytes = Histogram::new();
    for tensor in stored_tensors(graph) {
        if let Some((name, bits)) = element(tensor) {
            let size = elements(tensor).saturating_mul(bits).div_ceil(8);
            let sum = bytes.entry(name.to_owned()).or_default();
            *sum = sum.saturating_add(size);
        }
    }
    bytes
}

/// Name and bits of a tensor's elements.
fn element(tensor: &TensorProto) -> Option<(&'static str, u64)> {
    Some(match DataType::try_from(tensor.data_type).ok()? {
        DataType::Float => ("float32", 32),
        DataType::Float16 => ("float16", 16),
        DataType::Bfloat16 => ("bfloat16", 16),
        DataType::Double => ("float64", 64),
        DataType::Int8 => ("int8", 8),
        DataType::Uint8 => ("uint8", 8),
        DataType::Int16 => ("int16", 16),
        DataType::Uint16 => ("uint16", 16),
        DataType::Int32 => ("int32", 32),
        DataType::Uint32 => ("uint32", 32),
        DataType::Int64 => ("int64", 64),
        DataType::Uint64 => ("uint64", 64),
        DataType::Bool => ("bool", 8),
        _ => return None,
    })
}

/// ONNX operators of a graph, subgraphs included.
pub(super) fn onnx_operators(graph: &GraphProto) -> Histogram {
    let mut counts = Histogram::new();
    count_operators(graph, &mut counts);
    counts
}

fn count_operators(graph: &GraphProto, counts: &mut Histogram) {
    for node in &graph.node {
        *counts.entry(node.op_type.clone()).or_default() += 1;
        for attribute in &node.attribute {
            for inner in attribute.g.iter().chain(&attribute.graphs) {
                count_operators(inner, counts);
            }
        }
    }
}

/// Operators of tract's decluttered graph, constants and sources left out.
pub(super) fn tract_operators(model: &TypedModel) -> Histogram {
    let mut counts = Histogram::new();
    for node in model.nodes() {
        let name = node.op().name();
        if name != "Const" && name != "Source" {
            *counts.entry(name.into_owned()).or_default() += 1;
        }
    }
    counts
}

/// Multiply–accumulates of one run of a decluttered graph with concrete shapes: convolutions and
/// tensor contractions, as the field counts them (element-wise work, pooling and normalisation
/// left out). `None` where an operator hides contractions that cannot be counted.
pub(super) fn macs(model: &TypedModel) -> Option<u64> {
    let mut total = 0_u64;
    for node in model.nodes() {
        let facts = model.node_input_facts(node.id).ok()?;
        let count = if node.op_is::<Conv>() || node.op_is::<EinSum>() {
            fused_multiply_adds(&node.op.cost(&facts).ok()?)?
        } else if let Some(op) = node.op_as::<Deconv>() {
            deconvolution(op, facts.first()?, facts.get(1)?)?
        } else if hides_work(&node.op().name()) {
            return None;
        } else {
            0
        };
        total = total.checked_add(count)?;
    }
    Some(total)
}

fn fused_multiply_adds(costs: &[(Cost, TDim)]) -> Option<u64> {
    let fma = costs
        .iter()
        .filter(|(cost, _)| matches!(cost, Cost::FMA(_)));
    let counts = fma.map(|(_, count)| count.to_i64().ok().and_then(|n| u64::try_from(n).ok()));
    counts.sum()
}

/// Every weight meets every input position of its channel once.
fn deconvolution(op: &Deconv, input: &TypedFact, kernel: &TypedFact) -> Option<u64> {
    let shape = op
        .pool_spec
        .data_format
        .shape(input.shape.as_concrete()?.to_vec())
        .ok()?;
    let positions = shape.n().copied().unwrap_or(1) * shape.hw_dims().iter().product::<usize>();
    let weights: usize = kernel.shape.as_concrete()?.iter().product();
    u64::try_from(positions.checked_mul(weights)?).ok()
}

fn hides_work(operator: &str) -> bool {
    ["Scan", "IfThenElse", "Sdpa", "FlashSdpa"].contains(&operator)
}
