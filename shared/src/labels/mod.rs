//! Label sets: the classes a model can name, and the coarser groups some passes decide between.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

mod imagenet;

/// The classes of a classifier in output order, and the groupings that the passes need.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LabelSet {
    /// Short name, for instance `imagenet-1k`.
    pub name: String,
    /// Classes in output order.
    pub classes: Vec<Class>,
    /// Groups of the shape and texture decisions (the 16 categories of ImageNet).
    pub shape_groups: Groups,
    /// Groups of the foreground decision (the nine of IN-9), in folder order.
    pub foreground_groups: Groups,
    /// Sorted indices of the classes that appear as renditions (the 200 of ImageNet-R).
    pub rendition_classes: Vec<u32>,
}

/// One class of a label set.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Class {
    /// Folder name: a wnid for ImageNet.
    pub id: String,
    /// The name a person reads.
    pub name: String,
}

/// Disjoint groups of classes; a class may be in none.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Groups {
    /// Group names, in decision order (ties go to the first).
    pub names: Vec<String>,
    /// Class indices of each group.
    pub members: Vec<Vec<u32>>,
}

/// Why a label set cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LabelSetError {
    /// There is nothing to decide between.
    #[error("a label set needs at least one class, found none")]
    NoClass,
    /// A class or group has an empty name.
    #[error("{what} {position} has an empty name")]
    EmptyName {
        /// `class`, `shape group` or `foreground group`.
        what: &'static str,
        /// Position from 0.
        position: usize,
    },
    /// Two classes or groups share a name.
    #[error("two {what} entries are called '{name}', expected different names")]
    Duplicate {
        /// `class`, `shape group` or `foreground group`.
        what: &'static str,
        /// The name.
        name: String,
    },
    /// Group names and members differ in number.
    #[error("{names} {what} names for {members} lists of classes")]
    GroupCount {
        /// `shape group` or `foreground group`.
        what: &'static str,
        /// Number of names.
        names: usize,
        /// Number of member lists.
        members: usize,
    },
    /// A group has no class.
    #[error("{what} '{name}' has no class")]
    EmptyGroup {
        /// `shape group` or `foreground group`.
        what: &'static str,
        /// The group.
        name: String,
    },
    /// A class is in two groups of one kind, or twice in one.
    #[error("class '{class}' is listed twice in the {what}s, expected at most once")]
    Overlap {
        /// `shape group` or `foreground group`.
        what: &'static str,
        /// Class id.
        class: String,
    },
    /// An index points past the classes.
    #[error("{what} refers to class {index} of {classes}, expected an index below that")]
    OutOfRange {
        /// `shape group`, `foreground group` or `rendition class list`.
        what: &'static str,
        /// The index.
        index: u32,
        /// Number of classes.
        classes: usize,
    },
    /// Rendition classes are not ascending.
    #[error("rendition classes must ascend without repetition, found {1} after {0}")]
    RenditionOrder(u32, u32),
}

impl LabelSet {
    /// Checks what every use relies on: named, unique classes; disjoint, non-empty groups of
    /// existing classes; ascending rendition classes.
    ///
    /// # Errors
    /// The first violation found.
    pub fn validate(&self) -> Result<(), LabelSetError> {
        if self.classes.is_empty() {
            return Err(LabelSetError::NoClass);
        }
        check_names("class", self.classes.iter().map(|class| class.id.as_str()))?;
        self.check_groups("shape group", &self.shape_groups)?;
        self.check_groups("foreground group", &self.foreground_groups)?;
        for pair in self.rendition_classes.windows(2) {
            if let &[a, b] = pair
                && a >= b
            {
                return Err(LabelSetError::RenditionOrder(a, b));
            }
        }
        self.rendition_classes
            .iter()
            .try_for_each(|&index| self.class_at("rendition class list", index).map(drop))
    }

    fn check_groups(&self, what: &'static str, groups: &Groups) -> Result<(), LabelSetError> {
        let (names, members) = (groups.names.len(), groups.members.len());
        if names != members {
            return Err(LabelSetError::GroupCount {
                what,
                names,
                members,
            });
        }
        check_names(what, groups.names.iter().map(String::as_str))?;
        let mut seen = BTreeSet::new();
        for (name, members) in groups.names.iter().zip(&groups.members) {
            if members.is_empty() {
                let name = name.clone();
                return Err(LabelSetError::EmptyGroup { what, name });
            }
            for &index in members {
                let class = self.class_at(what, index)?;
                if !seen.insert(index) {
                    let class = class.id.clone();
                    return Err(LabelSetError::Overlap { what, class });
                }
            }
        }
        Ok(())
    }

    fn class_at(&self, what: &'static str, index: u32) -> Result<&Class, LabelSetError> {
        let classes = self.classes.len();
        self.classes
            .get(index as usize)
            .ok_or(LabelSetError::OutOfRange {
                what,
                index,
                classes,
            })
    }

    /// BLAKE3 of the classes, the groups and the rendition classes: two label sets of equal hash
    /// give every prediction the same meaning. The display name of the set does not count.
    pub fn hash(&self) -> [u8; 32] {
        let mut hasher = blake3::Hasher::new();
        hash_list(&mut hasher, &self.classes, |hasher, class| {
            hash_text(hasher, &class.id);
            hash_text(hasher, &class.name);
        });
        for groups in [&self.shape_groups, &self.foreground_groups] {
            hash_list(&mut hasher, &groups.names, |hasher, name| {
                hash_text(hasher, name)
            });
            hash_list(&mut hasher, &groups.members, |hasher, members| {
                hash_list(hasher, members, hash_index);
            });
        }
        hash_list(&mut hasher, &self.rendition_classes, hash_index);
        *hasher.finalize().as_bytes()
    }
}

impl Groups {
    /// The group of each of `classes` classes; `None` for a class outside all groups.
    pub fn of_classes(&self, classes: usize) -> Vec<Option<u32>> {
        let mut group_of = vec![None; classes];
        for (group, members) in (0u32..).zip(&self.members) {
            for &class in members {
                if let Some(entry) = group_of.get_mut(class as usize) {
                    *entry = Some(group);
                }
            }
        }
        group_of
    }
}

fn check_names<'a>(
    what: &'static str,
    names: impl Iterator<Item = &'a str>,
) -> Result<(), LabelSetError> {
    let mut seen = BTreeSet::new();
    for (position, name) in names.enumerate() {
        if name.trim().is_empty() {
            return Err(LabelSetError::EmptyName { what, position });
        }
        if !seen.insert(name) {
            let name = name.to_owned();
            return Err(LabelSetError::Duplicate { what, name });
        }
    }
    Ok(())
}

/// Lengths go before contents, so that no two different label sets feed the same bytes.
fn hash_list<T>(
    hasher: &mut blake3::Hasher,
    list: &[T],
    mut hash_item: impl FnMut(&mut blake3::Hasher, &T),
) {
    hasher.update(&(list.len() as u64).to_le_bytes());
    list.iter().for_each(|item| hash_item(hasher, item));
}

fn hash_text(hasher: &mut blake3::Hasher, text: &str) {
    hasher.update(&(text.len() as u64).to_le_bytes());
    hasher.update(text.as_bytes());
}

fn hash_index(hasher: &mut blake3::Hasher, index: &u32) {
    hasher.update(&index.to_le_bytes());
}

#[cfg(test)]
mod tests;
