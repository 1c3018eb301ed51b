//! What every command prints and how it ends: help, errors, exit codes, tables.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use std::path::Path;
use std::process::{Command, Stdio};

use tests::synthetic;
use tests::{Finished, finish};

#[path = "command_line/compare.rs"]
mod compare;
#[path = "command_line/correlate.rs"]
mod correlate;
#[path = "command_line/corrupt.rs"]
mod corrupt;
#[path = "command_line/devices.rs"]
mod devices;
#[path = "command_line/errors.rs"]
mod errors;
#[path = "command_line/help.rs"]
mod help;
#[path = "command_line/stability.rs"]
mod stability;
#[path = "command_line/tables.rs"]
mod tables;

fn edge() -> Command {
    tests::without_gpus(env!("CARGO_BIN_EXE_edge-under-test"))
}

/// Runs `edge` in `folder`, so that no message names a temporary path.
fn run_in(folder: &Path, arguments: &[&str]) -> Finished {
    finish(edge().current_dir(folder).args(arguments))
}

/// Everything that a person would see.
fn seen(run: &Finished) -> String {
    let mut text = format!("exit code {}\n", run.code);
    for (name, stream) in [("stdout", &run.stdout), ("stderr", &run.stderr)] {
        if !stream.is_empty() {
            text += &format!("--- {name}\n{stream}");
        }
    }
    text.replace("edge-under-test", "edge")
}

/// A folder with two good result files, `small.quba` and `large.quba`.
fn results() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let large = synthetic::evaluation("Large", 8, true);
    let mut small = synthetic::evaluation("Small", 3, false);
    synthetic::skip_first_clean(&mut small);
    for (name, evaluation) in [("large.quba", large), ("small.quba", small)] {
        shared::result::write_atomic(&folder.path().join(name), &evaluation).unwrap();
    }
    folder
}

#[test]
fn a_closed_pipe_is_no_failure() {
    let folder = results();
    let mut child = edge()
        .current_dir(folder.path())
        .args(["show", "large.quba", "--json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // The report is longer than a pipe holds, so writing must meet the closed end.
    drop(child.stdout.take());
    let ended: Finished = child.wait_with_output().unwrap().into();
    assert_eq!((ended.code, ended.stderr.as_str()), (0, ""));
}
