//! Flat folders with a ground-truth list.

use super::*;

/// A flat folder of the shapes label set with one list.
fn flat(list: &str, text: &str, sets: &str) -> tempfile::TempDir {
    let root = root(&[
        "imagenet/val/ILSVRC2012_val_00000001.JPEG",
        "imagenet/val/ILSVRC2012_val_00000002.JPEG",
        "imagenet/val/ILSVRC2012_val_00000003.JPEG",
    ]);
    write(root.path(), list, text);
    write(root.path(), "data.toml", &format!("{SHAPES}\n{sets}"));
    root
}

fn labels(root: &tempfile::TempDir) -> Vec<u32> {
    let data = Dataset::open(root.path()).unwrap();
    // In the order of the files, not of the labels.
    let mut items = items(&data, PassKind::Clean);
    items.sort_by_key(|item| item.1);
    items.into_iter().map(|item| item.0).collect()
}

#[test]
fn published_forms_of_lists_are_understood() {
    let name = |n: u32| format!("ILSVRC2012_val_0000000{n}");
    let forms = [
        (
            "imagenet/LOC_val_solution.csv",
            format!(
                "ImageId,PredictionString\n{},bar 85 1 499 272 \n{},disk 108 1 2 3 9 8 7\n{},ring 1 2 3 4\n",
                name(3),
                name(1),
                name(2)
            ),
        ),
        (
            "imagenet/val.txt",
            format!(
                "{}.JPEG 0\n{}.JPEG 2\n{}.JPEG 3\n",
                name(1),
                name(2),
                name(3)
            ),
        ),
        (
            "imagenet/val/labels.txt",
            "disk\r\nring\r\nbar\r\n".to_owned(),
        ),
        (
            "imagenet/ground_truth.txt",
            "\u{feff}# from 0\n0\n2\n3\n".to_owned(),
        ),
        (
            "imagenet/val/val.csv",
            format!(
                "val/{}.JPEG,Disk\nval/{}.JPEG,ring\n{},bar\n",
                name(1),
                name(2),
                name(3)
            ),
        ),
        (
            "imagenet/imagenet_2012_validation_synset_labels.txt",
            "disk\nring\nbar".to_owned(),
        ),
    ];
    for (list, text) in &forms {
        assert_eq!(labels(&flat(list, text, "")), [0, 2, 3], "{list}");
    }
}

#[test]
fn ilsvrc_ids_are_refused_until_their_order_is_stated() {
    let list = "imagenet/ILSVRC2012_validation_ground_truth.txt";
    insta::assert_snapshot!(error(flat(list, "1\n2\n4\n", "").path()), @r#"clean: cannot use the ground truth ROOT/imagenet/ILSVRC2012_validation_ground_truth.txt: its numbers do not start at 0, as the ILSVRC ids 1 to 1000 do not, which are not in the order of the sorted wnids; say in data.toml, for this set, index_base = 0 or 1 and index_order = "label-set" or the path of a file with one class id per line"#);
    let base_only = flat(list, "1\n2\n4\n", "[sets.clean]\nindex_base = 1");
    assert!(error(base_only.path()).contains("index_order"));
    let sorted = "[sets.clean]\nindex_base = 1\nindex_order = 'label-set'";
    assert_eq!(labels(&flat(list, "1\n2\n4\n", sorted)), [0, 1, 3]);
    let other = "[sets.clean]\nindex_base = 1\nindex_order = 'order.txt'";
    let root = flat(list, "1\n2\n4\n", other);
    write(root.path(), "order.txt", "bar\nring\nstar\ndisk\n");
    assert_eq!(labels(&root), [3, 2, 0]);
    write(root.path(), "order.txt", "bar\nring\n");
    insta::assert_snapshot!(error(root.path()), @"clean: cannot use the ground truth ROOT/imagenet/ILSVRC2012_validation_ground_truth.txt: number 4 has no line in the index order of 2 ids");
}

#[test]
fn lists_that_do_not_fit_are_refused() {
    let list = "imagenet/val.txt";
    let with = |text: &str| error(flat(list, text, "").path());
    let messages = [
        with("disk\nstar\n"),
        with("ILSVRC2012_val_00000001.JPEG disk\n"),
        with("ILSVRC2012_val_00000001.JPEG disk\nstar\n"),
        with(""),
        with("0\n1\n4\n"),
        with("disk\nstar\nmoon\n"),
        with("ILSVRC2012_val_00000001 0\nILSVRC2012_val_00000001 1\n"),
    ];
    insta::assert_snapshot!(messages.join("\n"), @r"
    clean: cannot use the ground truth ROOT/imagenet/val.txt: 2 lines for 3 images, expected one each in the order of the sorted file names
    clean: cannot use the ground truth ROOT/imagenet/val.txt: 2 of 3 images have no line, first: ILSVRC2012_val_00000002.JPEG
    clean: cannot use the ground truth ROOT/imagenet/val.txt: line 'star' has one word where others have two, expected 'file label'
    clean: cannot use the ground truth ROOT/imagenet/val.txt: no line in it, expected 'file label' or 'label' per image
    clean: cannot use the ground truth ROOT/imagenet/val.txt: number 4 is outside 0 to 3
    clean: cannot use the ground truth ROOT/imagenet/val.txt: 'moon' names no class of shapes-4, expected for instance 'disk'
    clean: cannot use the ground truth ROOT/imagenet/val.txt: several lines give image ILSVRC2012_val_00000001.JPEG different labels
    ");
    let none = root(&["imagenet/val/a.JPEG"]);
    insta::assert_snapshot!(error(none.path()), @"clean: no ground truth for the images that lie directly in ROOT/imagenet/val: expected class folders, a list such as LOC_val_solution.csv or val.txt beside them, or a list in data.toml");
    let stated = flat(list, "", "[sets.clean]\nlist = 'truth.csv'");
    insta::assert_snapshot!(error(stated.path()), @"clean: cannot read the ground truth ROOT/truth.csv: No such file or directory (os error 2)");
}

#[test]
fn a_flat_folder_matches_corrupted_copies_in_class_folders() {
    let root = flat("imagenet/val.txt", "disk\nring\nbar\n", "");
    add(
        root.path(),
        &[
            "imagenet-c/fog/1/disk/ILSVRC2012_val_00000001.JPEG",
            "imagenet-c/fog/1/ring/ILSVRC2012_val_00000002.JPEG",
            "imagenet-c/fog/1/bar/ILSVRC2012_val_00000003.JPEG",
        ],
    );
    let data = Dataset::open(root.path()).unwrap();
    let identities: Vec<[u8; 32]> = data.sets.values().map(|set| set.identity).collect();
    assert_eq!(identities.len(), 2);
    assert_eq!(identities[0], identities[1]);
}
