//! Opening a data root: its description, its label set, and every image set in it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, bail, ensure};
use shared::labels::LabelSet;
use shared::outcome::{Corruption, PassKind, Severity};

use super::config::{Config, SetConfig, SetName};
use super::label_set;
use super::list::{Request, list, session_folder};
use super::names::Targets;
use super::note::{Finding, Notes};
use super::origin;
use super::walk::{Walker, join};
use super::{Dataset, ImageSet, Item};

/// Folders that group the corruptions in the published archives.
const CORRUPTION_GROUPS: [&str; 5] = ["noise", "blur", "weather", "digital", "extra"];

/// A folder to list, and the pass it serves.
struct Place {
    kind: PassKind,
    root: PathBuf,
    /// `root` as it is shown to people.
    shown: String,
}

impl Dataset {
    /// Reads the description of a data root and lists all image sets found under it.
    ///
    /// # Errors
    /// When the root is no folder or holds no image set, `data.toml` is wrong, a folder cannot be
    /// read, or the label of an image cannot be told. All sets are tried before failing.
    pub fn open(root: &Path) -> anyhow::Result<Self> {
        ensure!(
            root.is_dir(),
            "no data root: expected a folder at {}",
            root.display()
        );
        let config = Config::read(root)?;
        let labels = label_set::build(root, config.labels.as_ref())?;
        let mut notes: BTreeMap<SetName, Notes> = BTreeMap::new();
        let mut places = Vec::new();
        let mut errors = Vec::new();
        for set in SetName::ALL {
            let found = notes.entry(set).or_default();
            match find_set(root, set, config.sets.get(&set), found) {
                Ok(more) => places.extend(more),
                Err(error) => errors.push(error),
            }
        }
        let mut sets = BTreeMap::new();
        for (place, listed) in places.iter().zip(list_all(root, &config, &labels, &places)) {
            match listed {
                Ok((set, found)) => {
                    sets.extend(set.map(|set| (place.kind, set)));
                    notes
                        .entry(SetName::of(place.kind))
                        .or_default()
                        .extend(found);
                }
                Err(error) => errors.push(error),
            }
        }
        fail_with_all(&errors)?;
        ensure!(!places.is_empty(), nothing_found(root, &labels));
        let name = config.name.unwrap_or_else(|| folder_name(root));
        let notes = notes
            .into_iter()
            .flat_map(|(set, notes)| notes.on(set))
            .collect();
        Ok(Self {
            name,
            root: root.to_path_buf(),
            labels,
            sets,
            notes,
        })
    }
}

/// Lists all places, each in parallel; results are in their order.
///
/// One place after the other, and equal lists once: the cells of ImageNet-C name 3.75 million
/// files, but the same 50,000 in each.
fn list_all(
    root: &Path,
    config: &Config,
    labels: &LabelSet,
    places: &[Place],
) -> Vec<anyhow::Result<(Option<ImageSet>, Notes)>> {
    let default = SetConfig::default();
    let mut tables = Vec::new();
    places
        .iter()
        .map(|place| {
            let listed = list(&Request {
                kind: place.kind,
                data_root: root,
                root: &place.root,
                shown: &place.shown,
                config: config
                    .sets
                    .get(&SetName::of(place.kind))
                    .unwrap_or(&default),
                labels,
            })
            .with_context(|| place.kind.to_string());
            let (mut set, notes) = listed?;
            if let Some(set) = &mut set {
                share_items(set, &mut tables);
                if let PassKind::Corruption(corruption, _) = place.kind {
                    set.origin = origin::read(&place.root, corruption)?;
                }
            }
            Ok((set, notes))
        })
        .collect()
}

/// Replaces the items of `set` by an equal table that is already there, or adds them.
fn share_items(set: &mut ImageSet, tables: &mut Vec<Arc<[Item]>>) {
    match tables.iter().find(|table| **table == set.items) {
        Some(table) => set.items = Arc::clone(table),
        None => tables.push(Arc::clone(&set.items)),
    }
}

