use std::path::PathBuf;

use serde_json::Value;

use super::*;

fn counts(groups: &Groups) -> Vec<usize> {
    groups.members.iter().map(Vec::len).collect()
}

/// A small valid label set.
fn shapes() -> LabelSet {
    let class = |id: &str| Class {
        id: id.to_owned(),
        name: id.to_uppercase(),
    };
    let groups = Groups {
        names: vec!["round".to_owned(), "pointed".to_owned()],
        members: vec![vec![0, 2], vec![1]],
    };
    LabelSet {
        name: "shapes".to_owned(),
        classes: ["disk", "star", "ring", "bar"].map(class).to_vec(),
        shape_groups: groups.clone(),
        foreground_groups: groups,
        rendition_classes: vec![0, 3],
    }
}

#[test]
fn imagenet_has_the_counts_of_the_study() {
    let labels = LabelSet::imagenet();
    labels.validate().unwrap();
    assert_eq!(labels.classes.len(), 1000);
    assert!(
        labels
            .classes
            .windows(2)
            .all(|pair| pair[0].id < pair[1].id)
    );
    assert!(labels.shape_groups.names.is_sorted());
    // SPEC §5.1, §1.7, §1.4
    let shapes = [1, 4, 2, 49, 5, 7, 3, 6, 4, 3, 109, 2, 2, 1, 1, 8];
    assert_eq!(counts(&labels.shape_groups), shapes);
    assert_eq!(shapes.iter().sum::<usize>(), 207);
    let foregrounds = [116, 52, 42, 36, 35, 27, 26, 20, 16];
    assert_eq!(counts(&labels.foreground_groups), foregrounds);
    assert_eq!(1000 - foregrounds.iter().sum::<usize>(), 630);
    assert_eq!(labels.rendition_classes.len(), 200);
    assert_eq!(labels.classes[0].name, "tench, Tinca tinca");
    assert_eq!(labels.classes[1].id, "n01443537");
}

#[test]
fn imagenet_equals_the_given_tables() {
    let shared = std::env::var_os("QUBA_SHARED").map_or_else(
        || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared")),
        PathBuf::from,
    );
    let data = shared.join("data");
    if !data.is_dir() {
        println!("skipped: {} is absent", data.display());
        return;
    }
    let read = |name: &str| -> Value {
        serde_json::from_str(&std::fs::read_to_string(data.join(name)).unwrap()).unwrap()
    };
    let labels = LabelSet::imagenet();
    let ids = |indices: &[u32]| -> Vec<Value> {
        indices
            .iter()
            .map(|&i| labels.classes[i as usize].id.as_str().into())
            .collect()
    };
    let all: Vec<u32> = (0..1000).collect();
    assert_eq!(Value::from(ids(&all)), read("wnids.json"));
    assert_eq!(
        Value::from(ids(&labels.rendition_classes)),
        read("imagenet_r.json")["wnids"]
    );
    let groups = &labels.shape_groups;
    let human = read("human16.json");
    assert_eq!(Value::from(groups.names.clone()), human["categories"]);
    for (name, members) in groups.names.iter().zip(&groups.members) {
        assert_eq!(
            Value::from(members.clone()),
            human["indices"][name],
            "{name}"
        );
    }
    let map: Vec<i64> = labels
        .foreground_groups
        .of_classes(1000)
        .into_iter()
        .map(|group| group.map_or(-1, i64::from))
        .collect();
    assert_eq!(Value::from(map), read("in9.json")["map"]);
}

#[test]
fn hash_depends_on_classes_and_groups_only() {
    let base = shapes().hash();
    let changed = |change: fn(&mut LabelSet)| {
        let mut labels = shapes();
        change(&mut labels);
        labels.hash()
    };
    assert_eq!(changed(|l| l.name = "other".to_owned()), base);
    assert_ne!(changed(|l| l.classes.swap(0, 1)), base);
    assert_ne!(changed(|l| l.classes[0].name.push('s')), base);
    assert_ne!(changed(|l| l.shape_groups.members[0] = vec![0]), base);
    assert_ne!(changed(|l| l.foreground_groups.names[0].push('s')), base);
    assert_ne!(changed(|l| l.rendition_classes = vec![0]), base);
    // A name's end cannot be mistaken for the next one's start.
    let split = |a: &str, b: &str| {
        let mut labels = shapes();
        labels.classes[0] = Class {
            id: a.to_owned(),
            name: b.to_owned(),
        };
        labels.hash()
    };
    assert_ne!(split("ab", "c"), split("a", "bc"));
}

#[test]
fn validate_names_the_violation() {
    let error = |change: fn(&mut LabelSet)| {
        let mut labels = shapes();
        labels.validate().unwrap();
        change(&mut labels);
        labels.validate().unwrap_err().to_string()
    };
    let messages = [
        error(|l| l.classes.clear()),
        error(|l| l.classes[1].id = " ".to_owned()),
        error(|l| l.classes[1].id = "disk".to_owned()),
        error(|l| l.shape_groups.names.truncate(1)),
        error(|l| l.shape_groups.members[1].clear()),
        error(|l| l.shape_groups.members[1] = vec![2]),
        error(|l| l.foreground_groups.members[1] = vec![4]),
        error(|l| l.foreground_groups.names[1] = "round".to_owned()),
        error(|l| l.rendition_classes = vec![1, 1]),
        error(|l| l.rendition_classes = vec![4]),
    ];
    insta::assert_snapshot!(messages.join("\n"), @r"
    a label set needs at least one class, found none
    class 1 has an empty name
    two class entries are called 'disk', expected different names
    1 shape group names for 2 lists of classes
    shape group 'pointed' has no class
    class 'ring' is listed twice in the shape groups, expected at most once
    foreground group refers to class 4 of 4, expected an index below that
    two foreground group entries are called 'round', expected different names
    rendition classes must ascend without repetition, found 1 after 1
    rendition class list refers to class 4 of 4, expected an index below that
    ");
}
