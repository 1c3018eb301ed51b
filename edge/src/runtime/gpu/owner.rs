//! One thread that owns a model on a GPU and runs everyone's images there.
//!
//! A wonnx session gives wrong outputs when two threads run it at once, and accepts inputs that are
//! too short; this thread is the only one that runs it, with batches that are always complete.

use std::sync::{Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender, bounded, unbounded};

use super::failure::{Failure, Stage};
use crate::model::quiet;

/// Runs one batch: `batch × input` values → `batch × output` values.
pub(super) type Engine = Box<dyn FnMut(&[f32]) -> anyhow::Result<Vec<f32>>>;

/// wonnx walks graphs recursively, a few kilobytes for every operator in a chain. Only pages that
/// are touched take memory.
const STACK: usize = 64 << 20;

/// Sizes of a model on a GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sizes {
    /// Images in a batch.
    pub(super) batch: usize,
    /// Values of one image.
    pub(super) input: usize,
    /// Outputs of one image.
    pub(super) output: usize,
}

/// A handle to the thread. Dropping it ends the thread and frees the model.
pub(super) struct Owner {
    requests: Option<Sender<Request>>,
    thread: Mutex<Option<JoinHandle<()>>>,
    sizes: Sizes,
}

/// Whole images, at most a batch of them, and where their outputs go.
struct Request {
    images: Vec<f32>,
    reply: Sender<Result<Vec<f32>, Failure>>,
}

impl Owner {
    /// Starts a thread, makes the engine on it and runs a batch of zeros, which pays for compiling
    /// the shaders. A later batch that takes longer than `patience` fails.
    ///
    /// # Errors
    /// When the engine cannot be made or does not get through a batch.
    pub(super) fn start(
        sizes: Sizes,
        patience: Duration,
        make: impl FnOnce() -> anyhow::Result<Engine> + Send + 'static,
    ) -> Result<Self, Failure> {
        let (requests, queue) = unbounded();
        let (ready, started) = bounded(1);
        let work = move || {
            let made = quiet::catch_in("wonnx", make);
            let made = made.map_err(|error| Failure::of(Stage::Creation, &error));
            let made = made.and_then(|engine| Worker::warmed(engine, sizes, patience));
            match made {
                Err(failure) => drop(ready.send(Err(failure))),
                Ok(worker) => {
                    drop(ready.send(Ok(())));
                    worker.serve(&queue);
                }
            }
        };
        let thread = thread::Builder::new()
            .name("gpu".to_owned())
            .stack_size(STACK)
            .spawn(work)
            .map_err(|error| Failure::of(Stage::Creation, &error.into()))?;
        started.recv().unwrap_or_else(|_| Err(ended()))?;
        Ok(Self {
            requests: Some(requests),
            thread: Mutex::new(Some(thread)),
            sizes,
        })
    }

    pub(super) fn sizes(&self) -> Sizes {
        self.sizes
    }

    /// The outputs of whole images, at most a batch of them.
    ///
    /// # Errors
    /// When the engine fails, or has failed before: then it is gone for good.
    pub(super) fn run(&self, images: Vec<f32>) -> Result<Vec<f32>, Failure> {
        let (reply, outputs) = bounded(1);
        let requests = self.requests.as_ref().ok_or_else(ended)?;
        requests
            .send(Request { images, reply })
            .map_err(|_closed| ended())?;
        outputs.recv().unwrap_or_else(|_| Err(ended()))
    }
}

impl Drop for Owner {
    fn drop(&mut self) {
        self.requests = None;
        let thread = self
            .thread
            .get_mut()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(thread) = thread.take() {
            // Its panics were caught and reported where they happened.
            let _ = thread.join();
        }
    }
}

fn ended() -> Failure {
    Failure::of(Stage::Run, &anyhow::anyhow!("its thread has ended"))
}

/// What the thread holds.
struct Worker {
    engine: Option<Engine>,
    sizes: Sizes,
    /// Longest run whose outputs are trusted.
    patience: Duration,
    /// How long the last batch took.
    took: Duration,
    /// The batch being filled.
    batch: Vec<f32>,
}

