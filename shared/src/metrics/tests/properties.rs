//! What holds for every evaluation.

use proptest::prelude::*;

use super::builder::{add, evaluation};
use super::random::SplitMix64;
use crate::metrics::balance::{ClassBalance, LabelledImage};
use crate::metrics::{self, calibration, decision, ood};
use crate::outcome::{Corruption, Outcomes, PassKind, Severity};
use crate::result::Evaluation;

/// Probabilities with exact zeros, exact ones and ties among them, as saturated softmax has.
fn rows(random: &mut SplitMix64, images: usize, classes: usize) -> Vec<Vec<f32>> {
    let mut row = || {
        let scale = [0.5, 3.0, 30.0, 300.0][random.below(4)];
        let logits: Vec<f32> = (0..classes)
            .map(|_| random.normal(scale).round() as f32)
            .collect();
        let mut out = Vec::new();
        decision::softmax(&logits, &mut out);
        out
    };
    (0..images).map(|_| row()).collect()
}

fn ace(rows: &[Vec<f32>], labels: &[u32], classes: usize) -> f64 {
    let errors = (0..classes).map(|class| {
        let mut column: Vec<f32> = rows.iter().map(|row| row[class]).collect();
        calibration::ace_of_class(&mut column, |i| labels[i] as usize == class)
    });
    calibration::ace_from_classes(errors, classes)
}

/// SPEC §1.5 read literally, bin by bin: no sorting tricks, digitize by counting edges.
fn ace_of_class_by_definition(column: &[f32], positive: &[bool]) -> f64 {
    let kept: Vec<(f32, bool)> = column
        .iter()
        .copied()
        .zip(positive.iter().copied())
        .filter(|&(value, _)| value > 0.0)
        .collect();
    let n = kept.len();
    if n == 0 {
        return 0.0;
    }
    let mut sorted: Vec<f32> = kept.iter().map(|&(value, _)| value).collect();
    sorted.sort_by(f32::total_cmp);
    let index = |k: usize| ((k as f64 * n as f64 / 15.0).round_ties_even() as usize).min(n - 1);
    let mut edges: Vec<f32> = (1..15).map(|k| sorted[index(k)]).collect();
    edges.push(1.0);
    let mut bins = [(0.0, 0.0, 0.0); 16];
    for (value, is_class) in kept {
        let bin = &mut bins[edges.iter().filter(|&&edge| edge <= value).count()];
        bin.0 += 1.0;
        bin.1 += f64::from(value);
        bin.2 += f64::from(u8::from(is_class));
    }
    let error = |&(count, mass, positives): &(f64, f64, f64)| {
        let count = count + 2.22e-16;
        ((positives / count - mass / count) * count / n as f64).abs()
    };
    bins.iter().map(error).sum()
}

/// An evaluation with every pass, of a random predictor.
fn random_evaluation(random: &mut SplitMix64, images: usize, classes: usize) -> Evaluation {
    let groups = 1 + random.below(4);
    let mut evaluation = evaluation(classes as u32, groups);
    let rows = rows(random, images, classes);
    let labels: Vec<u32> = (0..images).map(|_| random.below(classes) as u32).collect();
    let predictions: Vec<u32> = rows.iter().map(|r| decision::argmax(r) as u32).collect();
    let outcomes = Outcomes::Classified {
        confidences: rows
            .iter()
            .zip(&predictions)
            .map(|(r, &p)| r[p as usize])
            .collect(),
        true_confidences: rows
            .iter()
            .zip(&labels)
            .map(|(r, &l)| r[l as usize])
            .collect(),
        ace: Some(ace(&rows, &labels, classes)),
        predictions,
    };
    add(
        &mut evaluation,
        PassKind::Clean,
        labels,
        Vec::new(),
        outcomes,
    );
    let cells = Corruption::SCORED
        .into_iter()
        .flat_map(|c| Severity::ALL.map(|s| PassKind::Corruption(c, s)));
    let others = [PassKind::MixedSame, PassKind::MixedRand];
    for kind in cells.chain(ood::SETS).chain(others) {
        let n = 1 + random.below(5);
        let bits = (0..n).map(|_| random.uniform() < 0.7).collect();
        add(
            &mut evaluation,
            kind,
            vec![0; n],
            Vec::new(),
            Outcomes::Correct(bits),
        );
    }
    let mut decide = || {
        (0..images)
            .map(|_| random.below(groups) as u32)
            .collect::<Vec<u32>>()
    };
    let (shapes, textures, decided) = (decide(), decide(), Outcomes::Decided(decide()));
    add(
        &mut evaluation,
        PassKind::CueConflict,
        shapes,
        textures,
        decided,
    );
    evaluation
}

