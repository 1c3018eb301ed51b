//! Workers: each takes the next file, decodes it once, and runs every model that still needs it, on
//! the picture itself and on each corrupted copy, which is made once for all models.

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::thread;

use anyhow::{Context, Result, anyhow};
use crossbeam_channel::{Receiver, Sender};
use image::RgbImage;
use shared::outcome::{AttackSpace, PassKind};
use shared::result::{OutputKind, Preprocessing};

use super::attacked::{Attacks, Victim, cost};
use super::judge::{Judge, Record};
use crate::dataset::ImageSet;
use crate::model::OutputView;
use crate::perturb::generate::{Generator, Identity, Method, Source};
use crate::preprocess::Preprocessor;
use crate::runtime::gradient::LossGradients;
use crate::runtime::{Classifier, Session};

/// Answers that may wait for the collector, per worker: enough to ride out a disk write.
const QUEUE_PER_WORKER: usize = 8;

/// One pass as the workers see it.
pub(super) struct PassWork<'a> {
    pub(super) kind: PassKind,
    /// Whether the files are corrupted before they are shown.
    pub(super) generated: bool,
    pub(super) set: &'a ImageSet,
    /// Position in the set of each slot.
    pub(super) positions: &'a [u32],
}

/// One model as the workers see it.
pub(super) struct ModelWork<'a> {
    pub(super) name: &'a str,
    pub(super) classifier: &'a dyn Classifier,
    /// Where the model is attacked along its gradient.
    pub(super) gradients: Option<&'a LossGradients>,
    pub(super) output: OutputView,
    pub(super) kind: OutputKind,
    pub(super) judge: Judge<'a>,
    /// Position in [`Work::preprocessings`].
    pub(super) preprocessing: usize,
    /// By pass and slot: whether the image still has to be evaluated.
    pub(super) pending: Vec<Vec<bool>>,
    /// Whether the clean probabilities are wanted.
    pub(super) keep_probabilities: bool,
}

/// Everything the workers share.
pub(super) struct Work<'a> {
    pub(super) passes: Vec<PassWork<'a>>,
    pub(super) models: Vec<ModelWork<'a>>,
    /// The different preprocessings; models that share one share its tensors.
    pub(super) preprocessings: Vec<&'a Preprocessing>,
    /// How corrupted copies are made.
    pub(super) method: Method,
    /// Passes that show the same files at the same slots.
    pub(super) groups: Vec<Vec<u16>>,
    /// `(group, slot)` of each file that at least one model still needs, in order.
    pub(super) units: Vec<(u16, u32)>,
    pub(super) threads: usize,
    /// Stop at the first unreadable image.
    pub(super) strict: bool,
    /// Runs of models so far, of [`Work::cost`].
    pub(super) spent: AtomicU64,
}

impl Work<'_> {
    /// About how many runs of models an image of a pass takes.
    pub(super) fn cost(&self, pass: u16, slot: u32) -> u64 {
        let models = self.models.iter().filter(|m| m.needs(pass, slot)).count();
        cost(self.passes[pass as usize].kind).saturating_mul(models as u64)
    }

    /// Whether a model still needs this image of a pass.
    pub(super) fn needs(&self, pass: u16, slot: u32) -> bool {
        self.models.iter().any(|m| m.needs(pass, slot))
    }
}

impl ModelWork<'_> {
    /// Whether the image still has to be evaluated.
    pub(super) fn needs(&self, pass: u16, slot: u32) -> bool {
        self.pending[pass as usize][slot as usize]
    }
}

/// What became of one image.
pub(super) struct Answer {
    pub(super) pass: u16,
    pub(super) slot: u32,
    /// Per model that needed it, or why it could not be read.
    pub(super) outcome: Result<Vec<Judged>, String>,
}

/// One model's record of one image.
pub(super) struct Judged {
    pub(super) model: usize,
    pub(super) record: Record,
    pub(super) probabilities: Option<Vec<f32>>,
}

