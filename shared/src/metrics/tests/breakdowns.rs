//! Values class by class, set by set, image by image, against plain counting and the whole.

use super::builder::{add, add_clean, add_correct, evaluation};
use crate::dimension::Dimension;
use crate::metrics::accuracy::by_class;
use crate::metrics::adversarial::by_attack;
use crate::metrics::agreement::agreement;
use crate::metrics::calibration::{ReliabilityBin, reliability};
use crate::metrics::corruption::cells;
use crate::metrics::measure;
use crate::metrics::ood::{SETS, by_set};
use crate::metrics::shape_bias::by_shape;
use crate::outcome::{
    Attack, AttackSpace, Corruption, IndexRuns, Outcomes, PassKind, Severity, Strength,
};

#[test]
fn classes_are_counted_apart() {
    // Labels alternate, the first 5 of 9 are right: 3 of 5 of class 0, 2 of 4 of class 1.
    let mut e = evaluation(7, 1);
    add_clean(&mut e, 5, 9);
    let found: Vec<_> = by_class(&e)
        .unwrap()
        .iter()
        .map(|c| (c.class, c.correct, c.images))
        .collect();
    assert_eq!(found, [(0, 3, 5), (1, 2, 4)]);
    assert!(by_class(&evaluation(7, 1)).is_err());
}

#[test]
fn reliability_bins_add_up_to_the_expected_calibration_error() {
    let mut e = evaluation(2, 1);
    let confidences = vec![0.0, 0.1, 0.55, 0.56, 0.93, 0.94, 1.0, 1.0];
    let right = [false, false, true, false, true, true, true, false];
    let outcomes = Outcomes::Classified {
        predictions: right.iter().map(|&r| u32::from(!r)).collect(),
        true_confidences: confidences.clone(),
        confidences,
        ace: Some(0.01),
    };
    add(&mut e, PassKind::Clean, vec![0; 8], vec![], outcomes);
    let bins = reliability(&e).unwrap();
    let filled: Vec<_> = bins
        .iter()
        .enumerate()
        .filter(|(_, b)| b.images > 0)
        .collect();
    let counts: Vec<_> = filled
        .iter()
        .map(|(i, b)| (*i, b.images, b.correct))
        .collect();
    assert_eq!(
        counts,
        [
            (0, 1, 0),
            (1, 1, 0),
            (8, 2, 1),
            (13, 1, 1),
            (14, 1, 1),
            (15, 2, 1)
        ]
    );
    let sum: f64 = filled
        .iter()
        .map(|(_, b)| {
            f64::from(b.images) / 8.0 * (b.accuracy().unwrap() - b.confidence().unwrap()).abs()
        })
        .sum();
    let ece = measure(&e)[Dimension::CalibrationError]
        .clone()
        .unwrap()
        .parts[0]
        .value;
    assert!((sum - ece).abs() < 1e-6, "{sum} {ece}");
    assert_eq!(ReliabilityBin::edges(15), (1.0, 1.0));
    assert_eq!(ReliabilityBin::edges(0).0, 0.0);
}

#[test]
fn corruption_cells_are_relative_and_average_to_the_dimension() {
    let mut e = evaluation(2, 1);
    add_clean(&mut e, 8, 10);
    for (c, corruption) in Corruption::SCORED.into_iter().enumerate() {
        for (s, severity) in Severity::ALL.into_iter().enumerate() {
            add_correct(
                &mut e,
                PassKind::Corruption(corruption, severity),
                c + 4 * (4 - s),
                100,
            );
        }
    }
    let all = cells(&e);
    assert_eq!(all[2][4], Some(0.02 / 0.8));
    let mean = all.iter().flatten().map(|cell| cell.unwrap()).sum::<f64>() / 75.0;
    let whole = measure(&e)[Dimension::CorruptionRobustness]
        .clone()
        .unwrap()
        .value;
    assert!((mean - whole).abs() < 1e-12);
    e.passes
        .retain(|pass| pass.kind != PassKind::Corruption(Corruption::Snow, Severity::ALL[1]));
    assert_eq!(cells(&e)[7][1], None);
    e.passes.retain(|pass| pass.kind != PassKind::Clean);
    assert!(cells(&e).iter().flatten().all(Option::is_none));
}

#[test]
fn sets_and_attacks_are_listed_where_they_were_run() {
    let mut e = evaluation(2, 1);
    add_clean(&mut e, 5, 10);
    add_correct(&mut e, SETS[0], 1, 10);
    add_correct(&mut e, SETS[3], 2, 8);
    let sets: Vec<_> = by_set(&e)
        .iter()
        .map(|s| (s.set, s.answers, s.relative))
        .collect();
    assert_eq!(
        sets,
        [(SETS[0], (1, 10), Some(0.2)), (SETS[3], (2, 8), Some(0.5))]
    );
    let [fgsm, pgd] = Attack::scored(AttackSpace::Pixels);
    let weak = Attack {
        epsilon: Strength::whole(2),
        ..fgsm
    };
    for (attack, correct) in [(pgd, 1), (fgsm, 2), (weak, 4)] {
        add_correct(&mut e, PassKind::Attack(attack), correct, 10);
    }
    let attacks: Vec<_> = by_attack(&e)
        .iter()
        .map(|a| (a.attack, a.answers.0, a.relative))
        .collect();
    assert_eq!(
        attacks,
        [
            (weak, 4, Some(0.8)),
            (fgsm, 2, Some(0.4)),
            (pgd, 1, Some(0.2))
        ]
    );
}

#[test]
fn shape_decisions_by_category_add_up() {
    let mut e = evaluation(2, 3);
    let decisions = Outcomes::Decided(vec![0, 1, 2, 1, 0, 2]);
    add(
        &mut e,
        PassKind::CueConflict,
        vec![0, 0, 0, 1, 1, 2],
        vec![1, 1, 1, 0, 0, 2],
        decisions,
    );
    let found: Vec<_> = by_shape(&e)
        .unwrap()
        .iter()
        .map(|d| (d.images, d.shape, d.texture))
        .collect();
    assert_eq!(found, [(3, 1, 1), (2, 1, 1), (0, 0, 0)]);
    let whole = measure(&e)[Dimension::ShapeBias].clone().unwrap();
    assert_eq!((whole.parts[0].value, whole.parts[1].value), (2.0, 2.0));
}

#[test]
fn pairs_are_formed_by_index_not_by_position() {
    let (mut a, mut b) = (evaluation(2, 1), evaluation(2, 1));
    // First: images 0 to 9, the first 6 right. Second: the same labels on images 1, 3, 5, 7, 9.
    add_clean(&mut a, 6, 10);
    add_clean(&mut b, 5, 5);
    b.lists[0].indices = [1, 3, 5, 7, 9].into_iter().collect::<IndexRuns>();
    b.lists[0].labels = vec![1; 5];
    b.lists[0].population = 10;
    if let Outcomes::Classified {
        predictions,
        confidences,
        ..
    } = &mut b.passes[0].outcomes
    {
        *predictions = vec![1, 0, 1, 1, 0];
        *confidences = vec![0.75, 0.5, 0.75, 0.75, 1.0];
    }
    let same = agreement(&a, &b).unwrap();
    assert_eq!(
        (same.images, same.same, same.largest_difference),
        (5, 3, 0.25)
    );
    b.lists[0].identity = [1; 32];
    assert_eq!(agreement(&a, &b), None);
}
