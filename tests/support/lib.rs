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

/// The program at `path`, as on a machine without GPUs, so that results depend on no machine.
pub fn without_gpus(path: &str) -> Command {
    let mut command = Command::new(path);
    // An API that programs outside browsers do not have.
    command.env("WGPU_BACKEND", "webgpu");
    command
}

/// The driver file of llvmpipe, a GPU played by the processor; `None`, with a printed reason, where
/// it is not installed.
///
/// # Panics
/// Instead of `None` where the environment has `EDGE_TEST_GPU=required`.
pub fn software_gpu() -> Option<PathBuf> {
    const FOLDERS: [&str; 2] = ["/usr/share/vulkan/icd.d", "/etc/vulkan/icd.d"];
    let entries = FOLDERS.iter().flat_map(std::fs::read_dir).flatten();
    let mut drivers: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    drivers.retain(|path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with("lvp_icd") && name.ends_with(".json")
    });
    let required = std::env::var("EDGE_TEST_GPU").is_ok_and(|word| word == "required");
    let driver = drivers.into_iter().min();
    assert!(
        driver.is_some() || !required,
        "llvmpipe is not installed (Debian: mesa-vulkan-drivers)"
    );
    if driver.is_none() {
        eprintln!("skipped: llvmpipe is not installed (Debian: mesa-vulkan-drivers)");
    }
    driver
}

/// Shows `command` the GPUs of one Vulkan driver file alone.
pub fn with_driver<'a>(command: &'a mut Command, driver: &Path) -> &'a mut Command {
    // Mesa grumbles where there is no such folder.
    command.env("XDG_RUNTIME_DIR", std::env::temp_dir());
    // The old name and the new one.
    command.env("VK_ICD_FILENAMES", driver);
    command.env("VK_DRIVER_FILES", driver);
    command.env("WGPU_BACKEND", "vulkan")
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
