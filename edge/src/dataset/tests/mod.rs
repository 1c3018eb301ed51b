//! Whole data roots in temporary folders.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use shared::labels::LabelSet;
use shared::outcome::PassKind;

use super::Dataset;

mod layouts;
mod lists;
mod report;
mod sampling;

/// A data root of files whose content is their path, which makes sizes differ.
fn root(files: &[&str]) -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    add(root.path(), files);
    root
}

fn add(root: &Path, files: &[&str]) {
    for file in files {
        write(root, file, file);
    }
}

fn write(root: &Path, file: &str, text: &str) {
    let path = root.join(file);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// Labels and paths of a set.
fn items(data: &Dataset, kind: PassKind) -> Vec<(u32, &str)> {
    data.sets[&kind]
        .items
        .iter()
        .map(|item| (item.label, item.path.as_str()))
        .collect()
}

fn notes(data: &Dataset) -> String {
    data.notes.iter().map(|note| format!("{note}\n")).collect()
}

/// The message of a root that cannot be opened, with its folder shown as ROOT.
fn error(root: &Path) -> String {
    let message = format!("{:#}", Dataset::open(root).unwrap_err());
    message.replace(&root.display().to_string(), "ROOT")
}

/// Four shapes in two groups.
const SHAPES: &str = r#"
name = "shapes"
[labels]
name = "shapes-4"
classes = ["disk", "star", "ring", "bar"]
rendition_classes = ["ring", "disk"]
shape_groups = [{ name = "round", classes = ["disk", "ring"] }, { name = "pointed", classes = ["star", "bar"] }]
foreground_groups = [{ name = "pointed", classes = ["star"] }, { name = "round", classes = ["disk"] }]
"#;

fn shapes(files: &[&str]) -> tempfile::TempDir {
    let root = root(files);
    write(root.path(), "data.toml", SHAPES);
    root
}

#[test]
fn the_example_of_the_documentation_describes_a_label_set() {
    let root = shapes(&["imagenet/val/disk/a.png"]);
    let data = Dataset::open(root.path()).unwrap();
    assert_eq!(data.name, "shapes");
    assert_eq!(data.labels.rendition_classes, [0, 2]);
    assert_eq!(data.labels.shape_groups.members, [vec![0, 2], vec![1, 3]]);
    assert_eq!(data.labels.foreground_groups.names, ["pointed", "round"]);
    assert_ne!(data.labels.hash(), LabelSet::imagenet().hash());
}
