//! `edge bench`: models on everything that this machine can run them on.

mod process;
mod record;

use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};
use serde::Serialize;
use shared::result::{Cost, Model};

use super::args::BenchArguments;
use super::costs::{self, JsonCost};
use super::{Exit, words};
use crate::bench::{Measured, Settings};
use crate::runtime::gpu::adapters;
use crate::runtime::gpu::choice::{Backend, Choice, Every, every};
use process::measure_apart;
pub(super) use process::run as run_measurement;
pub(super) use record::record;

/// A model that was measured.
struct Benched<'a> {
    path: &'a Path,
    model: Model,
    costs: Vec<Cost>,
    files: Vec<PathBuf>,
}

pub(super) fn run(arguments: &BenchArguments) -> Result<Exit> {
    let backend = arguments.backend.into();
    let adapters = match backend {
        Backend::Cpu => Vec::new(),
        Backend::Auto | Backend::Gpu => adapters::list(),
    };
    let Every { choices, left_out } = every(&adapters, backend, arguments.device.as_deref())?;
    for reason in left_out {
        eprintln!("note: not measured on {reason}");
    }
    let settings = arguments.settings.with_threads(arguments.threads);
    let mut benched = Vec::new();
    for path in &arguments.models {
        let measured = choices
            .iter()
            .filter_map(|choice| measured(path, choice, &settings));
        let (models, costs): (Vec<Model>, Vec<Cost>) =
            measured.map(|one| (one.record, one.cost)).unzip();
        if let Some(model) = models.into_iter().next() {
            let files = record(&arguments.out, path, &model, &costs)?;
            benched.push(Benched {
                path,
                model,
                costs,
                files,
            });
        }
    }
    ensure!(!benched.is_empty(), "no model could be measured");
    report(&benched, arguments.json)?;
    Ok(Exit::of(benched.len() < arguments.models.len()))
}

/// Measures a model; a failure is reported.
pub(super) fn measured(path: &Path, choice: &Choice, settings: &Settings) -> Option<Measured> {
    let on = match choice {
        Choice::Cpu { .. } => "the CPU".to_owned(),
        Choice::Gpu { adapter, .. } => adapter.to_string(),
    };
    eprintln!("measuring on {on}: {}", path.display());
    match measure_apart(path, choice, settings) {
        Ok(measured) => {
            for note in &measured.notes {
                eprintln!("note: {}: {note}", measured.record.name);
            }
            Some(measured)
        }
        Err(error) => {
            eprintln!("error: cannot measure on {on}: {error:#}");
            None
        }
    }
}

fn report(benched: &[Benched], json: bool) -> Result<()> {
    if json {
        let models: Vec<JsonModel> = benched.iter().map(JsonModel::of).collect();
        words::print(&(serde_json::to_string_pretty(&models)? + "\n"))?;
    } else {
        let rows = benched
            .iter()
            .flat_map(|b| b.costs.iter().map(|cost| (&b.model, cost)));
        words::print(&costs::table(rows, true))?;
    }
    for file in benched.iter().flat_map(|b| &b.files) {
        eprintln!("result file: {}", file.display());
    }
    Ok(())
}

/// A model in `edge bench --json`.
#[derive(Serialize)]
struct JsonModel<'a> {
    name: &'a str,
    path: String,
    hash: String,
    bytes: u64,
    parameters: u64,
    macs: Option<u64>,
    files: Vec<String>,
    costs: Vec<JsonCost<'a>>,
}

impl<'a> JsonModel<'a> {
    fn of(benched: &'a Benched) -> Self {
        let model = &benched.model;
        let files = benched.files.iter();
        Self {
            name: &model.name,
            path: benched.path.display().to_string(),
            hash: blake3::Hash::from(model.hash).to_hex().to_string(),
            bytes: model.bytes,
            parameters: model.parameters.count,
            macs: model.macs,
            files: files.map(|file| file.display().to_string()).collect(),
            costs: costs::json(model, &benched.costs),
        }
    }
}
