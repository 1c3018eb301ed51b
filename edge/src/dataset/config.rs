//! `data.toml`: what a data root says about itself where the default layout or ImageNet's labels
//! do not fit.
//!
//! Every key is optional, and so is the file. Unknown keys are errors. Paths are relative to the
//! data root unless absolute.
//!
//! ```toml
//! name = "shapes"                       # display name; default: the folder name
//!
//! [labels]                              # default: ImageNet-1k with its groups
//! name = "shapes-4"
//! classes = ["disk", "star", "ring", "bar"]     # folder names, in output order
//! names = ["Disk", "Star", "Ring", "Bar"]       # what a person reads; default: `classes`
//! # class_file = "classes.csv"          # in place of both: a line `id` or `id,name` per class
//! rendition_classes = ["disk", "star"]  # default: all classes
//!
//! [[labels.shape_groups]]               # shape and texture are decided between these, ties to
//! name = "round"                        # the first; none: those sets cannot be used
//! classes = ["disk", "ring"]
//!
//! [[labels.shape_groups]]
//! name = "pointed"
//! classes = ["star", "bar"]
//!
//! [[labels.foreground_groups]]          # decided between for mixed-same and mixed-rand, whose
//! name = "round"                        # folders are `round` or `00_round`
//! classes = ["disk", "ring"]
//!
//! [[labels.foreground_groups]]
//! name = "pointed"
//! classes = ["star", "bar"]
//!
//! [sets.clean]                          # clean, corruptions, rendition, edge, silhouette,
//! path = "photos"                       # sketch16, stylized16, cue-conflict, mixed-same,
//! truth = "list"                        # mixed-rand; truth: folders, list or file-name;
//! list = "photos.txt"                   # default: as found
//! index_base = 1                        # the first number of numeric lists and folders: 0 or 1
//! index_order = "ids.txt"               # class ids, one a line, in the order that numbers count;
//!                                       # default: "label-set"
//!
//! [sets.sketch16]
//! truth = "file-name"
//! label = { split = "_", field = 5 }    # the default: 5th part between `_`, digits removed
//!
//! [sets.cue-conflict]
//! texture = { split = "-_", field = -1, keep_digits = false }   # the default: last part
//! ```

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use anyhow::Context;
use serde::{Deserialize, Serialize};
use shared::outcome::PassKind;

/// File name of the description in a data root.
pub const FILE_NAME: &str = "data.toml";

/// The content of a `data.toml`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Display name of the data; default: the folder name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The label set; default: ImageNet-1k.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub labels: Option<LabelsConfig>,
    /// Image sets that deviate from the default layout.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub sets: BTreeMap<SetName, SetConfig>,
}

/// A label set of the user's own.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LabelsConfig {
    /// Short name, recorded with every result.
    pub name: String,
    /// Class ids (folder names) in output order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub classes: Vec<String>,
    /// Class names in the same order; empty: the ids.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<String>,
    /// A file with a line `id` or `id,name` per class, in place of `classes` and `names`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub class_file: Option<String>,
    /// Ids of the classes that a rendition is decided between; absent: all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rendition_classes: Option<Vec<String>>,
    /// Groups of the shape and texture decisions, in decision order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shape_groups: Vec<GroupConfig>,
    /// Groups of the foreground decision, in decision order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub foreground_groups: Vec<GroupConfig>,
}

/// A named group of classes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GroupConfig {
    /// Group name, as in folder and file names.
    pub name: String,
    /// Ids of its classes.
    pub classes: Vec<String>,
}

/// The name of an image set in `data.toml`: of a pass, but for the corruptions, which share one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SetName {
    /// Clean validation images.
    Clean,
    /// Folder of `<corruption>/<severity>` folders.
    Corruptions,
    /// Renditions of some of the classes.
    Rendition,
    /// Edge drawings.
    Edge,
    /// Filled silhouettes.
    Silhouette,
    /// Sketches of the shape groups.
    Sketch16,
    /// Stylised images of the shape groups.
    Stylized16,
    /// Shape of one group with the texture of another.
    CueConflict,
    /// Foregrounds over a background of the same group.
    MixedSame,
    /// Foregrounds over a background of a random group.
    MixedRand,
}

impl SetName {
    /// All sets, in the order of evaluation.
    pub const ALL: [Self; 10] = [
        Self::Clean,
        Self::Corruptions,
        Self::Rendition,
        Self::Edge,
        Self::Silhouette,
        Self::Sketch16,
        Self::Stylized16,
        Self::CueConflict,
        Self::MixedSame,
        Self::MixedRand,
    ];

