//! A classifier that starts on a GPU and loses no image when the GPU fails.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use shared::result::Engine;

use super::failure::Failure;
use super::lowering::Refusal;
use crate::runtime::{Network, Session};

/// Sets the model up on the GPU for batches of a size, checked against the CPU.
pub type Make = dyn Fn(usize) -> anyhow::Result<Arc<dyn Network>> + Send + Sync;

/// A classifier that runs on a GPU while that works: where a batch is too large it is halved, and
/// after any other [`Failure`] the CPU takes over for good. The image at hand is run again.
pub struct WithFallback {
    cpu: Arc<dyn Network>,
    /// What is recorded where the GPU ran at all.
    engine: Engine,
    started: bool,
    make: Box<Make>,
    state: Mutex<State>,
}

struct State {
    gpu: Option<Arc<dyn Network>>,
    batch: usize,
    /// How often the GPU's place was filled anew: two threads may see the same failure.
    changes: usize,
    failures: Vec<String>,
}

impl WithFallback {
    /// Sets the model up for batches of `batch`, or smaller ones, or on the CPU alone.
    pub fn new(cpu: Arc<dyn Network>, engine: Engine, batch: usize, make: Box<Make>) -> Self {
        let mut state = State {
            gpu: None,
            batch,
            changes: 0,
            failures: Vec::new(),
        };
        state.fill(&make);
        Self {
            cpu,
            engine,
            started: state.gpu.is_some(),
            make,
            state: Mutex::new(state),
        }
    }

    /// Images in a batch on the GPU; `None` where the CPU has taken over.
    pub fn gpu_batch(&self) -> Option<usize> {
        let state = self.state();
        state.gpu.as_ref().map(|_| state.batch)
    }

    /// What went wrong on the GPU so far, in words, first things first.
    pub fn failures(&self) -> Vec<String> {
        self.state().failures.clone()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Every change is complete before anything can panic.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Replaces the GPU classifier that failed, unless another thread has done so.
    fn replace(&self, changes: usize, error: &anyhow::Error) {
        let mut state = self.state();
        if state.changes == changes {
            state.gpu = None;
            if state.note(error) {
                state.fill(&self.make);
            }
            state.changes += 1;
        }
    }
}

impl State {
    /// Makes a GPU classifier for the batch, then for smaller ones while size is the trouble.
    fn fill(&mut self, make: &Make) {
        loop {
            match make(self.batch) {
                Ok(gpu) => {
                    self.gpu = Some(gpu);
                    return;
                }
                Err(error) if self.note(&error) => {}
                Err(_) => return,
            }
        }
    }

    /// Records a failure. Halves the batch and returns true where that may help.
    fn note(&mut self, error: &anyhow::Error) -> bool {
        let failure = error.downcast_ref::<Failure>();
        let refusal = error.downcast_ref::<Refusal>();
        let about_size = failure.is_some_and(Failure::is_about_size)
            || matches!(refusal, Some(Refusal::Limit { .. }));
        let smaller = self.batch > 1 && about_size;
        let next = if smaller {
            self.batch /= 2;
            format!("batches of {} instead", self.batch)
        } else {
            "the CPU takes over".to_owned()
        };
        self.failures.push(format!("{error:#}; {next}"));
        smaller
    }
}

impl Network for WithFallback {
    fn input_len(&self) -> usize {
        self.cpu.input_len()
    }

    fn output_len(&self) -> usize {
        self.cpu.output_len()
    }

    fn engine(&self) -> Engine {
        if self.started {
            self.engine.clone()
        } else {
            self.cpu.engine()
        }
    }

    fn fallbacks(&self) -> Vec<String> {
        self.failures()
    }

    fn batch(&self) -> usize {
        self.gpu_batch().unwrap_or(1)
    }

    fn session(&self) -> anyhow::Result<Box<dyn Session + '_>> {
        Ok(Box::new(FallbackSession {
            classifier: self,
            cpu: None,
        }))
    }
}

struct FallbackSession<'a> {
    classifier: &'a WithFallback,
    /// Made when first needed.
    cpu: Option<Box<dyn Session + 'a>>,
}

impl Session for FallbackSession<'_> {
    fn run(&mut self, tensor: &[f32], outputs: &mut Vec<f32>) -> anyhow::Result<()> {
        loop {
            let (gpu, changes) = {
                let state = self.classifier.state();
                (state.gpu.clone(), state.changes)
            };
            let Some(gpu) = gpu else {
                return self.run_on_cpu(tensor, outputs);
            };
            let result = gpu.session()?.run(tensor, outputs);
            // The last holder frees the failed model before another takes its memory.
            drop(gpu);
            match result {
                Err(error) if error.is::<Failure>() => self.classifier.replace(changes, &error),
                // Done, or a wrong request, which the CPU would refuse too.
                result => return result,
            }
        }
    }
}

