//! One measurement in a process of its own: its peak memory is that of one model alone, and nothing
//! that a driver does to it ends the command.

use std::path::Path;
use std::process::{Command, Output, Stdio};

use anyhow::{Context, Result, bail};

use super::super::Exit;
use super::super::args::MeasureArguments;
use crate::bench::{Measured, Settings, System, measure};
use crate::runtime::gpu::choice::{Backend, Choice};
use crate::runtime::gpu::{hand_over, settle};

/// Measures `model` on `choice` in another process.
///
/// # Errors
/// Why that process failed, in its own words.
pub(super) fn measure_apart(
    model: &Path,
    choice: &Choice,
    settings: &Settings,
) -> Result<Measured> {
    let program = std::env::current_exe().context("cannot find this program's own file")?;
    let into = tempfile::NamedTempFile::new().context("cannot make a temporary file")?;
    let mut command = Command::new(&program);
    command
        .arg("measure")
        .arg(model)
        .arg("--into")
        .arg(into.path());
    for (option, value) in [
        ("--threads", settings.threads.to_string()),
        (
            "--min-duration",
            settings.min_duration.as_secs_f64().to_string(),
        ),
        ("--min-queries", settings.min_queries.to_string()),
    ] {
        command.args([option, &value]);
    }
    hand_over(&mut command, choice)?;
    command.stdin(Stdio::null()).stdout(Stdio::null());
    let ended = command
        .output()
        .with_context(|| format!("cannot start {} again", program.display()))?;
    if !ended.status.success() {
        bail!("{}", reason(&ended));
    }
    let bytes = std::fs::read(into.path()).context("cannot read the measurement")?;
    postcard::from_bytes(&bytes).context("the measurement is incomplete")
}

/// The error that a process printed, else how it ended.
fn reason(ended: &Output) -> String {
    let printed = String::from_utf8_lossy(&ended.stderr);
    let mut errors = printed.lines().filter_map(|l| l.strip_prefix("error: "));
    errors.next_back().map_or_else(
        || format!("the measuring process ended with {}", ended.status),
        str::to_owned,
    )
}

/// `edge measure`: the other side of [`measure_apart`].
pub(in crate::cli) fn run(arguments: &MeasureArguments) -> Result<Exit> {
    let choice = settle(Backend::Cpu, None)?;
    let gpu = match &choice {
        Choice::Cpu { .. } => None,
        Choice::Gpu { adapter, .. } => Some(adapter),
    };
    let settings = arguments.settings.with_threads(arguments.threads);
    let measured = measure(&arguments.model, gpu, &settings, &System::this())?;
    let bytes = postcard::to_stdvec(&measured).context("cannot encode the measurement")?;
    std::fs::write(&arguments.into, bytes)
        .with_context(|| format!("cannot write {}", arguments.into.display()))?;
    Ok(Exit::SUCCESS)
}
