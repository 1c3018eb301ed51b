//! `measure` on whole evaluations: values, parts, image counts, and what is said when one is
//! missing.

use super::builder::{add, add_clean, add_correct, evaluation};
use crate::dimension::{Dimension, PerDimension};
use crate::metrics::adversarial::black_box;
use crate::metrics::{self, Measurement, NotMeasured, ood};
use crate::outcome::{Attack, AttackMethod, AttackSpace, Corruption, Outcomes, PassKind, Severity};
use crate::protocol::Protocol;
use crate::result::{Evaluation, Warning};

fn measured(evaluation: &Evaluation, dimension: Dimension) -> Measurement {
    metrics::measure(evaluation)[dimension].clone().unwrap()
}

fn reason(evaluation: &Evaluation, dimension: Dimension) -> String {
    metrics::measure(evaluation)[dimension]
        .clone()
        .unwrap_err()
        .to_string()
}

fn part(measurement: &Measurement, name: &str) -> f64 {
    let named = measurement.parts.iter().find(|part| part.name == name);
    named.unwrap_or_else(|| panic!("no part {name}")).value
}

#[track_caller]
fn assert_close(value: f64, expected: f64) {
    assert!(
        (value - expected).abs() < 1e-12,
        "{value} against {expected}"
    );
}

/// All 75 passes, with `correct(c, s)` of 100 images right at corruption `c` and severity `s`.
fn add_corruptions(evaluation: &mut Evaluation, correct: impl Fn(usize, usize) -> usize) {
    for (c, corruption) in Corruption::SCORED.into_iter().enumerate() {
        for (s, severity) in Severity::ALL.into_iter().enumerate() {
            let kind = PassKind::Corruption(corruption, severity);
            add_correct(evaluation, kind, correct(c, s), 100);
        }
    }
}

