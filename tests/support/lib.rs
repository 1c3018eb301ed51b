//! What the workspace-level tests share: running the binary, finding data, small data sets.

pub mod synthetic;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use edge::demo::DemoOptions;
use shared::result::Evaluation;

/// The folder of real models and images, or `None` with a printed reason.
///
/// It lies beside the checkout; `QUBA_SHARED` names another place.
pub fn real_data() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared");
    let shared = std::env::var_os("QUBA_SHARED").map_or(beside, PathBuf::from);
    let real = shared.join("real");
    if real.join("models").is_dir() {
        return Some(real);
    }
    eprintln!("skipped: no real models and images at {}", real.display());
    None
}

/// The bundled models, sorted.
pub fn bundled_models() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../models");
    let entries = std::fs::read_dir(&folder).into_iter().flatten().flatten();
    let mut models: Vec<PathBuf> = entries
        .map(|e| e.path())
        .filter(|p| p.extension().is_some_and(|e| e == "onnx"))
        .collect();
    models.sort();
    models
}

/// A finished process, with its streams as text.
pub struct Finished {
    /// Exit code, or −1 where a signal ended it.
    pub code: i32,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
}

impl From<Output> for Finished {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

/// Runs `command` to its end.
///
/// # Panics
/// When it cannot be started.
pub fn finish(command: &mut Command) -> Finished {
    #[expect(clippy::expect_used, reason = "a test without its binary cannot go on")]
    command.output().expect("the binary starts").into()
}

/// Renders the demo data with `options` into `folder`, which is emptied first.
///
/// # Panics
/// When it cannot be written.
pub fn render(folder: &Path, options: &DemoOptions) -> PathBuf {
    let _ = std::fs::remove_dir_all(folder);
    #[expect(clippy::expect_used, reason = "a test without its data cannot go on")]
    edge::demo::write(folder, options, &|_, _| {}).expect("the demo data is written");
    folder.to_owned()
}

/// Few images of every set.
pub fn small_demo() -> DemoOptions {
    DemoOptions {
        clean: 3,
        shifted: 2,
        conflict: 1,
        mixed: 2,
        ..DemoOptions::default()
    }
}

/// The evaluation without what differs from call to call: when, where and how long it ran.
pub fn without_runs(mut evaluation: Evaluation) -> Evaluation {
    evaluation.runs.clear();
    evaluation
}
