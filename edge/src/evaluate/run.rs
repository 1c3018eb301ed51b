//! One call of `edge eval`: open every model's state, run the workers, finish.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use shared::result::{Engine, Evaluation, Preprocessing};

use super::judge::Judge;
use super::pipeline::{self, Answer, ModelWork, PassWork, Work};
use super::plan::Plan;
use super::state::ModelState;
use super::{Progress, Settings, progress};
use crate::dataset::Dataset;
use crate::model::LoadedModel;

/// Longest time, and most images, that a kill can cost.
const FLUSH_EVERY: Duration = Duration::from_secs(2);

/// How a call ended.
#[derive(Debug)]
pub enum Ended {
    /// Every model has its result file.
    Complete(Vec<Finished>),
    /// Stopped on request; what was done is kept.
    Interrupted {
        /// Model passes over images that are done.
        done: u64,
        /// All of them.
        total: u64,
    },
}

/// One finished model.
#[derive(Debug)]
pub struct Finished {
    /// The model file.
    pub model: PathBuf,
    /// The result file.
    pub path: PathBuf,
    /// What it holds, but for the class probabilities of a shard.
    pub evaluation: Evaluation,
}

/// Evaluates `models` on `dataset` and writes one result file each. Sets `stop` to end early.
///
/// # Errors
/// When files cannot be written, a model does not fit the label set, an earlier result would be
/// overwritten, or (with `strict`) an image cannot be read.
pub fn run(
    models: &[LoadedModel],
    dataset: &Dataset,
    settings: &Settings,
    stop: &AtomicBool,
    progress: &mut Progress,
) -> Result<Ended> {
    let gradients: Vec<bool> = models.iter().map(LoadedModel::has_gradients).collect();
    let plan = Plan::new(dataset, settings, &gradients);
    ensure_distinct_results(models)?;
    std::fs::create_dir_all(&settings.out)
        .with_context(|| format!("cannot create the folder: {}", settings.out.display()))?;
    let mut states = models
        .iter()
        .map(|model| ModelState::open(model, dataset, &plan, settings))
        .collect::<Result<Vec<_>>>()?;

    for state in &states {
        progress.resumed(&state.model.record.name, state.known, state.total(&plan));
    }
    evaluate_all(&mut states, dataset, &plan, settings, stop, progress)?;
    if stop.load(Ordering::Relaxed) {
        let done = states.iter().map(|s| s.done(&plan)).sum();
        let total = states.iter().map(|s| s.total(&plan)).sum();
        return Ok(Ended::Interrupted { done, total });
    }
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(settings.threads)
        .build()
        .context("cannot start threads")?;
    let finish = |state: ModelState| {
        let model = state.model.path.clone();
        let (path, evaluation) = state.finish(dataset, &plan, settings)?;
        Ok(Finished {
            model,
            path,
            evaluation,
        })
    };
    let finished = pool.install(|| states.into_iter().map(finish).collect::<Result<Vec<_>>>())?;
    Ok(Ended::Complete(finished))
}

fn ensure_distinct_results(models: &[LoadedModel]) -> Result<()> {
    let mut stems = BTreeSet::new();
    for model in models {
        if !stems.insert(model.path.file_stem()) {
            bail!(
                "two models have the same file name and would share one result file; evaluate \
                 them into different --out folders: {}",
                model.path.display()
            );
        }
    }
    Ok(())
}

/// Runs the workers until every slot of every model is done, or `stop` is set.
fn evaluate_all(
    states: &mut [ModelState],
    dataset: &Dataset,
    plan: &Plan,
    settings: &Settings,
    stop: &AtomicBool,
    progress: &mut Progress,
) -> Result<()> {
    let work = work_of(states, dataset, plan, settings);
    if work.units.is_empty() {
        return Ok(());
    }
    let (generated, todo) = todo(&work, plan);
    progress.generating(generated, todo.iter().map(|pass| pass.images).sum());
    progress.start(todo);
    let mut flushed = Instant::now();
    let collected = pipeline::run(&work, stop, |answer| {
        if let Some(answer) = answer {
            progress.advance(answer.pass as usize);
            record(states, &work, plan, dataset, answer)?;
        }
        progress.show(work.spent.load(Ordering::Relaxed));
        if flushed.elapsed() >= FLUSH_EVERY {
            flushed = Instant::now();
            states.iter_mut().try_for_each(ModelState::flush)?;
        }
        Ok(())
    });
    progress.finish();
    // Even after a failure, what was finished is kept for the next call.
    let flushed = states.iter_mut().try_for_each(ModelState::flush);
    collected.and(flushed)
}

