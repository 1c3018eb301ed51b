use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::{Index, select};

use super::*;
use crate::metrics::calibration::{ace_keys, ace_of_class};
use crate::result::testing::{CLASSES, Record, add_pass, empty_evaluation, finish};
use crate::result::{decode, encode, merge, merge_all};

const KINDS: [PassKind; 2] = [PassKind::Clean, PassKind::Rendition];

/// What a model says of one image, and the shard that shows it.
#[derive(Clone, Debug)]
struct Image {
    label: u32,
    probabilities: Vec<f32>,
    finite: bool,
    readable: bool,
    owner: u32,
}

/// The run of all images, or of one shard of so many.
fn evaluated(images: &[Image], shard: Option<(u32, u32)>, most: Option<u32>) -> Evaluation {
    let population = images.len() as u32 + most.map_or(0, |_| 3);
    let is_shown = |image: &Image| shard.is_none_or(|(index, _)| image.owner == index);
    let shown = || (0u32..).zip(images).filter(|(_, image)| is_shown(image));
    let read: Vec<(u32, &Image)> = shown().filter(|(_, image)| image.readable).collect();
    let skipped: Vec<u32> = shown().filter(|(_, i)| !i.readable).map(|i| i.0).collect();
    let record = |image: &Image| Record {
        label: image.label,
        decided: if image.finite {
            image.label / 2
        } else {
            CLASSES
        },
        confidence: image.probabilities[0],
        true_confidence: image.probabilities[1],
    };
    let records: Vec<_> = read.iter().map(|&(i, image)| (i, record(image))).collect();
    let column = |class: usize| {
        let value =
            |(_, image): &(u32, &Image)| f32::from(image.finite) * image.probabilities[class];
        read.iter().map(value).collect::<Vec<f32>>()
    };
    let classes = 0..CLASSES as usize;
    let is = |class: usize| {
        let labels: Vec<u32> = read.iter().map(|(_, image)| image.label).collect();
        move |i: usize| labels[i] as usize == class
    };
    let errors = classes.clone().map(|c| ace_of_class(&mut column(c), is(c)));
    let ace = (!read.is_empty()).then(|| ace_from_classes(errors, CLASSES as usize));
    let not_finite = read.iter().filter(|(_, image)| !image.finite).count() as u32;

    let mut evaluation = empty_evaluation();
    for kind in KINDS {
        add_pass(&mut evaluation, kind, population, &records, &skipped, ace);
        evaluation
            .warnings
            .extend((not_finite > 0).then_some(Warning::NonFiniteOutputs {
                pass: kind,
                count: not_finite,
            }));
    }
    evaluation.shards.extend(shard.map(|(index, count)| Shard {
        count,
        images_per_set: most,
        index,
        passes: KINDS.map(|kind| (kind, not_finite)).to_vec(),
        probabilities: Some(Probabilities::new(
            read.iter().map(|&(i, _)| i).collect(),
            classes.map(|c| ace_keys(&mut column(c), is(c))),
        )),
    }));
    finish(&mut evaluation);
    evaluation.subset = evaluation.sampled();
    evaluation.settle_shards();
    evaluation
}

/// Images in any partition: shards may be empty, and of any size.
fn any_run() -> impl Strategy<Value = (Vec<Image>, u32, Option<u32>)> {
    (1u32..6).prop_flat_map(|count| {
        let probability = prop_oneof![
            4 => 0.0f32..=1.0,
            2 => select(vec![0.0, 1.0, 0.25, f32::MIN_POSITIVE, 1e-9]),
        ];
        let image = (
            0..CLASSES,
            vec(probability, CLASSES as usize),
            prop::bool::weighted(0.9),
            prop::bool::weighted(0.9),
            1..=count,
        );
        let image = image.prop_map(|(label, probabilities, finite, readable, owner)| Image {
            label,
            probabilities,
            finite,
            readable,
            owner,
        });
        (vec(image, 1..24), any::<bool>()).prop_map(move |(images, sampled)| {
            let most = sampled.then_some(images.len() as u32);
            (images, count, most)
        })
    })
}

