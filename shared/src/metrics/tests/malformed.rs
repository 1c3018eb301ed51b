//! Evaluations that contradict themselves, as a damaged or forged file may: never a panic, never
//! a value that is not finite.

use super::builder::{add, add_clean, add_correct, evaluation};
use crate::dimension::Dimension;
use crate::metrics::{self, ood};
use crate::outcome::{Bits, Outcomes, PassKind};
use crate::result::Evaluation;

/// Clean, the five shifted sets, both IN-9 sets and cue conflict, all measurable.
fn complete() -> Evaluation {
    let mut evaluation = evaluation(2, 3);
    add_clean(&mut evaluation, 8, 10);
    let sets = [PassKind::MixedSame, PassKind::MixedRand];
    for kind in ood::SETS.into_iter().chain(sets) {
        add_correct(&mut evaluation, kind, 1, 2);
    }
    let decided = Outcomes::Decided(vec![0, 2]);
    add(
        &mut evaluation,
        PassKind::CueConflict,
        vec![0, 1],
        vec![1, 2],
        decided,
    );
    evaluation
}

fn outcomes(evaluation: &mut Evaluation, kind: PassKind) -> &mut Outcomes {
    let pass = evaluation.passes.iter_mut().find(|p| p.kind == kind);
    &mut pass.unwrap().outcomes
}

/// The reasons that damage brings, one line per dimension that it makes undefined.
fn damage(change: impl FnOnce(&mut Evaluation)) -> String {
    let mut evaluation = complete();
    change(&mut evaluation);
    let measured = metrics::measure(&evaluation);
    let mut lines = Vec::new();
    for (dimension, measured) in measured.iter() {
        match measured {
            Ok(m) => assert!(m.value.is_finite(), "{dimension}: {m:?}"),
            Err(reason) if reason.to_string().starts_with("undefined") => {
                lines.push(format!("{}: {reason}", dimension.column()));
            }
            Err(_) => {}
        }
    }
    lines.join("\n")
}

#[test]
fn complete_evaluation_is_measured() {
    assert_eq!(damage(|_| {}), "");
}

