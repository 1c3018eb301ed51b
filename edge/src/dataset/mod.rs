//! Image sets on disk: which files, which labels, which passes they serve.

pub mod config;
mod label_set;
mod list;
mod names;
pub mod note;
mod open;
pub(crate) mod origin;
pub mod report;
pub mod sample;
mod truth_list;
mod walk;

pub(crate) use walk::images_below;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use shared::labels::LabelSet;
use shared::outcome::{Origin, PassKind};

/// A data root: its label set and the image sets found under it.
#[derive(Clone, Debug)]
pub struct Dataset {
    /// Display name: from `data.toml`, else the folder name.
    pub name: String,
    /// The folder that was opened.
    pub root: PathBuf,
    /// The label set that all ground truth refers to.
    pub labels: Arc<LabelSet>,
    /// Image sets found, by the pass they serve.
    pub sets: BTreeMap<PassKind, ImageSet>,
    /// What listing came across that a person should know, sorted by set.
    pub notes: Vec<note::Note>,
}

/// One image set, completely listed and sorted by label, then path.
#[derive(Clone, Debug)]
pub struct ImageSet {
    /// Folder that item paths are relative to.
    pub root: PathBuf,
    /// The images; sets of equal lists, such as the corruption cells, share one table.
    pub items: Arc<[Item]>,
    /// BLAKE3 of class and file names (no folder above the class, no extension): see
    /// `shared::outcome::ImageList::identity`.
    pub identity: [u8; 32],
    /// BLAKE3 of names, labels and byte sizes.
    pub fingerprint: [u8; 32],
    /// Where the files came from.
    pub origin: Origin,
}

/// One image of a set.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Item {
    /// True label: a class index, a position in `rendition_classes`' class indices (still a class
    /// index), a shape group or a foreground group, as the pass decides.
    pub label: u32,
    /// Path relative to the set's root, with `/` between names.
    pub path: String,
    /// Texture group; only for cue conflict.
    pub texture: Option<u32>,
}

#[cfg(test)]
mod tests;
