//! A model on the chosen adapter: lowered, set up, compared with the CPU.

use std::sync::Arc;

use anyhow::{Context, bail};
use tract_onnx::prelude::*;

use super::adapters::Adapter;
use super::check::compare;
use super::fallback::WithFallback;
use super::lowering::lower;
use super::session::{GpuClassifier, GpuModel, engine};
use crate::model::card::Layout;
use crate::runtime::Classifier;

/// The model of `cpu` on a GPU. `build` types its graph for a batch of images.
///
/// Never fails: where the GPU cannot run the model, the CPU does, and
/// [`fallbacks`](Classifier::fallbacks) says why.
pub(crate) fn on_gpu(
    cpu: Arc<dyn Classifier>,
    layout: Layout,
    adapter: &Adapter,
    batch: usize,
    build: impl Fn(usize) -> anyhow::Result<TypedModel> + Send + Sync + 'static,
) -> WithFallback {
    let reference = Arc::clone(&cpu);
    let (engine, adapter) = (engine(adapter), adapter.clone());
    let make = move |batch| -> anyhow::Result<Arc<dyn Classifier>> {
        let model = lowered(&build(batch)?, layout)?;
        let gpu = GpuClassifier::new(model, &adapter)?;
        compare(&reference, gpu.batch(), |images| gpu.run_batch(images))?;
        Ok(Arc::new(gpu))
    };
    WithFallback::new(cpu, engine, batch, Box::new(make))
}

/// The graph in wonnx's dialect.
fn lowered(graph: &TypedModel, layout: Layout) -> anyhow::Result<GpuModel> {
    let shape = graph.input_fact(0)?.shape.as_concrete();
    let shape = shape.context("the input shape is not known before running")?;
    let shape: [usize; 4] = shape.try_into().context("the input is no image")?;
    let lowered = lower(graph)?;
    let ([input], [output]) = (&lowered.inputs[..], &lowered.outputs[..]) else {
        bail!("expected one input and one output")
    };
    let values: usize = output.shape.iter().product();
    Ok(GpuModel {
        input: input.name.clone(),
        shape,
        layout,
        output: output.name.clone(),
        outputs: values / shape[0].max(1),
        onnx: lowered.onnx,
    })
}
