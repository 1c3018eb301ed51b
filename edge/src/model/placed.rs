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
            batch: self.batch(batch, model.facts.batch),
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

    /// The wanted number of images at once. Where the graph has its own one baked in, it takes no
    /// other.
    pub(super) fn batch(&self, wanted: usize, own: usize) -> usize {
        match self.graph(wanted) {
            Ok(_) => wanted,
            Err(_) => own,
        }
    }

    /// The graph for this many images at once.
    pub(super) fn graph(&self, batch: usize) -> anyhow::Result<tract_onnx::prelude::TypedModel> {
        graph::for_batch(&self.file, &self.input, self.crop, &self.output, batch)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::{LoadOptions, load};
    use super::*;
    use crate::model::probe::test_image;
    use crate::runtime::gpu::check::agreement;
    use crate::runtime::gpu::test_adapter;

    /// Raw scores of fixed images, and the gradients of their losses, from several threads at once.
    fn results(model: &LoadedModel) -> Vec<[Vec<f32>; 2]> {
        let one = |number: usize| {
            let image = test_image(number, model.classifier.input_len());
            let (mut outputs, mut scores, mut gradient) = (Vec::new(), Vec::new(), Vec::new());
            let mut session = model.classifier.session().unwrap();
            session.run(&image, &mut outputs).unwrap();
            let gradients = model.gradients.as_ref().unwrap().as_ref().unwrap();
            let mut session = gradients.session().unwrap();
            session
                .run(&image, number % 2, &mut scores, &mut gradient)
                .unwrap();
            [outputs, gradient]
        };
        std::thread::scope(|scope| {
            let threads: Vec<_> = (0..5).map(|n| scope.spawn(move || one(n))).collect();
            threads.into_iter().map(|t| t.join().unwrap()).collect()
        })
    }

    #[test]
    fn scores_and_gradients_on_the_gpu_are_those_of_the_cpu() {
        let Some(adapter) = test_adapter() else {
            return;
        };
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        for (file, batch) in [
            ("../models/plain-small.onnx", 3),
            ("tests/fixtures/models/nhwc.onnx", 3),
            ("tests/fixtures/models/half_weights.onnx", 3),
            ("tests/fixtures/models/batch4_baked.onnx", 4),
        ] {
            let options = |gpu| LoadOptions {
                gradients: true,
                gpu,
                ..LoadOptions::default()
            };
            let cpu = load(&root.join(file), &options(None)).unwrap();
            let gpu = Some((adapter.clone(), 3));
            let gpu = load(&root.join(file), &options(gpu)).unwrap();
            assert_eq!(gpu.fallbacks(), [""; 0], "{file}");
            let gradients = gpu.gradients.as_ref().unwrap().as_ref().unwrap();
            assert_eq!(
                (gpu.classifier.batch(), gradients.network().batch()),
                (batch, batch)
            );
            for (found, expected) in results(&gpu).iter().zip(results(&cpu)) {
                let size = expected[0].iter().fold(1e-6_f32, |m, v| m.max(v.abs()));
                let pairs = found[0].iter().zip(&expected[0]);
                let gap = pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
                assert!(gap < 1e-4 * size, "{file}: {gap} of {size}");
                let (cosine, signs) = agreement(&found[1], &expected[1]);
                assert!(cosine > 0.9999 && signs > 0.999, "{file}: {cosine} {signs}");
            }
        }
    }
}
