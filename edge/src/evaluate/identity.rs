//! What identifies a run: the record it starts from and the key of its journal.

use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result};
use serde::Serialize;
use shared::Protocol;
use shared::outcome::{Origin, PassKind};
use shared::result::{Engine, Evaluation, Model, Run};

use super::assemble::empty_evaluation;
use super::plan::Plan;
use super::{Part, Settings, this_device};
use crate::dataset::Dataset;
use crate::model::{LoadedModel, OutputView};

/// What identifies a run: another value of any of these is another run.
#[derive(Serialize)]
struct RunKey<'a> {
    model: &'a Model,
    engine: Engine,
    output: OutputView,
    protocol: Protocol,
    seed: u64,
    images: Option<u32>,
    shard: Option<Part>,
    labels: [u8; 32],
    passes: Vec<(PassKind, Origin, [u8; 32], &'a [u32])>,
    probabilities: bool,
}

/// The evaluation that this run would write, before it has a pass.
pub(super) fn frame_of(
    model: &LoadedModel,
    dataset: &Dataset,
    settings: &Settings,
    wall_ms: u64,
) -> Evaluation {
    let started = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |now| now.as_secs().saturating_sub(wall_ms / 1000));
    let run = Run {
        engine: model.classifier.engine(),
        device: this_device(),
        tool_version: env!("CARGO_PKG_VERSION").to_owned(),
        started,
        wall_ms,
        threads: settings.threads as u32,
    };
    empty_evaluation(&model.record, dataset, settings, run)
}

pub(super) fn run_key(
    model: &LoadedModel,
    output: OutputView,
    dataset: &Dataset,
    plan: &Plan,
    settings: &Settings,
    probabilities: bool,
) -> Result<[u8; 32]> {
    let passes = plan
        .passes
        .iter()
        .map(|p| (p.kind, p.origin, p.set(dataset).fingerprint, &*p.positions))
        .collect();
    let key = RunKey {
        model: &model.record,
        engine: model.classifier.engine(),
        output,
        protocol: settings.protocol,
        seed: settings.seed,
        images: settings.images,
        shard: settings.shard,
        labels: dataset.labels.hash(),
        passes,
        probabilities,
    };
    let bytes = postcard::to_allocvec(&key).context("cannot encode the run key")?;
    Ok(*blake3::hash(&bytes).as_bytes())
}
