//! Public results of observers, recomputed (SPEC §5), and the signature of a second softmax.

use super::builder::{add, evaluation};
use super::random::SplitMix64;
use crate::dimension::Dimension;
use crate::metrics::{self, calibration, decision};
use crate::outcome::{Outcomes, PassKind};

const GROUPS: u32 = 16;

/// Shape bias of `shape` and `texture` decisions on `images` stimuli, one in 16 of which has no
/// conflict (80 of 1280). Those are answered with their shape, and the remaining ones with
/// neither cue: neither may count.
fn shape_bias(images: u32, shape: u32, texture: u32) -> f64 {
    let (mut shapes, mut textures, mut decisions) = (Vec::new(), Vec::new(), Vec::new());
    for image in 0..images {
        let (s, t) = (image % GROUPS, (image + image / GROUPS) % GROUPS);
        shapes.push(s);
        textures.push(t);
        let conflicts_before = conflicts(image);
        decisions.push(if s == t || conflicts_before < shape {
            s
        } else if conflicts_before < shape + texture {
            t
        } else {
            (0..GROUPS).find(|g| *g != s && *g != t).unwrap()
        });
    }
    let mut evaluation = evaluation(1000, GROUPS as usize);
    let outcomes = Outcomes::Decided(decisions);
    add(
        &mut evaluation,
        PassKind::CueConflict,
        shapes,
        textures,
        outcomes,
    );
    let measurement = metrics::measure(&evaluation)[Dimension::ShapeBias]
        .clone()
        .unwrap();
    assert_eq!(measurement.images, images - images / GROUPS);
    let counts: Vec<f64> = measurement.parts.iter().map(|part| part.value).collect();
    assert_eq!(counts, [f64::from(shape), f64::from(texture)]);
    measurement.value
}

/// Images with a conflict among the first `images`: shape and texture agree where
/// `image / 16` is a multiple of 16.
fn conflicts(images: u32) -> u32 {
    let block = GROUPS * GROUPS;
    images - images / block * GROUPS - (images % block).min(GROUPS)
}

/// The per-trial table of SPEC §5.2.
#[test]
fn shape_bias_of_public_observers() {
    let observers = [
        ("AlexNet (caffe)", 1280, 283, 376, 0.429439),
        ("GoogLeNet (caffe)", 1280, 228, 503, 0.311902),
        ("VGG-16 (caffe)", 1280, 130, 625, 0.172185),
        ("ResNet-50 (torchvision)", 1280, 162, 572, 0.220708),
        ("humans, pooled", 12800, 9236, 398, 0.958688),
        ("AlexNet (torchvision)", 1280, 182, 537, 0.253129),
        ("VGG-16 (torchvision)", 1280, 84, 828, 0.092105),
        ("SqueezeNet1_1", 1280, 133, 597, 0.182192),
        ("DenseNet121", 1280, 163, 597, 0.214474),
        ("ResNet101", 1280, 180, 509, 0.261248),
        ("ResNet152", 1280, 196, 569, 0.256209),
        ("ResNet-50 on stylized", 1280, 586, 141, 0.806052),
        ("VGG-16 on stylized", 1280, 551, 163, 0.771709),
        ("AlexNet on stylized", 1280, 488, 161, 0.751926),
        ("EfficientNet-Lite0, 224", 1280, 197, 622, 0.240537),
        ("EfficientNet-Lite0, resized", 1280, 189, 589, 0.242931),
    ];
    for (name, images, shape, texture, expected) in observers {
        let bias = shape_bias(images, shape, texture);
        assert!(
            (bias - expected).abs() < 5e-7,
            "{name}: {bias} against {expected}"
        );
    }
}

#[test]
fn no_decision_for_either_cue_is_undefined() {
    let mut evaluation = evaluation(1000, 16);
    let outcomes = Outcomes::Decided(vec![2, 5]);
    add(
        &mut evaluation,
        PassKind::CueConflict,
        vec![0, 5],
        vec![1, 5],
        outcomes,
    );
    let reason = metrics::measure(&evaluation)[Dimension::ShapeBias]
        .clone()
        .unwrap_err();
    assert_eq!(
        reason.to_string(),
        "undefined: no decision for shape or texture"
    );
}

/// The accuracies of SPEC §5.3, from 160 decisions each.
#[test]
fn accuracies_of_public_observers() {
    let observers = [
        (64, 0.4000),
        (71, 0.4437),
        (45, 0.2812),
        (78, 0.4875),
        (39, 0.2437),
        (77, 0.4812),
        (29, 0.1812),
        (87, 0.5437),
    ];
    for (right, expected) in observers {
        let labels: Vec<u32> = (0..160).map(|i| i % GROUPS).collect();
        let decide = |(i, &label): (usize, &u32)| (label + u32::from(i >= right)) % GROUPS;
        let decisions = labels.iter().enumerate().map(decide).collect();
        let mut evaluation = evaluation(1000, GROUPS as usize);
        let outcomes = Outcomes::Decided(decisions);
        add(
            &mut evaluation,
            PassKind::Edge,
            labels,
            Vec::new(),
            outcomes,
        );
        let (correct, total) = metrics::pass_accuracy(&evaluation, PassKind::Edge).unwrap();
        assert_eq!((correct as usize, total), (right, 160));
        // The table is cut after four digits.
        let accuracy = metrics::accuracy::accuracy(correct, total);
        assert!(
            (accuracy - expected).abs() < 1e-4,
            "{accuracy} against {expected}"
        );
    }
}

/// Quirk S1 (SPEC §1.5, §8): softmax applied to probabilities leaves confidences near 1/1000, so
/// that ECE is accuracy - 0.002 and ACE tends to 2 (1 - 1/15)/1000.
///
/// 3,000 images instead of 50,000: the limit needs no more than each class's positives to fit
/// in its top bin (3 of 200 here), and the test stays fast without optimisation.
#[test]
fn second_softmax_has_its_signature() {
    let (images, classes) = (3000, 1000);
    let mut random = SplitMix64(7);
    let mut labels = Vec::new();
    let mut rows = Vec::new();
    for _ in 0..images {
        let label = random.below(classes);
        let mut row: Vec<f32> = (0..classes)
            .map(|_| (random.uniform() / 5e3) as f32)
            .collect();
        row[label] = (0.3 + 0.3 * random.uniform()) as f32;
        if random.uniform() < 0.2 {
            row[(label + 1) % classes] = 0.65;
        }
        let mut again = Vec::new();
        decision::softmax(&row, &mut again);
        labels.push(label);
        rows.push(again);
    }
    let errors = (0..classes).map(|class| {
        let mut column: Vec<f32> = rows.iter().map(|row| row[class]).collect();
        calibration::ace_of_class(&mut column, |image| labels[image] == class)
    });
    let ace = calibration::ace_from_classes(errors, classes);
    assert!((ace - 0.001867).abs() < 3e-5, "{ace}");

    let top: Vec<usize> = rows.iter().map(|row| decision::argmax(row)).collect();
    let confidences: Vec<f32> = rows.iter().zip(&top).map(|(row, &t)| row[t]).collect();
    let correct: Vec<bool> = top
        .iter()
        .zip(&labels)
        .map(|(t, label)| t == label)
        .collect();
    let accuracy = correct.iter().filter(|&&c| c).count() as f64 / images as f64;
    let ece = calibration::ece(&confidences, correct).unwrap();
    assert!(
        (ece - (accuracy - 0.002)).abs() < 5e-4,
        "{ece} at {accuracy}"
    );
}
