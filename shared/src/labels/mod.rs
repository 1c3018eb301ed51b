//! Label sets: the classes a model can name, and the coarser groups some passes decide between.

use serde::{Deserialize, Serialize};

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
