//! Running graphs and lowered models.

use std::collections::HashMap;
use std::sync::OnceLock;

use tract_onnx::prelude::*;

use super::super::Lowered;
use crate::model::quiet;
use crate::runtime::gpu::test_adapter;
use crate::runtime::gpu::wait::block_on;

/// The outputs of a graph on tract.
pub(super) fn source(graph: &TypedModel, inputs: &[Vec<f32>]) -> Vec<Vec<f32>> {
    let shapes = graph.input_outlets().unwrap().iter().map(|outlet| {
        let fact = graph.outlet_fact(*outlet).unwrap();
        fact.shape.as_concrete().unwrap().to_vec()
    });
    run(graph.clone(), &shapes.collect::<Vec<_>>(), inputs)
}

/// The outputs of a lowered model on tract: shows what it means, not what wonnx makes of it.
pub(super) fn reread(lowered: &Lowered, inputs: &[Vec<f32>]) -> Vec<Vec<f32>> {
    let graph = tract_onnx::onnx()
        .model_for_read(&mut &lowered.onnx[..])
        .unwrap()
        .into_typed()
        .unwrap();
    // The file lists inputs in the order of evaluation.
    let names = graph.input_outlets().unwrap().iter();
    let names = names.map(|outlet| &graph.node(outlet.node).name);
    let places = names.map(|name| lowered.inputs.iter().position(|p| p.name == *name).unwrap());
    let places: Vec<usize> = places.collect();
    let shapes: Vec<Vec<usize>> = places
        .iter()
        .map(|&at| lowered.inputs[at].shape.clone())
        .collect();
    let inputs: Vec<Vec<f32>> = places.iter().map(|&at| inputs[at].clone()).collect();
    for (index, port) in lowered.outputs.iter().enumerate() {
        let fact = graph.output_fact(index).unwrap();
        assert_eq!(fact.shape.as_concrete().unwrap(), port.shape);
    }
    run(graph, &shapes, &inputs)
}

fn run(graph: TypedModel, shapes: &[Vec<usize>], inputs: &[Vec<f32>]) -> Vec<Vec<f32>> {
    let inputs = shapes
        .iter()
        .zip(inputs)
        .map(|(shape, numbers)| Tensor::from_shape(shape, numbers).unwrap().into_tvalue());
    let plan = graph.into_optimized().unwrap().into_runnable().unwrap();
    let outputs = plan.run(inputs.collect()).unwrap();
    let floats = outputs.iter().map(|output| {
        let output = output.cast_to::<f32>().unwrap();
        output
            .try_as_plain_ram()
            .unwrap()
            .as_slice::<f32>()
            .unwrap()
            .to_vec()
    });
    floats.collect()
}

/// Whether an adapter is there; says so once if none is.
pub(super) fn has_adapter() -> bool {
    static FOUND: OnceLock<bool> = OnceLock::new();
    *FOUND.get_or_init(|| test_adapter().is_some())
}

/// A session of wonnx.
pub(super) struct Session {
    session: wonnx::Session,
    lowered: Lowered,
}

impl Session {
    pub(super) fn new(lowered: &Lowered) -> anyhow::Result<Self> {
        let session = quiet::catch(|| Ok(block_on(wonnx::Session::from_bytes(&lowered.onnx))?))?;
        Ok(Self {
            session,
            lowered: lowered.clone(),
        })
    }

    pub(super) fn run(&self, inputs: &[Vec<f32>]) -> anyhow::Result<Vec<Vec<f32>>> {
        let named = self.lowered.inputs.iter().zip(inputs);
        let named: HashMap<String, wonnx::utils::InputTensor> = named
            .map(|(port, numbers)| (port.name.clone(), numbers[..].into()))
            .collect();
        let mut outputs = quiet::catch(|| Ok(block_on(self.session.run(&named))?))?;
        let mut found = Vec::new();
        for port in &self.lowered.outputs {
            let output = outputs.remove(&port.name).unwrap();
            let length = port.shape.iter().product();
            let mut numbers: Vec<f32> = output.try_into()?;
            numbers.truncate(length);
            found.push(numbers);
        }
        Ok(found)
    }
}