/// The images to evaluate of each pass, and the number of passes generated for that.
fn todo(work: &Work, plan: &Plan) -> (usize, Vec<progress::Pass>) {
    let needed = |index: u16| {
        let slots = 0..plan.passes[index as usize].positions.len() as u32;
        slots.filter(move |&slot| work.needs(index, slot))
    };
    let group = |index| work.groups.iter().position(|g| g.contains(&index));
    let todo: Vec<progress::Pass> = (0..)
        .zip(&plan.passes)
        .map(|(index, pass)| progress::Pass {
            name: pass.name(),
            images: needed(index).count() as u64,
            cost: needed(index).map(|slot| work.cost(index, slot)).sum(),
            group: group(index).unwrap_or_default(),
        })
        .collect();
    let generated = plan
        .passes
        .iter()
        .zip(&todo)
        .filter(|(pass, todo)| pass.is_generated() && todo.images > 0);
    (generated.count(), todo)
}

fn work_of<'a>(
    states: &[ModelState<'a>],
    dataset: &'a Dataset,
    plan: &'a Plan,
    settings: &Settings,
) -> Work<'a> {
    let mut preprocessings: Vec<&Preprocessing> = Vec::new();
    let mut models = Vec::new();
    for state in states {
        let record = &state.model.record;
        let same = preprocessings
            .iter()
            .position(|p| **p == record.preprocessing);
        let preprocessing = same.unwrap_or_else(|| {
            preprocessings.push(&record.preprocessing);
            preprocessings.len() - 1
        });
        models.push(ModelWork {
            name: &record.name,
            classifier: state.model.classifier.as_ref(),
            gradients: state.model.gradients.as_ref().and_then(|g| g.as_ref().ok()),
            output: state.output,
            kind: record.output_kind,
            judge: Judge::new(
                &dataset.labels,
                state.output,
                record.output_kind,
                settings.protocol,
            ),
            preprocessing,
            pending: state.pending(plan),
            keep_probabilities: state.keeps_probabilities(),
        });
    }
    let classifiers = states.iter().map(|state| &state.model.classifier);
    let on_gpus = classifiers.filter(|c| matches!(c.engine(), Engine::Wonnx { .. }));
    let largest_batch = on_gpus.map(|c| c.batch()).max().unwrap_or(0);
    let passes = plan
        .passes
        .iter()
        .map(|p| PassWork {
            kind: p.kind,
            generated: p.is_generated(),
            set: p.set(dataset),
            positions: &p.positions,
        })
        .collect();
    let work = Work {
        passes,
        models,
        preprocessings,
        method: settings.method(),
        groups: plan.groups(settings.threads),
        units: Vec::new(),
        // Workers that wait for a GPU leave the processor to the others: while it runs one batch,
        // the next one gathers.
        threads: settings.threads + 2 * largest_batch,
        strict: settings.strict,
        spent: AtomicU64::new(0),
    };
    Work {
        units: units(&work),
        ..work
    }
}

/// `(group, slot)` of each file that a model still needs in one of the group's passes.
fn units(work: &Work) -> Vec<(u16, u32)> {
    let mut units = Vec::new();
    for (index, group) in (0u16..).zip(&work.groups) {
        let slots = 0..work.passes[group[0] as usize].positions.len() as u32;
        let needed = |&slot: &u32| group.iter().any(|&pass| work.needs(pass, slot));
        units.extend(slots.filter(needed).map(|slot| (index, slot)));
    }
    units
}

/// Hands an answer to the models that needed it.
fn record(
    states: &mut [ModelState],
    work: &Work,
    plan: &Plan,
    dataset: &Dataset,
    answer: Answer,
) -> Result<()> {
    let (pass, slot) = (answer.pass, answer.slot);
    let kind = plan.passes[pass as usize].kind;
    match answer.outcome {
        Ok(judged) => judged.into_iter().try_for_each(|judged| {
            states[judged.model].record(pass, slot, Ok(judged), dataset, kind)
        }),
        Err(reason) => {
            let needing = states
                .iter_mut()
                .zip(&work.models)
                .filter(|(_, m)| m.needs(pass, slot));
            needing
                .map(|(s, _)| s)
                .try_for_each(|state| state.record(pass, slot, Err(reason.clone()), dataset, kind))
        }
    }
}
