//! Properties of samples.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use proptest::prelude::*;
use shared::outcome::Origin;

use crate::dataset::sample::{sample, shard};
use crate::dataset::{ImageSet, Item};

fn set(items: Vec<Item>) -> ImageSet {
    ImageSet {
        root: PathBuf::new(),
        items: items.into(),
        identity: [0; 32],
        fingerprint: [0; 32],
        origin: Origin::Stored,
    }
}

fn item(label: u32, number: u32, extension: &str) -> Item {
    let path = format!("class{label}/image{number}.{extension}");
    Item {
        label,
        path,
        texture: None,
    }
}

/// Sets of up to 6 classes with up to 12 images each.
fn sizes() -> impl Strategy<Value = Vec<u32>> {
    prop::collection::vec(0u32..12, 1..6)
}

fn items_of(sizes: &[u32]) -> Vec<Item> {
    let classes = (0u32..).zip(sizes);
    classes
        .flat_map(|(label, &size)| (0..size).map(move |n| item(label, n, "JPEG")))
        .collect()
}

fn paths<'a>(set: &'a ImageSet, positions: &[u32]) -> BTreeSet<&'a str> {
    positions
        .iter()
        .map(|&i| set.items[i as usize].path.as_str())
        .collect()
}

proptest! {
    #[test]
    fn samples_are_ascending_nested_and_stratified(sizes in sizes(), n in 0usize..40, seed: u64) {
        let set = set(items_of(&sizes));
        let small = sample(&set, Some(n), seed);
        prop_assert_eq!(small.len(), n.min(set.items.len()));
        prop_assert!(small.windows(2).all(|pair| pair[0] < pair[1]));
        let large = sample(&set, Some(n + 3), seed);
        prop_assert!(small.iter().all(|position| large.contains(position)));
        let mut counts: BTreeMap<u32, u32> = BTreeMap::new();
        for &position in &small {
            *counts.entry(set.items[position as usize].label).or_default() += 1;
        }
        // A class short of the fullest by more than one has no image left.
        let most = counts.values().copied().max().unwrap_or(0);
        for (label, &size) in (0u32..).zip(&sizes) {
            let count = counts.get(&label).copied().unwrap_or(0);
            prop_assert!(count + 1 >= most || count == size);
        }
    }

    #[test]
    fn shards_partition_a_sample_evenly(
        sizes in sizes(), n in 0usize..40, seed: u64, count in 1u32..9,
    ) {
        let set = set(items_of(&sizes));
        let all = sample(&set, Some(n), seed);
        let parts: Vec<Vec<u32>> =
            (0..count).map(|index| shard(&set, &all, seed, index, count)).collect();
        prop_assert!(parts.iter().all(|part| part.is_sorted()));
        let mut joined = parts.concat();
        joined.sort_unstable();
        prop_assert_eq!(&joined, &all);
        let even = |of: &dyn Fn(&[u32]) -> usize| {
            let counts = parts.iter().map(|part| of(part));
            counts.clone().max() <= counts.min().map(|least| least + 1)
        };
        prop_assert!(even(&<[u32]>::len));
        for label in 0..sizes.len() as u32 {
            let is_of_class = |&&i: &&u32| set.items[i as usize].label == label;
            prop_assert!(even(&|part| part.iter().filter(is_of_class).count()));
        }
        // Copies of the images are in the same shards.
        let copies = set.items.iter().map(|item| Item {
            path: item.path.replace("JPEG", "png"),
            ..item.clone()
        });
        let copies = super::sampling::set(copies.collect());
        prop_assert_eq!(&shard(&copies, &all, seed, 0, count), &parts[0]);
    }

    #[test]
    fn samples_depend_on_names_not_on_order_or_extension(
        sizes in sizes(), n in 0usize..40, seed: u64, rotation in 0usize..40,
    ) {
        let ordered = set(items_of(&sizes));
        let mut items = ordered.items.to_vec();
        if !items.is_empty() {
            let middle = rotation % items.len();
            items.rotate_left(middle);
        }
        let mixed = set(items);
        prop_assert_eq!(
            paths(&ordered, &sample(&ordered, Some(n), seed)),
            paths(&mixed, &sample(&mixed, Some(n), seed))
        );
        let copies = ordered.items.iter().map(|item| Item {
            path: item.path.replace("JPEG", "png"),
            ..item.clone()
        });
        let copies = set(copies.collect());
        prop_assert_eq!(sample(&ordered, Some(n), seed), sample(&copies, Some(n), seed));
    }
}

#[test]
fn everything_is_taken_without_a_limit_or_under_it() {
    let set = set(items_of(&[3, 2]));
    assert_eq!(sample(&set, None, 1), [0, 1, 2, 3, 4]);
    assert_eq!(sample(&set, Some(9), 1), [0, 1, 2, 3, 4]);
    assert!(sample(&set, Some(0), 1).is_empty());
}

#[test]
fn the_seed_chooses() {
    let set = set(items_of(&[50, 50]));
    let choices: BTreeSet<Vec<u32>> = (0..8).map(|seed| sample(&set, Some(10), seed)).collect();
    assert_eq!(choices.len(), 8);
}
