//! What listing came across that a person should know, short of an error.

use std::collections::BTreeMap;
use std::fmt;

use super::config::SetName;

/// A finding with the number of times it was made in one set and the first place.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Note {
    /// The image set; all corruption cells are one.
    pub set: SetName,
    /// What was found.
    pub finding: Finding,
    /// How often.
    pub count: u32,
    /// The first place, relative to the data root where it lies under it.
    pub first: String,
}

/// What listing can find.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Finding {
    /// A hidden file or a known companion of images, such as a checksum list.
    IgnoredFile,
    /// A file beside class folders: it has no label.
    LooseFile,
    /// A class folder without an image.
    EmptyFolder,
    /// A folder that names no corruption or no severity.
    UnknownFolder,
    /// A name that is not UTF-8.
    NotUtf8,
    /// A symbolic link to nothing.
    BrokenLink,
    /// A symbolic link back to a folder above it.
    LinkCycle,
    /// An image of zero bytes.
    EmptyFile,
    /// Two images of one class with the same name up to the extension.
    DuplicateName,
    /// The set's folder is there, but no image in it.
    EmptySet,
    /// The label set has no groups to decide between.
    NoGroups,
    /// Numbered class folders were complete from 1, not from 0.
    CountedFromOne,
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            set,
            finding,
            count,
            first,
        } = self;
        write!(f, "{set}: ")?;
        match finding {
            Finding::IgnoredFile => write!(f, "{count} files that are no images ignored"),
            Finding::LooseFile => write!(f, "{count} files beside class folders have no label"),
            Finding::EmptyFolder => write!(f, "{count} folders without an image"),
            Finding::UnknownFolder => {
                write!(
                    f,
                    "{count} folders are no <corruption>/<severity 1 to 5> and were ignored"
                )
            }
            Finding::NotUtf8 => write!(f, "{count} names are not UTF-8 and were left out"),
            Finding::BrokenLink => write!(f, "{count} links lead nowhere and were left out"),
            Finding::LinkCycle => write!(f, "{count} links lead back up and were not followed"),
            Finding::EmptyFile => write!(f, "{count} files have no content"),
            Finding::DuplicateName => {
                write!(
                    f,
                    "{count} images share class and name with another of the set"
                )
            }
            Finding::EmptySet => write!(f, "{count} folders of the set hold no image"),
            Finding::NoGroups => write!(f, "the label set has no groups to decide between"),
            Finding::CountedFromOne => write!(f, "class folders are numbered from 1"),
        }?;
        write!(f, " (first: {first})")
    }
}

/// Notes in the making: equal findings of one set become one note.
#[derive(Clone, Debug, Default)]
pub(super) struct Notes(BTreeMap<Finding, (u32, String)>);

impl Notes {
    /// Records a finding.
    pub(super) fn add(&mut self, finding: Finding, place: impl Into<String>) {
        self.add_many(finding, 1, place.into());
    }

    /// Takes over all findings of `other`.
    pub(super) fn extend(&mut self, other: Self) {
        for (finding, (count, first)) in other.0 {
            self.add_many(finding, count, first);
        }
    }

    fn add_many(&mut self, finding: Finding, count: u32, place: String) {
        self.0
            .entry(finding)
            .and_modify(|(total, first)| {
                *total = total.saturating_add(count);
                if place < *first {
                    first.clone_from(&place);
                }
            })
            .or_insert((count, place));
    }

    /// The findings as notes on `set`.
    pub(super) fn on(self, set: SetName) -> impl Iterator<Item = Note> {
        self.0
            .into_iter()
            .map(move |(finding, (count, first))| Note {
                set,
                finding,
                count,
                first,
            })
    }
}