    /// The set of a pass.
    pub fn of(kind: PassKind) -> Self {
        match kind {
            PassKind::Clean | PassKind::Attack(_) => Self::Clean,
            PassKind::Corruption(..) => Self::Corruptions,
            PassKind::Rendition => Self::Rendition,
            PassKind::Edge => Self::Edge,
            PassKind::Silhouette => Self::Silhouette,
            PassKind::Sketch => Self::Sketch16,
            PassKind::Stylized => Self::Stylized16,
            PassKind::CueConflict => Self::CueConflict,
            PassKind::MixedSame => Self::MixedSame,
            PassKind::MixedRand => Self::MixedRand,
        }
    }

    /// The pass that the set serves; `None` for the corruptions, which serve one per cell.
    pub fn pass(self) -> Option<PassKind> {
        Some(match self {
            Self::Corruptions => return None,
            Self::Clean => PassKind::Clean,
            Self::Rendition => PassKind::Rendition,
            Self::Edge => PassKind::Edge,
            Self::Silhouette => PassKind::Silhouette,
            Self::Sketch16 => PassKind::Sketch,
            Self::Stylized16 => PassKind::Stylized,
            Self::CueConflict => PassKind::CueConflict,
            Self::MixedSame => PassKind::MixedSame,
            Self::MixedRand => PassKind::MixedRand,
        })
    }

    /// Folder under the data root, as the study's code names it.
    pub fn default_path(self) -> &'static str {
        match self {
            Self::Clean => "imagenet/val",
            Self::Corruptions => "imagenet-c",
            Self::Rendition => "imagenet-r",
            Self::Edge => "modelvshuman/edge",
            Self::Silhouette => "modelvshuman/silhouette",
            Self::Sketch16 => "modelvshuman/sketch",
            Self::Stylized16 => "modelvshuman/stylized",
            Self::CueConflict => "modelvshuman/cue-conflict",
            Self::MixedSame => "bg_challenge/mixed_same/val",
            Self::MixedRand => "bg_challenge/mixed_rand/val",
        }
    }
}

impl fmt::Display for SetName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.pass() {
            Some(kind) => kind.fmt(f),
            None => f.pad("corruptions"),
        }
    }
}

/// Where one image set lies and how its ground truth is told.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SetConfig {
    /// Folder; default: [`SetName::default_path`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Where labels come from; default: class folders where there are any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub truth: Option<Truth>,
    /// Ground-truth list of a flat folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub list: Option<String>,
    /// The number of the first class in numeric lists and folder names: 0 or 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index_base: Option<u32>,
    /// What the numbers of a list count: `label-set`, or a file of class ids, one a line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index_order: Option<String>,
    /// How a file name tells the label, for `truth = "file-name"`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<FileNameRule>,
    /// How a file name tells the texture, for `cue-conflict`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub texture: Option<FileNameRule>,
}

/// Where labels come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Truth {
    /// A folder per class or group.
    Folders,
    /// A list beside a flat folder.
    List,
    /// A part of each file name.
    FileName,
}

/// A part of a file name: the stem is split at any of some characters and a part taken.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileNameRule {
    /// The characters that separate parts.
    pub split: String,
    /// Which part, from 1; negative from the end.
    pub field: i32,
    /// Whether digits of the part are kept: `cat1` is `cat` otherwise.
    #[serde(default)]
    pub keep_digits: bool,
}

impl FileNameRule {
    /// The label of `sketch16` and `stylized16`: the fifth `_`-separated part (SPEC §1.4).
    pub fn default_label() -> Self {
        Self {
            split: "_".to_owned(),
            field: 5,
            keep_digits: false,
        }
    }

    /// The texture of `cue-conflict`: the last part between `-` or `_` (SPEC §1.8).
    pub fn default_texture() -> Self {
        Self {
            split: "-_".to_owned(),
            field: -1,
            keep_digits: false,
        }
    }

    /// The word that the rule finds in a file name, `None` where it has too few parts.
    pub fn apply(&self, file_name: &str) -> Option<String> {
        let parts: Vec<&str> = stem(file_name).split(|c| self.split.contains(c)).collect();
        let back = usize::try_from(self.field.unsigned_abs()).ok()?;
        let index = if self.field < 0 {
            parts.len().checked_sub(back)?
        } else {
            back.checked_sub(1)?
        };
        let part = parts.get(index)?;
        let word = part
            .chars()
            .filter(|c| self.keep_digits || !c.is_ascii_digit())
            .collect();
        Some(word).filter(|word: &String| !word.is_empty())
    }
}

