//! One call of `edge eval`: open every model's state, run the workers, finish.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use shared::result::{Engine, Evaluation, Preprocessing};

use super::budget::{self, Round};
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
    let mut call = Call {
        dataset,
        plan: &plan,
        settings,
        stop,
        progress,
    };
    let kept = match &settings.budget {
        None => {
            call.evaluate(&mut states, None)?;
            None
        }
        Some(budget) => Some(budget::spend(&mut call, &mut states, budget)?),
    };
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
        let (path, evaluation) = state.finish(dataset, &plan, settings, kept.as_ref())?;
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

/// What one call of [`run`] works with.
pub(super) struct Call<'a> {
    pub(super) dataset: &'a Dataset,
    pub(super) plan: &'a Plan,
    pub(super) settings: &'a Settings,
    pub(super) stop: &'a AtomicBool,
    pub(super) progress: &'a mut Progress,
}

/// What was evaluated of a pass, and the time that workers took for it.
#[derive(Clone, Copy, Default)]
pub(super) struct Tally {
    pub(super) images: u64,
    pub(super) busy: Duration,
}

impl Call<'_> {
    /// Whether a stop is asked for.
    pub(super) fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Runs the workers until every slot of every model is done, or every one of the round; until the
    /// time is up, or a stop is asked for. What was done, by pass.
    pub(super) fn evaluate(
        &mut self,
        states: &mut [ModelState],
        round: Option<&Round>,
    ) -> Result<Vec<Tally>> {
        let mut tallies = vec![Tally::default(); self.plan.passes.len()];
        let work = work_of(states, self, round);
        if work.units.is_empty() {
            return Ok(tallies);
        }
        let (generated, todo) = todo(&work, self.plan);
        if round.is_none() {
            let evaluations = todo.iter().map(|pass| pass.images).sum();
            self.progress.generating(generated, evaluations);
        }
        self.progress.start(todo);
        let mut flushed = Instant::now();
        let collected = pipeline::run(&work, self.stop, |answer| {
            if let Some(answer) = answer {
                let tally = &mut tallies[answer.pass as usize];
                tally.images += 1;
                tally.busy += answer.busy;
                self.progress.advance(answer.pass as usize);
                record(states, &work, self.plan, self.dataset, answer)?;
            }
            self.progress.show(work.spent.load(Ordering::Relaxed));
            if flushed.elapsed() >= FLUSH_EVERY {
                flushed = Instant::now();
                states.iter_mut().try_for_each(ModelState::flush)?;
            }
            Ok(())
        });
        self.progress.finish();
        // Even after a failure, what was finished is kept for the next call.
        let flushed = states.iter_mut().try_for_each(ModelState::flush);
        collected.and(flushed).map(|()| tallies)
    }
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

fn work_of<'a>(states: &[ModelState<'a>], call: &Call<'a>, round: Option<&Round>) -> Work<'a> {
    let &Call {
        dataset,
        plan,
        settings,
        ..
    } = call;
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
            pending: state.pending(plan, round.map(|round| &round.shown)),
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
        groups: Vec::new(),
        units: Vec::new(),
        // Workers that wait for a GPU leave the processor to the others: while it runs one batch,
        // the next one gathers.
        threads: settings.threads + 2 * largest_batch,
        strict: settings.strict,
        deadline: round.and_then(|round| round.deadline),
        spent: AtomicU64::new(0),
    };
    let files = |pass| {
        let slots = 0..plan.passes[pass as usize].positions.len() as u32;
        slots.filter(|&slot| work.needs(pass, slot)).count()
    };
    let work = Work {
        groups: plan.groups(settings.threads, files),
        ..work
    };
    let mut units = units(&work);
    if let Some(round) = round {
        round.sort(&mut units, &work.groups);
    }
    Work { units, ..work }
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
