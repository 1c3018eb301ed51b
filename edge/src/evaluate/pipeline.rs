//! Workers: each takes the next file, decodes it once, and runs every model that still needs it, on
//! the picture itself and on each corrupted copy, which is made once for all models.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow};
use crossbeam_channel::Receiver;
use shared::outcome::PassKind;
use shared::result::{OutputKind, Preprocessing};

use super::attacked::cost;
use super::judge::{Judge, Record};
use super::worker::Worker;
use crate::dataset::ImageSet;
use crate::model::OutputView;
use crate::perturb::generate::Method;
use crate::runtime::Network;
use crate::runtime::gradient::LossGradients;

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
    pub(super) classifier: &'a dyn Network,
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
    /// When to stop, finished or not.
    pub(super) deadline: Option<Instant>,
    /// Runs of models so far, of [`Work::cost`].
    pub(super) spent: AtomicU64,
}

impl Work<'_> {
    /// About how many runs of models an image of a pass takes.
    pub(super) fn cost(&self, pass: u16, slot: u32) -> u64 {
        let models = self.models.iter().filter(|m| m.needs(pass, slot)).count();
        cost(self.passes[pass as usize].kind).saturating_mul(models as u64)
    }

    /// Whether the time is up.
    fn is_late(&self) -> bool {
        self.deadline.is_some_and(|end| Instant::now() >= end)
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
    /// Time a worker took for it; the first pass that shows a file also bears its decoding.
    pub(super) busy: Duration,
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
/// particular order. Stops early, without error, once `stop` is set or the time is up.
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
                    let ended = || stop.load(Ordering::Relaxed) || failed.load(Ordering::Relaxed);
                    let halted = || ended() || work.is_late();
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
        match answers.recv_timeout(Duration::from_millis(250)) {
            Ok(answer) => collect(Some(answer))?,
            Err(Timeout::Timeout) => collect(None)?,
            Err(Timeout::Disconnected) => return Ok(()),
        }
    }
}
