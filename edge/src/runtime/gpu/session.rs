//! A classifier on a GPU, through wonnx.

use std::collections::HashMap;

use anyhow::{Context, anyhow, ensure};

use shared::result::Engine as Recorded;

use super::adapters::Adapter;
use super::failure::{Failure, Stage};
use super::owner::{Engine, Owner, Sizes};
use super::wait::block_on;
use crate::model::card::Layout;
use crate::runtime::tract::interleave;
use crate::runtime::{Classifier, Session};

/// Version of the wonnx crate, as locked in `Cargo.lock` (a test compares).
pub const VERSION: &str = "0.5.1";

/// This engine on an adapter, as a result file records it.
pub fn engine(adapter: &Adapter) -> Recorded {
    Recorded::Wonnx {
        version: VERSION.to_owned(),
        adapter: adapter.name.clone(),
        api: adapter.api.name().to_owned(),
        driver: adapter.driver.clone(),
    }
}

/// A graph in the dialect that wonnx runs correctly, with what must be known to run it.
pub struct GpuModel {
    /// An ONNX `ModelProto`, every shape in it known.
    pub onnx: Vec<u8>,
    /// Name of the one input.
    pub input: String,
    /// Shape of the input, batch first.
    pub shape: [usize; 4],
    /// Axis order of the input.
    pub layout: Layout,
    /// Name of the one output, of `batch × outputs` values.
    pub output: String,
    /// Outputs per image.
    pub outputs: usize,
}

/// A classifier that runs on a GPU.
///
/// Images of several sessions that wait at the same time share a batch.
pub struct GpuClassifier {
    owner: Owner,
    layout: Layout,
    recorded: Recorded,
}

impl GpuClassifier {
    /// Sets a model up on the GPU and runs it once, which compiles its shaders. wonnx takes the
    /// adapter that the environment names: `adapter`, once [`settle`](super::settle) has chosen it.
    ///
    /// # Errors
    /// When there is no adapter, wonnx refuses the graph, or the device does not get through it.
    pub fn new(model: GpuModel, adapter: &Adapter) -> Result<Self, Failure> {
        let [batch, image @ ..] = model.shape;
        let sizes = Sizes {
            batch,
            input: image.iter().product(),
            output: model.outputs,
        };
        if sizes.batch * sizes.input * sizes.output == 0 {
            let error = anyhow!("a model without images, inputs or outputs");
            return Err(Failure::of(Stage::Creation, &error));
        }
        let layout = model.layout;
        let owner = Owner::start(sizes, adapter.patience(), move || wonnx(model))?;
        Ok(Self {
            owner,
            layout,
            recorded: engine(adapter),
        })
    }

    /// Runs up to a [batch](Classifier::batch) of CHW images, one after the other in `images`, and returns the outputs
    /// of each in the same order.
    ///
    /// # Errors
    /// When the length is not that of 1 to [`batch`](Classifier::batch) images; a [`Failure`] when the
    /// GPU fails.
    pub fn run_batch(&self, images: &[f32]) -> anyhow::Result<Vec<f32>> {
        let Sizes { batch, input, .. } = self.owner.sizes();
        let count = images.len() / input;
        ensure!(
            images.len() == count * input && (1..=batch).contains(&count),
            "image tensors have {} values, expected {input} for each of 1 to {batch}",
            images.len()
        );
        let images = match self.layout {
            Layout::Nchw => images.to_vec(),
            Layout::Nhwc => images.chunks_exact(input).flat_map(interleave).collect(),
        };
        Ok(self.owner.run(images)?)
    }
}

/// The engine that is wonnx. To be called on the thread that will run it.
fn wonnx(model: GpuModel) -> anyhow::Result<Engine> {
    let GpuModel {
        onnx,
        input,
        output,
        ..
    } = model;
    let session = block_on(wonnx::Session::from_bytes(&onnx))?;
    drop(onnx);
    Ok(Box::new(move |batch| {
        let inputs = HashMap::from([(input.clone(), batch.into())]);
        let mut outputs = block_on(session.run(&inputs))?;
        let values = outputs.remove(&output);
        let values = values.with_context(|| format!("wonnx returned no output '{output}'"))?;
        Ok(Vec::<f32>::try_from(values)?)
    }))
}

impl Classifier for GpuClassifier {
    fn input_len(&self) -> usize {
        self.owner.sizes().input
    }

    fn output_len(&self) -> usize {
        self.owner.sizes().output
    }

    fn engine(&self) -> Recorded {
        self.recorded.clone()
    }

    fn batch(&self) -> usize {
        self.owner.sizes().batch
    }

    fn session(&self) -> anyhow::Result<Box<dyn Session + '_>> {
        Ok(Box::new(GpuSession { classifier: self }))
    }
}

struct GpuSession<'a> {
    classifier: &'a GpuClassifier,
}

impl Session for GpuSession<'_> {
    fn run(&mut self, tensor: &[f32], outputs: &mut Vec<f32>) -> anyhow::Result<()> {
        let expected = self.classifier.input_len();
        ensure!(
            tensor.len() == expected,
            "an image tensor has {} values, expected {expected}",
            tensor.len()
        );
        *outputs = self.classifier.run_batch(tensor)?;
        Ok(())
    }
}

#[cfg(test)]
#[path = "session/tests.rs"]
mod tests;
