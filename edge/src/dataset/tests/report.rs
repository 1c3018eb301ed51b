//! The report, and the real sample folder.

use std::path::PathBuf;

use shared::Dimension;
use shared::outcome::{Corruption, Severity};

use super::*;
use crate::cli::data::render;

fn report_text(root: &Path) -> String {
    let mut report = Dataset::open(root).unwrap().report();
    report.root = "ROOT".to_owned();
    render(&report)
}

#[test]
fn a_partial_root_says_what_is_missing() {
    let root = shapes(&[
        "imagenet/val/disk/a.png",
        "imagenet/val/star/b.png",
        "imagenet-c/fog/1/disk/a.png",
        "imagenet-c/fog/1/star/b.png",
        "imagenet-c/fog/2/disk/a.png",
        "imagenet-c/spatter/1/disk/a.png",
        "imagenet-c/spatter/1/star/b.png",
        "imagenet-c/rain/1/disk/a.png",
        "modelvshuman/edge/round/1.png",
        "modelvshuman/cue-conflict/round/round1-round2.png",
        "bg_challenge/mixed_same/val/00_pointed/a.png",
        "bg_challenge/mixed_same/val/00_pointed/list.json",
        "bg_challenge/mixed_rand/val/00_pointed/a.png",
        "bg_challenge/mixed_rand/val/01_round/b.png",
    ]);
    insta::assert_snapshot!(report_text(root.path()));
}

#[test]
fn a_complete_root_leaves_nothing_unmeasured() {
    let root = shapes(&[
        "imagenet/val/disk/a.png",
        "imagenet-r/ring/a.png",
        "modelvshuman/edge/round/1.png",
        "modelvshuman/silhouette/round/1.png",
        "modelvshuman/sketch/round/1.png",
        "modelvshuman/stylized/round/1.png",
        "modelvshuman/cue-conflict/round/round1-pointed2.png",
        "bg_challenge/mixed_same/val/pointed/a.png",
        "bg_challenge/mixed_rand/val/00_pointed/a.png",
    ]);
    for corruption in Corruption::SCORED {
        for severity in Severity::ALL {
            let cell = format!("imagenet-c/{corruption}/{}/disk/a.png", severity.get());
            add(root.path(), &[&cell]);
        }
    }
    let report = Dataset::open(root.path()).unwrap().report();
    assert!(
        report
            .dimensions
            .iter()
            .all(|(_, lacking)| lacking.is_empty())
    );
    assert_eq!(report.dimensions.len(), Dimension::ALL.len());
    assert_eq!((report.doubts.len(), report.notes.len()), (0, 0));
    insta::assert_snapshot!(report_text(root.path()));
}

#[test]
fn a_label_set_without_groups_cannot_use_their_sets() {
    let root = root(&["imagenet/val/a/1.png", "modelvshuman/edge/a/1.png"]);
    write(
        root.path(),
        "data.toml",
        "[labels]\nname = 'two'\nclasses = ['a', 'b']",
    );
    let data = Dataset::open(root.path()).unwrap();
    assert_eq!(data.sets.len(), 1);
    insta::assert_snapshot!(notes(&data), @"edge: the label set has no groups to decide between: modelvshuman/edge");
}

#[test]
fn the_real_sample_folder_is_understood() {
    let shared = std::env::var_os("QUBA_SHARED").map_or_else(
        || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared")),
        PathBuf::from,
    );
    let root = shared.join("real/data");
    if !root.is_dir() {
        println!("skipped: {} is absent", root.display());
        return;
    }
    let data = Dataset::open(&root).unwrap();
    let count = |kind| data.sets[&kind].items.len();
    assert_eq!(count(PassKind::Clean), 200);
    assert_eq!(count(PassKind::Edge), 160);
    assert_eq!(count(PassKind::Silhouette), 160);
    assert_eq!(count(PassKind::CueConflict), 320);
    assert_eq!(data.sets.len(), 4);
    // One photo for every fifth class.
    let labels: Vec<u32> = data.sets[&PassKind::Clean]
        .items
        .iter()
        .map(|i| i.label)
        .collect();
    assert_eq!(labels, (0..1000).step_by(5).collect::<Vec<u32>>());
    let cue = &data.sets[&PassKind::CueConflict].items;
    assert_eq!(
        cue.iter().filter(|i| i.texture != Some(i.label)).count(),
        300
    );
    let measurable = data
        .report()
        .dimensions
        .into_iter()
        .filter(|(_, lacking)| lacking.is_empty());
    let columns: Vec<&str> = measurable
        .map(|(dimension, _)| dimension.column())
        .collect();
    assert_eq!(
        columns,
        ["acc", "adv", "cor", "cal", "bal", "shape", "params"]
    );
}
