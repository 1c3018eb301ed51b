use super::super::testing::{CLASSES, GROUPS, cost, gpu_cost, small_evaluation};
use super::*;
use crate::outcome::{Bits, FrostSource, Generation, SkippedImage};

/// What `validate` says after a change; the change must break exactly one rule.
fn broken(change: impl FnOnce(&mut Evaluation)) -> String {
    let mut evaluation = small_evaluation();
    evaluation.validate().unwrap();
    change(&mut evaluation);
    evaluation.validate().unwrap_err().to_string()
}

fn clean(evaluation: &mut Evaluation) -> (&mut Vec<u32>, &mut Vec<f32>, &mut Vec<f32>) {
    match &mut evaluation.passes[0].outcomes {
        Outcomes::Classified {
            predictions,
            confidences,
            true_confidences,
            ..
        } => (predictions, confidences, true_confidences),
        other => panic!("{other:?}"),
    }
}

fn list_of(evaluation: &mut Evaluation, pass: usize) -> &mut ImageList {
    &mut evaluation.lists[evaluation.passes[pass].list as usize]
}

#[test]
fn order_and_uniqueness_are_checked() {
    insta::assert_snapshot!(broken(|e| e.passes.swap(0, 1)), @"passes: expected ascending order without repetition, found a fault at position 1");
    insta::assert_snapshot!(broken(|e| e.passes.push(e.passes[2].clone())), @"passes: expected ascending order without repetition, found a fault at position 3");
    insta::assert_snapshot!(broken(|e| e.lists.swap(0, 1)), @"lists: expected ascending order without repetition, found a fault at position 1");
    insta::assert_snapshot!(broken(|e| e.runs.push(e.runs[0].clone())), @"runs: expected ascending order without repetition, found a fault at position 1");
    insta::assert_snapshot!(broken(|e| e.warnings.reverse()), @"warnings: expected ascending order without repetition, found a fault at position 1");
    insta::assert_snapshot!(broken(|e| e.dataset.counts.reverse()), @"counts of the dataset: expected ascending order without repetition, found a fault at position 1");
    insta::assert_snapshot!(broken(|e| {
        let pass = PassKind::Clean;
        e.warnings.extend([1, 2].map(|count| Warning::NonFiniteOutputs { pass, count }));
        e.warnings.sort();
    }), @"warnings: expected each kind once per pass, found NonFiniteOutputs { pass: Clean, count: 1 } and NonFiniteOutputs { pass: Clean, count: 2 }");
}

/// What `validate` says of a changed cost.
fn broken_cost(change: impl FnOnce(&mut crate::result::Cost)) -> String {
    broken(|e| {
        e.costs = vec![cost(2, 5), gpu_cost(5)];
        e.validate().unwrap();
        change(&mut e.costs[0]);
    })
}

#[test]
fn costs_are_checked() {
    insta::assert_snapshot!(broken(|e| e.costs = vec![gpu_cost(1), cost(2, 1)]), @"costs: expected ascending order without repetition, found a fault at position 1");
    insta::assert_snapshot!(broken(|e| e.costs = vec![cost(2, 1), cost(2, 2)]), @"costs: expected ascending order without repetition, found a fault at position 1");
    insta::assert_snapshot!(broken_cost(|c| c.latency.p50_ms = 5.0), @"cost 0: expected positive percentiles in ascending order, found [5.0, 4.5, 6.25] ms");
    insta::assert_snapshot!(broken_cost(|c| c.latency.p99_ms = f64::NAN), @"cost 0: expected positive percentiles in ascending order, found [4.0, 4.5, NaN] ms");
    insta::assert_snapshot!(broken_cost(|c| c.latency.queries = 0), @"cost 0: expected threads, queries, a batch and images above 0, found [2, 0, 1, 1442]");
    insta::assert_snapshot!(broken_cost(|c| c.load_ms = -0.0), @"cost 0: expected a finite, positive load time, found -0");
    insta::assert_snapshot!(broken_cost(|c| c.machine_macs_per_s = Some(f64::INFINITY)), @"cost 0: expected a finite, positive machine peak, found inf");
    insta::assert_snapshot!(broken_cost(|c| c.weight_bytes.reverse()), @"weight types of cost 0: expected ascending order without repetition, found a fault at position 1");
    insta::assert_snapshot!(broken(|e| e.label_set.classes = 0), @"label set: expected classes, or costs and nothing else, found no class");
}

#[test]
fn costs_can_stand_alone() {
    let model = small_evaluation().model;
    let mut evaluation = Evaluation::of_costs(model, vec![cost(2, 5)]);
    evaluation.validate().unwrap();
    evaluation.seed = 1;
    insta::assert_snapshot!(evaluation.validate().unwrap_err(), @"label set: expected classes, or costs and nothing else, found no class");
}

#[test]
fn preprocessing_is_checked() {
    insta::assert_snapshot!(broken(|e| e.model.preprocessing.mean[0] = f32::NAN), @"preprocessing: expected a finite mean and a finite, positive standard deviation, found [NaN, 0.456, 0.406] and [0.229, 0.224, 0.225]");
    insta::assert_snapshot!(broken(|e| e.model.preprocessing.std[2] = 0.0), @"preprocessing: expected a finite mean and a finite, positive standard deviation, found [0.485, 0.456, 0.406] and [0.229, 0.224, 0.0]");
}