proptest! {
    #[test]
    fn values_lie_in_their_range(seed: u64, images in 1usize..60, classes in 2usize..8) {
        let evaluation = random_evaluation(&mut SplitMix64(seed), images, classes);
        for (dimension, measured) in metrics::measure(&evaluation).iter() {
            let Ok(measurement) = measured else { continue };
            let (low, high) = dimension.range();
            let value = measurement.value;
            prop_assert!(value.is_finite() && low <= value && value <= high, "{dimension}: {value}");
            prop_assert!(measurement.parts.iter().all(|part| part.value.is_finite()));
        }
    }

    #[test]
    fn ace_follows_the_definition(seed: u64, images in 0usize..200, rate in 0.0..1.0) {
        let random = &mut SplitMix64(seed);
        let column: Vec<f32> = rows(random, images, 3).iter().map(|row| row[0]).collect();
        let positive: Vec<bool> = (0..images).map(|_| random.uniform() < rate).collect();
        let expected = ace_of_class_by_definition(&column, &positive);
        let value = calibration::ace_of_class(&mut column.clone(), |i| positive[i]);
        prop_assert!((value - expected).abs() < 1e-12, "{value} against {expected}");
        prop_assert!((0.0..=1.0).contains(&value));
    }

    #[test]
    fn order_of_images_has_no_effect(seed: u64, images in 1usize..200) {
        let random = &mut SplitMix64(seed);
        let classes = 4;
        let rows = rows(random, images, classes);
        let labels: Vec<u32> = (0..images).map(|_| random.below(classes) as u32).collect();
        let mut order: Vec<usize> = (0..images).collect();
        random.shuffle(&mut order);
        let shuffled_rows: Vec<Vec<f32>> = order.iter().map(|&i| rows[i].clone()).collect();
        let shuffled_labels: Vec<u32> = order.iter().map(|&i| labels[i]).collect();

        let ece = |rows: &[Vec<f32>], labels: &[u32]| {
            let top: Vec<usize> = rows.iter().map(|row| decision::argmax(row)).collect();
            let confidences: Vec<f32> = rows.iter().zip(&top).map(|(row, &t)| row[t]).collect();
            let correct = top.iter().zip(labels).map(|(&t, &label)| t == label as usize);
            calibration::ece(&confidences, correct).unwrap()
        };
        let (before, after) = (ece(&rows, &labels), ece(&shuffled_rows, &shuffled_labels));
        // Sums of f32, as the definition asks, depend on the order in their last bits.
        prop_assert!((before - after).abs() < 1e-5, "{before} against {after}");
        let before = ace(&rows, &labels, classes);
        prop_assert_eq!(before, ace(&shuffled_rows, &shuffled_labels, classes));
    }

    #[test]
    fn balance_ignores_the_order_of_classes(seed: u64, images in 2usize..60) {
        let random = &mut SplitMix64(seed);
        let mut images: Vec<LabelledImage> = (0..images)
            .map(|_| LabelledImage {
                label: random.below(5) as u32,
                correct: random.uniform() < 0.5,
                true_confidence: random.uniform() as f32,
            })
            .collect();
        let before = ClassBalance::of(images.clone());
        random.shuffle(&mut images);
        let after = ClassBalance::of(images);
        prop_assert_eq!(before.is_some(), after.is_some());
        if let (Some(before), Some(after)) = (before, after) {
            prop_assert!((before.value() - after.value()).abs() < 1e-12);
            prop_assert!((before.between() - after.between()).abs() < 1e-12);
        }
    }

    #[test]
    fn ties_go_to_the_lowest_index(values in prop::collection::vec(0u8..4, 1..20)) {
        let values: Vec<f32> = values.into_iter().map(f32::from).collect();
        let winner = decision::argmax(&values);
        prop_assert!(values[..winner].iter().all(|&v| v < values[winner]));
        prop_assert!(values[winner..].iter().all(|&v| v <= values[winner]));
    }

    #[test]
    fn wilson_interval_holds_the_share(correct in 0u32..1000, wrong in 0u32..1000) {
        prop_assume!(correct + wrong > 0);
        let total = correct + wrong;
        let (low, high) = metrics::accuracy::wilson(correct, total);
        let share = metrics::accuracy::accuracy(correct, total);
        prop_assert!(0.0 <= low && low <= share + 1e-12 && share <= high + 1e-12 && high <= 1.0);
    }
}

/// Confidences of exactly 1 have a bin of their own, apart from those just below.
#[test]
fn exact_confidences() {
    assert_eq!(calibration::ece(&[1.0; 4], [true; 4]), Some(0.0));
    assert_eq!(calibration::ece(&[1.0; 4], [false; 4]), Some(1.0));
    assert_eq!(calibration::ece(&[0.0; 4], [false; 4]), Some(0.0));
    // Apart, the errors of a wrong 1 and a right 0.94 add up; in one bin they would cancel to 0.47.
    let apart = calibration::ece(&[1.0, 0.94], [false, true]).unwrap();
    assert!((apart - 0.53).abs() < 1e-6, "{apart}");
    assert_eq!(calibration::ece(&[], []), None);
    assert_eq!(calibration::ece(&[0.5], [true, true]), None);
    assert_eq!(calibration::ece(&[0.5, 0.5], [true]), None);

    // Exact zeros are dropped; certain and right is no error; certain and wrong is all error.
    let error = |column: &[f32], class: &[bool]| {
        calibration::ace_of_class(&mut column.to_vec(), |i| class[i])
    };
    assert_eq!(error(&[1.0, 0.0, 0.0], &[true, false, true]), 0.0);
    assert_eq!(error(&[1.0, 1.0], &[false, false]), 1.0);
    assert_eq!(error(&[0.0; 3], &[true; 3]), 0.0);
    assert_eq!(error(&[f32::NAN, 1.0], &[true, true]), 0.0);
    assert_eq!(error(&[], &[]), 0.0);
}
