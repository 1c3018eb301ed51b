//! Folder layouts: default, original archives, numbers, names, overrides, what goes wrong.

use shared::outcome::{Corruption, PassKind, Severity};

use super::*;

fn cell(corruption: Corruption, severity: usize) -> PassKind {
    PassKind::Corruption(corruption, Severity::ALL[severity - 1])
}

#[test]
fn every_set_is_found_at_its_default_place() {
    let root = root(&[
        "imagenet/val/n01443537/b.JPEG",
        "imagenet/val/n01440764/a.JPEG",
        "imagenet-c/fog/3/n01440764/a.JPEG",
        "imagenet-r/n01443537/art_1.jpg",
        "modelvshuman/edge/airplane/airplane1.png",
        "modelvshuman/silhouette/truck/truck1.png",
        "modelvshuman/sketch/dnn/session-1/0001_sk_dnn_0_bear_00_x-1.png",
        "modelvshuman/stylized/cat/1.png",
        "modelvshuman/cue-conflict/cat/cat1-airplane2.png",
        "modelvshuman/cue-conflict/cat/cat1-cat2.png",
        "bg_challenge/mixed_same/val/00_dog/x.JPEG",
        "bg_challenge/mixed_rand/val/02_wheeled vehicle/x.JPEG",
    ]);
    let data = Dataset::open(root.path()).unwrap();
    assert_eq!(
        items(&data, PassKind::Clean),
        [(0, "n01440764/a.JPEG"), (1, "n01443537/b.JPEG")]
    );
    assert_eq!(
        items(&data, cell(Corruption::Fog, 3)),
        [(0, "n01440764/a.JPEG")]
    );
    assert_eq!(
        items(&data, PassKind::Rendition),
        [(1, "n01443537/art_1.jpg")]
    );
    assert_eq!(
        items(&data, PassKind::Edge),
        [(0, "airplane/airplane1.png")]
    );
    assert_eq!(
        items(&data, PassKind::Silhouette),
        [(15, "truck/truck1.png")]
    );
    assert_eq!(
        items(&data, PassKind::Sketch),
        [(1, "0001_sk_dnn_0_bear_00_x-1.png")]
    );
    assert_eq!(items(&data, PassKind::Stylized), [(7, "cat/1.png")]);
    let cue = &data.sets[&PassKind::CueConflict].items;
    assert_eq!(
        cue.iter().map(|i| (i.label, i.texture)).collect::<Vec<_>>(),
        [(7, Some(0)), (7, Some(7))]
    );
    assert_eq!(items(&data, PassKind::MixedSame), [(0, "00_dog/x.JPEG")]);
    assert_eq!(
        items(&data, PassKind::MixedRand),
        [(2, "02_wheeled vehicle/x.JPEG")]
    );
    assert_eq!(data.sets.len(), 10);
    let clean = &data.sets[&PassKind::Clean];
    assert_eq!(clean.root, root.path().join("imagenet/val"));
    assert_eq!(notes(&data), "");
}

