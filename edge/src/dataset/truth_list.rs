//! Ground truth of a flat folder from a list beside it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};

use super::config::{SetConfig, stem};
use super::names::{NameError, Targets, are_numbers};
use super::walk::Found;

/// Names under which ground truth is published, the most explicit forms first.
const KNOWN_NAMES: [&str; 8] = [
    "LOC_val_solution.csv",
    "imagenet_2012_validation_synset_labels.txt",
    "val.csv",
    "val.txt",
    "labels.csv",
    "labels.txt",
    "ground_truth.txt",
    "ILSVRC2012_validation_ground_truth.txt",
];

/// The words of a list, before they are labels.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Words {
    /// File name and label word of each line.
    Named(Vec<(String, String)>),
    /// A label word per file, in the order of the sorted files.
    Ordered(Vec<String>),
}

/// The list of a set: the stated one, or one of a known name in the set's folder or the one above.
pub(super) fn find(data_root: &Path, set_root: &Path, config: &SetConfig) -> Option<PathBuf> {
    if let Some(list) = &config.list {
        return Some(data_root.join(list));
    }
    let above = set_root
        .parent()
        .filter(|above| above.starts_with(data_root));
    let folders = [Some(set_root), above];
    let candidates = KNOWN_NAMES.iter().flat_map(|name| {
        folders
            .into_iter()
            .flatten()
            .map(move |folder| folder.join(name))
    });
    candidates.into_iter().find(|path| path.is_file())
}

/// The label of each file, in the order of `files`, which must be sorted by path.
///
/// # Errors
/// When the list cannot be read, does not fit the files, or leaves open what its words mean.
pub(super) fn labels(
    list: &Path,
    data_root: &Path,
    config: &SetConfig,
    targets: &Targets,
    files: &[Found],
) -> anyhow::Result<Vec<u32>> {
    let text = std::fs::read_to_string(list)
        .with_context(|| format!("cannot read the ground truth {}", list.display()))?;
    let assign = || -> anyhow::Result<Vec<u32>> {
        match parse(&text)? {
            Words::Ordered(words) => {
                ensure!(
                    words.len() == files.len(),
                    "{} lines for {} images, expected one each in the order of the sorted file \
                     names",
                    words.len(),
                    files.len()
                );
                resolve(&words, data_root, config, targets)
            }
            Words::Named(pairs) => {
                let (names, words): (Vec<String>, Vec<String>) = pairs.into_iter().unzip();
                let labels = resolve(&words, data_root, config, targets)?;
                assign_by_name(&names, &labels, files)
            }
        }
    };
    assign().with_context(|| format!("cannot use the ground truth {}", list.display()))
}

/// Splits a list into words. Lines are `file,label`, `file label`, or a label alone; the header
/// and the boxes of LOC_val_solution.csv are passed over.
fn parse(text: &str) -> anyhow::Result<Words> {
    let text = text.trim_start_matches('\u{feff}');
    let lines = text
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with('#'));
    let mut named = Vec::new();
    let mut alone = Vec::new();
    for (position, line) in lines.enumerate() {
        let pair = line
            .split_once([',', '\t'])
            .or_else(|| line.split_once(char::is_whitespace))
            .map(|(name, word)| (name.trim(), without_boxes(word.trim())));
        match pair {
            Some((name, _)) if position == 0 && is_header(name) => {}
            Some((name, word)) => named.push((name.to_owned(), word.to_owned())),
            None => alone.push(line.to_owned()),
        }
    }
    match (named.first(), alone.first()) {
        (Some(_), None) => Ok(Words::Named(named)),
        (None, Some(_)) => Ok(Words::Ordered(alone)),
        (None, None) => bail!("no line in it, expected 'file label' or 'label' per image"),
        (Some(_), Some(line)) => {
            bail!("line '{line}' has one word where others have two, expected 'file label'")
        }
    }
}

