//! A loaded model moved to a GPU.

use std::sync::Arc;

use shared::result::Engine;

use super::onnx::OnnxFile;
use super::tensor::ImageInput;
use super::{LoadedModel, graph};
use crate::runtime::gpu::adapters::Adapter;
use crate::runtime::gpu::load::Place;
use crate::runtime::gradient::loss_graph;

/// What graphs are typed from, for batches of any size.
pub(super) struct Source {
    pub(super) file: OnnxFile,
    pub(super) input: ImageInput,
    pub(super) crop: (u32, u32),
    /// Name of the output that holds the class scores.
    pub(super) output: String,
}

impl Source {
    /// Lets a GPU run the model, `batch` images at once, and its gradients where it runs the model;
    /// what runs now is there to fall back on.
    pub(super) fn place(self, model: LoadedModel, adapter: &Adapter, batch: usize) -> LoadedModel {
        let place = Place {
            adapter: adapter.clone(),
            batch,
            layout: self.input.layout,
        };
        let kind = model.record.output_kind;
        let source = Arc::new(self);
        let build = {
            let source = Arc::clone(&source);
            move |batch| source.graph(batch)
        };
        let classifier = place.classifier(model.classifier, build);
        let runs = matches!(classifier.engine(), Engine::Wonnx { .. });
        let gradients = match model.gradients {
            Some(Ok(gradients)) if runs => {
                let build = move |batch| loss_graph(&source.graph(batch)?, kind);
                Some(Ok(place.gradients(gradients, build)))
            }
            unmoved => unmoved,
        };
        LoadedModel {
            classifier,
            gradients,
            ..model
        }
    }

    fn graph(&self, batch: usize) -> anyhow::Result<tract_onnx::prelude::TypedModel> {
        graph::for_batch(&self.file, &self.input, self.crop, &self.output, batch)
    }
}
