//! Lowered graphs against tract: read again by tract, and on an adapter where there is one.

mod barriers;
mod conformance;
mod engines;
mod models;
mod operators;
mod properties;
mod refusals;

use tract_onnx::tract_core::internal::*;

use super::*;
use crate::perturb::rng::SplitMix64;

/// A graph of one input and what `wire` makes of it, decluttered.
fn graph(
    shape: &[usize],
    wire: impl FnOnce(&mut TypedModel, OutletId) -> TractResult<OutletId>,
) -> TypedModel {
    let mut graph = TypedModel::default();
    let x = graph.add_source("x", f32::fact(shape)).unwrap();
    let y = wire(&mut graph, x).unwrap();
    graph.select_output_outlets(&[y]).unwrap();
    graph
}

/// Numbers within ±1.5.
fn numbers(seed: u64, count: usize) -> Vec<f32> {
    let mut rng = SplitMix64::new(seed);
    (0..count)
        .map(|_| rng.integer(-1500, 1500) as f32 / 1000.0)
        .collect()
}

fn constant(graph: &mut TypedModel, seed: u64, shape: &[usize]) -> TractResult<OutletId> {
    let numbers = numbers(seed, shape.iter().product());
    let name = format!("constant.{}", graph.nodes().len());
    graph.add_const(name, Tensor::from_shape(shape, &numbers)?)
}

/// The largest difference of two lists of outputs, over the largest number of the first.
fn difference(expected: &[Vec<f32>], found: &[Vec<f32>]) -> f32 {
    assert_eq!(expected.len(), found.len());
    let mut worst = 0f32;
    for (expected, found) in expected.iter().zip(found) {
        assert_eq!(expected.len(), found.len(), "outputs of other lengths");
        let size = expected.iter().fold(1e-6f32, |most, v| most.max(v.abs()));
        for (a, b) in expected.iter().zip(found) {
            // Equal infinities are no difference; what is not a number is one.
            let gap = if a == b { 0.0 } else { (a - b).abs() / size };
            worst = if gap <= worst { worst } else { gap };
        }
    }
    worst
}
