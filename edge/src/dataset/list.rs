//! Listing one image set: its files, their labels, its hashes.

use std::path::Path;

use anyhow::{Context, bail, ensure};
use rayon::prelude::*;
use shared::labels::LabelSet;
use shared::outcome::{Origin, PassKind};

use super::config::{FileNameRule, SetConfig, Truth, stem};
use super::names::{NameError, Targets, are_numbers};
use super::note::{Finding, Notes};
use super::walk::{Found, Walker};
use super::{ImageSet, Item, truth_list};

/// Where the original model-vs-human sets keep their files.
const SESSION: &str = "dnn/session-1";

/// A request to list one set.
pub(super) struct Request<'a> {
    pub(super) kind: PassKind,
    pub(super) data_root: &'a Path,
    pub(super) root: &'a Path,
    /// `root` as it is shown to people.
    pub(super) shown: &'a str,
    pub(super) config: &'a SetConfig,
    pub(super) labels: &'a LabelSet,
}

/// A file with its label.
type Labelled = (u32, Found);

/// An image with its file size in bytes, which is hashed and then dropped.
type Sized = (Item, u64);

/// Lists one image set; `None` where it holds no image or cannot be decided.
///
/// # Errors
/// When a folder cannot be read or an image's label cannot be told.
pub(super) fn list(request: &Request<'_>) -> anyhow::Result<(Option<ImageSet>, Notes)> {
    let mut walker = Walker::new(request.root, request.shown);
    let Some(targets) = Targets::of(request.labels, request.kind) else {
        walker.note(Finding::NoGroups, "");
        return Ok((None, walker.notes));
    };
    let labelled = match truth(request, &targets)? {
        Truth::Folders => by_folder(request, &targets, &mut walker)?,
        Truth::List => by_list(request, &targets, &mut walker)?,
        Truth::FileName => by_file_name(request, &targets, &mut walker)?,
    };
    if labelled.is_empty() {
        walker.note(Finding::EmptySet, "");
        return Ok((None, walker.notes));
    }
    let sized = sized_items(request, labelled, &targets)?;
    let set = finish(request, sized, &mut walker);
    Ok((Some(set), walker.notes))
}

/// How the set tells its labels: as stated, else by class folders where there are any.
fn truth(request: &Request<'_>, targets: &Targets) -> anyhow::Result<Truth> {
    if let Some(truth) = request.config.truth {
        return Ok(truth);
    }
    if request.config.list.is_some() {
        return Ok(Truth::List);
    }
    if request.config.label.is_some() {
        return Ok(Truth::FileName);
    }
    // Listed again when the set is: only the kind of truth is wanted here.
    let entries = Walker::new(request.root, request.shown).entries("")?;
    let is_label = |name: &str| are_numbers(&[name]) || targets.find(name).is_ok();
    if entries.files.is_empty() || entries.folders.iter().any(|(name, _)| is_label(name)) {
        return Ok(Truth::Folders);
    }
    match request.kind {
        PassKind::Clean | PassKind::Corruption(..) | PassKind::Rendition => Ok(Truth::List),
        PassKind::MixedSame | PassKind::MixedRand => bail!(
            "{} images lie directly in {}, expected a folder per group or a list in data.toml",
            entries.files.len(),
            request.root.display()
        ),
        _ => Ok(Truth::FileName),
    }
}

fn by_folder(
    request: &Request<'_>,
    targets: &Targets,
    walker: &mut Walker<'_>,
) -> anyhow::Result<Vec<Labelled>> {
    let folders = walk_folders(request, walker)?;
    let names: Vec<&str> = folders.iter().map(|(name, _)| name.as_str()).collect();
    let (base, labels) = targets.find_all(&names, request.config.index_base);
    if base == Some(1) && request.config.index_base.is_none() {
        walker.note(Finding::CountedFromOne, "");
    }
    let mut labelled = Vec::new();
    let mut errors = Vec::new();
    for ((_, files), label) in folders.into_iter().zip(labels) {
        match label {
            Ok(label) => labelled.extend(files.into_iter().map(|file| (label, file))),
            Err(error) if !files.is_empty() => errors.push(error),
            Err(_) => {}
        }
    }
    refuse_folders(request, errors)?;
    Ok(labelled)
}

/// The class folders with their files. An empty one is there only if its name is a number, which
/// still tells where counting starts.
fn walk_folders(
    request: &Request<'_>,
    walker: &mut Walker<'_>,
) -> anyhow::Result<Vec<(String, Vec<Found>)>> {
    let entries = walker.entries("")?;
    for (name, _) in &entries.files {
        walker.note(Finding::LooseFile, name);
    }
    let walked: Vec<_> = entries
        .folders
        .into_par_iter()
        .map(|(name, _)| {
            let mut inner = Walker::new(request.root, request.shown);
            inner.files(&name).map(|files| (name, files, inner.notes))
        })
        .collect::<anyhow::Result<_>>()?;
    let mut folders = Vec::new();
    for (name, files, notes) in walked {
        walker.notes.extend(notes);
        if files.is_empty() {
            walker.note(Finding::EmptyFolder, &name);
        }
        if !files.is_empty() || are_numbers(&[&name]) {
            folders.push((name, files));
        }
    }
    Ok(folders)
}

/// One error for all folders that name no label.
fn refuse_folders(request: &Request<'_>, mut errors: Vec<NameError>) -> anyhow::Result<()> {
    errors.dedup();
    let count = errors.len();
    let Some(first) = errors.into_iter().next() else {
        return Ok(());
    };
    let more = match count {
        1 => String::new(),
        _ => format!(" (and {} more such folders)", count - 1),
    };
    bail!(
        "cannot tell the labels of the folders in {}: {first}{more}",
        request.root.display()
    )
}

