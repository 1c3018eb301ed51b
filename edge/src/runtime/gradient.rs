//! Loss gradients: networks of forward and backward operators together.

use std::sync::Arc;

use anyhow::{Context, ensure};
use shared::result::OutputKind;
use tract_onnx::prelude::*;

use super::tract::TractNetwork;
use super::{Network, Session};
use crate::gradient::{LossOf, with_loss_gradient};
use crate::model::card::Layout;

/// The loss of a classifier and its gradient in the image, one image at a time.
#[derive(Clone)]
pub struct LossGradients {
    /// Takes an image and a row that is 1 at its true class and 0 elsewhere; gives the scores, the
    /// loss and the gradient in the image.
    network: Arc<dyn Network>,
    /// Values of an image.
    image: usize,
    classes: usize,
}

impl LossGradients {
    /// Differentiates a decluttered graph with one float image input of the given concrete shape
    /// and one output of `batch × classes` values; on tract.
    ///
    /// # Errors
    /// When an operator cannot be differentiated, or tract cannot plan the graph.
    pub(crate) fn new(
        forward: &TypedModel,
        layout: Layout,
        kind: OutputKind,
    ) -> anyhow::Result<Self> {
        let graph = loss_graph(forward, kind)?;
        let row = graph.input_fact(1)?.shape.as_concrete();
        let row = row.context("the number of classes is not known")?;
        let classes = *row.get(1).context("the scores have no classes")?;
        let network = TractNetwork::new(graph, layout)?;
        Ok(Self {
            image: network.input_len() - classes,
            classes,
            network: Arc::new(network),
        })
    }

    /// The same, on another engine.
    pub fn on(self, network: Arc<dyn Network>) -> Self {
        Self { network, ..self }
    }

    /// What runs it.
    pub fn network(&self) -> &Arc<dyn Network> {
        &self.network
    }

    /// One worker's state.
    ///
    /// # Errors
    /// When the engine cannot set it up.
    pub fn session(&self) -> anyhow::Result<GradientSession<'_>> {
        Ok(GradientSession {
            gradients: self,
            session: self.network.session()?,
            row: Vec::new(),
            results: Vec::new(),
        })
    }

    /// Values of an image.
    #[cfg(feature = "gpu")]
    pub(crate) fn image_len(&self) -> usize {
        self.image
    }

    /// Outputs of the classifier.
    #[cfg(feature = "gpu")]
    pub(crate) fn classes(&self) -> usize {
        self.classes
    }

    /// Replaces `row` by what the network takes for an image (CHW) of the class `target`.
    pub(crate) fn fill_row(
        &self,
        tensor: &[f32],
        target: usize,
        row: &mut Vec<f32>,
    ) -> anyhow::Result<()> {
        let Self { image, classes, .. } = *self;
        ensure!(
            tensor.len() == image && target < classes,
            "an image tensor has {} values and target {target}, expected {image} values and a \
             target below {classes}",
            tensor.len()
        );
        row.clear();
        row.extend_from_slice(tensor);
        row.resize(image + classes, 0.0);
        row[image + target] = 1.0;
        Ok(())
    }

    /// The scores, the loss and the gradient in what the network gives for a row.
    pub(crate) fn parts<'r>(&self, results: &'r [f32]) -> (&'r [f32], f32, &'r [f32]) {
        let (scores, rest) = results.split_at(self.classes);
        (scores, rest[0], &rest[1..])
    }
}

/// The graph of scores, loss and gradient that belongs to a classifier of this kind.
pub(crate) fn loss_graph(forward: &TypedModel, kind: OutputKind) -> anyhow::Result<TypedModel> {
    let of = match kind {
        OutputKind::Logits | OutputKind::Probabilities => LossOf::Logits,
        OutputKind::DoubleSoftmax => LossOf::Outputs,
    };
    with_loss_gradient(forward, of)?.into_decluttered()
}

/// One worker's state. Not shared between threads.
pub struct GradientSession<'a> {
    gradients: &'a LossGradients,
    session: Box<dyn Session + 'a>,
    row: Vec<f32>,
    results: Vec<f32>,
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
        self.gradients.fill_row(tensor, target, &mut self.row)?;
        self.session.run(&self.row, &mut self.results)?;
        let (raw, loss, slopes) = self.gradients.parts(&self.results);
        scores.clear();
        scores.extend_from_slice(raw);
        gradient.clear();
        gradient.extend_from_slice(slopes);
        Ok(loss)
    }
}