#[test]
fn lists_are_checked() {
    insta::assert_snapshot!(broken(|e| e.passes[1].list = 9), @"pass gaussian_noise/3: expected a list below 2, found 9");
    insta::assert_snapshot!(broken(|e| list_of(e, 0).population = 6), @"list 0: expected runs of indices, ascending and apart, below 6, found others");
    insta::assert_snapshot!(broken(|e| { list_of(e, 0).labels.pop(); }), @"list 0: expected 5 labels, found 4");
    insta::assert_snapshot!(broken(|e| list_of(e, 0).labels[0] = CLASSES), @"pass clean: expected every label below 6, found 6");
    insta::assert_snapshot!(broken(|e| list_of(e, 2).labels[0] = GROUPS), @"pass cue-conflict: expected every label below 3, found 3");
    insta::assert_snapshot!(broken(|e| list_of(e, 2).textures[0] = GROUPS), @"pass cue-conflict: expected every texture below 3, found 3");
    insta::assert_snapshot!(broken(|e| { list_of(e, 2).textures.pop(); }), @"pass cue-conflict: expected 3 textures, found 2");
    insta::assert_snapshot!(broken(|e| { e.passes.remove(2); }), @"list 1: expected a pass that uses it, found none");
}

#[test]
fn origins_are_checked() {
    let generated = |side, frost| {
        Origin::Generated(Generation {
            side,
            jpeg85: false,
            frost,
        })
    };
    let synthetic = Some(FrostSource::Synthetic);
    insta::assert_snapshot!(broken(|e| e.passes[0].origin = generated(224, None)), @"pass clean: expected stored images, found generated ones");
    insta::assert_snapshot!(broken(|e| e.passes[1].origin = generated(0, None)), @"origin of pass gaussian_noise/3: expected a side above 0, and frost pictures for frost alone, found generated at up to 0 px");
    insta::assert_snapshot!(broken(|e| e.passes[1].origin = generated(224, synthetic)), @"origin of pass gaussian_noise/3: expected a side above 0, and frost pictures for frost alone, found generated at up to 224 px with synthetic frost");
}

#[test]
fn outcomes_are_checked() {
    insta::assert_snapshot!(broken(|e| clean(e).0[1] = CLASSES + 1), @"pass clean: expected every prediction below 7, found 7");
    insta::assert_snapshot!(broken(|e| { clean(e).0.pop(); }), @"pass clean: expected 5 outcomes, found 4");
    insta::assert_snapshot!(broken(|e| { clean(e).1.pop(); }), @"pass clean: expected 5 confidences, found 4");
    insta::assert_snapshot!(broken(|e| clean(e).1[0] = f32::NAN), @"pass clean: expected confidences within 0 to 1, found NaN");
    insta::assert_snapshot!(broken(|e| clean(e).2[0] = 1.00001), @"pass clean: expected true-class confidences within 0 to 1, found 1.00001");
    insta::assert_snapshot!(broken(|e| clean(e).2[0] = -0.0), @"pass clean: expected true-class confidences within 0 to 1, found -0");
    insta::assert_snapshot!(broken(|e| {
        if let Outcomes::Classified { ace, .. } = &mut e.passes[0].outcomes {
            *ace = Some(f64::INFINITY);
        }
    }), @"pass clean: expected a finite ACE, found inf");
    insta::assert_snapshot!(broken(|e| {
        e.passes[2].outcomes = Outcomes::Decided(vec![0, GROUPS + 1, 0]);
    }), @"pass cue-conflict: expected every decision below 4, found 4");
    insta::assert_snapshot!(broken(|e| {
        e.passes[2].outcomes = Outcomes::Correct([true; 3].into_iter().collect());
    }), @"pass cue-conflict: expected the records of this kind of pass, found right or wrong answers");
    insta::assert_snapshot!(broken(|e| {
        // Five bits, of which the byte has a sixth set.
        let bits: Bits = serde_json::from_str(r#"{"len":5,"bytes":[32]}"#).unwrap();
        e.passes[1].outcomes = Outcomes::Correct(bits);
    }), @"pass gaussian_noise/3: expected 5 packed bits, found bytes of another length or with unused bits set");
}

#[test]
fn skipped_images_are_checked() {
    insta::assert_snapshot!(broken(|e| e.passes[0].skipped.reverse()), @"skipped images of pass clean: expected ascending order without repetition, found a fault at position 1");
    insta::assert_snapshot!(broken(|e| e.passes[0].skipped[1].index = 8), @"skipped images of pass clean: expected every index below 8, found 8");
    insta::assert_snapshot!(broken(|e| {
        e.passes[0].skipped = vec![SkippedImage {
            index: 5,
            path: "n01/5.JPEG".into(),
            reason: "truncated".into(),
        }];
    }), @"skipped images of pass clean: expected images without an outcome, found image 5 with one");
}

#[test]
fn a_confidence_may_exceed_one_by_rounding() {
    let mut evaluation = small_evaluation();
    clean(&mut evaluation).1[0] = 1.0 + f32::EPSILON;
    evaluation.validate().unwrap();
}