/// Runs all units on the workers and hands each answer to `collect` on the calling thread, in no
/// particular order. Stops early, without error, once `stop` is set.
///
/// # Errors
/// The first failure of a worker or of `collect`; answers given until then were collected.
pub(super) fn run(
    work: &Work,
    stop: &AtomicBool,
    mut collect: impl FnMut(Option<Answer>) -> Result<()>,
) -> Result<()> {
    let next = AtomicUsize::new(0);
    let failed = AtomicBool::new(false);
    let (sender, answers) = crossbeam_channel::bounded(QUEUE_PER_WORKER * work.threads);
    thread::scope(|scope| {
        let workers: Vec<_> = (0..work.threads)
            .map(|_| {
                let sender = sender.clone();
                let (next, failed) = (&next, &failed);
                scope.spawn(move || {
                    let halted = || stop.load(Ordering::Relaxed) || failed.load(Ordering::Relaxed);
                    let worked = Worker::new(work).and_then(|mut w| w.run(next, halted, &sender));
                    if worked.is_err() {
                        failed.store(true, Ordering::Relaxed);
                    }
                    worked
                })
            })
            .collect();
        drop(sender);
        let collected = drain(&answers, &mut collect);
        if collected.is_err() {
            failed.store(true, Ordering::Relaxed);
        }
        // A worker blocked on a full queue would never see that it must halt.
        drop(answers);
        let worked: Vec<Result<()>> = workers
            .into_iter()
            .map(|w| {
                w.join()
                    .unwrap_or_else(|_| Err(anyhow!("a worker thread panicked")))
            })
            .collect();
        collected.and(worked.into_iter().collect())
    })
}

/// Passes answers on; `None` now and then, so that the collector can write what it holds.
fn drain(
    answers: &Receiver<Answer>,
    collect: &mut impl FnMut(Option<Answer>) -> Result<()>,
) -> Result<()> {
    use crossbeam_channel::RecvTimeoutError as Timeout;
    loop {
        match answers.recv_timeout(std::time::Duration::from_millis(250)) {
            Ok(answer) => collect(Some(answer))?,
            Err(Timeout::Timeout) => collect(None)?,
            Err(Timeout::Disconnected) => return Ok(()),
        }
    }
}

/// A file and what its corrupted copies need.
struct Shown {
    source: Source,
    /// What copies are made of, once the first is needed.
    base: Option<RgbImage>,
}

/// One thread's own state: a session per model, a resizer and a tensor per preprocessing.
struct Worker<'a> {
    work: &'a Work<'a>,
    sessions: Vec<Box<dyn Session + 'a>>,
    attacks: Attacks<'a>,
    preprocessors: Vec<Preprocessor>,
    generator: Generator,
    tensors: Vec<Vec<f32>>,
    outputs: Vec<f32>,
    probabilities: Vec<f32>,
}

impl<'a> Worker<'a> {
    fn new(work: &'a Work<'a>) -> Result<Self> {
        let sessions = work
            .models
            .iter()
            .map(|m| {
                m.classifier
                    .session()
                    .with_context(|| format!("cannot set up a session of {}", m.name))
            })
            .collect::<Result<_>>()?;
        let preprocessors = work
            .preprocessings
            .iter()
            .map(|p| Ok(Preprocessor::new(p)?))
            .collect::<Result<Vec<_>>>()?;
        Ok(Self {
            work,
            sessions,
            attacks: Attacks::new(work)?,
            tensors: vec![Vec::new(); preprocessors.len()],
            preprocessors,
            generator: Generator::new(work.method.side)?,
            outputs: Vec::new(),
            probabilities: Vec::new(),
        })
    }

    fn run(
        &mut self,
        next: &AtomicUsize,
        halted: impl Fn() -> bool,
        sender: &Sender<Answer>,
    ) -> Result<()> {
        while !halted() {
            let Some(&(group, slot)) = self.work.units.get(next.fetch_add(1, Ordering::Relaxed))
            else {
                break;
            };
            if !self.evaluate(group, slot, &halted, sender)? {
                break;
            }
        }
        Ok(())
    }

