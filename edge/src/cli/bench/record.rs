//! Costs into the result files of a folder.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use shared::result::{Cost, Evaluation, Model, merge, write_atomic};

use super::super::inputs::result_files;

/// Adds costs to every result of the model in `folder`, or writes a file of costs alone, and tells
/// which files hold them.
///
/// # Errors
/// When a result of the model was made with another input size, or a file cannot be written.
pub(in crate::cli) fn record(
    folder: &Path,
    path: &Path,
    model: &Model,
    costs: &[Cost],
) -> Result<Vec<PathBuf>> {
    std::fs::create_dir_all(folder)
        .with_context(|| format!("cannot create the folder: {}", folder.display()))?;
    let alone = Evaluation::of_costs(model.clone(), costs.to_vec());
    let mut written = Vec::new();
    for file in result_files(folder)? {
        // What cannot be read is no result of this model that could be added to.
        let Ok(existing) = shared::result::read(&file) else {
            continue;
        };
        if existing.model.hash == model.hash {
            let joined = merge(&existing, &alone)
                .with_context(|| format!("cannot add costs to {}", file.display()))?;
            write_atomic(&file, &joined)?;
            written.push(file);
        }
    }
    if written.is_empty() {
        let file = free_name(folder, path, model);
        write_atomic(&file, &alone)?;
        written.push(file);
    }
    Ok(written)
}

/// The name that `edge eval` would use, so that it finds the costs; with a part of the hash where
/// another file has that name.
fn free_name(folder: &Path, path: &Path, model: &Model) -> PathBuf {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let usual = folder.join(format!("{stem}.quba"));
    if !usual.exists() {
        return usual;
    }
    let hash = blake3::Hash::from(model.hash).to_hex();
    folder.join(format!("{stem}-{}.quba", &hash[..8]))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::bench::{Settings, System, measure};

    #[test]
    fn costs_go_where_results_of_the_model_are_and_replace_nothing() {
        let model = Path::new(env!("CARGO_MANIFEST_DIR")).join("../models/plain-small.onnx");
        let settings = Settings {
            threads: 1,
            min_duration: Duration::ZERO,
            min_queries: 1,
        };
        let measured = measure(&model, None, &settings, &System::at("/nowhere")).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let other = folder.path().join("plain-small.quba");
        std::fs::write(&other, "not a result").unwrap();
        let add = |threads: u32, measured_at: u64| {
            let mut cost = measured.cost.clone();
            (cost.threads, cost.measured) = (threads, measured_at);
            record(folder.path(), &model, &measured.record, &[cost]).unwrap()
        };
        let first = add(1, 10);
        let name = first[0].file_name().unwrap().to_string_lossy();
        assert!(
            name.starts_with("plain-small-") && first.len() == 1,
            "{name}"
        );
        assert_eq!((add(2, 20), add(1, 30)), (first.clone(), first.clone()));
        let held = shared::result::read(&first[0]).unwrap();
        let keys: Vec<_> = held.costs.iter().map(|c| (c.threads, c.measured)).collect();
        assert_eq!(keys, [(1, 30), (2, 20)]);
        assert!(held.is_costs_only());
        assert_eq!(std::fs::read(&other).unwrap(), b"not a result");
    }
}
