//! The 1000 ImageNet classes with the groups of the study's sets (SPEC §3, §5.1).

use std::sync::{Arc, LazyLock};

use serde::Deserialize;

use super::{Class, Groups, LabelSet};

/// The sixteen categories of model-vs-human (Geirhos et al. 2019), sorted.
const SHAPE_GROUPS: [&str; 16] = [
    "airplane", "bear", "bicycle", "bird", "boat", "bottle", "car", "cat", "chair", "clock", "dog",
    "elephant", "keyboard", "knife", "oven", "truck",
];

/// The nine categories of ImageNet-9 (Xiao et al. 2021), in folder order 00 to 08.
const FOREGROUND_GROUPS: [&str; 9] = [
    "dog",
    "bird",
    "vehicle",
    "reptile",
    "carnivore",
    "insect",
    "instrument",
    "primate",
    "fish",
];

#[derive(Deserialize)]
struct Row {
    wnid: String,
    name: String,
    shape: String,
    foreground: String,
    rendition: u8,
}

impl LabelSet {
    /// ImageNet-1k: 1000 classes in the order of their sorted WordNet ids, the 16 shape groups,
    /// the nine foreground groups and the 200 classes of ImageNet-R.
    pub fn imagenet() -> Arc<Self> {
        static IMAGENET: LazyLock<Arc<LabelSet>> = LazyLock::new(|| {
            #[expect(
                clippy::expect_used,
                reason = "the embedded table is read by the tests"
            )]
            let labels = parse(include_str!("imagenet.csv")).expect("the ImageNet classes");
            Arc::new(labels)
        });
        Arc::clone(&IMAGENET)
    }
}

fn parse(table: &str) -> Result<LabelSet, csv::Error> {
    let rows = csv::ReaderBuilder::new()
        .comment(Some(b'#'))
        .from_reader(table.as_bytes())
        .into_deserialize()
        .collect::<Result<Vec<Row>, _>>()?;
    let indices = |wanted: &dyn Fn(&Row) -> bool| -> Vec<u32> {
        (0u32..)
            .zip(&rows)
            .filter(|(_, row)| wanted(row))
            .map(|(index, _)| index)
            .collect()
    };
    let groups = |names: &[&str], group: fn(&Row) -> &str| Groups {
        names: names.iter().map(|&name| name.to_owned()).collect(),
        members: names
            .iter()
            .map(|&name| indices(&|row| group(row) == name))
            .collect(),
    };
    Ok(LabelSet {
        name: "imagenet-1k".to_owned(),
        shape_groups: groups(&SHAPE_GROUPS, |row| &row.shape),
        foreground_groups: groups(&FOREGROUND_GROUPS, |row| &row.foreground),
        rendition_classes: indices(&|row| row.rendition == 1),
        classes: rows
            .into_iter()
            .map(|row| Class {
                id: row.wnid,
                name: row.name,
            })
            .collect(),
    })
}
