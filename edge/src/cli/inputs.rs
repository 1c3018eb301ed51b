//! Result files named on the command line: folders are searched, bad files are reported and
//! passed over.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use shared::result::Evaluation;

/// Result files that could be read, and how many could not.
pub(super) struct Inputs {
    pub(super) evaluations: Vec<(PathBuf, Evaluation)>,
    pub(super) failed: u32,
}

/// Reads `paths`; each failure is printed once on stderr.
///
/// # Errors
/// When nothing could be read.
pub(super) fn read_all(paths: &[PathBuf]) -> Result<Inputs> {
    let mut inputs = Inputs {
        evaluations: Vec::new(),
        failed: 0,
    };
    for path in expand(paths)? {
        match shared::result::read(&path) {
            Ok(evaluation) => inputs.evaluations.push((path, evaluation)),
            Err(error) => {
                eprintln!("error: {:#}", anyhow::Error::from(error));
                inputs.failed += 1;
            }
        }
    }
    ensure!(
        !inputs.evaluations.is_empty(),
        "no readable result file; `edge eval` writes them (*.quba)"
    );
    Ok(inputs)
}

/// Files as named; folders as the `.quba` files in them, sorted.
fn expand(paths: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for path in paths {
        if path.is_dir() {
            files.extend(result_files(path)?);
        } else {
            files.push(path.clone());
        }
    }
    Ok(files)
}

/// The `.quba` files in a folder, sorted.
pub(super) fn result_files(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(folder)
        .with_context(|| format!("cannot list the folder: {}", folder.display()))?;
    let mut files: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|e| e == "quba"))
        .collect();
    files.sort();
    Ok(files)
}
