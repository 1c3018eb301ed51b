//! A network on a GPU, through wonnx.

use anyhow::{Context, ensure};

use shared::result::Engine as Recorded;

use super::adapters::Adapter;
use super::failure::Failure;
use super::owner::{Engine, Owner, Sizes};
use super::wait::block_on;
use crate::runtime::rows::Ports;
use crate::runtime::{Network, Session, check_row};

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
    pub(super) onnx: Vec<u8>,
    /// Names of its inputs, the image first.
    pub(super) inputs: Vec<String>,
    /// Names of its outputs.
    pub(super) outputs: Vec<String>,
    /// How rows are made of them.
    pub(super) ports: (Ports, Ports),
}

/// A network that runs on a GPU.
///
/// Images of several sessions that wait at the same time share a batch.
pub struct GpuNetwork {
    owner: Owner,
    recorded: Recorded,
}

impl GpuNetwork {
    /// Sets a model up on the GPU and runs it once, which compiles its shaders. wonnx takes the
    /// adapter that the environment names: `adapter`, once [`settle`](super::settle) has chosen it.
    ///
    /// # Errors
    /// When there is no adapter, wonnx refuses the graph, or the device does not get through it.
    pub fn new(model: GpuModel, adapter: &Adapter) -> Result<Self, Failure> {
        let (inputs, outputs) = &model.ports;
        let sizes = Sizes {
            batch: inputs.batch(),
            input: inputs.len(),
            output: outputs.len(),
        };
        let owner = Owner::start(sizes, adapter.patience(), move || wonnx(model))?;
        Ok(Self {
            owner,
            recorded: engine(adapter),
        })
    }

    /// Runs up to a [batch](Network::batch) of rows, one after the other in `rows`, and returns the
    /// outputs of each in the same order.
    ///
    /// # Errors
    /// When the length is not that of 1 to [`batch`](Network::batch) rows; a [`Failure`] when the
    /// GPU fails.
    pub fn run_batch(&self, rows: &[f32]) -> anyhow::Result<Vec<f32>> {
        let Sizes { batch, input, .. } = self.owner.sizes();
        let count = rows.len() / input;
        ensure!(
            rows.len() == count * input && (1..=batch).contains(&count),
            "image tensors have {} values, expected {input} for each of 1 to {batch}",
            rows.len()
        );
        Ok(self.owner.run(rows.to_vec())?)
    }
}

/// The engine that is wonnx. To be called on the thread that will run it.
fn wonnx(model: GpuModel) -> anyhow::Result<Engine> {
    let GpuModel {
        onnx,
        inputs: input_names,
        outputs: output_names,
        ports: (inputs, outputs),
    } = model;
    let session = block_on(wonnx::Session::from_bytes(&onnx))?;
    drop(onnx);
    Ok(Box::new(move |rows| {
        let values = inputs.split(rows);
        let named = input_names.iter().cloned();
        let named = named.zip(values.iter().map(|values| values[..].into()));
        let mut results = block_on(session.run(&named.collect()))?;
        let result = |name: &String| {
            let values = results.remove(name);
            let values = values.with_context(|| format!("wonnx returned no output '{name}'"))?;
            Ok(Vec::<f32>::try_from(values)?)
        };
        let values: Vec<Vec<f32>> = output_names
            .iter()
            .map(result)
            .collect::<anyhow::Result<_>>()?;
        let values: Vec<&[f32]> = values.iter().map(|values| &values[..]).collect();
        let mut rows = Vec::new();
        outputs.join(&values, outputs.batch(), &mut rows)?;
        Ok(rows)
    }))
}

impl Network for GpuNetwork {
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
        Ok(Box::new(GpuSession { network: self }))
    }
}

struct GpuSession<'a> {
    network: &'a GpuNetwork,
}

impl Session for GpuSession<'_> {
    fn run(&mut self, row: &[f32], outputs: &mut Vec<f32>) -> anyhow::Result<()> {
        check_row(row, self.network.input_len())?;
        *outputs = self.network.run_batch(row)?;
        Ok(())
    }
}

#[cfg(test)]
#[path = "session/tests.rs"]
mod tests;
