//! What running a model costs on this machine: time, memory, energy.
//!
//! [`measure`] runs one model on one engine in this process: [`latency`] and [`throughput`] time
//! the same sessions that evaluations use, [`peak`] tells what the machine could do, [`system`] and
//! [`energy`] ask the operating system. Peak memory is that of the process, so whoever compares
//! models measures each in a process of its own.

mod energy;
mod latency;
mod peak;
mod system;
mod throughput;

use std::path::Path;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, bail, ensure};
use serde::{Deserialize, Serialize};
use shared::result::{Cost, Energy, Engine, Latency, Model};

use crate::evaluate::this_device;
use crate::model::probe::test_image;
use crate::model::{LoadOptions, LoadedModel, load};
use crate::runtime::Network;
use crate::runtime::gpu::BATCH;
use crate::runtime::gpu::adapters::Adapter;
use energy::Meter;
pub use system::System;

/// How long to measure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Threads of the throughput on the CPU, at least one.
    pub threads: usize,
    /// Shortest time of the latency and of the throughput.
    pub min_duration: Duration,
    /// Fewest queries of the latency.
    pub min_queries: u32,
}

/// A model and its cost on this machine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// The model.
    pub record: Model,
    /// What it costs.
    pub cost: Cost,
    /// What the person running the program needs to know, in words.
    pub notes: Vec<String>,
}

/// Measures a model on the CPU, or on the adapter that this process has settled on.
///
/// # Errors
/// When the model cannot be loaded or run, or the GPU does not run it.
pub fn measure(
    path: &Path,
    gpu: Option<&Adapter>,
    settings: &Settings,
    system: &System,
) -> Result<Measured> {
    let (mut model, load_ms, latency) = one_at_a_time(path, gpu, settings)?;
    let mut streams = settings.threads;
    if gpu.is_some() {
        // Set up once more, for the images that a GPU runs at once.
        drop(model);
        model = loaded(path, gpu, BATCH)?;
        // While one batch runs, the next one gathers.
        streams = 2 * model.classifier.batch();
    }
    let network = &*model.classifier;
    let failures = network.fallbacks().len();
    let images = images(network);
    let meter = Meter::find(system.root());
    let offline = throughput::offline(
        network,
        streams,
        &images,
        settings.min_duration,
        meter.as_ref(),
    )?;
    still_there(network, failures)?;
    let energy = offline.joules.zip(meter).map(|(joules, meter)| Energy {
        joules_per_image: joules / f64::from(offline.throughput.images),
        source: meter.source(),
    });
    let cost = Cost {
        engine: network.engine(),
        device: this_device(),
        tool_version: env!("CARGO_PKG_VERSION").to_owned(),
        measured: SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map_or(0, |now| now.as_secs()),
        threads: if gpu.is_some() {
            1
        } else {
            u32::try_from(settings.threads).unwrap_or(u32::MAX)
        },
        latency,
        throughput: Some(offline.throughput),
        load_ms,
        peak_memory: system.peak_memory(),
        machine_macs_per_s: None,
        governor: system.governor(),
        thermal: system.thermal(),
        energy: energy.filter(|energy| energy.joules_per_image > 0.0),
        weight_bytes: model.facts.weight_bytes.clone().into_iter().collect(),
    };
    let mut notes = model.notes.clone();
    notes.extend(network.fallbacks());
    let record = model.record.clone();
    // The memory of a GPU is for the products then.
    drop(model);
    // Last: it would count as memory of the model, and heat the processor.
    let machine_macs_per_s = match gpu {
        None => Some(peak::macs_per_s(settings.threads, settings.min_duration)?),
        Some(adapter) => peak::macs_per_s_on(adapter, settings.min_duration)
            .map_err(|error| notes.push(format!("its share of peak is not measured: {error:#}")))
            .ok(),
    };
    let cost = Cost {
        machine_macs_per_s,
        ..cost
    };
    Ok(Measured {
        record,
        cost,
        notes,
    })
}

/// The model set up for one image at a time, the milliseconds that took, and its latency.
fn one_at_a_time(
    path: &Path,
    gpu: Option<&Adapter>,
    settings: &Settings,
) -> Result<(LoadedModel, f64, Latency)> {
    let start = Instant::now();
    let model = loaded(path, gpu, 1)?;
    let mut session = model.classifier.session()?;
    let load_ms = milliseconds(start.elapsed());
    let images = images(&*model.classifier);
    let latency = latency::single_stream(&mut *session, &images, settings)?;
    drop(session);
    still_there(&*model.classifier, 0)?;
    Ok((model, load_ms, latency))
}

/// Loads a model; an error where a GPU is to run it and does not.
fn loaded(path: &Path, gpu: Option<&Adapter>, batch: usize) -> Result<LoadedModel> {
    let options = LoadOptions {
        gpu: gpu.map(|adapter| (adapter.clone(), batch)),
        ..LoadOptions::default()
    };
    let model = load(path, &options)?;
    let network = &model.classifier;
    if gpu.is_some() && !matches!(network.engine(), Engine::Wonnx { .. }) {
        bail!("{}", network.fallbacks().join("; "));
    }
    Ok(model)
}

/// Refuses a network that has failed more than `known` times: what was timed is another engine.
fn still_there(network: &dyn Network, known: usize) -> Result<()> {
    let fallbacks = network.fallbacks();
    ensure!(
        fallbacks.len() <= known,
        "the GPU failed while it was measured: {}",
        fallbacks[known..].join("; ")
    );
    Ok(())
}

/// Fixed images, spread as normalised photos are.
fn images(network: &dyn Network) -> Vec<Vec<f32>> {
    (0..4)
        .map(|number| test_image(number, network.input_len()))
        .collect()
}

/// A time that was measured, in milliseconds, above 0.
fn milliseconds(duration: Duration) -> f64 {
    // No clock is finer than this, and a cost of nothing is none.
    duration.as_secs_f64().max(1e-9) * 1e3
}

/// Joins the threads of a measurement.
fn joined<T>(threads: Vec<std::thread::ScopedJoinHandle<'_, Result<T>>>) -> Result<Vec<T>> {
    let joined: Vec<Result<T>> = threads
        .into_iter()
        .map(|thread| thread.join().ok().context("a measuring thread panicked")?)
        .collect();
    joined.into_iter().collect()
}

#[cfg(test)]
mod tests;
