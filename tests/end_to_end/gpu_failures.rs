//! A GPU that fails in the middle of a run, played by the CPU: nothing is lost, and it is said.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use edge::dataset::Dataset;
use edge::evaluate::{self, CorruptionSource, Ended, Progress, Settings};
use edge::model::{LoadOptions, LoadedModel, load};
use edge::perturb::corruption::Frost;
use edge::runtime::gpu::failure::{Cause, Failure, Stage};
use edge::runtime::gpu::fallback::WithFallback;
use edge::runtime::{Network, Session};
use shared::result::Engine;

use super::*;

/// Runs on the CPU until its runs are used up.
struct Failing {
    cpu: Arc<dyn Network>,
    left: AtomicUsize,
    cause: Cause,
}

impl Failing {
    fn failure(&self) -> Failure {
        Failure {
            stage: Stage::Run,
            cause: self.cause,
            message: "simulated".to_owned(),
        }
    }
}

impl Network for Failing {
    fn input_len(&self) -> usize {
        self.cpu.input_len()
    }
    fn output_len(&self) -> usize {
        self.cpu.output_len()
    }
    fn engine(&self) -> Engine {
        self.cpu.engine()
    }
    fn session(&self) -> anyhow::Result<Box<dyn Session + '_>> {
        Ok(Box::new(FailingSession {
            session: self.cpu.session()?,
            network: self,
        }))
    }
}

struct FailingSession<'a> {
    session: Box<dyn Session + 'a>,
    network: &'a Failing,
}

impl Session for FailingSession<'_> {
    fn run(&mut self, row: &[f32], outputs: &mut Vec<f32>) -> anyhow::Result<()> {
        let left = &self.network.left;
        let used = left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |n| n.checked_sub(1));
        used.map_err(|_none_left| self.network.failure())?;
        self.session.run(row, outputs)
    }
}

/// `cpu` behind a GPU for which the n-th batch size fails after some runs, with a cause.
fn failing(cpu: Arc<dyn Network>, plan: &'static [(usize, usize, Cause)]) -> Arc<dyn Network> {
    let reference = Arc::clone(&cpu);
    let make = move |batch| -> anyhow::Result<Arc<dyn Network>> {
        let (_, runs, cause) = plan.iter().find(|(size, ..)| *size == batch).unwrap();
        Ok(Arc::new(Failing {
            cpu: Arc::clone(&reference),
            left: AtomicUsize::new(*runs),
            cause: *cause,
        }))
    };
    let engine = Engine::Wonnx {
        version: String::new(),
        adapter: "played".to_owned(),
        api: "Vulkan".to_owned(),
        driver: String::new(),
    };
    Arc::new(WithFallback::new(cpu, engine, plan[0].0, Box::new(make)))
}

fn evaluated(model: LoadedModel, out: &Path) -> Evaluation {
    let dataset = Dataset::open(data()).unwrap();
    let settings = Settings {
        dimensions: vec![Dimension::Accuracy, Dimension::AdversarialRobustness],
        out: out.to_owned(),
        images: None,
        budget: None,
        shard: None,
        threads: 3,
        seed: 0,
        protocol: Protocol::Correct,
        strict: true,
        fresh: false,
        corruptions: CorruptionSource::Auto,
        corruption_size: 224,
        jpeg85: false,
        frost: Frost::synthetic(),
        extra_corruptions: false,
        more_attacks: Vec::new(),
        square_queries: 1,
    };
    let ended = evaluate::run(
        &[model],
        &dataset,
        &settings,
        &AtomicBool::new(false),
        &mut Progress::hidden(),
    );
    match ended.unwrap() {
        Ended::Complete(mut finished) => finished.remove(0).evaluation,
        Ended::Interrupted { .. } => panic!("nobody interrupted"),
    }
}

fn loaded() -> LoadedModel {
    let options = LoadOptions {
        gradients: true,
        ..LoadOptions::default()
    };
    load(&models(1)[0], &options).unwrap()
}

/// What the GPU was not able to do.
fn reasons(evaluation: &Evaluation) -> Vec<&str> {
    let warnings = evaluation.warnings.iter();
    let reasons = warnings.filter_map(|warning| match warning {
        Warning::GpuFallback { reason } => Some(&reason[..]),
        _ => None,
    });
    reasons.collect()
}

#[test]
fn a_lost_device_and_full_memory_lose_nothing() {
    let out = tempfile::tempdir().unwrap();
    let expected = evaluated(loaded(), &out.path().join("cpu"));
    let mut model = loaded();
    let gradients = model.gradients.take().unwrap().unwrap();
    let on_gpu = failing(
        Arc::clone(gradients.network()),
        &[(8, 30, Cause::OutOfMemory), (4, 40, Cause::DeviceLost)],
    );
    model.gradients = Some(Ok(gradients.on(on_gpu)));
    model.classifier = failing(model.classifier, &[(2, 7, Cause::DeviceLost)]);
    let found = evaluated(model, &out.path().join("gpu"));
    assert_eq!(found.passes, expected.passes);
    assert!(matches!(found.runs[0].engine, Engine::Wonnx { .. }));
    assert_eq!(
        reasons(&found),
        [
            "gradients: running a batch on the GPU failed: out of memory (simulated); batches of 4 \
             instead",
            "gradients: running a batch on the GPU failed: the device was lost (simulated); the CPU \
             takes over",
            "running a batch on the GPU failed: the device was lost (simulated); the CPU takes over",
        ]
    );
}
