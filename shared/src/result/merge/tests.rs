use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

use super::super::testing::{
    add_pass, any_costs, cost, empty_evaluation, finish, gpu_cost, record, run, small_evaluation,
};
use super::*;
use crate::outcome::PassKind;
use crate::result::{Cost, ParameterSource, Subset, Warning, encode};

/// Images of each set in these tests.
const POPULATION: u32 = 9;
const KINDS: [PassKind; 3] = [PassKind::Clean, PassKind::Rendition, PassKind::CueConflict];

/// What a part did with an image of a set.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Fate {
    Absent,
    Evaluated,
    Skipped,
}

/// A part of the one true evaluation: per pass the fate of every image; the ACE, where known, is
/// the true one of its images, or a little off.
fn part(fates: &[Option<Vec<Fate>>], ace: Option<bool>, started: u64) -> Evaluation {
    let mut evaluation = empty_evaluation();
    evaluation.runs = vec![run(started)];
    for (&kind, fates) in KINDS.iter().zip(fates) {
        let Some(fates) = fates else { continue };
        let with = |fate| (0..POPULATION).filter(move |&i| fates[i as usize] == fate);
        let records: Vec<_> = with(Fate::Evaluated).map(|i| (i, record(3 * i))).collect();
        let skipped: Vec<u32> = with(Fate::Skipped).collect();
        let true_ace: f64 = records.iter().map(|&(i, _)| f64::from(1 << i)).sum();
        let ace = ace.map(|off| true_ace + f64::from(u8::from(off)) / 8.0);
        add_pass(&mut evaluation, kind, POPULATION, &records, &skipped, ace);
    }
    evaluation.subset = evaluation.sampled();
    finish(&mut evaluation);
    evaluation
}

fn any_part() -> impl Strategy<Value = Evaluation> {
    let fate = prop_oneof![
        2 => Just(Fate::Absent),
        4 => Just(Fate::Evaluated),
        1 => Just(Fate::Skipped),
    ];
    let some = vec(fate, POPULATION as usize);
    // Complete parts are made often enough to meet each other.
    let pass = option::of(prop_oneof![
        3 => some,
        1 => Just(vec![Fate::Evaluated; POPULATION as usize]),
    ]);
    let details = ("[ab]{0,1}", any::<bool>(), option::of(0u32..3), 0u32..3);
    let costs = (any_costs(), prop::bool::weighted(0.2));
    (
        vec(pass, 3),
        option::of(any::<bool>()),
        0u64..4,
        details,
        costs,
    )
        .prop_map(
            |(fates, ace, started, (name, from_card, macs, extra), (costs, alone))| {
                let mut evaluation = part(&fates, ace, started);
                evaluation.costs = costs;
                evaluation.model.name = name;
                evaluation.model.macs = macs.map(u64::from);
                if from_card {
                    evaluation.model.parameters.source = ParameterSource::Card;
                } else {
                    evaluation
                        .warnings
                        .push(Warning::ParametersFromInitializers);
                }
                if extra > 0 {
                    let pass = PassKind::Clean;
                    let outputs = Warning::NonFiniteOutputs { pass, count: extra };
                    evaluation.warnings.push(outputs);
                    evaluation.dataset.counts.push((PassKind::Edge, extra));
                }
                evaluation.canonicalise();
                if alone {
                    return Evaluation::of_costs(evaluation.model, evaluation.costs);
                }
                evaluation
            },
        )
}