#[test]
fn corruption_archives_may_keep_their_grouping_folders() {
    let root = shapes(&[
        "imagenet-c/noise/gaussian_noise/1/disk/a.png",
        "imagenet-c/noise/rain/1/disk/a.png",
        "imagenet-c/snow/5/disk/a.png",
        "imagenet-c/snow/6/disk/a.png",
        "imagenet-c/notes.txt",
    ]);
    let data = Dataset::open(root.path()).unwrap();
    let kinds: Vec<PassKind> = data.sets.keys().copied().collect();
    assert_eq!(
        kinds,
        [
            cell(Corruption::GaussianNoise, 1),
            cell(Corruption::Snow, 5)
        ]
    );
    insta::assert_snapshot!(notes(&data), @r"
    corruptions: no image by its name, ignored: imagenet-c/notes.txt
    corruptions: no <corruption>/<severity 1 to 5>, ignored: 2, first imagenet-c/noise/rain
    ");
    add(root.path(), &["imagenet-c/weather/snow/5/disk/a.png"]);
    insta::assert_snapshot!(error(root.path()), @"corruptions: snow/5 is there twice: imagenet-c/snow/5 and imagenet-c/weather/snow/5");
}

#[test]
fn numbers_are_sorted_as_numbers_and_count_from_zero() {
    let root = shapes(&[
        "imagenet/val/0/a.png",
        "imagenet/val/10/a.png",
        "imagenet/val/2/a.png",
    ]);
    insta::assert_snapshot!(error(root.path()), @"clean: cannot tell the labels of the folders in ROOT/imagenet/val: number 10 is outside 0 to 3");
    let twelve: String = ('a'..='l').map(|c| format!("'{c}',")).collect();
    write(
        root.path(),
        "data.toml",
        &format!("[labels]\nname = 'twelve'\nclasses = [{twelve}]"),
    );
    let data = Dataset::open(root.path()).unwrap();
    assert_eq!(
        items(&data, PassKind::Clean),
        [(0, "0/a.png"), (2, "2/a.png"), (10, "10/a.png")]
    );
}

#[test]
fn numbers_from_one_need_to_be_complete_or_stated() {
    let root = shapes(&["imagenet/val/1/a", "imagenet/val/2/a", "imagenet/val/3/a"]);
    insta::assert_snapshot!(error(root.path()), @"clean: cannot tell the labels of the folders in ROOT/imagenet/val: numbers 1 to 3 may count from 0 or from 1; say index_base = 0 or 1 for this set in data.toml");
    // An empty folder is enough to make it complete.
    fs::create_dir(root.path().join("imagenet/val/4")).unwrap();
    let data = Dataset::open(root.path()).unwrap();
    assert_eq!(
        items(&data, PassKind::Clean),
        [(0, "1/a"), (1, "2/a"), (2, "3/a")]
    );
    insta::assert_snapshot!(notes(&data), @r"
    clean: folder without an image: imagenet/val/4
    clean: class folders are numbered from 1, not from 0: imagenet/val
    ");
    for (base, first) in [(1, 0), (0, 1)] {
        fs::remove_dir(root.path().join("imagenet/val/4")).unwrap_or_default();
        write(
            root.path(),
            "data.toml",
            &format!("{SHAPES}\n[sets.clean]\nindex_base = {base}"),
        );
        let data = Dataset::open(root.path()).unwrap();
        assert_eq!(items(&data, PassKind::Clean)[0], (first, "1/a"));
    }
}

#[test]
fn numbers_that_are_class_ids_are_class_ids() {
    let root = root(&["imagenet/val/1/a.png", "imagenet/val/7/a.png"]);
    write(
        root.path(),
        "data.toml",
        "[labels]\nname = 'odd'\nclasses = ['7', '5', '1']",
    );
    let data = Dataset::open(root.path()).unwrap();
    assert_eq!(
        items(&data, PassKind::Clean),
        [(0, "7/a.png"), (2, "1/a.png")]
    );
}

#[test]
fn class_names_match_whatever_their_case_and_spaces() {
    let root = root(&[
        "imagenet/val/Great White_shark/a.png",
        "imagenet/val/tench, Tinca tinca/b.png",
        "imagenet/val/GOLDFISH/c.png",
    ]);
    let data = Dataset::open(root.path()).unwrap();
    let labels: Vec<u32> = data.sets[&PassKind::Clean]
        .items
        .iter()
        .map(|i| i.label)
        .collect();
    assert_eq!(labels, [0, 1, 2]);
}

#[test]
fn ambiguous_and_unknown_folders_are_named() {
    let crane = root(&["imagenet/val/crane/a.png"]);
    insta::assert_snapshot!(error(crane.path()), @"clean: cannot tell the labels of the folders in ROOT/imagenet/val: 'crane' names more than one class of imagenet-1k; use an id: n02012849, n03126707");
    let maillot = root(&["imagenet/val/maillot/a.png"]);
    insta::assert_snapshot!(error(maillot.path()), @"clean: cannot tell the labels of the folders in ROOT/imagenet/val: 'maillot' names more than one class of imagenet-1k; use an id: n03710637, n03710721");
    let unknown = root(&["imagenet/val/n01440764/a.png", "imagenet/val/cats/a.png"]);
    insta::assert_snapshot!(error(unknown.path()), @"clean: cannot tell the labels of the folders in ROOT/imagenet/val: 'cats' names no class of imagenet-1k, expected for instance 'n01440764'");
    let rendition = root(&["imagenet-r/n01440764/a.png"]);
    insta::assert_snapshot!(error(rendition.path()), @"rendition: cannot tell the labels of the folders in ROOT/imagenet-r: 'n01440764' is a class of imagenet-1k, but not one of its rendition classes");
    let group = root(&["bg_challenge/mixed_rand/val/01_dog/a.png"]);
    insta::assert_snapshot!(error(group.path()), @"mixed-rand: cannot tell the labels of the folders in ROOT/bg_challenge/mixed_rand/val: '01_dog' names no foreground group of imagenet-1k, expected for instance 'dog'");
}

#[test]
fn all_sets_that_fail_are_reported_together() {
    let root = root(&[
        "imagenet/val/crane/a.png",
        "modelvshuman/sketch/dnn/session-1/short_name.png",
        "modelvshuman/cue-conflict/cat/cat1-sofa1.png",
        "bg_challenge/mixed_same/val/loose.png",
    ]);
    insta::assert_snapshot!(error(root.path()), @r"
    4 image sets cannot be used:
      clean: cannot tell the labels of the folders in ROOT/imagenet/val: 'crane' names more than one class of imagenet-1k; use an id: n02012849, n03126707
      sketch16: cannot tell the label from the name of modelvshuman/sketch/dnn/session-1/short_name.png: no part 5 between any of '_' in it
      cue-conflict: cannot tell the label from the name of modelvshuman/cue-conflict/cat/cat1-sofa1.png: 'sofa' names no shape group of imagenet-1k, expected for instance 'airplane'
      mixed-same: 1 images lie directly in ROOT/bg_challenge/mixed_same/val, expected a folder per group or a list in data.toml
    ");
}

#[test]
fn junk_empty_and_loose_files_are_noted_and_counted() {
    let root = shapes(&[
        "imagenet/val/disk/a.png",
        "imagenet/val/disk/a.jpg",
        "imagenet/val/disk/.DS_Store",
        "imagenet/val/disk/sub/größe.png",
        "imagenet/val/star/Thumbs.db",
        "imagenet/val/loose.png",
        "imagenet/val/md5sums",
    ]);
    write(root.path(), "imagenet/val/disk/zero.png", "");
    fs::create_dir_all(root.path().join("imagenet/val/unknown-but-empty")).unwrap();
    fs::create_dir_all(root.path().join("modelvshuman/edge")).unwrap();
    let data = Dataset::open(root.path()).unwrap();
    assert_eq!(
        items(&data, PassKind::Clean),
        [
            (0, "disk/a.jpg"),
            (0, "disk/a.png"),
            (0, "disk/sub/größe.png"),
            (0, "disk/zero.png")
        ]
    );
    insta::assert_snapshot!(notes(&data), @r"
    clean: no image by its name, ignored: 3, first imagenet/val/disk/.DS_Store
    clean: beside class folders and so without a label, ignored: imagenet/val/loose.png
    clean: folder without an image: 2, first imagenet/val/star
    clean: file without content: imagenet/val/disk/zero.png
    clean: same class and name as another image of the set: imagenet/val/disk/a.png
    edge: no image in the folder of the set: modelvshuman/edge
    ");
}

#[test]
fn places_and_rules_can_be_stated() {
    let root = root(&[
        "photos/x/disk-1.png",
        "photos/star-2.png",
        "weird/disk/t3_star.png",
        "weird/bar/t4_ring.png",
    ]);
    let sets = r#"
        [sets.clean]
        path = "photos"
        truth = "file-name"
        label = { split = "-", field = 1 }
        [sets.cue-conflict]
        path = "weird"
        texture = { split = "_", field = 2 }
    "#;
    let own = "[{ name = 'disk', classes = ['disk'] }, { name = 'star', classes = ['star'] },
        { name = 'ring', classes = ['ring'] }, { name = 'bar', classes = ['bar'] }]";
    let labels = "[labels]\nname = 'own'\nclass_file = 'classes.csv'\nshape_groups = ";
    write(
        root.path(),
        "classes.csv",
        "disk,Disk\nstar,\"A star, shining\"\nring\nbar\n",
    );
    let own = own.replace('\n', " ");
    write(root.path(), "data.toml", &format!("{labels}{own}\n{sets}"));
    let data = Dataset::open(root.path()).unwrap();
    assert_eq!(data.labels.classes[1].name, "A star, shining");
    assert_eq!(data.labels.rendition_classes, [0, 1, 2, 3]);
    assert_eq!(
        items(&data, PassKind::Clean),
        [(0, "x/disk-1.png"), (1, "star-2.png")]
    );
    let cue = &data.sets[&PassKind::CueConflict].items;
    assert_eq!((cue[0].label, cue[0].texture), (0, Some(1)));
    assert_eq!((cue[1].label, cue[1].texture), (3, Some(2)));
}

#[test]
fn a_wrong_description_says_what_to_change() {
    let with = |text: &str| {
        let root = root(&["imagenet/val/disk/a.png"]);
        write(root.path(), "data.toml", text);
        error(root.path())
    };
    let messages = [
        with("[labels]\nname = 'x'\nclasses = ['a', 'a']"),
        with("[labels]\nname = 'x'\nclasses = ['a', 'b']\nnames = ['A']"),
        with("[labels]\nname = 'x'\nclasses = ['a']\nrendition_classes = ['b']"),
        with("[labels]\nname = 'x'\nclass_file = 'none.txt'"),
        with("[labels]\nname = 'x'\nclass_file = 'none.txt'\nclasses = ['a']"),
        with(
            "[labels]\nname = 'x'\nclasses = ['a']\nshape_groups = [{ name = 'g', classes = ['c'] }]",
        ),
        with("[sets.edge]\npath = 'edges'"),
    ];
    insta::assert_snapshot!(messages.join("\n"), @r"
    cannot use [labels] of ROOT/data.toml: two class entries are called 'a', expected different names
    cannot use [labels] of ROOT/data.toml: 1 names for 2 classes, expected one each or none
    cannot use [labels] of ROOT/data.toml: rendition_classes: class 'b' is not among the 1 classes
    cannot use [labels] of ROOT/data.toml: cannot read the classes ROOT/none.txt: No such file or directory (os error 2)
    cannot use [labels] of ROOT/data.toml: both class_file and a class list are given, expected one of them
    cannot use [labels] of ROOT/data.toml: shape group 'g': class 'c' is not among the 1 classes
    2 image sets cannot be used:
      edge: no folder ROOT/edges, which data.toml gives as its path
      clean: cannot tell the labels of the folders in ROOT/imagenet/val: 'disk' names no class of imagenet-1k, expected for instance 'n01440764'
    ");
}

#[test]
fn a_root_without_sets_says_what_was_expected() {
    let empty = root(&["readme.txt"]);
    insta::assert_snapshot!(error(empty.path()), @"no image set found, expected imagenet/val or others of the documented layout, or a data.toml that says where they are, in ROOT");
    let val = root(&["n01440764/a.JPEG"]);
    insta::assert_snapshot!(error(val.path()), @r#"no image set found, expected imagenet/val or others of the documented layout, or a data.toml that says where they are, in ROOT; its folders are named like classes: if it is the clean set itself, give the folder above imagenet/val, or write a data.toml with [sets.clean] path = ".""#);
    insta::assert_snapshot!(error(&val.path().join("none")), @"no data root: expected a folder at ROOT");
}

#[test]
fn identity_matches_corrupted_copies_and_fingerprint_sees_sizes() {
    let root = shapes(&[
        "imagenet/val/disk/a.JPEG",
        "imagenet/val/star/b-1.JPEG",
        "imagenet/val/star/b.JPEG",
        "imagenet-c/fog/1/disk/a.png",
        "imagenet-c/fog/1/star/b.png",
        "imagenet-c/fog/1/star/b-1.png",
        "imagenet-c/fog/2/disk/a.png",
        "imagenet-c/fog/2/disk/b.png",
        "imagenet-c/fog/2/star/b-1.png",
    ]);
    let identity = |data: &Dataset, kind| data.sets[&kind].identity;
    let (one, two) = (cell(Corruption::Fog, 1), cell(Corruption::Fog, 2));
    let data = Dataset::open(root.path()).unwrap();
    assert_eq!(identity(&data, PassKind::Clean), identity(&data, one));
    assert_ne!(identity(&data, PassKind::Clean), identity(&data, two));
    let before = data.sets[&PassKind::Clean].clone();
    write(
        root.path(),
        "imagenet/val/disk/a.JPEG",
        "longer than before, by far",
    );
    let after = Dataset::open(root.path()).unwrap().sets[&PassKind::Clean].clone();
    assert_eq!(before.identity, after.identity);
    assert_ne!(before.fingerprint, after.fingerprint);
}

#[test]
fn equal_lists_share_one_table() {
    let root = shapes(&[
        "imagenet/val/disk/a.JPEG",
        "imagenet/val/star/b.JPEG",
        "imagenet-c/fog/1/disk/a.JPEG",
        "imagenet-c/fog/1/star/b.JPEG",
        "imagenet-c/fog/2/disk/a.JPEG",
        "imagenet-c/fog/3/disk/a.JPEG",
    ]);
    let data = Dataset::open(root.path()).unwrap();
    let table = |severity| &data.sets[&cell(Corruption::Fog, severity)].items;
    let clean = &data.sets[&PassKind::Clean];
    assert!(Arc::ptr_eq(&clean.items, table(1)));
    assert!(Arc::ptr_eq(table(2), table(3)));
    assert_eq!(items(&data, cell(Corruption::Fog, 2)), [(0, "disk/a.JPEG")]);
    assert_eq!(
        data.sets[&cell(Corruption::Fog, 1)].root,
        root.path().join("imagenet-c/fog/1")
    );
}