/// A file name without folders and without its last extension.
pub(super) fn stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    match name.rsplit_once('.') {
        Some((stem, _)) if !stem.is_empty() => stem,
        _ => name,
    }
}

impl Config {
    /// Reads `data.toml` of a data root; a root without one has an empty description.
    ///
    /// # Errors
    /// When the file cannot be read or holds something else than the documented keys and values.
    pub fn read(root: &Path) -> anyhow::Result<Self> {
        let path = root.join(FILE_NAME);
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Ok(Self::default());
            }
            Err(error) => {
                return Err(error).with_context(|| format!("cannot read {}", path.display()));
            }
        };
        Self::parse(&text).with_context(|| format!("cannot use {}", path.display()))
    }

    /// Parses the text of a `data.toml`.
    ///
    /// # Errors
    /// When it is no TOML, has unknown keys, or values out of their range.
    pub fn parse(text: &str) -> anyhow::Result<Self> {
        let config: Self = toml::from_str(text)?;
        for (name, set) in &config.sets {
            set.check().with_context(|| format!("[sets.{name}]"))?;
        }
        Ok(config)
    }
}

impl SetConfig {
    fn check(&self) -> anyhow::Result<()> {
        if let Some(base) = self.index_base.filter(|&base| base > 1) {
            anyhow::bail!("index_base is {base}, expected 0 or 1");
        }
        for (key, rule) in [("label", &self.label), ("texture", &self.texture)] {
            let Some(rule) = rule else { continue };
            anyhow::ensure!(
                rule.field != 0,
                "{key}.field is 0, expected 1, 2, … or −1, −2, …"
            );
            anyhow::ensure!(
                !rule.split.is_empty(),
                "{key}.split is empty, expected separators"
            );
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of the module documentation.
    fn example() -> String {
        include_str!("config.rs")
            .lines()
            .skip_while(|line| *line != "//! ```toml")
            .skip(1)
            .take_while(|line| *line != "//! ```")
            .map(|line| line.trim_start_matches("//!").trim_start().to_owned() + "\n")
            .collect()
    }

    #[test]
    fn the_documented_example_parses_and_survives_writing() {
        let config = Config::parse(&example()).unwrap();
        assert_eq!(
            config.sets[&SetName::Sketch16].label,
            Some(FileNameRule::default_label())
        );
        let texture = config.sets[&SetName::CueConflict].texture.clone().unwrap();
        assert_eq!(texture.apply("cat1-airplane1.png").unwrap(), "airplane");
        let labels = config.labels.as_ref().unwrap();
        assert_eq!(labels.shape_groups[1].name, "pointed");
        let written = toml::to_string(&config).unwrap();
        assert_eq!(Config::parse(&written).unwrap(), config);
    }

    #[test]
    fn unknown_keys_and_values_are_named() {
        let message = |text: &str| format!("{:#}", Config::parse(text).unwrap_err());
        assert!(message("colour = 1").contains("unknown field `colour`"));
        assert!(message("[sets.sketch]").contains("unknown variant `sketch`"));
        assert!(message("[sets.edge]\ntruth = 'magic'").contains("`folders`, `list`, `file-name`"));
        insta::assert_snapshot!(
            message("[sets.clean]\nindex_base = 2"),
            @"[sets.clean]: index_base is 2, expected 0 or 1"
        );
        insta::assert_snapshot!(
            message("[sets.edge]\nlabel = { split = '_', field = 0 }"),
            @"[sets.edge]: label.field is 0, expected 1, 2, … or −1, −2, …"
        );
    }

    #[test]
    fn file_name_rules_find_the_study_s_words() {
        let label = FileNameRule::default_label();
        let name = "0001_sk_dnn_0_airplane_00_n02691156-104.png";
        assert_eq!(label.apply(name).as_deref(), Some("airplane"));
        assert_eq!(label.apply("a_b_c_d.png"), None);
        let texture = FileNameRule::default_texture();
        let word = |name| texture.apply(name);
        assert_eq!(word("cat1-airplane12.png").as_deref(), Some("airplane"));
        assert_eq!(
            word("0003_cue_dnn_0_cat_00_cat1-oven2.png").as_deref(),
            Some("oven")
        );
        assert_eq!(word("plain.png").as_deref(), Some("plain"));
        assert_eq!(word("cat-12.png"), None);
    }

    #[test]
    fn stems_keep_dots_and_hidden_names() {
        assert_eq!(stem("n01/a.b.JPEG"), "a.b");
        assert_eq!(stem("n01/plain"), "plain");
        assert_eq!(stem(".hidden"), ".hidden");
    }
}
