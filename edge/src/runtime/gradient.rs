//! Loss gradients on tract: one optimised plan of forward and backward operators.

use std::sync::Arc;

use anyhow::{Context, ensure};
use shared::result::OutputKind;
use tract_onnx::prelude::*;
use tract_onnx::tract_core::internal::TypedSimpleState;

use super::tract::{batch, input_shape, planes, read_output, run};
use crate::gradient::{LossOf, with_loss_gradient};
use crate::model::card::Layout;

/// The loss of a classifier and its gradient in the image, one image at a time.
pub struct LossGradients {
    plan: Arc<TypedRunnableModel>,
    /// Shape of the graph's input, batch first.
    shape: [usize; 4],
    layout: Layout,
    outputs: usize,
}

impl LossGradients {
    /// Differentiates a decluttered graph with one float image input of the given concrete shape
    /// and one output of `batch × classes` values.
    ///
    /// # Errors
    /// When an operator cannot be differentiated, or tract cannot plan the graph.
    pub(crate) fn new(
        forward: &TypedModel,
        layout: Layout,
        kind: OutputKind,
    ) -> anyhow::Result<Self> {
        let shape = input_shape(forward)?;
        let of = match kind {
            OutputKind::Logits | OutputKind::Probabilities => LossOf::Logits,
            OutputKind::DoubleSoftmax => LossOf::Outputs,
        };
        let graph = with_loss_gradient(forward, of)?.into_decluttered()?;
        let outputs = graph.input_fact(1)?.shape.as_concrete();
        let outputs = outputs.context("the number of classes is not known")?[1];
        Ok(Self {
            plan: graph.into_optimized()?.into_runnable()?,
            shape,
            layout,
            outputs,
        })
    }

    /// One worker's state.
    ///
    /// # Errors
    /// When tract cannot set it up.
    pub fn session(&self) -> anyhow::Result<GradientSession<'_>> {
        let state = self.plan.spawn().context("tract cannot set up its state")?;
        Ok(GradientSession {
            gradients: self,
            state,
        })
    }
}

/// One worker's state. Not shared between threads.
pub struct GradientSession<'a> {
    gradients: &'a LossGradients,
    state: TypedSimpleState,
}

impl GradientSession<'_> {
    /// The cross entropy of one image (a CHW tensor) with the output number `target`. Writes the raw
    /// outputs and the gradient (CHW) and returns the loss.
    ///
    /// # Errors
    /// When the lengths do not fit or the engine fails.
    pub fn run(
        &mut self,
        tensor: &[f32],
        target: usize,
        scores: &mut Vec<f32>,
        gradient: &mut Vec<f32>,
    ) -> anyhow::Result<f32> {
        let LossGradients {
            shape,
            layout,
            outputs,
            ..
        } = *self.gradients;
        let length: usize = shape[1..].iter().product();
        ensure!(
            tensor.len() == length && target < outputs,
            "an image tensor has {} values and target {target}, expected {length} values and a \
             target below {outputs}",
            tensor.len()
        );
        let mut row = vec![0f32; outputs];
        row[target] = 1.0;
        let rows = Tensor::from_shape(&[shape[0], outputs], &row.repeat(shape[0]))?;
        let image = batch(tensor, shape, layout)?;
        let inputs = tvec!(image.into_tvalue(), rows.into_tvalue());
        let results = run(&mut self.state, inputs)?;
        let mut loss = Vec::new();
        read_output(&results, 0, outputs, scores)?;
        read_output(&results, 1, 1, &mut loss)?;
        read_output(&results, 2, length, gradient)?;
        if layout == Layout::Nhwc {
            *gradient = planes(gradient);
        }
        Ok(loss[0])
    }
}
