//! `edge eval`: models and data from the command line, then the ranked table.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, Result, anyhow, ensure};
use shared::metrics::measure;
use shared::result::{Evaluation, merge, read, write_atomic};
use shared::{Dimension, Protocol};

use super::args::{EvalArguments, RunArguments, cores};
use super::rank::{Format, Models};
use super::{Exit, bench, costs, rank, words};
use crate::dataset::Dataset;
use crate::evaluate::{self, Ended, Finished, Part, Progress, Settings};
use crate::model::{LoadOptions, LoadedModel, load};
use crate::runtime::gpu::adapters::Adapter;
use crate::runtime::gpu::choice::Choice;
use crate::runtime::gpu::{self, settle};

pub(super) fn run(arguments: &EvalArguments) -> Result<Exit> {
    let choice = settled(&arguments.run)?;
    let shard = arguments.shard.part()?;
    let dataset = Dataset::open(&arguments.data)?;
    let settings = Settings {
        shard,
        ..settings(&arguments.run)?
    };
    evaluate_models(
        &arguments.models,
        &dataset,
        &arguments.run,
        settings,
        choice,
    )
}

/// What to run models on. Comes before all else: for a GPU the program starts once more.
pub(super) fn settled(arguments: &RunArguments) -> Result<Choice> {
    settle(arguments.backend.into(), arguments.device.as_deref())
}

/// Loads and evaluates `models`, prints the ranked table and where the result files lie.
pub(super) fn evaluate_models(
    models: &[PathBuf],
    dataset: &Dataset,
    arguments: &RunArguments,
    settings: Settings,
    choice: Choice,
) -> Result<Exit> {
    if let Some(Part { index, count }) = settings.shard {
        eprintln!("shard: {index} of {count}");
    }
    let gpu = announced(&choice);
    let (loaded, mut failed) = load_all(models, &settings, gpu, dataset)?;
    let stop = stop_on_signal()?;
    let mut progress = Progress::on_stderr();
    match evaluate::run(&loaded, dataset, &settings, &stop, &mut progress)? {
        Ended::Interrupted { done, total } => {
            eprintln!(
                "interrupted after {} of {}; the same call resumes",
                words::count(done),
                words::plural(total, "image evaluation")
            );
            Ok(Exit::INTERRUPTED)
        }
        Ended::Complete(mut finished) => {
            failed |= finished
                .iter()
                .any(|f| f.evaluation.passes.iter().any(|p| !p.skipped.is_empty()));
            if arguments.costs.bench {
                // Models on a GPU are set up again for that.
                drop(loaded);
                failed |= !measure_costs(&mut finished, &choice, arguments)?;
                if stop.load(Ordering::Relaxed) {
                    return Ok(Exit::INTERRUPTED);
                }
            }
            report(&finished, &settings.dimensions, arguments.json)?;
            Ok(Exit::of(failed))
        }
    }
}

/// Measures each model on what it was evaluated on and adds that to its result file; false where
/// one cannot be measured.
fn measure_costs(
    finished: &mut [Finished],
    choice: &Choice,
    arguments: &RunArguments,
) -> Result<bool> {
    let settings = arguments.costs.settings.with_threads(arguments.threads);
    let mut complete = true;
    for one in finished {
        let Some(measured) = bench::measured(&one.model, choice, &settings) else {
            complete = false;
            continue;
        };
        let costs = Evaluation::of_costs(measured.record, vec![measured.cost]);
        // The file holds more than is kept in memory.
        let merged = merge(&read(&one.path)?, &costs)
            .with_context(|| format!("cannot add costs to {}", one.path.display()))?;
        write_atomic(&one.path, &merged)?;
        one.evaluation.costs = merged.costs;
    }
    Ok(complete)
}

/// The settings that the arguments ask for, of all images.
pub(super) fn settings(arguments: &RunArguments) -> Result<Settings> {
    let protocol = arguments.protocol.into();
    let generation = &arguments.corruptions.generation;
    let mut dimensions = arguments.dims.clone();
    if dimensions.is_empty() {
        dimensions = Dimension::ALL.to_vec();
    }
    Ok(Settings {
        dimensions,
        out: arguments.out.clone(),
        images: arguments.images.map(|n| n.get()),
        budget: arguments.budget.limits(),
        shard: None,
        threads: arguments.threads.map_or_else(cores, |n| n.get()),
        seed: arguments.seed,
        protocol,
        strict: arguments.strict,
        fresh: arguments.fresh,
        corruptions: arguments.corruptions.corruptions.into(),
        corruption_size: generation.corruption_size,
        jpeg85: generation.jpeg85.unwrap_or(protocol == Protocol::Published),
        frost: generation.read_frost()?,
        extra_corruptions: arguments.corruptions.extra_corruptions,
        more_attacks: arguments.attacks.more(protocol)?,
        square_queries: arguments.attacks.square_queries.get(),
    })
}

