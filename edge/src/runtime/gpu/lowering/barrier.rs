//! Keeping wonnx from computing shared values again.
//!
//! wonnx rebuilds a chain of nodes with one changing input each for every node at which such a
//! chain ends, so a value with two users may be computed twice, and everything in front of it.
//! Values that come out of a node with two changing inputs are computed once; `(x − x) + x` is such
//! a node and leaves every finite `x` as it is, however large.

use std::collections::BTreeMap;

use super::program::{Node, Program, Value};

/// What is not worth a barrier, in passes over a value: a barrier is two.
const BARRIER: u64 = 2;

/// Adds a barrier wherever computing a chain again costs more.
pub(super) fn add_barriers(program: &mut Program) {
    let shared = shared(program);
    let mut nodes = Vec::with_capacity(program.nodes.len() + 2 * shared.len());
    let mut renamed = BTreeMap::<Value, Value>::new();
    for mut node in std::mem::take(&mut program.nodes) {
        for input in &mut node.inputs {
            *input = renamed.get(input).copied().unwrap_or(*input);
        }
        let (output, place) = (node.output, node.place.clone());
        nodes.push(node);
        if shared.contains(&output) {
            let shape = program.shape(output).to_vec();
            let [nothing, once] = [(); 2].map(|()| program.value(&shape, None));
            for (operator, inputs, output) in [
                ("Sub", vec![output, output], nothing),
                ("Add", vec![nothing, output], once),
            ] {
                nodes.push(Node {
                    operator,
                    inputs,
                    output,
                    attributes: Vec::new(),
                    place: place.clone(),
                });
            }
            renamed.insert(output, once);
        }
    }
    program.nodes = nodes;
}

/// The values to put a barrier behind.
fn shared(program: &Program) -> Vec<Value> {
    let chain: Vec<bool> = program.nodes.iter().map(|n| is_chain(program, n)).collect();
    let costs = costs(program, &chain);
    let consumers = program.consumers();
    // How many chains go through each value; those that end at it count as one.
    let mut ends = BTreeMap::<Value, u64>::new();
    let mut shared = Vec::new();
    for node in program.nodes.iter().rev() {
        let users = consumers.get(&node.output).map_or(&[][..], Vec::as_slice);
        let returned = program.outputs.contains(&node.output);
        let ends_here = returned || users.iter().any(|&user| !chain[user]);
        let through = users.iter().filter(|&&user| chain[user]);
        let through =
            through.map(|&user| ends.get(&program.nodes[user].output).copied().unwrap_or(1));
        let mut count = u64::from(ends_here) + through.sum::<u64>();
        let cost = costs.get(&node.output).copied().unwrap_or(0);
        if count > 1 && users.len() + usize::from(returned) > 1 && (count - 1) * cost > BARRIER {
            shared.push(node.output);
            count = 1;
        }
        ends.insert(node.output, count);
    }
    shared
}

/// Whether exactly one input changes from run to run.
fn is_chain(program: &Program, node: &Node) -> bool {
    let changing = node
        .inputs
        .iter()
        .filter(|&&v| program.constant(v).is_none());
    changing.count() == 1
}

/// Passes over memory that make each value out of the start of its chain; 0 for others.
fn costs(program: &Program, chain: &[bool]) -> BTreeMap<Value, u64> {
    let mut costs = BTreeMap::new();
    for (node, &chain) in program.nodes.iter().zip(chain) {
        if !chain {
            continue;
        }
        let own = match node.operator {
            "Reshape" => 0,
            "Conv" => 16,
            "Softmax" | "MaxPool" => 4,
            _ => 1,
        };
        let before = node.inputs.iter().filter_map(|input| costs.get(input));
        let before: u64 = before.copied().max().unwrap_or(0);
        costs.insert(node.output, before + own);
    }
    costs
}