#[test]
fn nothing_but_parameters_without_a_pass() {
    let evaluation = evaluation(2, 3);
    let said = metrics::measure(&evaluation).map(|dimension, measured| match measured {
        Ok(m) => format!("{dimension}: {}", m.value),
        Err(reason) => format!("{dimension}: {reason}"),
    });
    insta::assert_snapshot!(said.0.join("\n"), @r"
    accuracy: not evaluated: clean
    adversarial robustness: not evaluated: fgsm 8/255, pgd 8/255 (10 steps of 2/255)
    corruption robustness: 0 of 75 corruption passes evaluated; incomplete: all 15
    out-of-distribution robustness: not evaluated: clean, edge, silhouette, sketch16, stylized16, rendition
    calibration error: not evaluated: clean
    class balance: not evaluated: clean
    object focus: not evaluated: clean, mixed-same, mixed-rand
    shape bias: not evaluated: cue-conflict
    parameters: 25.557032
    ");
}

#[test]
fn parameters_are_rounded_only_as_published() {
    let mut evaluation = evaluation(2, 3);
    assert_eq!(
        measured(&evaluation, Dimension::Parameters).value,
        25.557_032
    );
    evaluation.protocols[Dimension::Parameters] = Protocol::Published;
    assert_eq!(measured(&evaluation, Dimension::Parameters).value, 25.6);
}

#[test]
fn accuracy_and_calibration() {
    let mut evaluation = evaluation(2, 3);
    add_clean(&mut evaluation, 8, 10);
    let accuracy = measured(&evaluation, Dimension::Accuracy);
    assert_eq!((accuracy.value, accuracy.images), (0.8, 10));
    assert_eq!(
        metrics::pass_accuracy(&evaluation, PassKind::Clean),
        Some((8, 10))
    );
    assert_eq!(metrics::pass_accuracy(&evaluation, PassKind::Edge), None);
    let calibration = measured(&evaluation, Dimension::CalibrationError);
    // All confidences are 0.75, in one bin with accuracy 0.8; the builder's ACE is 0.04.
    assert!((part(&calibration, "ece") - 0.05).abs() < 1e-7);
    assert_eq!(part(&calibration, "ace"), 0.04);
    assert!((calibration.value - (0.05f64 * 0.04).sqrt()).abs() < 1e-7);
    let values = metrics::values(&metrics::measure(&evaluation));
    assert_eq!(values[Dimension::Accuracy], Some(0.8));
    assert_eq!(values[Dimension::ObjectFocus], None);
}

#[test]
fn calibration_without_ace() {
    let mut evaluation = evaluation(2, 3);
    add_clean(&mut evaluation, 8, 10);
    let Outcomes::Classified { ace, .. } = &mut evaluation.passes[0].outcomes else {
        panic!("not the clean pass");
    };
    *ace = None;
    let measured = &metrics::measure(&evaluation)[Dimension::CalibrationError];
    assert_eq!(*measured, Err(NotMeasured::AceUnknown));
}

#[test]
fn corruption_is_the_mean_accuracy_over_clean() {
    let mut evaluation = evaluation(2, 3);
    add_clean(&mut evaluation, 8, 10);
    add_corruptions(&mut evaluation, |c, s| 4 * c + s);
    for corruption in [Corruption::Saturate, Corruption::Spatter] {
        let extra = PassKind::Corruption(corruption, Severity::ALL[0]);
        add_correct(&mut evaluation, extra, 100, 100);
    }
    let measurement = measured(&evaluation, Dimension::CorruptionRobustness);
    // The mean of 4c + s over c in 0..15 and s in 0..5 is 30.
    assert_close(measurement.value, 0.30 / 0.8);
    assert_eq!(measurement.images, 7500);
    assert_eq!(measurement.parts.len(), 15);
    assert_close(part(&measurement, "glass_blur"), 0.18 / 0.8);
}

#[test]
fn corruption_needs_every_cell() {
    let mut evaluation = evaluation(2, 3);
    add_clean(&mut evaluation, 8, 10);
    add_corruptions(&mut evaluation, |_, _| 50);
    let missing = [
        (Corruption::Frost, 2),
        (Corruption::Fog, 0),
        (Corruption::Fog, 4),
    ];
    let missing = missing.map(|(c, s)| PassKind::Corruption(c, Severity::ALL[s]));
    evaluation
        .passes
        .retain(|pass| !missing.contains(&pass.kind));
    let extra = PassKind::Corruption(Corruption::Saturate, Severity::ALL[0]);
    add_correct(&mut evaluation, extra, 50, 100);
    insta::assert_snapshot!(reason(&evaluation, Dimension::CorruptionRobustness), @"72 of 75 corruption passes evaluated; incomplete: frost, fog");
}

#[test]
fn ood_is_the_geometric_mean_of_five() {
    let mut evaluation = evaluation(2, 3);
    add_clean(&mut evaluation, 5, 10);
    // Edges are decided: one of two right. The others are right in 1, 2, 4 and 8 of 8.
    let decided = Outcomes::Decided(vec![0, 0]);
    add(
        &mut evaluation,
        PassKind::Edge,
        vec![0, 2],
        Vec::new(),
        decided,
    );
    for (kind, correct) in ood::SETS.into_iter().skip(1).zip([1, 2, 4, 8]) {
        add_correct(&mut evaluation, kind, correct, 8);
    }
    let measurement = measured(&evaluation, Dimension::OodRobustness);
    // Relative accuracies 1, 1/4, 1/2, 1, 2.
    assert_close(measurement.value, 0.25f64.powf(0.2));
    assert_eq!(measurement.images, 34);
    let names: Vec<&str> = measurement.parts.iter().map(|p| p.name.as_str()).collect();
    assert_eq!(
        names,
        ["edge", "silhouette", "sketch16", "stylized16", "rendition"]
    );
    assert_eq!(part(&measurement, "rendition"), 2.0);
    assert_eq!(
        metrics::pass_accuracy(&evaluation, PassKind::Edge),
        Some((1, 2))
    );
}

#[test]
fn ood_is_zero_if_one_accuracy_is() {
    let mut evaluation = evaluation(2, 3);
    add_clean(&mut evaluation, 5, 10);
    for kind in ood::SETS {
        add_correct(
            &mut evaluation,
            kind,
            usize::from(kind != PassKind::Sketch),
            1,
        );
    }
    assert_eq!(measured(&evaluation, Dimension::OodRobustness).value, 0.0);
    evaluation
        .passes
        .retain(|pass| pass.kind != PassKind::Edge && pass.kind != PassKind::Clean);
    insta::assert_snapshot!(reason(&evaluation, Dimension::OodRobustness), @"not evaluated: clean, edge");
}

#[test]
fn object_focus_and_its_parts() {
    let mut evaluation = evaluation(2, 3);
    add_clean(&mut evaluation, 8, 10);
    add_correct(&mut evaluation, PassKind::MixedSame, 70, 100);
    add_correct(&mut evaluation, PassKind::MixedRand, 30, 50);
    let measurement = measured(&evaluation, Dimension::ObjectFocus);
    assert_close(measurement.value, 1.0 - (0.7 - 0.6) / 0.8);
    assert_eq!(measurement.images, 150);
    assert_eq!(part(&measurement, "mixed-same"), 0.7);
    assert_eq!(part(&measurement, "mixed-rand"), 0.6);
}

#[test]
fn adversarial_robustness_is_relative_to_the_attacked_images() {
    let mut evaluation = evaluation(2, 3);
    add_clean(&mut evaluation, 80, 100);
    let [fgsm, pgd] = Attack::scored(AttackSpace::Pixels).map(PassKind::Attack);
    add_correct(&mut evaluation, fgsm, 20, 100);
    insta::assert_snapshot!(reason(&evaluation, Dimension::AdversarialRobustness), @"not evaluated: pgd 8/255 (10 steps of 2/255)");
    // The first 50 images alone, all of which are right when clean.
    add_correct(&mut evaluation, pgd, 5, 50);
    let measurement = measured(&evaluation, Dimension::AdversarialRobustness);
    assert_close(measurement.value, (0.2f64 / 0.8 * (0.1 / 1.0)).sqrt());
    assert_eq!(measurement.images, 150);
    assert_eq!(part(&measurement, "fgsm 8/255"), 0.25);
    // The other protocol's attacks are another measurement.
    evaluation.protocols[Dimension::AdversarialRobustness] = Protocol::Published;
    insta::assert_snapshot!(reason(&evaluation, Dimension::AdversarialRobustness), @"not evaluated: fgsm 8/255 on normalised tensors, pgd 8/255 (10 steps of 2/255) on normalised tensors");
}

#[test]
fn a_black_box_attack_stands_in_only_where_there_is_no_other() {
    let mut evaluation = evaluation(2, 3);
    add_clean(&mut evaluation, 80, 100);
    let [fgsm, pgd] = Attack::scored(AttackSpace::Pixels);
    let square = Attack {
        method: AttackMethod::Square { queries: 500 },
        ..fgsm
    };
    add_correct(&mut evaluation, PassKind::Attack(square), 40, 100);
    let measurement = measured(&evaluation, Dimension::AdversarialRobustness);
    assert_close(measurement.value, 0.5);
    assert_eq!(part(&measurement, "square 8/255 (500 queries)"), 0.5);
    assert_eq!(black_box(&evaluation), Some(square));
    assert!(
        evaluation
            .counted_warnings()
            .contains(&Warning::BlackBoxAttack)
    );
    for attack in [fgsm, pgd] {
        add_correct(&mut evaluation, PassKind::Attack(attack), 20, 100);
    }
    assert_eq!(black_box(&evaluation), None);
    assert_close(
        measured(&evaluation, Dimension::AdversarialRobustness).value,
        0.25,
    );
}

#[test]
fn nothing_is_relative_to_a_clean_accuracy_of_zero() {
    let mut evaluation = evaluation(2, 3);
    add_clean(&mut evaluation, 0, 10);
    add_corruptions(&mut evaluation, |_, _| 50);
    let others = [PassKind::MixedSame, PassKind::MixedRand];
    for kind in ood::SETS.into_iter().chain(others) {
        add_correct(&mut evaluation, kind, 1, 2);
    }
    let relative = [
        Dimension::CorruptionRobustness,
        Dimension::OodRobustness,
        Dimension::ObjectFocus,
    ];
    for dimension in relative {
        assert_eq!(
            reason(&evaluation, dimension),
            "undefined: clean accuracy is zero"
        );
    }
    assert_eq!(measured(&evaluation, Dimension::Accuracy).value, 0.0);
}

/// Three images of class 0, one of class 2, out of four classes.
fn unbalanced() -> Evaluation {
    let mut evaluation = evaluation(4, 3);
    let outcomes = Outcomes::Classified {
        predictions: vec![0, 2, 0, 1],
        confidences: vec![0.5; 4],
        true_confidences: vec![0.5, 0.25, 0.25, 0.5],
        ace: Some(0.0),
    };
    add(
        &mut evaluation,
        PassKind::Clean,
        vec![0, 2, 0, 0],
        Vec::new(),
        outcomes,
    );
    evaluation
}

#[test]
fn balance_skips_classes_without_images() {
    let measurement = measured(&unbalanced(), Dimension::ClassBalance);
    // Class accuracies 2/3 and 1: spread (1/3)/sqrt(2). Confidences of class 0 are 0.5, 0.25, 0.5:
    // mean 5/12, spread sqrt(2)/12; class 2 has one image and no spread.
    let accuracy = 1.0 - 2f64.sqrt() / 6.0;
    let within = 1.0 - 2f64.sqrt() / 24.0;
    let between = 1.0 - (5.0 / 12.0 - 0.25) / 2f64.sqrt();
    assert_close(part(&measurement, "accuracy balance"), accuracy);
    assert_close(part(&measurement, "confidence balance"), within);
    assert_close(
        part(&measurement, "between-class balance"),
        (between * accuracy).sqrt(),
    );
    assert_close(measurement.value, (accuracy * within).sqrt());
    assert_eq!(part(&measurement, "classes used"), 2.0);
}

#[test]
fn published_balance_needs_every_class() {
    let mut evaluation = unbalanced();
    evaluation.protocols = PerDimension([Protocol::Published; 9]);
    insta::assert_snapshot!(reason(&evaluation, Dimension::ClassBalance), @"undefined: 2 of 4 classes have no image, which the published protocol needs");
    evaluation.label_set.classes = 2;
    evaluation.lists[0].labels = vec![0, 1, 0, 0];
    assert!(metrics::measure(&evaluation)[Dimension::ClassBalance].is_ok());
}

#[test]
fn balance_of_one_class_is_undefined() {
    let mut evaluation = unbalanced();
    evaluation.lists[0].labels = vec![0; 4];
    insta::assert_snapshot!(reason(&evaluation, Dimension::ClassBalance), @"undefined: fewer than two classes have images");
}