/// The adapter to run on, if any, and the images that it runs at once; says which and why.
fn announced(choice: &Choice) -> Option<(Adapter, usize)> {
    match choice {
        Choice::Cpu { reason } => {
            eprintln!("backend: CPU ({reason})");
            None
        }
        Choice::Gpu { adapter, reason } => {
            eprintln!(
                "backend: {} through {} ({reason})",
                adapter.name,
                adapter.api.name()
            );
            Some((adapter.clone(), gpu::BATCH))
        }
    }
}

/// Loads each model and checks it against the label set; a bad one is reported and left out.
fn load_all(
    models: &[PathBuf],
    settings: &Settings,
    gpu: Option<(Adapter, usize)>,
    dataset: &Dataset,
) -> Result<(Vec<LoadedModel>, bool)> {
    let options = LoadOptions {
        protocol: settings.protocol,
        gradients: settings.wants_gradients(),
        gpu,
    };
    let mut loaded = Vec::new();
    for path in models {
        let model = load(path, &options).and_then(|model| {
            let fit = model.check_labels(dataset.labels.classes.len());
            fit.map_err(|error| anyhow!("{error}: {}", path.display()))?;
            Ok(model)
        });
        match model {
            Ok(model) => {
                if let Some(Err(reason)) = &model.gradients {
                    let name = &model.record.name;
                    let instead = if settings.scores_attacks() {
                        "it is attacked by Square Attack"
                    } else {
                        "attacks that need one are left out"
                    };
                    eprintln!("note: {name}: no gradient: {reason}; {instead}");
                }
                for reason in model.fallbacks() {
                    eprintln!("note: {}: {reason}", model.record.name);
                }
                for note in &model.notes {
                    eprintln!("note: {}: {note}", model.record.name);
                }
                let labels = &dataset.labels.name;
                if let Some(stated) = model.label_set.as_ref().filter(|s| *s != labels) {
                    let name = &model.record.name;
                    eprintln!(
                        "note: {name}: the card states label set {stated}, the data has {labels}"
                    );
                }
                loaded.push(model);
            }
            Err(error) => eprintln!("error: {error:#}"),
        }
    }
    ensure!(!loaded.is_empty(), "no model could be loaded");
    let failed = loaded.len() < models.len();
    Ok((loaded, failed))
}

/// A flag that Ctrl-C and termination signals set; a second one ends the process at once.
fn stop_on_signal() -> Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&stop);
    ctrlc::set_handler(move || {
        if flag.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
        eprintln!("stopping; once more ends at once");
    })
    .context("cannot listen for Ctrl-C")?;
    Ok(stop)
}

fn report(finished: &[Finished], wanted: &[Dimension], json: bool) -> Result<()> {
    for one in finished {
        let name = &one.evaluation.model.name;
        for warning in one.evaluation.warning_lines() {
            eprintln!("warning: {name}: {warning}");
        }
    }
    for (dimension, reason) in not_measured(finished, wanted) {
        eprintln!("not measured: {dimension}: {reason}");
    }
    let models = Models::of(finished.iter().map(|f| (f.path.as_path(), &f.evaluation)));
    rank::print_default(&models, if json { Format::Json } else { Format::Text })?;
    print_costs(finished, json)?;
    for one in finished {
        eprintln!("result file: {}", one.path.display());
    }
    Ok(())
}

/// The costs, if any; beside JSON on stderr, so that stdout holds one document.
fn print_costs(finished: &[Finished], json: bool) -> Result<()> {
    let evaluations = finished.iter().map(|one| &one.evaluation);
    let rows: Vec<_> = evaluations
        .flat_map(|e| e.costs.iter().map(|cost| (&e.model, cost)))
        .collect();
    if rows.is_empty() {
        return Ok(());
    }
    let text = costs::table(rows, true);
    if json {
        eprint!("{text}");
        return Ok(());
    }
    words::print(&format!("\n{text}"))
}

/// Wanted dimensions without a value, each reason once.
fn not_measured(finished: &[Finished], wanted: &[Dimension]) -> BTreeSet<(Dimension, String)> {
    let mut reasons = BTreeSet::new();
    for one in finished {
        let measured = measure(&one.evaluation);
        for &dimension in wanted {
            if let Err(reason) = &measured[dimension] {
                reasons.insert((dimension, reason.to_string()));
            }
        }
    }
    reasons
}