fn is_header(name: &str) -> bool {
    let names = ["imageid", "image", "file", "filename", "path"];
    names.contains(&name.to_lowercase().replace(['_', ' '], "").as_str())
}

/// `n01751748 111 108 330 240` is a class and a box: the class is what counts.
fn without_boxes(word: &str) -> &str {
    let mut parts = word.split_whitespace();
    match parts.next() {
        Some(first) if parts.all(|part| part.parse::<f64>().is_ok()) => first,
        _ => word,
    }
}

fn assign_by_name(names: &[String], labels: &[u32], files: &[Found]) -> anyhow::Result<Vec<u32>> {
    // Lists may carry folders and extensions that the files do not have, or the other way. A key
    // that stands for several labels is `None`.
    let mut by_name: BTreeMap<&str, Option<u32>> = BTreeMap::new();
    for (name, &label) in names.iter().zip(labels) {
        for key in BTreeSet::from(keys(name)) {
            by_name
                .entry(key)
                .and_modify(|known| *known = known.filter(|&known| known == label))
                .or_insert(Some(label));
        }
    }
    let mut found = Vec::with_capacity(files.len());
    let mut unlisted = Vec::new();
    for file in files {
        match keys(&file.path).iter().find_map(|key| by_name.get(key)) {
            Some(&Some(label)) => found.push(label),
            Some(None) => bail!("several lines give image {} different labels", file.path),
            None => unlisted.push(&file.path),
        }
    }
    if let Some(first) = unlisted.first() {
        bail!(
            "{} of {} images have no line, first: {first}",
            unlisted.len(),
            files.len()
        );
    }
    Ok(found)
}

/// The full path, the file name, and the file name without extension.
fn keys(path: &str) -> [&str; 3] {
    [path, path.rsplit('/').next().unwrap_or(path), stem(path)]
}

/// Labels of the words: ids, names, or numbers whose meaning is stated or beyond doubt.
fn resolve(
    words: &[String],
    data_root: &Path,
    config: &SetConfig,
    targets: &Targets,
) -> anyhow::Result<Vec<u32>> {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let mut base = config.index_base;
    if are_numbers(&words) && base != Some(0) && !words.iter().any(|w| w.parse() == Ok(0u32)) {
        ensure!(
            base.is_some() && config.index_order.is_some(),
            "its numbers do not start at 0, as the ILSVRC ids 1 to 1000 do not, which are not in \
             the order of the sorted wnids; say in data.toml, for this set, index_base = 0 or 1 \
             and index_order = \"label-set\" or the path of a file with one class id per line"
        );
    }
    let order = config
        .index_order
        .as_deref()
        .filter(|&order| order != "label-set");
    let ids = order
        .map(|path| read_order(&data_root.join(path)))
        .transpose()?;
    if let Some(ids) = ids.filter(|_| are_numbers(&words)) {
        let base = base.take().unwrap_or(0);
        return words
            .iter()
            .map(|word| in_order(word, base, &ids, targets))
            .collect();
    }
    let (_, labels) = targets.find_all(&words, base);
    let labels: Result<Vec<u32>, NameError> = labels.into_iter().collect();
    Ok(labels?)
}

fn read_order(path: &Path) -> anyhow::Result<Vec<String>> {
    let text = std::fs::read_to_string(path)
        .with_context(|| format!("cannot read the index order {}", path.display()))?;
    Ok(text
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .map(str::to_owned)
        .collect())
}

fn in_order(word: &str, base: u32, ids: &[String], targets: &Targets) -> anyhow::Result<u32> {
    let position = word
        .parse::<usize>()
        .ok()
        .and_then(|n| n.checked_sub(base as usize));
    let id = position
        .and_then(|position| ids.get(position))
        .with_context(|| {
            format!(
                "number {word} has no line in the index order of {} ids",
                ids.len()
            )
        })?;
    Ok(targets.find(id)?)
}