/// A part that may contradict the others, in its records or in what it was made from.
fn any_stranger() -> impl Strategy<Value = Evaluation> {
    (any_part(), 0..6u8).prop_map(|(mut evaluation, fault)| {
        match fault {
            0 if evaluation.is_costs_only() => {
                // Of no importance to costs.
                evaluation.model.preprocessing.mean = [0.5; 3];
            }
            0 => evaluation.seed = 18,
            1 => evaluation.model.preprocessing.crop = (288, 288),
            2 => evaluation
                .passes
                .iter_mut()
                .for_each(|p| p.fingerprint = [1; 32]),
            3 => {
                for list in &mut evaluation.lists {
                    list.labels
                        .iter_mut()
                        .take(1)
                        .for_each(|label| *label = (*label + 1) % 3);
                }
                evaluation.warnings.retain(|w| !w.is_counted());
                finish(&mut evaluation);
            }
            _ => {}
        }
        evaluation
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn merging_is_associative_order_free_and_idempotent(
        a in any_part(), b in any_part(), c in any_part()
    ) {
        let ab = merge(&a, &b).unwrap();
        let bc = merge(&b, &c).unwrap();
        let all = merge(&ab, &c).unwrap();
        prop_assert_eq!(&all, &merge(&a, &bc).unwrap());
        prop_assert_eq!(&all, &merge(&merge(&c, &a).unwrap(), &b).unwrap());
        prop_assert_eq!(&ab, &merge(&b, &a).unwrap());
        prop_assert_eq!(&a, &merge(&a, &a).unwrap());
        prop_assert_eq!(&ab, &merge(&ab, &b).unwrap());
        prop_assert_eq!(&all, &merge(&all, &ab).unwrap());
        encode(&all).unwrap();
    }

    #[test]
    fn whether_parts_can_be_merged_does_not_depend_on_the_order(
        a in any_stranger(), b in any_stranger(), c in any_stranger()
    ) {
        let join = |x: &Evaluation, y: &Evaluation, z: &Evaluation| {
            merge(x, y).and_then(|xy| merge(&xy, z))
        };
        let first = join(&a, &b, &c);
        for other in [join(&b, &c, &a), join(&c, &a, &b), join(&b, &a, &c)] {
            prop_assert_eq!(first.as_ref().ok(), other.as_ref().ok());
        }
        let pairwise = merge(&a, &b).is_ok() && merge(&b, &c).is_ok() && merge(&a, &c).is_ok();
        prop_assert_eq!(first.is_ok(), pairwise);
    }

    #[test]
    fn merged_parts_of_a_whole_are_the_whole(owners in vec(0usize..3, POPULATION as usize)) {
        let whole = part(&[Some(vec![Fate::Evaluated; 9]), None, None], Some(false), 1);
        let parts: Vec<(String, Evaluation)> = (0..3)
            .map(|owner| {
                let fate = |&o: &usize| if o == owner { Fate::Evaluated } else { Fate::Absent };
                let fates = owners.iter().map(fate).collect();
                (owner.to_string(), part(&[Some(fates), None, None], None, 1))
            })
            .collect();
        let merged = merge_all(parts).unwrap();
        let [merged] = merged.as_slice() else { panic!("one model") };
        prop_assert_eq!(&merged.lists, &whole.lists);
        let mut expected = whole.passes;
        if let Outcomes::Classified { ace, .. } = &mut expected[0].outcomes {
            *ace = None;
        }
        prop_assert_eq!(&merged.passes, &expected);
        prop_assert_eq!(merged.subset, None);
    }
}

/// A part with clean images alone.
fn clean(fates: [Fate; 9], ace: Option<bool>, started: u64) -> Evaluation {
    part(&[Some(fates.to_vec()), None, None], ace, started)
}

fn halves() -> (Evaluation, Evaluation) {
    use Fate::{Absent as A, Evaluated as E, Skipped as S};
    (
        clean([E, E, E, E, S, A, A, A, A], Some(false), 1),
        clean([A, A, A, A, E, E, E, E, S], Some(false), 2),
    )
}

fn ace(evaluation: &Evaluation) -> Option<f64> {
    match evaluation.passes[0].outcomes {
        Outcomes::Classified { ace, .. } => ace,
        _ => None,
    }
}

#[test]
fn disjoint_halves_lose_the_ace_until_a_whole_joins() {
    let (first, second) = halves();
    let both = merge(&first, &second).unwrap();
    assert_eq!(ace(&both), None);
    assert!(both.warnings.contains(&Warning::AceLostByMerge));

    // The same images in one run: its ACE is that of the union.
    let mut fates = [Fate::Evaluated; 9];
    fates[8] = Fate::Absent;
    let whole = clean(fates, Some(false), 3);
    for merged in [
        merge(&both, &whole),
        merge(&first, &merge(&second, &whole).unwrap()),
    ] {
        let merged = merged.unwrap();
        assert_eq!(ace(&merged), Some(255.0));
        assert!(!merged.warnings.contains(&Warning::AceLostByMerge));
    }
    let off = clean(fates, Some(true), 3);
    assert_eq!(ace(&merge(&off, &whole).unwrap()), Some(255.0));
}

#[test]
fn counts_are_those_of_the_union() {
    let (first, second) = halves();
    assert_eq!(first.subset, Some(Subset { images_per_set: 5 }));
    let both = merge(&first, &second).unwrap();
    // Image 4 was skipped in the first part and evaluated in the second.
    assert_eq!(both.passes[0].skipped.len(), 1);
    assert_eq!(both.passes[0].skipped[0].index, 8);
    assert_eq!(both.subset, None);
    let pass = PassKind::Clean;
    let expected = [
        Warning::DefaultPreprocessing,
        Warning::SkippedImages { pass, count: 1 },
        Warning::NearChance,
        // The records of these tests show two of the six classes.
        Warning::EmptyClasses { count: 4 },
        Warning::AceLostByMerge,
    ];
    assert_eq!(both.warnings, expected);
    assert_eq!(both.runs, [run(1), run(2)]);
}

#[test]
fn every_failure_of_a_gpu_is_kept() {
    let fallback = |reason: &str| Warning::GpuFallback {
        reason: reason.to_owned(),
    };
    let (mut first, mut second) = halves();
    for (part, reasons) in [
        (&mut first, ["lost", "small"]),
        (&mut second, ["lost", "wrong"]),
    ] {
        part.warnings.extend(reasons.map(fallback));
        part.warnings.sort_unstable();
    }
    let both = merge(&first, &second).unwrap();
    let kept = both
        .warnings
        .iter()
        .filter(|w| matches!(w, Warning::GpuFallback { .. }));
    assert_eq!(kept.count(), 3);
}

#[test]
fn merge_all_does_not_depend_on_the_order_and_keeps_models_apart() {
    let (first, second) = halves();
    let mut other = small_evaluation();
    other.model.hash = [1; 32];
    other.model.name = "alexnet".into();
    let parts = [("a", first), ("b", other), ("c", second)].map(|(n, e)| (n.to_owned(), e));
    let expected = merge_all(parts.to_vec()).unwrap();
    let names: Vec<&str> = expected.iter().map(|e| e.model.name.as_str()).collect();
    assert_eq!(names, ["alexnet", "resnet"]);
    let reversed = parts.into_iter().rev().collect();
    assert_eq!(merge_all(reversed).unwrap(), expected);
    assert_eq!(merge_all(Vec::new()).unwrap(), []);
}

#[test]
fn merge_all_names_the_two_inputs() {
    let (first, second) = halves();
    let mut strange = second.clone();
    strange.passes[0].fingerprint = [5; 32];
    let error = merge_all(vec![
        ("a.quba".into(), part(&[None, None, None], None, 7)),
        ("b.quba".into(), first),
        ("c.quba".into(), second),
        ("d.quba".into(), strange),
    ])
    .unwrap_err();
    insta::assert_snapshot!(error, @"cannot merge d.quba with b.quba");
    insta::assert_snapshot!(error.source, @"pass clean: expected one image set, found fingerprint 0909090909090909 and 0505050505050505; evaluate again on one dataset");
}

/// Why `small_evaluation` cannot be merged with a changed copy of itself.
fn refused(change: impl FnOnce(&mut Evaluation)) -> MergeError {
    let mut changed = small_evaluation();
    change(&mut changed);
    merge(&small_evaluation(), &changed).unwrap_err()
}

#[test]
fn differences_are_named_with_both_values() {
    use crate::protocol::Protocol;
    use crate::result::{Interpolation, OutputKind};
    insta::assert_snapshot!(refused(|e| { e.model.hash = [8; 32]; e.model.name = "vit".into(); }), @"expected one model file, found 'resnet' (hash 0707070707070707) and 'vit' (hash 0808080808080808)");
    insta::assert_snapshot!(refused(|e| e.label_set.hash = [8; 32]), @"expected one label set, found 'six' (hash 0909090909090909) and 'six' (hash 0808080808080808)");
    insta::assert_snapshot!(refused(|e| e.model.output_kind = OutputKind::DoubleSoftmax), @"expected the model to be fed alike, found outputs as logits and probabilities for a second softmax; evaluate again with one model card");
    insta::assert_snapshot!(refused(|e| e.model.preprocessing.crop = (288, 288)), @"expected the model to be fed alike, found crop 224x224 and 288x288; evaluate again with one model card");
    insta::assert_snapshot!(refused(|e| e.model.preprocessing.interpolation = Interpolation::Bicubic), @"expected the model to be fed alike, found interpolation Bilinear and Bicubic; evaluate again with one model card");
    insta::assert_snapshot!(refused(|e| e.model.preprocessing.std[1] = 0.5), @"expected the model to be fed alike, found standard deviation [0.229, 0.224, 0.225] and [0.229, 0.5, 0.225]; evaluate again with one model card");
    insta::assert_snapshot!(refused(|e| e.protocols.0[5] = Protocol::Published), @"expected one protocol for class balance, found correct and published; evaluate again with one --protocol");
    insta::assert_snapshot!(refused(|e| e.seed = 18), @"expected one seed, found 17 and 18; evaluate again with one --seed");
    insta::assert_snapshot!(refused(|e| e.passes[1].fingerprint = [0; 32]), @"pass gaussian_noise/3: expected one image set, found fingerprint 0808080808080808 and 0000000000000000; evaluate again on one dataset");
    insta::assert_snapshot!(refused(|e| e.passes[0].fingerprint[31] = 0), @"pass clean: expected one image set, found fingerprint 0808080808080808 and 0808080808080808; evaluate again on one dataset");
    insta::assert_snapshot!(refused(|e| e.lists[1].population = 10), @"pass cue-conflict: expected one image set, found count 8 and 10; evaluate again on one dataset");
    insta::assert_snapshot!(refused(|e| e.passes[0].list = 9), @"an evaluation to merge is inconsistent");
}

#[test]
fn contradictions_name_pass_image_and_both_values() {
    use crate::outcome::Outcomes::{Classified, Correct, Decided};
    insta::assert_snapshot!(refused(|e| {
        if let Classified { predictions, .. } = &mut e.passes[0].outcomes {
            predictions[3] = 0;
        }
    }), @"pass clean: the parts contradict each other about image 5: prediction 2 and 0; leave one part out, or evaluate its images again on one machine");
    insta::assert_snapshot!(refused(|e| {
        if let Classified { confidences, .. } = &mut e.passes[0].outcomes {
            confidences[4] = confidences[4].next_down();
        }
    }), @"pass clean: the parts contradict each other about image 7: confidence 0.33333334 and 0.3333333; leave one part out, or evaluate its images again on one machine");
    insta::assert_snapshot!(refused(|e| {
        e.passes[1].outcomes = Correct([false; 5].into_iter().collect());
    }), @"pass gaussian_noise/3: the parts contradict each other about image 0: answer true and false; leave one part out, or evaluate its images again on one machine");
    insta::assert_snapshot!(refused(|e| {
        e.passes[2].outcomes = Decided(vec![2, 2, 2]);
    }), @"pass cue-conflict: the parts contradict each other about image 1: decision 0 and 2; leave one part out, or evaluate its images again on one machine");
    insta::assert_snapshot!(refused(|e| {
        let cue_conflict = e.passes[2].list as usize;
        e.lists[cue_conflict].textures[1] = 2;
    }), @"pass cue-conflict: the parts contradict each other about image 2: texture 1 and 2; leave one part out, or evaluate its images again on one machine");
}

#[test]
fn better_sources_take_their_warnings_along() {
    let (mut first, second) = halves();
    first.model.preprocessing.source = crate::result::PreprocessingSource::Card;
    first
        .warnings
        .retain(|w| *w != Warning::DefaultPreprocessing);
    let both = merge(&first, &second).unwrap();
    assert!(!both.warnings.contains(&Warning::DefaultPreprocessing));
    assert_eq!(both.model.preprocessing, first.model.preprocessing);
}

#[test]
fn the_latest_cost_of_a_key_stays() {
    let costs = |costs: &[Cost]| {
        let mut evaluation = small_evaluation();
        evaluation.costs = costs.to_vec();
        evaluation.canonicalise();
        evaluation
    };
    let first = costs(&[cost(2, 9), gpu_cost(1)]);
    let second = costs(&[cost(2, 10), cost(4, 3)]);
    let both = merge(&first, &second).unwrap();
    assert_eq!(both.costs, [cost(2, 10), cost(4, 3), gpu_cost(1)]);
    assert_eq!(merge(&second, &first).unwrap(), both);
}

#[test]
fn costs_of_a_board_join_an_evaluation_and_change_nothing_else() {
    let evaluation = small_evaluation();
    let mut board = Evaluation::of_costs(evaluation.model.clone(), vec![cost(4, 5)]);
    board.model.name = "without a card".into();
    board.model.preprocessing.std = [0.5; 3];
    let expected = Evaluation {
        costs: vec![cost(4, 5)],
        ..evaluation.clone()
    };
    assert_eq!(merge(&evaluation, &board).unwrap(), expected);
    assert_eq!(merge(&board, &evaluation).unwrap(), expected);
    board.model.preprocessing.crop = (288, 288);
    insta::assert_snapshot!(merge(&evaluation, &board).unwrap_err(), @"expected the model to be fed alike, found crop 224x224 and 288x288; evaluate again with one model card");
}

#[test]
fn costs_join_the_results_of_each_data_set() {
    let one = small_evaluation();
    let mut other = one.clone();
    other.label_set.hash = [8; 32];
    let costs = Evaluation::of_costs(one.model.clone(), vec![cost(4, 5)]);
    let names = ["one", "other", "costs"].map(str::to_owned);
    let inputs = Vec::from_iter(
        names
            .into_iter()
            .zip([one.clone(), other.clone(), costs.clone()]),
    );
    let merged = merge_all(inputs.clone()).unwrap();
    assert_eq!(merged.len(), 2);
    for evaluation in &merged {
        assert_eq!(evaluation.costs, costs.costs);
    }
    assert_eq!(
        merge_all(inputs.iter().rev().cloned().collect()).unwrap(),
        merged
    );
    let error = merge_all(inputs[..2].to_vec()).unwrap_err();
    insta::assert_snapshot!(error, @"cannot merge other with one");
    let alone = merge_all(vec![
        ("a".into(), costs.clone()),
        ("b".into(), costs.clone()),
    ]);
    assert_eq!(alone.unwrap(), [costs]);
}