fn by_list(
    request: &Request<'_>,
    targets: &Targets,
    walker: &mut Walker<'_>,
) -> anyhow::Result<Vec<Labelled>> {
    let list = truth_list::find(request.data_root, request.root, request.config);
    let list = list.with_context(|| {
        format!(
            "no ground truth for the images that lie directly in {}: expected class folders, a \
             list such as LOC_val_solution.csv or val.txt beside them, or a list in data.toml",
            request.root.display()
        )
    })?;
    let mut files = walker.files("")?;
    files.sort_unstable_by(|a, b| a.path.cmp(&b.path));
    let labels = truth_list::labels(&list, request.data_root, request.config, targets, &files)?;
    Ok(labels.into_iter().zip(files).collect())
}

fn by_file_name(
    request: &Request<'_>,
    targets: &Targets,
    walker: &mut Walker<'_>,
) -> anyhow::Result<Vec<Labelled>> {
    let rule = request
        .config
        .label
        .clone()
        .unwrap_or_else(FileNameRule::default_label);
    let files = walker.files("")?;
    files
        .into_iter()
        .map(|file| Ok((word(&rule, &file, targets, request)?, file)))
        .collect()
}

/// The label that a file name gives by a rule.
fn word(
    rule: &FileNameRule,
    file: &Found,
    targets: &Targets,
    request: &Request<'_>,
) -> anyhow::Result<u32> {
    let context = || {
        format!(
            "cannot tell the label from the name of {}/{}",
            request.shown, file.path
        )
    };
    let word = rule.apply(&file.path).with_context(|| {
        format!(
            "no part {} between any of '{}' in it",
            rule.field, rule.split
        )
    });
    word.and_then(|word| Ok(targets.find(&word)?))
        .with_context(context)
}

fn sized_items(
    request: &Request<'_>,
    labelled: Vec<Labelled>,
    targets: &Targets,
) -> anyhow::Result<Vec<Sized>> {
    ensure!(
        u32::try_from(labelled.len()).is_ok(),
        "{} images in {}, expected fewer than 2^32",
        labelled.len(),
        request.root.display()
    );
    let rule = (request.kind == PassKind::CueConflict).then(|| {
        request
            .config
            .texture
            .clone()
            .unwrap_or_else(FileNameRule::default_texture)
    });
    let mut sized = Vec::with_capacity(labelled.len());
    for (label, file) in labelled {
        let texture = rule
            .as_ref()
            .map(|rule| word(rule, &file, targets, request))
            .transpose()?;
        let item = Item {
            label,
            path: file.path,
            texture,
        };
        sized.push((item, file.bytes));
    }
    Ok(sized)
}

fn finish(request: &Request<'_>, mut sized: Vec<Sized>, walker: &mut Walker<'_>) -> ImageSet {
    sized.sort_unstable();
    let group_names = match request.kind {
        PassKind::Clean | PassKind::Corruption(..) | PassKind::Rendition => None,
        PassKind::MixedSame | PassKind::MixedRand => Some(&request.labels.foreground_groups.names),
        _ => Some(&request.labels.shape_groups.names),
    };
    let label_name = |label: u32| match group_names {
        None => request
            .labels
            .classes
            .get(label as usize)
            .map(|class| class.id.as_str()),
        Some(names) => names.get(label as usize).map(String::as_str),
    };
    let mut identity = blake3::Hasher::new();
    let mut fingerprint = blake3::Hasher::new();
    for (item, bytes) in &sized {
        let name = stem(&item.path);
        hash_text(&mut identity, label_name(item.label).unwrap_or_default());
        hash_text(&mut identity, name);
        hash_text(&mut fingerprint, &item.path);
        fingerprint.update(&item.label.to_le_bytes());
        fingerprint.update(&bytes.to_le_bytes());
    }
    check_items(&sized, walker);
    ImageSet {
        root: request.root.to_path_buf(),
        items: sized.into_iter().map(|(item, _)| item).collect(),
        identity: *identity.finalize().as_bytes(),
        fingerprint: *fingerprint.finalize().as_bytes(),
        origin: Origin::Stored,
    }
}

fn check_items(sized: &[Sized], walker: &mut Walker<'_>) {
    let mut names: Vec<(u32, &str, &str)> = sized
        .iter()
        .map(|(item, _)| (item.label, stem(&item.path), item.path.as_str()))
        .collect();
    names.sort_unstable();
    for pair in names.windows(2) {
        if let [(label, name, _), (other_label, other_name, path)] = pair
            && (label, name) == (other_label, other_name)
        {
            walker.note(Finding::DuplicateName, path);
        }
    }
    for (item, _) in sized.iter().filter(|(_, bytes)| *bytes == 0) {
        walker.note(Finding::EmptyFile, &item.path);
    }
}

/// The length goes first, so that no two lists of names feed the same bytes.
fn hash_text(hasher: &mut blake3::Hasher, text: &str) {
    hasher.update(&(text.len() as u64).to_le_bytes());
    hasher.update(text.as_bytes());
}

/// The folder that holds a set's files: model-vs-human keeps them two folders down.
pub(super) fn session_folder(kind: PassKind) -> Option<&'static str> {
    match kind {
        PassKind::Edge
        | PassKind::Silhouette
        | PassKind::Sketch
        | PassKind::Stylized
        | PassKind::CueConflict => Some(SESSION),
        _ => None,
    }
}