#[test]
fn list_out_of_range() {
    let said = damage(|e| e.passes.iter_mut().for_each(|pass| pass.list = 99));
    insta::assert_snapshot!(said, @r"
    acc: undefined: inconsistent records of clean: the image list is missing
    ood: undefined: inconsistent records of clean: the image list is missing
    cal: undefined: inconsistent records of clean: the image list is missing
    bal: undefined: inconsistent records of clean: the image list is missing
    obj: undefined: inconsistent records of clean: the image list is missing
    shape: undefined: inconsistent records of cue-conflict: the image list is missing
    ");
}

#[test]
fn records_of_another_number() {
    let said = damage(|e| {
        e.lists.iter_mut().for_each(|list| {
            list.labels.pop();
        });
    });
    insta::assert_snapshot!(said, @r"
    acc: undefined: inconsistent records of clean: records and images differ in number
    ood: undefined: inconsistent records of clean: records and images differ in number
    cal: undefined: inconsistent records of clean: records and images differ in number
    bal: undefined: inconsistent records of clean: records and images differ in number
    obj: undefined: inconsistent records of clean: records and images differ in number
    shape: undefined: inconsistent records of cue-conflict: records and images differ in number
    ");
}

#[test]
fn confidences_of_another_number() {
    let said = damage(|e| {
        if let Outcomes::Classified { confidences, .. } = outcomes(e, PassKind::Clean) {
            confidences.clear();
        }
    });
    insta::assert_snapshot!(said, @r"
    acc: undefined: inconsistent records of clean: records and images differ in number
    ood: undefined: inconsistent records of clean: records and images differ in number
    cal: undefined: inconsistent records of clean: records and images differ in number
    bal: undefined: inconsistent records of clean: records and images differ in number
    obj: undefined: inconsistent records of clean: records and images differ in number
    ");
}

#[test]
fn labels_out_of_range() {
    let said = damage(|e| {
        e.label_set.classes = 1;
        e.label_set.shape_groups.truncate(1);
    });
    insta::assert_snapshot!(said, @r"
    acc: undefined: inconsistent records of clean: a label is out of range
    ood: undefined: inconsistent records of clean: a label is out of range
    cal: undefined: inconsistent records of clean: a label is out of range
    bal: undefined: inconsistent records of clean: a label is out of range
    obj: undefined: inconsistent records of clean: a label is out of range
    shape: undefined: inconsistent records of cue-conflict: a label is out of range
    ");
}

#[test]
fn texture_missing_or_out_of_range() {
    let missing = damage(|e| {
        e.lists
            .iter_mut()
            .for_each(|list| list.textures.truncate(1))
    });
    insta::assert_snapshot!(missing, @"shape: undefined: inconsistent records of cue-conflict: a texture is missing");
    let out_of_range = damage(|e| e.lists.iter_mut().for_each(|list| list.textures.fill(3)));
    assert!(out_of_range.contains("shape: undefined: inconsistent records"));
}

#[test]
fn outcomes_of_another_kind() {
    let said = damage(|e| {
        *outcomes(e, PassKind::Clean) = Outcomes::Decided(vec![0; 10]);
        *outcomes(e, PassKind::CueConflict) =
            Outcomes::Correct([true, false].into_iter().collect());
    });
    // Accuracy asks for no more than labels and answers.
    insta::assert_snapshot!(said, @r"
    cal: undefined: inconsistent records of clean: no classifications
    bal: undefined: inconsistent records of clean: no classifications
    shape: undefined: inconsistent records of cue-conflict: no decisions
    ");
}

#[test]
fn images_without_number() {
    let said = damage(|e| {
        e.lists.iter_mut().for_each(|list| list.labels.clear());
        for pass in &mut e.passes {
            pass.outcomes = Outcomes::Correct(Bits::default());
        }
    });
    insta::assert_snapshot!(said, @r"
    acc: undefined: no image in clean
    ood: undefined: no image in clean
    cal: undefined: no image in clean
    bal: undefined: no image in clean
    obj: undefined: no image in clean
    shape: undefined: no image in cue-conflict
    ");
}

#[test]
fn bits_without_bytes() {
    // A length of 2 with no byte, as a forged file can state it.
    let bits: Bits = postcard::from_bytes(&[2, 0]).unwrap();
    let said = damage(|e| *outcomes(e, PassKind::Edge) = Outcomes::Correct(bits));
    insta::assert_snapshot!(said, @"ood: undefined: inconsistent records of edge: records and images differ in number");
}

#[test]
fn confidences_that_are_no_probabilities() {
    for bad in [f32::NAN, f32::INFINITY, 1.1, -0.1] {
        let said = damage(|e| {
            if let Outcomes::Classified {
                confidences,
                true_confidences,
                ..
            } = outcomes(e, PassKind::Clean)
            {
                confidences[3] = bad;
                true_confidences[3] = bad;
            }
        });
        assert_eq!(
            said,
            "cal: undefined: a confidence is not a probability\n\
             bal: undefined: a confidence is not a probability"
        );
    }
}

/// Graphs that end in softmax may round to just outside [0, 1].
#[test]
fn confidences_rounded_out_of_range_are_clamped() {
    let mut evaluation = complete();
    let Outcomes::Classified { confidences, .. } = outcomes(&mut evaluation, PassKind::Clean)
    else {
        panic!("not the clean pass");
    };
    confidences.fill(1.000_000_1);
    let mut clamped = evaluation.clone();
    if let Outcomes::Classified { confidences, .. } = outcomes(&mut clamped, PassKind::Clean) {
        confidences.fill(1.0);
    }
    let calibration = |e: &Evaluation| metrics::values(&metrics::measure(e));
    assert_eq!(calibration(&evaluation), calibration(&clamped));
}

#[test]
fn ace_out_of_range() {
    for bad in [f64::NAN, -0.1, 2.5] {
        let said = damage(|e| {
            if let Outcomes::Classified { ace, .. } = outcomes(e, PassKind::Clean) {
                *ace = Some(bad);
            }
        });
        assert_eq!(
            said,
            "cal: undefined: the adaptive calibration error is out of range"
        );
    }
}

/// An answer that names no class or group stands for outputs that are not finite: it is wrong.
#[test]
fn answer_without_a_name_is_wrong() {
    let mut evaluation = complete();
    if let Outcomes::Classified { predictions, .. } = outcomes(&mut evaluation, PassKind::Clean) {
        predictions.fill(u32::MAX);
    }
    if let Outcomes::Decided(decisions) = outcomes(&mut evaluation, PassKind::CueConflict) {
        decisions[1] = u32::MAX;
    }
    let values = metrics::values(&metrics::measure(&evaluation));
    assert_eq!(values[Dimension::Accuracy], Some(0.0));
    assert_eq!(values[Dimension::ShapeBias], Some(1.0));
}