    /// Evaluates one file in all passes of its group; false when there is no one to answer.
    fn evaluate(
        &mut self,
        group: u16,
        slot: u32,
        halted: &impl Fn() -> bool,
        sender: &Sender<Answer>,
    ) -> Result<bool> {
        let work = self.work;
        let passes = &work.groups[group as usize];
        let set = &work.passes[passes[0] as usize];
        let item = &set.set.items[set.positions[slot as usize] as usize];
        let path = set.set.root.join(&item.path);
        let mut file = match Source::read(&path) {
            Err(reason) if work.strict => return Err(anyhow!("{reason}: {}", path.display())),
            file => file.map(|source| Shown { source, base: None }),
        };
        self.attacks.next_image();
        for &pass in passes.iter().filter(|&&pass| work.needs(pass, slot)) {
            if halted() {
                break;
            }
            let outcome = match &mut file {
                Ok(shown) => {
                    let corrupted = self.corrupted(pass, shown);
                    let image = corrupted.as_ref().unwrap_or(&shown.source.image);
                    let identity = &shown.source.identity;
                    Ok(self.judge_all(pass, slot, item.label, image, identity, &path)?)
                }
                Err(reason) => {
                    let saved = work.cost(pass, slot);
                    work.spent.fetch_add(saved, Ordering::Relaxed);
                    Err(reason.clone())
                }
            };
            let answer = Answer {
                pass,
                slot,
                outcome,
            };
            // The collector hangs up only after a failure of its own, which it reports.
            if sender.send(answer).is_err() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The corrupted copy that a pass shows; `None` where it shows the file itself.
    fn corrupted(&mut self, pass: u16, shown: &mut Shown) -> Option<RgbImage> {
        let pass = &self.work.passes[pass as usize];
        let PassKind::Corruption(corruption, severity) = pass.kind else {
            return None;
        };
        if !pass.generated {
            return None;
        }
        let Shown { source, base } = shown;
        let base = base.get_or_insert_with(|| self.generator.base(&source.image));
        let method = &self.work.method;
        Some(method.corrupt(base, &source.identity, corruption, severity))
    }

    fn judge_all(
        &mut self,
        pass: u16,
        slot: u32,
        label: u32,
        image: &RgbImage,
        identity: &Identity,
        path: &Path,
    ) -> Result<Vec<Judged>> {
        let work = self.work;
        let kind = work.passes[pass as usize].kind;
        let needs = |m: &ModelWork| m.needs(pass, slot);
        for (i, preprocessor) in self.preprocessors.iter_mut().enumerate() {
            let is_used = |m: &ModelWork| m.preprocessing == i && needs(m);
            if work.models.iter().any(is_used) {
                match kind {
                    PassKind::Attack(attack) if attack.space == AttackSpace::Pixels => {
                        preprocessor.pixels(image, &mut self.tensors[i]);
                    }
                    _ => preprocessor.tensor(image, &mut self.tensors[i]),
                }
            }
        }
        let mut judged = Vec::new();
        let models = work.models.iter().enumerate();
        for (index, model) in models.filter(|(_, m)| needs(m)) {
            let record = self.record(index, kind, label, identity);
            let record =
                record.with_context(|| format!("{} failed on {}", model.name, path.display()))?;
            let keep = model.keep_probabilities && kind == PassKind::Clean;
            judged.push(Judged {
                model: index,
                record,
                probabilities: keep.then(|| self.probabilities.clone()),
            });
        }
        Ok(judged)
    }

    /// One model's record of the image that its tensor holds.
    fn record(
        &mut self,
        index: usize,
        kind: PassKind,
        label: u32,
        identity: &Identity,
    ) -> Result<Record> {
        let model = &self.work.models[index];
        let session = self.sessions[index].as_mut();
        let image = &self.tensors[model.preprocessing];
        if let PassKind::Attack(attack) = kind {
            let victim = Victim {
                image,
                label,
                identity,
            };
            let right = self.attacks.survives(index, session, &victim, &attack)?;
            return Ok(Record::Correct(right));
        }
        session.run(image, &mut self.outputs)?;
        self.work.spent.fetch_add(1, Ordering::Relaxed);
        Ok(model
            .judge
            .judge(kind, label, &mut self.outputs, &mut self.probabilities))
    }
}