/// The folders of a set that exist; none where it lies at its default place and is absent.
fn find_set(
    root: &Path,
    set: SetName,
    config: Option<&SetConfig>,
    notes: &mut Notes,
) -> anyhow::Result<Vec<Place>> {
    let stated = config.and_then(|config| config.path.as_deref());
    let shown = stated.unwrap_or(set.default_path());
    let path = root.join(shown);
    if !path.is_dir() {
        ensure!(
            stated.is_none(),
            "{set}: no folder {}, which data.toml gives as its path",
            path.display()
        );
        return Ok(Vec::new());
    }
    let Some(kind) = set.pass() else {
        return find_corruptions(&path, shown, notes).with_context(|| set.to_string());
    };
    let inner = session_folder(kind).filter(|inner| path.join(inner).is_dir());
    let (root, shown) = match inner {
        Some(inner) => (path.join(inner), join(shown, inner)),
        None => (path, shown.to_owned()),
    };
    Ok(vec![Place { kind, root, shown }])
}

/// The cells `<corruption>/<severity>`, perhaps below the folders of the published archives.
fn find_corruptions(root: &Path, shown: &str, notes: &mut Notes) -> anyhow::Result<Vec<Place>> {
    let mut walker = Walker::new(root, shown);
    let mut corruptions = Vec::new();
    for (name, _) in walker.entries("")?.folders {
        if !CORRUPTION_GROUPS.contains(&name.as_str()) {
            corruptions.push(name);
            continue;
        }
        let inner = walker.entries(&name)?.folders;
        corruptions.extend(inner.into_iter().map(|(inner, _)| join(&name, &inner)));
    }
    let mut places: BTreeMap<PassKind, Place> = BTreeMap::new();
    for folder in corruptions {
        let name = folder.rsplit('/').next().unwrap_or(&folder);
        let Ok(corruption) = name.parse::<Corruption>() else {
            walker.note(Finding::UnknownFolder, &folder);
            continue;
        };
        for (level, _) in walker.entries(&folder)?.folders {
            let cell = join(&folder, &level);
            let Some(severity) = level
                .parse()
                .ok()
                .and_then(|n: u8| Severity::try_from(n).ok())
            else {
                walker.note(Finding::UnknownFolder, &cell);
                continue;
            };
            let kind = PassKind::Corruption(corruption, severity);
            let place = Place {
                kind,
                root: root.join(&cell),
                shown: join(shown, &cell),
            };
            if let Some(other) = places.insert(kind, place) {
                bail!("{kind} is there twice: {} and {shown}/{cell}", other.shown);
            }
        }
    }
    notes.extend(walker.notes);
    Ok(places.into_values().collect())
}

fn fail_with_all(errors: &[anyhow::Error]) -> anyhow::Result<()> {
    // 75 corruption cells tend to fail for one reason.
    const SHOWN: usize = 8;
    match errors {
        [] => Ok(()),
        [error] => bail!("{error:#}"),
        [..] => {
            let shown = errors.iter().take(SHOWN);
            let mut lines: Vec<String> = shown.map(|error| format!("\n  {error:#}")).collect();
            if errors.len() > SHOWN {
                lines.push(format!("\n  … and {} more", errors.len() - SHOWN));
            }
            bail!(
                "{} image sets cannot be used:{}",
                errors.len(),
                lines.concat()
            )
        }
    }
}

/// Says what was expected, and guesses when the root is a set itself.
fn nothing_found(root: &Path, labels: &LabelSet) -> String {
    let targets = Targets::of(labels, PassKind::Clean);
    let entries = Walker::new(root, "").entries("");
    let is_set = targets.zip(entries.ok()).is_some_and(|(targets, entries)| {
        entries
            .folders
            .iter()
            .any(|(name, _)| targets.find(name).is_ok())
    });
    let hint = if is_set {
        "; its folders are named like classes: if it is the clean set itself, give the folder \
         above imagenet/val, or write a data.toml with [sets.clean] path = \".\""
    } else {
        ""
    };
    format!(
        "no image set found, expected {} or others of the documented layout, or a data.toml that \
         says where they are, in {}{hint}",
        SetName::Clean.default_path(),
        root.display()
    )
}

fn folder_name(root: &Path) -> String {
    let full = root.canonicalize().unwrap_or_else(|_| root.to_path_buf());
    full.file_name().map_or_else(
        || "data".to_owned(),
        |name| name.to_string_lossy().into_owned(),
    )
}