fn shards_of(images: &[Image], count: u32, most: Option<u32>) -> Vec<Evaluation> {
    (1..=count)
        .map(|index| evaluated(images, Some((index, count)), most))
        .collect()
}

fn merged(parts: &[Evaluation]) -> Evaluation {
    let named = (0..)
        .zip(parts)
        .map(|(i, part): (u32, _)| (i.to_string(), part.clone()));
    merge_all(named.collect()).unwrap().pop().unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn all_shards_in_any_order_are_the_unsplit_run(
        (images, count, most) in any_run(),
        repeated in vec(any::<Index>(), 0..6),
        swaps in vec((any::<Index>(), any::<Index>()), 0..6),
    ) {
        let unsplit = evaluated(&images, None, most);
        let shards = shards_of(&images, count, most);
        // Some of them several times.
        let mut parts = shards.clone();
        parts.extend(repeated.iter().map(|i| i.get(&shards).clone()));
        for (i, j) in swaps {
            let (i, j) = (i.index(parts.len()), j.index(parts.len()));
            parts.swap(i, j);
        }
        let joined = merged(&parts);
        prop_assert_eq!(joined.missing_shards(), Vec::<String>::new());
        prop_assert_eq!(&joined, &unsplit);
        prop_assert_eq!(encode(&joined).unwrap(), encode(&unsplit).unwrap());
        // Nothing changes it any more.
        prop_assert_eq!(&merge(&joined, &parts[0]).unwrap(), &unsplit);
    }

    #[test]
    fn parts_can_be_merged_first(
        (images, count, most) in any_run(),
        choices in vec(any::<Index>(), 3),
        with_unsplit in option::of(0usize..3),
    ) {
        let shards = shards_of(&images, count, most);
        let mut parts: Vec<Evaluation> = choices.iter().map(|i| i.get(&shards).clone()).collect();
        if let Some(place) = with_unsplit {
            parts[place] = evaluated(&images, None, most);
        }
        let [a, b, c] = &parts[..] else { panic!("three") };
        let ab = merge(a, b).unwrap();
        let all = merge(&ab, c).unwrap();
        prop_assert_eq!(&all, &merge(a, &merge(b, c).unwrap()).unwrap());
        prop_assert_eq!(&all, &merge(&merge(c, a).unwrap(), b).unwrap());
        prop_assert_eq!(&ab, &merge(&ab, b).unwrap());
        prop_assert_eq!(&all, &merge(&all, &ab).unwrap());
        // On disk too.
        prop_assert_eq!(&all, &decode(&encode(&all).unwrap()).unwrap());
    }
}

/// Twelve images dealt out to so many shards.
fn dealt(count: u32) -> Vec<Image> {
    let image = |i: u32| Image {
        label: i % CLASSES,
        probabilities: (1..=CLASSES).map(|c| 1.0 / (i + c) as f32).collect(),
        finite: true,
        readable: true,
        owner: 1 + i % count,
    };
    (0..12).map(image).collect()
}

#[test]
fn missing_shards_are_named() {
    let shards = shards_of(&dealt(6), 6, None);
    let missing = |indices: &[usize]| {
        let held: Vec<Evaluation> = indices.iter().map(|&i| shards[i - 1].clone()).collect();
        merged(&held).missing_shards().join("; ")
    };
    assert_eq!(missing(&[1, 2, 4, 5, 6]), "shard 3 of 6 is missing");
    assert_eq!(
        missing(&[2, 5]),
        "shard 1 of 6 is missing; shards 3 to 4 of 6 are missing; shard 6 of 6 is missing"
    );
    assert_eq!(missing(&[6]), "shards 1 to 5 of 6 are missing");
    assert_eq!(missing(&[1, 2, 3, 4, 5, 6]), "");
}

