//! A graph under construction: values with shapes, and the nodes that make them.

use std::collections::BTreeMap;
use std::sync::Arc;

/// Something a node takes or makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Value(usize);

/// The numbers of a constant.
#[derive(Clone, Debug)]
pub(super) enum Numbers {
    Float(Arc<[f32]>),
    /// Indices of a gathering.
    Index(Arc<[i32]>),
    /// A shape or axes.
    Size(Arc<[i64]>),
}

/// An attribute of a node.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Attribute {
    Int(i64),
    Ints(Vec<i64>),
}

impl Attribute {
    /// Lengths as ONNX writes them.
    pub(super) fn ints(values: &[usize]) -> Self {
        Self::Ints(values.iter().map(|&v| v as i64).collect())
    }
}

/// One ONNX operator.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) operator: &'static str,
    pub(super) inputs: Vec<Value>,
    pub(super) output: Value,
    pub(super) attributes: Vec<(&'static str, Attribute)>,
    /// Name of the node of the source graph that it serves.
    pub(super) place: String,
}

struct Fact {
    shape: Vec<usize>,
    constant: Option<Numbers>,
}

/// Values and nodes, in order of evaluation.
#[derive(Default)]
pub(super) struct Program {
    facts: Vec<Fact>,
    pub(super) nodes: Vec<Node>,
    /// Inputs with their names.
    pub(super) inputs: Vec<(String, Value)>,
    pub(super) outputs: Vec<Value>,
}

impl Program {
    pub(super) fn value(&mut self, shape: &[usize], constant: Option<Numbers>) -> Value {
        let shape = shape.to_vec();
        self.facts.push(Fact { shape, constant });
        Value(self.facts.len() - 1)
    }

    pub(super) fn shape(&self, value: Value) -> &[usize] {
        &self.facts[value.0].shape
    }

    pub(super) fn len(&self, value: Value) -> usize {
        self.shape(value).iter().product()
    }

    pub(super) fn constant(&self, value: Value) -> Option<&Numbers> {
        self.facts[value.0].constant.as_ref()
    }

    /// The numbers of a constant of floats.
    pub(super) fn floats(&self, value: Value) -> Option<&Arc<[f32]>> {
        match self.constant(value) {
            Some(Numbers::Float(floats)) => Some(floats),
            _ => None,
        }
    }

    /// Takes out nodes whose outputs nothing uses.
    pub(super) fn prune(&mut self) {
        let mut used = vec![false; self.facts.len()];
        for output in &self.outputs {
            used[output.0] = true;
        }
        let mut kept = Vec::with_capacity(self.nodes.len());
        for node in std::mem::take(&mut self.nodes).into_iter().rev() {
            if used[node.output.0] {
                for input in &node.inputs {
                    used[input.0] = true;
                }
                kept.push(node);
            }
        }
        kept.reverse();
        self.nodes = kept;
    }

    /// The nodes that take each value, by their place in the list, once per node.
    pub(super) fn consumers(&self) -> BTreeMap<Value, Vec<usize>> {
        let mut consumers = BTreeMap::<Value, Vec<usize>>::new();
        for (index, node) in self.nodes.iter().enumerate() {
            for &input in &node.inputs {
                let list = consumers.entry(input).or_default();
                if list.last() != Some(&index) {
                    list.push(index);
                }
            }
        }
        consumers
    }

    /// The name of a value in the ONNX file.
    pub(super) fn name(&self, value: Value) -> String {
        let input = self.inputs.iter().find(|(_, input)| *input == value);
        input.map_or_else(|| format!("v{}", value.0), |(name, _)| name.clone())
    }
}
