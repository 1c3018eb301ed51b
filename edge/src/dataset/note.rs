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
        let text = match finding {
            Finding::IgnoredFile => "no image by its name, ignored",
            Finding::LooseFile => "beside class folders and so without a label, ignored",
            Finding::EmptyFolder => "folder without an image",
            Finding::UnknownFolder => "no <corruption>/<severity 1 to 5>, ignored",
            Finding::NotUtf8 => "name is not UTF-8, left out",
            Finding::BrokenLink => "link to nothing, left out",
            Finding::LinkCycle => "link back to a folder above, not followed",
            Finding::EmptyFile => "file without content",
            Finding::DuplicateName => "same class and name as another image of the set",
            Finding::EmptySet => "no image in the folder of the set",
            Finding::NoGroups => "the label set has no groups to decide between",
            Finding::CountedFromOne => "class folders are numbered from 1, not from 0",
        };
        match count {
            1 => write!(f, "{set}: {text}: {first}"),
            _ => write!(f, "{set}: {text}: {count}, first {first}"),
        }
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