#[test]
fn what_shards_lack_is_named() {
    let mut shards = shards_of(&dealt(2), 2, None);
    let rendition = shards[1]
        .passes
        .iter()
        .position(|p| p.kind == PassKind::Rendition);
    shards[1].passes.remove(rendition.unwrap());
    shards[1].shards[0].passes.pop();
    shards[1]
        .warnings
        .retain(|w| w.pass() != Some(PassKind::Rendition));
    shards[1].canonicalise();
    let one = merged(&shards);
    assert_eq!(one.missing_shards(), ["shard 2 of 2 lacks rendition"]);

    let mut shards = shards_of(&dealt(2), 2, None);
    shards[0].shards[0].probabilities = None;
    let one = merged(&shards);
    assert_eq!(
        one.missing_shards(),
        ["shard 1 of 2 lacks class probabilities"]
    );
    assert!(one.warnings.contains(&Warning::AceLostByMerge));
}

#[test]
fn some_shards_state_the_error_of_their_images_and_can_be_completed() {
    let images = dealt(4);
    let shards = shards_of(&images, 4, None);
    let half = merged(&shards[..2]);
    assert!(!half.warnings.contains(&Warning::AceLostByMerge));
    assert_eq!(half.shards.len(), 2);
    assert!(
        half.shards
            .iter()
            .all(|shard| shard.probabilities.is_some())
    );
    let unsplit = evaluated(&images, None, None);
    assert_eq!(
        merged(&[shards[3].clone(), half, shards[2].clone()]),
        unsplit
    );
}

#[test]
fn other_splits_of_the_run_are_kept_apart() {
    let images = dealt(2);
    let halves = shards_of(&images, 2, None);
    let quarters = shards_of(&dealt(4), 4, None);
    let mixed = merged(&[halves[0].clone(), quarters[0].clone()]);
    assert_eq!(
        mixed.missing_shards(),
        ["shard 2 of 2 is missing", "shards 2 to 4 of 4 are missing"]
    );
    let unsplit = evaluated(&images, None, None);
    assert_eq!(merged(&[mixed, halves[1].clone()]), unsplit);
}

#[test]
fn contradicting_probabilities_are_refused() {
    let shards = shards_of(&dealt(2), 2, None);
    let mut other = shards[0].clone();
    let probabilities = other.shards[0].probabilities.as_mut().unwrap();
    probabilities.columns[3][0] += 2;
    let error = merge(&shards[0], &other).unwrap_err();
    assert_eq!(error, MergeError::Shard { index: 1, count: 2 });
}

#[test]
fn an_image_that_was_repaired_replaces_the_probabilities() {
    let images = dealt(2);
    let mut broken = images.clone();
    broken[0].readable = false;
    let first = evaluated(&broken, Some((1, 2)), None);
    let again = evaluated(&images, Some((1, 2)), None);
    let second = evaluated(&images, Some((2, 2)), None);
    for parts in [[&first, &again, &second], [&second, &again, &first]] {
        let parts: Vec<Evaluation> = parts.into_iter().cloned().collect();
        assert_eq!(merged(&parts), evaluated(&images, None, None));
    }
}

#[test]
fn shards_that_cannot_be_are_refused() {
    let whole = &shards_of(&dealt(2), 2, None)[0];
    let fault = |change: fn(&mut Shard)| {
        let mut evaluation = whole.clone();
        change(&mut evaluation.shards[0]);
        evaluation.validate().unwrap_err().to_string()
    };
    insta::assert_snapshot!(fault(|s| s.index = 3), @"shard 3: expected a number from 1 to 2, found 3");
    insta::assert_snapshot!(fault(|s| s.passes.reverse()), @"passes of shard 1: expected ascending order without repetition, found a fault at position 1");
    insta::assert_snapshot!(fault(|s| s.passes = vec![(PassKind::Edge, 0)]), @"shard 1: expected passes that were evaluated, found edge");
    insta::assert_snapshot!(
        fault(|s| s.probabilities.as_mut().unwrap().images = [1].into_iter().collect()),
        @"shard 1: expected probabilities of clean images, found of others"
    );
    insta::assert_snapshot!(
        fault(|s| drop(s.probabilities.as_mut().unwrap().columns.pop())),
        @"shard 1: expected probabilities of 6 classes, found 5"
    );
    insta::assert_snapshot!(
        fault(|s| s.probabilities.as_mut().unwrap().columns[2][1] = u32::MAX),
        @"shard 1: expected at most 6 probabilities, above 0 and up to 1, of every class, found others of class 2"
    );
}
