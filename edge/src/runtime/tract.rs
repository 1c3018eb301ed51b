//! tract on the CPU: one optimised plan, shared by every worker.

use std::borrow::Cow;
use std::sync::Arc;

use anyhow::Context;
use shared::result::Engine;
use tract_onnx::prelude::*;
use tract_onnx::tract_core::internal::TypedSimpleState;
use tract_onnx::tract_core::ops::cnn::Conv;
use tract_onnx::tract_core::plan::eval;
use tract_onnx::tract_core::transform::get_transform;

use super::rows::Ports;
use super::{Network, Session, check_row};
use crate::model::card::Layout;
use crate::model::quiet;

/// Version of the tract crates, as locked in `Cargo.lock` (a test compares).
pub const VERSION: &str = "0.23.9";

/// This engine, as a result file records it.
pub fn engine() -> Engine {
    Engine::Tract {
        version: VERSION.to_owned(),
    }
}

/// A graph on tract, one image at a time: larger batches do not make it faster.
pub struct TractNetwork {
    plan: Arc<TypedRunnableModel>,
    inputs: Ports,
    outputs: Ports,
}

impl TractNetwork {
    /// Optimises a decluttered graph of concrete shapes whose first input is a float image.
    ///
    /// A batch above 1 (a graph that cannot be given another) is filled with copies of the image.
    pub(crate) fn new(model: TypedModel, layout: Layout) -> anyhow::Result<Self> {
        let (inputs, outputs) = Ports::of(&model, layout)?;
        let plan = model.into_optimized()?.into_runnable()?;
        Ok(Self {
            plan,
            inputs,
            outputs,
        })
    }
}

/// The graph with channel-last convolutions where that makes depthwise ones faster.
///
/// On x86 tract's NCHW depthwise kernel is slower than its channel-last loop, which the compiler
/// vectorises over channels: whole networks (EfficientNet-Lite0, MobileNet-V2 and ConvNeXt forms)
/// took 15 to 25 % less time in an optimised build. Elsewhere, and for graphs without depthwise convolution, nothing
/// changes.
pub(crate) fn arranged(model: TypedModel) -> TypedModel {
    let is_depthwise = |conv: &Conv| conv.group > 1 && conv.group == conv.output_channels();
    let depthwise = model
        .nodes()
        .iter()
        .filter_map(|node| node.op_as::<Conv>())
        .any(is_depthwise);
    if !depthwise || !cfg!(target_arch = "x86_64") {
        return model;
    }
    // An arrangement only: a graph that resists runs as it is.
    channels_last(model.clone()).unwrap_or(model)
}

fn channels_last(mut model: TypedModel) -> anyhow::Result<TypedModel> {
    let transform = get_transform("conv_nhwc")?.context("tract has no such transform")?;
    transform.transform(&mut model)?;
    model.into_decluttered()
}

impl Network for TractNetwork {
    fn input_len(&self) -> usize {
        self.inputs.len()
    }

    fn output_len(&self) -> usize {
        self.outputs.len()
    }

    fn engine(&self) -> Engine {
        engine()
    }

    fn session(&self) -> anyhow::Result<Box<dyn Session + '_>> {
        let state = self.plan.spawn().context("tract cannot set up its state")?;
        Ok(Box::new(TractSession {
            network: self,
            state,
        }))
    }
}

struct TractSession<'a> {
    network: &'a TractNetwork,
    state: TypedSimpleState,
}

impl Session for TractSession<'_> {
    fn run(&mut self, row: &[f32], outputs: &mut Vec<f32>) -> anyhow::Result<()> {
        let network = self.network;
        check_row(row, network.input_len())?;
        let batch = network.inputs.batch();
        let rows = if batch == 1 {
            Cow::Borrowed(row)
        } else {
            Cow::Owned(row.repeat(batch))
        };
        let values = network.inputs.split(&rows);
        let tensors = network.inputs.shapes().zip(&values);
        let tensors = tensors.map(|(shape, values)| Tensor::from_shape(shape, values));
        let tensors = tensors.map(|tensor| Ok(tensor?.into_tvalue()));
        let results = run(&mut self.state, tensors.collect::<TractResult<_>>()?)?;
        let results = results.iter().map(|result| result.cast_to::<f32>());
        let results = results.collect::<TractResult<Vec<_>>>()?;
        let values = results
            .iter()
            .map(|result| result.try_as_plain_ram()?.as_slice::<f32>());
        let values = values.collect::<TractResult<Vec<_>>>()?;
        network.outputs.join(&values, 1, outputs)
    }
}

/// Runs a plan. An operator that panics fails as others do, with the name of its node.
fn run(state: &mut TypedSimpleState, inputs: TVec<TValue>) -> anyhow::Result<TVec<TValue>> {
    state.run_plan_with_eval(inputs, |context, op, node, inputs| {
        quiet::catch(|| Ok(eval(context, op, node, inputs)))
            .with_context(|| format!("evaluating {node}"))?
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn version_is_the_locked_one() {
        let lock = include_str!("../../../Cargo.lock");
        let entry = format!("name = \"tract-onnx\"\nversion = \"{VERSION}\"");
        assert!(lock.contains(&entry), "update runtime::tract::VERSION");
    }
}
