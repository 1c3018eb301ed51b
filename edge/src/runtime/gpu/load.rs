//! Networks on the chosen adapter: lowered, set up, compared with the CPU.
//!
//! Nothing here fails: where the GPU cannot run a network, the CPU does, and
//! [`fallbacks`](Network::fallbacks) says why.

use std::sync::Arc;

use tract_onnx::prelude::*;

use super::adapters::Adapter;
use super::check::{compare, compare_gradients};
use super::fallback::WithFallback;
use super::lowering::lower;
use super::session::{GpuModel, GpuNetwork, engine};
use crate::model::card::Layout;
use crate::model::quiet;
use crate::runtime::Network;
use crate::runtime::gradient::LossGradients;
use crate::runtime::rows::Ports;

/// Where networks are to run.
pub(crate) struct Place {
    /// The adapter.
    pub(crate) adapter: Adapter,
    /// Images at once.
    pub(crate) batch: usize,
    /// Axis order of the networks' images.
    pub(crate) layout: Layout,
}

impl Place {
    /// The classifier `cpu` on the GPU. `build` types its graph for a batch of images.
    pub(crate) fn classifier(
        &self,
        cpu: Arc<dyn Network>,
        build: impl Fn(usize) -> anyhow::Result<TypedModel> + Send + Sync + 'static,
    ) -> Arc<dyn Network> {
        let reference = Arc::clone(&cpu);
        self.with_fallback(cpu, build, move |gpu| {
            compare(&*reference, gpu.batch(), |rows| gpu.run_batch(rows))?;
            Ok(())
        })
    }

    /// The gradients `cpu` on the GPU. `build` types their graph for a batch of images.
    pub(crate) fn gradients(
        &self,
        cpu: LossGradients,
        build: impl Fn(usize) -> anyhow::Result<TypedModel> + Send + Sync + 'static,
    ) -> LossGradients {
        let reference = cpu.clone();
        let network = self.with_fallback(Arc::clone(cpu.network()), build, move |gpu| {
            compare_gradients(&reference, gpu.batch(), |rows| gpu.run_batch(rows))?;
            Ok(())
        });
        cpu.on(network)
    }

    fn with_fallback(
        &self,
        cpu: Arc<dyn Network>,
        build: impl Fn(usize) -> anyhow::Result<TypedModel> + Send + Sync + 'static,
        check: impl Fn(&GpuNetwork) -> anyhow::Result<()> + Send + Sync + 'static,
    ) -> Arc<dyn Network> {
        let (adapter, layout) = (self.adapter.clone(), self.layout);
        let make = move |batch| -> anyhow::Result<Arc<dyn Network>> {
            let model = quiet::catch(|| lowered(&build(batch)?, layout))?;
            let gpu = GpuNetwork::new(model, &adapter)?;
            check(&gpu)?;
            Ok(Arc::new(gpu))
        };
        let recorded = engine(&self.adapter);
        Arc::new(WithFallback::new(cpu, recorded, self.batch, Box::new(make)))
    }
}

/// The graph in wonnx's dialect.
///
/// # Errors
/// When a shape is not known before running, or wonnx would not compute the graph correctly.
pub(crate) fn lowered(graph: &TypedModel, layout: Layout) -> anyhow::Result<GpuModel> {
    let ports = Ports::of(graph, layout)?;
    let lowered = lower(graph)?;
    Ok(GpuModel {
        onnx: lowered.onnx,
        inputs: lowered.inputs.into_iter().map(|port| port.name).collect(),
        outputs: lowered.outputs.into_iter().map(|port| port.name).collect(),
        ports,
    })
}