impl FallbackSession<'_> {
    fn run_on_cpu(&mut self, tensor: &[f32], outputs: &mut Vec<f32>) -> anyhow::Result<()> {
        let session = match self.cpu.take() {
            Some(session) => session,
            None => self.classifier.cpu.session()?,
        };
        self.cpu.insert(session).run(tensor, outputs)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use crate::runtime::gpu::failure::Stage;

    /// Adds two values; on the "GPU" it also adds a thousand and fails when `runs` has run out.
    struct Adder {
        runs: Option<(AtomicUsize, &'static str)>,
    }

    impl Network for Adder {
        fn input_len(&self) -> usize {
            2
        }
        fn output_len(&self) -> usize {
            1
        }
        fn engine(&self) -> Engine {
            crate::runtime::tract::engine()
        }
        fn session(&self) -> anyhow::Result<Box<dyn Session + '_>> {
            Ok(Box::new(AdderSession(self)))
        }
    }

    struct AdderSession<'a>(&'a Adder);

    impl Session for AdderSession<'_> {
        fn run(&mut self, tensor: &[f32], outputs: &mut Vec<f32>) -> anyhow::Result<()> {
            anyhow::ensure!(tensor.len() == 2, "a wrong length");
            let sum = tensor[0] + tensor[1];
            let Some((left, failure)) = &self.0.runs else {
                *outputs = vec![sum];
                return Ok(());
            };
            let used = left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |n| n.checked_sub(1));
            if used.is_err() {
                return Err(failed(failure));
            }
            *outputs = vec![sum + 1000.0];
            Ok(())
        }
    }

    fn failed(message: &str) -> anyhow::Error {
        Failure::of(Stage::Run, &anyhow::anyhow!("{message}")).into()
    }

    /// Each batch size has its own number of runs, then its own failure; 0 cannot be made.
    fn with(plan: &'static [(usize, usize, &'static str)], batch: usize) -> WithFallback {
        let make = move |batch| -> anyhow::Result<Arc<dyn Network>> {
            let found = plan.iter().find(|(size, ..)| *size == batch);
            let (_, runs, failure) = found.expect("this batch is not asked for");
            if *runs == 0 {
                return Err(failed(failure));
            }
            let runs = Some((AtomicUsize::new(*runs), *failure));
            Ok(Arc::new(Adder { runs }))
        };
        WithFallback::new(
            Arc::new(Adder { runs: None }),
            crate::runtime::tract::engine(),
            batch,
            Box::new(make),
        )
    }

    fn outputs(classifier: &WithFallback, count: usize) -> Vec<f32> {
        let mut session = classifier.session().unwrap();
        let mut all = Vec::new();
        for i in 0..count {
            let mut outputs = Vec::new();
            session.run(&[i as f32, 0.0], &mut outputs).unwrap();
            all.extend(outputs);
        }
        all
    }

    #[test]
    fn a_lost_device_hands_over_to_the_cpu() {
        let classifier = with(&[(8, 3, "Parent device is lost")], 8);
        assert_eq!(classifier.gpu_batch(), Some(8));
        assert_eq!(outputs(&classifier, 5), [1000., 1001., 1002., 3., 4.]);
        assert_eq!(classifier.gpu_batch(), None);
        assert_eq!(
            classifier.failures(),
            [
                "running a batch on the GPU failed: the device was lost (Parent device is lost); the CPU takes over"
            ]
        );
    }

    #[test]
    fn out_of_memory_halves_the_batch_first() {
        const PLAN: &[(usize, usize, &str)] = &[
            (8, 2, "Not enough memory left"),
            (4, 0, "Not enough memory left"),
            (2, 2, "Not enough memory left"),
            (1, 1, "Not enough memory left"),
        ];
        let classifier = with(PLAN, 8);
        assert_eq!(
            outputs(&classifier, 7),
            [1000., 1001., 1002., 1003., 1004., 5., 6.]
        );
        assert_eq!(
            (classifier.gpu_batch(), classifier.failures().len()),
            (None, 4)
        );
    }

    #[test]
    fn what_cannot_be_made_runs_on_the_cpu() {
        let classifier = with(&[(4, 0, "op Erf is not implemented")], 4);
        assert_eq!(outputs(&classifier, 2), [0., 1.]);
        assert_eq!(classifier.failures().len(), 1);
        let smaller = with(&[(4, 0, "out of memory"), (2, 9, "")], 4);
        assert_eq!(smaller.gpu_batch(), Some(2));
        assert_eq!(outputs(&smaller, 1), [1000.]);
    }

    #[test]
    fn a_wrong_request_is_no_failure_of_the_gpu() {
        let classifier = with(&[(1, 9, "")], 1);
        let mut session = classifier.session().unwrap();
        let error = session.run(&[1.0], &mut Vec::new()).unwrap_err();
        assert_eq!(error.to_string(), "a wrong length");
        assert_eq!(
            (classifier.gpu_batch(), classifier.failures().len()),
            (Some(1), 0)
        );
    }

    #[test]
    fn threads_that_see_the_same_failure_report_it_once() {
        let classifier = with(&[(2, 50, "out of memory"), (1, 50, "device lost")], 2);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for (i, output) in outputs(&classifier, 100).into_iter().enumerate() {
                        let expected = i as f32;
                        assert!(output == expected || output == expected + 1000.0);
                    }
                });
            }
        });
        assert_eq!(
            (classifier.gpu_batch(), classifier.failures().len()),
            (None, 2)
        );
    }
}
