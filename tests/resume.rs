//! Interrupted evaluations: killed, stopped, torn; the same call finishes them.
#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use edge::demo::DemoOptions;
use shared::result::Evaluation;
use tests::{Finished, finish, render, software_gpu, with_driver, without_runs};

/// Longest wait for a child to get anywhere.
const PATIENCE: Duration = Duration::from_secs(60);

/// Data that keeps [`call`] busy for longer than the time between two journal writes.
fn data() -> &'static Path {
    static DATA: OnceLock<PathBuf> = OnceLock::new();
    let options = DemoOptions {
        clean: 1,
        shifted: 6,
        mixed: 6,
        ..DemoOptions::default()
    };
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("resume");
    DATA.get_or_init(|| render(&folder, &options))
}

/// One call of all bundled models, with a folder for its results.
struct Call {
    folder: tempfile::TempDir,
    models: Vec<PathBuf>,
}

impl Call {
    fn new() -> Self {
        let models = tests::bundled_models();
        assert!(!models.is_empty(), "bundled models lie in models/");
        Self {
            folder: tempfile::tempdir().unwrap(),
            models,
        }
    }

    fn out(&self) -> PathBuf {
        self.folder.path().join("out")
    }

    fn command(&self, threads: u32, options: &[&str]) -> Command {
        let mut command = tests::without_gpus(env!("CARGO_BIN_EXE_edge-under-test"));
        command.arg("eval").args(&self.models);
        command
            .arg("--data")
            .arg(data())
            .arg("--out")
            .arg(self.out());
        command.args(["--threads", &threads.to_string()]);
        command.args(options);
        command
    }

    /// Starts the call on one thread and waits until every model's journal holds images.
    fn start(&self) -> Child {
        data();
        let mut command = self.command(1, &[]);
        command.stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let started = Instant::now();
        while self.journalled() <= HEADER_BYTES {
            assert!(started.elapsed() < PATIENCE, "nothing was journalled");
            assert_eq!(
                child.try_wait().unwrap(),
                None,
                "ended before its first journal write"
            );
            std::thread::sleep(Duration::from_millis(20));
        }
        child
    }

    fn journals(&self) -> Vec<PathBuf> {
        let folders = std::fs::read_dir(self.out().join(".journal"));
        let folders = folders.into_iter().flatten().flatten();
        folders.map(|f| f.path().join("journal")).collect()
    }

    /// Bytes of the smallest journal once every model has one.
    fn journalled(&self) -> u64 {
        let journals = self.journals();
        if journals.len() < self.models.len() {
            return 0;
        }
        let size = |path: &PathBuf| path.metadata().map_or(0, |m| m.len());
        journals.iter().map(size).min().unwrap_or(0)
    }

    /// Runs the call to its end, on two threads.
    fn finish(&self, options: &[&str]) -> Finished {
        let run = finish(&mut self.command(2, options));
        assert_eq!(run.code, 0, "{}", run.stderr);
        assert_eq!(self.journals(), Vec::<PathBuf>::new());
        run
    }

    fn results(&self) -> Vec<Evaluation> {
        let result = |model: &PathBuf| {
            let name = model.with_extension("quba");
            let path = self.out().join(name.file_name().unwrap());
            without_runs(shared::result::read(&path).unwrap())
        };
        self.models.iter().map(result).collect()
    }
}

/// Signature and key of a journal.
const HEADER_BYTES: u64 = 40;

/// The results of a call that nothing disturbed.
fn undisturbed() -> &'static [Evaluation] {
    static RESULTS: OnceLock<Vec<Evaluation>> = OnceLock::new();
    RESULTS.get_or_init(|| {
        let call = Call::new();
        let run = call.finish(&[]);
        assert!(!run.stderr.contains("resuming"), "{}", run.stderr);
        call.results()
    })
}

/// Images known from before, of all, as the line on the first resumed model says:
/// `resuming NAME: 1234 of 5678 image evaluations done before`.
fn known(run: &Finished) -> (u64, u64) {
    let line = run.stderr.lines().find(|l| l.starts_with("resuming"));
    let (_, counts) = line.and_then(|l| l.rsplit_once(": ")).expect(&run.stderr);
    let number = |word: &str| word.parse().ok();
    let numbers: Vec<u64> = counts.split(' ').filter_map(number).collect();
    (numbers[0], numbers[1])
}

#[test]
fn a_killed_call_resumes() {
    let call = Call::new();
    let mut child = call.start();
    child.kill().unwrap();
    child.wait().unwrap();
    let run = call.finish(&[]);
    let (known, all) = known(&run);
    assert!(0 < known && known < all, "{known} of {all}");
    assert_eq!(call.results(), undisturbed());
}

#[test]
fn an_interrupted_call_says_so_and_resumes() {
    let call = Call::new();
    let child = call.start();
    // The shell's own `kill`: bare machines have no other.
    let kill = format!("kill -INT {}", child.id());
    let sent = Command::new("sh").args(["-c", &kill]).status().unwrap();
    assert!(sent.success());
    let stopped: Finished = child.wait_with_output().unwrap().into();
    assert_eq!(stopped.code, 130, "{}", stopped.stderr);
    assert!(
        stopped.stderr.contains("the same call resumes"),
        "{}",
        stopped.stderr
    );
    let run = call.finish(&[]);
    let (known, all) = known(&run);
    assert!(0 < known && known < all, "{known} of {all}");
    assert_eq!(call.results(), undisturbed());
}

#[test]
fn a_torn_journal_costs_only_its_tail() {
    let call = Call::new();
    let mut child = call.start();
    child.kill().unwrap();
    child.wait().unwrap();
    for (i, journal) in call.journals().iter().enumerate() {
        let file = std::fs::OpenOptions::new()
            .write(true)
            .open(journal)
            .unwrap();
        let bytes = file.metadata().unwrap().len();
        file.set_len(bytes - 1 - i as u64).unwrap();
    }
    call.finish(&[]);
    assert_eq!(call.results(), undisturbed());
}

#[test]
fn fresh_starts_over() {
    let call = Call::new();
    let mut child = call.start();
    child.kill().unwrap();
    child.wait().unwrap();
    let run = call.finish(&["--fresh"]);
    assert!(!run.stderr.contains("resuming"), "{}", run.stderr);
    assert_eq!(call.results(), undisturbed());
}

#[test]
fn a_call_on_another_engine_is_not_resumed() {
    let Some(driver) = software_gpu() else {
        return;
    };
    let mut call = Call::new();
    call.models
        .retain(|path| path.ends_with("patch-transformer.onnx"));
    let mut child = call.start();
    child.kill().unwrap();
    child.wait().unwrap();
    let on_cpu = call.journals();
    let journalled = call.journalled();

    let mut command = call.command(1, &["--backend", "gpu"]);
    with_driver(&mut command, &driver);
    command.stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let started = Instant::now();
    while call.journals().len() == on_cpu.len() {
        assert!(started.elapsed() < PATIENCE, "no second journal");
        assert_eq!(child.try_wait().unwrap(), None, "ended early");
        std::thread::sleep(Duration::from_millis(20));
    }
    child.kill().unwrap();
    let run: Finished = child.wait_with_output().unwrap().into();
    assert!(run.stderr.contains("backend: llvmpipe"), "{}", run.stderr);
    assert!(!run.stderr.contains("resuming"), "{}", run.stderr);
    // That of the CPU is as it was.
    assert_eq!(call.journals().len(), 2);
    assert_eq!(on_cpu[0].metadata().unwrap().len(), journalled);
}
