//! Results for tests: those of the demo, whole and in parts.

use std::path::PathBuf;
use std::sync::Arc;

use shared::outcome::{Outcomes, Pass, PassKind};
use shared::result::{Cost, Device, Evaluation, Latency, Throughput};

use super::library::LoadedFile;
use super::merging::Measurements;
use crate::demo;

/// The demo's eight results.
pub(crate) fn demo() -> Vec<LoadedFile> {
    demo::files()
}

/// One of the demo's results.
pub(crate) fn whole() -> Evaluation {
    let files = demo();
    let file = files.iter().find(|f| f.path.ends_with("residual.quba"));
    let content = file.unwrap().content.as_ref().unwrap();
    Evaluation::clone(&content.evaluation)
}

/// A result in two parts that have no pass in common.
pub(crate) fn shards() -> [Evaluation; 2] {
    let clean = |pass: &Pass| pass.kind == PassKind::Clean;
    [part(&clean), part(&|pass| !clean(pass))]
}

/// The passes of [`whole`] that are wanted, with their lists and warnings.
pub(crate) fn part(wanted: &dyn Fn(&Pass) -> bool) -> Evaluation {
    let mut part = whole();
    let lists = std::mem::take(&mut part.lists);
    part.passes.retain(wanted);
    for (old, list) in (0u32..).zip(lists) {
        let users: Vec<&mut Pass> = part.passes.iter_mut().filter(|p| p.list == old).collect();
        if !users.is_empty() {
            let new = part.lists.len() as u32;
            users.into_iter().for_each(|pass| pass.list = new);
            part.lists.push(list);
        }
    }
    let kinds: Vec<PassKind> = part.passes.iter().map(|pass| pass.kind).collect();
    part.warnings
        .retain(|w| w.pass().is_none_or(|pass| kinds.contains(&pass)));
    part
}

/// Lets the first image of a pass be taken for another class.
pub(crate) fn flip_a_prediction(evaluation: &mut Evaluation) {
    for pass in &mut evaluation.passes {
        if let Outcomes::Classified { predictions, .. } = &mut pass.outcomes {
            predictions[0] = (predictions[0] + 1) % evaluation.label_set.classes;
        }
    }
}

/// A cost on the processor of `host`, with this 90th percentile of latency in milliseconds.
pub(crate) fn cost(host: &str, p90_ms: f64) -> Cost {
    let run = whole().runs[0].clone();
    Cost {
        engine: run.engine,
        device: Device {
            host: host.to_owned(),
            ..run.device
        },
        tool_version: run.tool_version,
        measured: run.started,
        threads: 2,
        latency: Latency {
            p50_ms: p90_ms / 2.0,
            p90_ms,
            p99_ms: p90_ms * 2.0,
            queries: 100,
            duration_ms: 1000,
        },
        throughput: Some(Throughput {
            images_per_s: 2000.0 / p90_ms,
            batch: 1,
            images: 100,
        }),
        load_ms: 10.0,
        peak_memory: Some(64_000_000),
        machine_macs_per_s: Some(1e9),
        governor: String::new(),
        thermal: String::new(),
        energy: None,
        weight_bytes: vec![("f32".to_owned(), 560_000)],
    }
}

/// Costs of the model of [`whole`] without any images.
pub(crate) fn costs_only(costs: Vec<Cost>) -> Evaluation {
    Evaluation::of_costs(whole().model, costs)
}

/// An evaluation as if it had been read.
pub(crate) fn file(path: &str, evaluation: Evaluation) -> LoadedFile {
    LoadedFile {
        path: PathBuf::from(path),
        modified: None,
        bytes: 0,
        content: Ok(Arc::new(Measurements::of(evaluation))),
    }
}

/// A file that could not be read.
pub(crate) fn broken(path: &str) -> LoadedFile {
    LoadedFile {
        path: PathBuf::from(path),
        modified: None,
        bytes: 0,
        content: Err("damaged".to_owned()),
    }
}
