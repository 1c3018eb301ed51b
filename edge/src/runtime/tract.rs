//! tract on the CPU: one optimised plan, shared by every worker.

use std::sync::Arc;

use anyhow::{Context, ensure};
use shared::result::Engine;
use tract_onnx::prelude::*;
use tract_onnx::tract_core::internal::TypedSimpleState;
use tract_onnx::tract_core::ops::cnn::Conv;
use tract_onnx::tract_core::plan::eval;
use tract_onnx::tract_core::transform::get_transform;

use super::{Classifier, Session};
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

/// A classifier that runs on tract, one image at a time: larger batches do not make it faster.
pub struct TractClassifier {
    plan: Arc<TypedRunnableModel>,
    /// Shape of the graph's input, batch first.
    shape: [usize; 4],
    layout: Layout,
    outputs: usize,
}

impl TractClassifier {
    /// Optimises a decluttered graph with one float image input of the given concrete shape and
    /// one output of `batch × classes` values.
    ///
    /// A batch above 1 (a graph that cannot be given another) is filled with copies of the image.
    pub(crate) fn new(model: TypedModel, layout: Layout) -> anyhow::Result<Self> {
        let shape = input_shape(&model)?;
        let output = model.output_fact(0)?.shape.as_concrete();
        let values: usize = output
            .context("the output shape is not known before running")?
            .iter()
            .product();
        let plan = arranged(model).into_optimized()?.into_runnable()?;
        Ok(Self {
            plan,
            shape,
            layout,
            outputs: values / shape[0].max(1),
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

impl Classifier for TractClassifier {
    fn input_len(&self) -> usize {
        self.shape[1..].iter().product()
    }

    fn output_len(&self) -> usize {
        self.outputs
    }

    fn engine(&self) -> Engine {
        engine()
    }

    fn session(&self) -> anyhow::Result<Box<dyn Session + '_>> {
        let state = self.plan.spawn().context("tract cannot set up its state")?;
        Ok(Box::new(TractSession {
            classifier: self,
            state,
        }))
    }
}

struct TractSession<'a> {
    classifier: &'a TractClassifier,
    state: TypedSimpleState,
}

impl Session for TractSession<'_> {
    fn run(&mut self, tensor: &[f32], outputs: &mut Vec<f32>) -> anyhow::Result<()> {
        let expected = self.classifier.input_len();
        ensure!(
            tensor.len() == expected,
            "an image tensor has {} values, expected {expected}",
            tensor.len()
        );
        let input = batch(tensor, self.classifier.shape, self.classifier.layout)?;
        let results = run(&mut self.state, tvec!(input.into_tvalue()))?;
        read_output(&results, 0, self.classifier.outputs, outputs)
    }
}

/// Shape of the one image input, batch first.
pub(super) fn input_shape(model: &TypedModel) -> anyhow::Result<[usize; 4]> {
    let shape = model.input_fact(0)?.shape.as_concrete();
    let shape = shape.context("the input shape is not known before running")?;
    shape.try_into().ok().context("the input is no image")
}

/// Replaces `into` by the first `length` values of an output.
pub(super) fn read_output(
    results: &[TValue],
    index: usize,
    length: usize,
    into: &mut Vec<f32>,
) -> anyhow::Result<()> {
    let result = results.get(index);
    let result = result.context("tract returned too few outputs")?;
    let result = result.cast_to::<f32>()?;
    let values = result.try_as_plain_ram()?;
    let values = values.as_slice::<f32>()?.get(..length);
    into.clear();
    into.extend_from_slice(values.context("tract returned too few values")?);
    Ok(())
}

/// Runs a plan. An operator that panics fails as others do, with the name of its node.
pub(super) fn run(
    state: &mut TypedSimpleState,
    inputs: TVec<TValue>,
) -> anyhow::Result<TVec<TValue>> {
    state.run_plan_with_eval(inputs, |context, op, node, inputs| {
        quiet::catch(|| Ok(eval(context, op, node, inputs)))
            .with_context(|| format!("evaluating {node}"))?
    })
}

/// The graph's input tensor: the image in the graph's layout, once per batch entry.
pub(super) fn batch(chw: &[f32], shape: [usize; 4], layout: Layout) -> anyhow::Result<Tensor> {
    if layout == Layout::Nchw && shape[0] == 1 {
        return Tensor::from_shape(&shape, chw);
    }
    let image = match layout {
        Layout::Nchw => chw.to_vec(),
        Layout::Nhwc => interleave(chw),
    };
    Tensor::from_shape(&shape, &image.repeat(shape[0]))
}

/// Three planes → pixels of three values.
pub(super) fn interleave(chw: &[f32]) -> Vec<f32> {
    let pixels = chw.len() / 3;
    (0..pixels)
        .flat_map(|pixel| (0..3).map(move |channel| chw[channel * pixels + pixel]))
        .collect()
}

/// Pixels of three values → three planes.
pub(super) fn planes(pixels: &[f32]) -> Vec<f32> {
    (0..3)
        .flat_map(|channel| pixels.iter().skip(channel).step_by(3).copied())
        .collect()
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

    #[test]
    fn interleaves() {
        assert_eq!(
            interleave(&[1., 2., 3., 4., 5., 6.]),
            [1., 3., 5., 2., 4., 6.]
        );
        assert_eq!(planes(&[1., 3., 5., 2., 4., 6.]), [1., 2., 3., 4., 5., 6.]);
    }
}
