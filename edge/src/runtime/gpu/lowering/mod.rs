//! From tract's typed graph to the dialect of ONNX that wonnx 0.5.1 computes correctly.
//!
//! wonnx knows few operators and computes some of their forms wrongly without a word. A graph is
//! rewritten into forms that were compared with other engines: [`emit`] offers no others, [`rules`]
//! express tract's operators in them, [`barrier`] keeps wonnx from computing shared values again,
//! and [`check`] looks over every result, sizes included.

mod barrier;
mod check;
mod emit;
mod onnx;
mod program;
mod rules;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use anyhow::Context;
use prost::Message;
use tract_onnx::prelude::*;

use emit::Emitter;
use program::{Program, Value};
use rules::Lowering;

/// A value that a lowered model takes or returns: always f32, flat and row by row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Port {
    /// Its name in the lowered model.
    pub name: String,
    /// Its shape.
    pub shape: Vec<usize>,
}

/// A model that wonnx computes correctly.
#[derive(Clone, Debug)]
pub struct Lowered {
    /// The ONNX file.
    pub onnx: Vec<u8>,
    /// The source graph's inputs in its order.
    pub inputs: Vec<Port>,
    /// The source graph's outputs in its order.
    pub outputs: Vec<Port>,
    /// Operators in the file.
    pub nodes: usize,
}

/// Why a graph cannot be lowered.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// An operator, or a form of it, that has no proven form in wonnx.
    #[error("cannot lower {operator} (node '{node}'): {reason}")]
    Operator {
        /// Name of the node in the source graph.
        node: String,
        /// tract's name of its operator.
        operator: String,
        /// What about it.
        reason: String,
    },
    /// The lowered model breaks a limit of wonnx.
    #[error("{operator} (node '{node}') {reason}")]
    Limit {
        /// Name of the node in the lowered model: that of the source graph, `#` and a number.
        node: String,
        /// ONNX operator.
        operator: String,
        /// Which limit, and by how much.
        reason: String,
    },
    /// The graph is broken.
    #[error("{0}")]
    Graph(String),
}

impl Refusal {
    fn graph(error: &anyhow::Error) -> Self {
        Self::Graph(format!("{error:#}"))
    }
}

/// Lowers a decluttered graph of f32 values whose shapes are all known.
///
/// # Errors
/// Names the first operator that has no proven form, or the limit that is exceeded.
pub(crate) fn lower(graph: &TypedModel) -> Result<Lowered, Refusal> {
    let (program, inputs) = rewritten(graph)?;
    packed(&program, &inputs)
}

/// The operators that [`lower`] would make of a graph: without the file, which holds the weights
/// once more.
///
/// # Errors
/// As [`lower`].
pub(crate) fn count(graph: &TypedModel) -> Result<usize, Refusal> {
    let (program, _) = rewritten(graph)?;
    check::check(&onnx::outline(&program))?;
    Ok(program.nodes.len())
}

/// The program of a graph, and its inputs in the order of the graph.
fn rewritten(graph: &TypedModel) -> Result<(Program, Vec<Value>), Refusal> {
    let mut lowering = Lowering {
        graph,
        emit: Emitter::default(),
        values: BTreeMap::new(),
    };
    let order = graph.eval_order().map_err(|error| Refusal::graph(&error))?;
    for id in order {
        let node = graph.node(id);
        lowering.emit.within(&node.name);
        lowering.node(node).map_err(|error| Refusal::Operator {
            node: node.name.clone(),
            operator: node.op.name().into_owned(),
            reason: format!("{error:#}"),
        })?;
    }
    finish(lowering).map_err(|error| Refusal::graph(&error))
}

fn finish(mut lowering: Lowering) -> anyhow::Result<(Program, Vec<Value>)> {
    let graph = lowering.graph;
    for &outlet in graph.output_outlets()? {
        let value = lowering.value(outlet)?;
        lowering.emit.output(value)?;
    }
    // Sources come in the order of evaluation, inputs in that of the graph.
    let mut inputs = Vec::new();
    for &outlet in graph.input_outlets()? {
        inputs.push(lowering.value(outlet).context("an input is missing")?);
    }
    Ok((lowering.emit.finish(), inputs))
}

/// Writes a program whose inputs come in the given order.
fn packed(program: &Program, inputs: &[Value]) -> Result<Lowered, Refusal> {
    let model = onnx::model(program);
    check::check(&model)?;
    let port = |&value: &Value| Port {
        name: program.name(value),
        shape: program.shape(value).to_vec(),
    };
    Ok(Lowered {
        onnx: model.encode_to_vec(),
        inputs: inputs.iter().map(port).collect(),
        outputs: program.outputs.iter().map(port).collect(),
        nodes: program.nodes.len(),
    })
}
