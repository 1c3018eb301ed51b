//! `edge merge`: joins result files of the same model.

use std::path::Path;

use anyhow::{Context, Result};
use shared::result::{Evaluation, merge_all, write_atomic};

use super::args::MergeArguments;
use super::{Exit, inputs, words};

pub(super) fn run(arguments: &MergeArguments) -> Result<Exit> {
    let inputs = inputs::read_all(&arguments.files)?;
    let named = inputs
        .evaluations
        .into_iter()
        .map(|(path, evaluation)| (path.display().to_string(), evaluation))
        .collect();
    let merged = merge_all(named)?;
    std::fs::create_dir_all(&arguments.out)
        .with_context(|| format!("cannot create the folder: {}", arguments.out.display()))?;
    let names = file_names(&merged);
    for (evaluation, name) in merged.iter().zip(names) {
        let path = arguments.out.join(name);
        write_atomic(&path, evaluation)?;
        words::print(&described(evaluation, &path))?;
    }
    Ok(Exit::of(inputs.failed > 0))
}

fn described(evaluation: &Evaluation, path: &Path) -> String {
    format!(
        "{}: {} from {}: {}\n",
        evaluation.model.name,
        words::plural(evaluation.passes.len() as u64, "pass"),
        words::plural(evaluation.runs.len() as u64, "run"),
        path.display()
    )
}

/// One file name per evaluation: the model's name, with part of its hash where names repeat.
fn file_names(evaluations: &[Evaluation]) -> Vec<String> {
    let safe = |name: &str| -> String {
        let keep = |c: char| {
            if c.is_alphanumeric() || "-_.".contains(c) {
                c
            } else {
                '-'
            }
        };
        name.chars().map(keep).collect()
    };
    let name_of = |e: &Evaluation| safe(&e.model.name);
    evaluations
        .iter()
        .map(|e| {
            let name = name_of(e);
            let repeats = evaluations
                .iter()
                .filter(|other| name_of(other) == name)
                .count();
            if repeats == 1 {
                format!("{name}.quba")
            } else {
                let hash = blake3::Hash::from(e.model.hash).to_hex();
                format!("{name}-{}.quba", &hash[..8])
            }
        })
        .collect()
}
