//! `edge merge`: joins result files of the same model.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use shared::result::{Evaluation, merge_all, write_atomic};

use super::args::MergeArguments;
use super::{Exit, inputs, words};

pub(super) fn run(arguments: &MergeArguments) -> Result<Exit> {
    let inputs = inputs::read_all(&arguments.files)?;
    for line in repeated_shards(&inputs.evaluations) {
        eprintln!("note: {line}");
    }
    let named = inputs
        .evaluations
        .into_iter()
        .map(|(path, evaluation)| (path.display().to_string(), evaluation))
        .collect();
    let merged = merge_all(named)?;
    std::fs::create_dir_all(&arguments.out)
        .with_context(|| format!("cannot create the folder: {}", arguments.out.display()))?;
    let names = file_names(&merged);
    let mut incomplete = false;
    for (evaluation, name) in merged.iter().zip(names) {
        let path = arguments.out.join(name);
        write_atomic(&path, evaluation)?;
        words::print(&described(evaluation, &path))?;
        for missing in evaluation.missing_shards() {
            incomplete = true;
            eprintln!("warning: {}: {missing}", evaluation.model.name);
        }
    }
    if incomplete {
        eprintln!(
            "evaluate what is missing, then merge again: these files or the joined ones will do"
        );
    }
    Ok(Exit::of(inputs.failed > 0 || incomplete))
}

/// Shards that several files hold, with these files, in words.
fn repeated_shards(inputs: &[(PathBuf, Evaluation)]) -> Vec<String> {
    let mut holders: BTreeMap<_, (&str, Vec<String>)> = BTreeMap::new();
    for (path, evaluation) in inputs {
        let model = &evaluation.model;
        for shard in &evaluation.shards {
            let key = (model.hash, shard.key());
            let (_, paths) = holders.entry(key).or_insert((&model.name, Vec::new()));
            paths.push(path.display().to_string());
        }
    }
    let repeated = holders
        .into_iter()
        .filter(|(_, (_, paths))| paths.len() > 1);
    let words = |((_, (count, _, index)), (name, paths)): (_, (&str, Vec<String>))| {
        let paths = paths.join(", ");
        format!("{name}: several files hold shard {index} of {count}: {paths}")
    };
    repeated.map(words).collect()
}

fn described(evaluation: &Evaluation, path: &Path) -> String {
    let costs = evaluation.costs.len() as u64;
    let costs = match costs {
        0 => String::new(),
        _ => format!(", {}", words::plural(costs, "cost")),
    };
    let images = if evaluation.is_costs_only() {
        "no images evaluated".to_owned()
    } else {
        format!(
            "{} from {}",
            words::plural(evaluation.passes.len() as u64, "pass"),
            words::plural(evaluation.runs.len() as u64, "run"),
        )
    };
    let name = &evaluation.model.name;
    format!("{name}: {images}{costs}: {}\n", path.display())
}

/// One file name per evaluation: the model's name, with part of its hash where names repeat, and a
/// number where that repeats too, as with results of several data sets.
fn file_names(evaluations: &[Evaluation]) -> Vec<String> {
    let short: Vec<String> = evaluations.iter().map(|e| safe(&e.model.name)).collect();
    let hashed = |(e, name): (&Evaluation, &String)| {
        let hash = blake3::Hash::from(e.model.hash).to_hex();
        match repeats(&short, name) {
            false => name.clone(),
            true => format!("{name}-{}", &hash[..8]),
        }
    };
    let names: Vec<String> = evaluations.iter().zip(&short).map(hashed).collect();
    let numbered = |(position, name): (usize, &String)| match repeats(&names, name) {
        false => format!("{name}.quba"),
        true => {
            let before = names[..position].iter().filter(|other| *other == name);
            format!("{name}-{}.quba", before.count() + 1)
        }
    };
    names.iter().enumerate().map(numbered).collect()
}

/// A name with nothing in it that file systems object to.
fn safe(name: &str) -> String {
    let keep = |c: char| {
        if c.is_alphanumeric() || "-_.".contains(c) {
            c
        } else {
            '-'
        }
    };
    name.chars().map(keep).collect()
}

fn repeats(names: &[String], name: &String) -> bool {
    names.iter().filter(|other| *other == name).count() > 1
}