impl Worker {
    /// Runs zeros until a run is short enough to be waited for: the first compiles shaders.
    fn warmed(engine: Engine, sizes: Sizes, patience: Duration) -> Result<Self, Failure> {
        const TRIES: usize = 24;
        let mut worker = Self {
            engine: Some(engine),
            sizes,
            patience,
            took: Duration::ZERO,
            batch: vec![0.0; sizes.batch * sizes.input],
        };
        let mut result = Ok(Vec::new());
        for _ in 0..TRIES {
            result = worker.run_batch(Stage::Creation);
            match &result {
                Err(failure) if failure.cause == super::failure::Cause::TooSlow => {}
                _ => break,
            }
        }
        result.map(|_| worker)
    }

    /// Answers requests until every sender is gone, several at once where they fit a batch. After
    /// a failure nothing runs any more; everyone is told why.
    fn serve(mut self, queue: &Receiver<Request>) {
        let mut failed: Option<Failure> = None;
        let mut waiting: Option<Request> = None;
        while let Some(first) = waiting.take().or_else(|| queue.recv().ok()) {
            if let Some(failure) = &failed {
                drop(first.reply.send(Err(failure.clone())));
                continue;
            }
            let together;
            (together, waiting) = self.gathered(first, queue);
            if let Err(failure) = self.answer(together) {
                self.discard();
                failed = Some(failure);
            }
        }
        self.discard();
    }

    /// Requests that fit a batch together, and one that no longer does. A batch takes its time
    /// however few images are in it, so others are waited for during a small part of that.
    fn gathered(
        &self,
        first: Request,
        queue: &Receiver<Request>,
    ) -> (Vec<Request>, Option<Request>) {
        const PART: u32 = 8;
        let deadline = Instant::now() + self.took / PART;
        let room = self.batch.len();
        let mut used = first.images.len();
        let mut together = vec![first];
        while used < room {
            let Ok(next) = queue.recv_deadline(deadline) else {
                break;
            };
            if used + next.images.len() > room {
                return (together, Some(next));
            }
            used += next.images.len();
            together.push(next);
        }
        (together, None)
    }

    fn answer(&mut self, requests: Vec<Request>) -> Result<(), Failure> {
        let images = requests.iter().flat_map(|request| &request.images);
        let zeros = std::iter::repeat(&0.0);
        for (slot, value) in self.batch.iter_mut().zip(images.chain(zeros)) {
            *slot = *value;
        }
        let result = self.run_batch(Stage::Run);
        let mut start = 0;
        for request in requests {
            let images = request.images.len() / self.sizes.input;
            let end = start + images * self.sizes.output;
            let outputs = result.as_ref().map(|outputs| outputs[start..end].to_vec());
            start = end;
            // Whoever asked may have gone.
            drop(request.reply.send(outputs.map_err(Clone::clone)));
        }
        result.map(|_| ())
    }

    fn run_batch(&mut self, stage: Stage) -> Result<Vec<f32>, Failure> {
        let expected = self.sizes.batch * self.sizes.output;
        let started = Instant::now();
        let result = quiet::catch_in("wonnx", || {
            let engine = self.engine.as_mut();
            let engine = engine.ok_or_else(|| anyhow::anyhow!("the model is gone"))?;
            let outputs = engine(&self.batch)?;
            anyhow::ensure!(
                outputs.len() == expected,
                "it gave {} outputs, expected {expected}",
                outputs.len()
            );
            Ok(outputs)
        });
        let took = started.elapsed();
        self.took = took;
        let outputs = result.map_err(|error| Failure::of(stage, &error))?;
        if took >= self.patience {
            return Err(Failure::too_slow(stage, took));
        }
        Ok(outputs)
    }

    /// Frees the model; a lost device may make that panic.
    fn discard(&mut self) {
        let engine = self.engine.take();
        let _ = quiet::catch_in("wonnx", || {
            drop(engine);
            Ok(())
        });
    }
}

#[cfg(test)]
#[path = "owner/tests.rs"]
mod tests;
