//! Claims about single models and about groups of them: SPEC §9, 1–8, 17–20, 24 and 26, and the
//! table of group means.
//!
//! p-values are those of the Mann–Whitney test (normal approximation with tie and continuity
//! correction).

use shared::Dimension::{
    self, Accuracy as Acc, AdversarialRobustness as Adv, CalibrationError as Cal,
    ClassBalance as Bal, CorruptionRobustness as Cor, ObjectFocus as Obj, OodRobustness as Ood,
    Parameters as Params, ShapeBias as Shape,
};
use shared::published::{Architecture, PretrainingData, Regime, models};
use shared::statistics::{mean, ranks_average};
use statrs::distribution::{ContinuousCDF, Normal};

use crate::support::{
    Model, assert_near, column, difference, group, ids_by_rank, model, regime, value,
};

/// Two-sided p of the Mann–Whitney test.
fn mann_whitney(a: &[f64], b: &[f64]) -> f64 {
    let all: Vec<f64> = a.iter().chain(b).copied().collect();
    let ranks = ranks_average(&all);
    let (n, m, total) = (a.len() as f64, b.len() as f64, all.len() as f64);
    let u = ranks[..a.len()].iter().sum::<f64>() - n * (n + 1.0) / 2.0;
    let mut sorted = all;
    sorted.sort_by(f64::total_cmp);
    let ties: f64 = sorted
        .chunk_by(|x, y| x == y)
        .map(|tied| (tied.len() as f64).powi(3) - tied.len() as f64)
        .sum();
    let deviation = (n * m / 12.0 * (total + 1.0 - ties / (total * (total - 1.0)))).sqrt();
    let z = ((u - n * m / 2.0).abs() - 0.5) / deviation;
    2.0 * Normal::standard().sf(z)
}

fn p(a: &[Model], b: &[Model], d: Dimension) -> f64 {
    mann_whitney(&column(a, d), &column(b, d))
}

#[test]
fn claim_1_326_models_without_a_gap() {
    assert_eq!(models().len(), 326);
    assert!(
        models()
            .iter()
            .all(|m| m.values.0.iter().all(Option::is_some))
    );
}

#[test]
fn claims_2_to_5_order_of_the_best_and_of_two_baselines() {
    let ids = ids_by_rank();
    assert_eq!(
        ids[..3],
        ["eva02-b-21k", "hiera-b-plus", "convnextv2-b-21k"]
    );
    assert_eq!(ids[213], "resnet50");
    // 124th in the texts: its neighbours lie within the rounding of the figures.
    assert_eq!(ids[122], "vit-b-16");
}

#[test]
fn claims_6_to_8_what_the_top_three_excel_in() {
    let top = ["eva02-b-21k", "hiera-b-plus", "convnextv2-b-21k"].map(|id| model(id).unwrap());
    for (d, expected) in [
        (Acc, [0.8826, 0.8501, 0.8674]),
        (Cor, [0.8066, 0.7818, 0.7923]),
        (Ood, [0.8635, 0.7377, 0.8185]),
        (Shape, [0.3350, 0.4307, 0.4023]),
        (Adv, [0.2137, 0.2369, 0.2802]),
        (Cal, [0.0039, 0.0130, 0.0023]),
    ] {
        assert_eq!(top.map(|model| value(model, d)), expected, "{d}");
    }
    assert_eq!(value(top[1], Bal), 0.9290);
}

#[test]
fn claim_17_self_supervised_fine_tuned_beats_supervised() {
    let (tuned, supervised) = (regime(Regime::FineTuned), regime(Regime::Supervised));
    assert_eq!((tuned.len(), supervised.len()), (31, 174));
    for (d, by) in [
        (Acc, 0.0513),
        (Adv, 0.0925),
        (Cor, 0.1331),
        (Ood, 0.1513),
        (Bal, 0.0444),
        (Obj, 0.0289),
        (Shape, 0.1021),
    ] {
        assert_near(difference(&tuned, &supervised, d), by, 4, d.name());
        assert!(p(&tuned, &supervised, d) < 1e-4, "{d}");
    }
    assert_near(difference(&tuned, &supervised, Cal), 0.0010, 4, "cal");
    assert_near(p(&tuned, &supervised, Cal), 0.08, 2, "p of cal");
    assert_near(difference(&tuned, &supervised, Params), 28.0, 0, "params");
}

#[test]
fn claim_18_linear_probing_is_mostly_worse() {
    let (probed, supervised) = (regime(Regime::LinearProbe), regime(Regime::Supervised));
    assert_eq!(probed.len(), 13);
    for (d, by, decimals) in [
        (Acc, -0.038, 3),
        (Adv, -0.036, 3),
        (Obj, -0.044, 3),
        (Ood, 0.019, 3),
        (Cal, -0.0017, 4),
        (Shape, 0.120, 3),
    ] {
        assert_near(difference(&probed, &supervised, d), by, decimals, d.name());
    }
    assert_near(p(&probed, &supervised, Ood), 0.66, 2, "p of ood");
    assert_near(p(&probed, &supervised, Cal), 0.014, 3, "p of cal");
}

#[test]
fn claim_19_adversarial_training_trades_accuracy_for_robustness() {
    let (adversarial, supervised) = (regime(Regime::Adversarial), regime(Regime::Supervised));
    assert_eq!(adversarial.len(), 12);
    for (d, by, decimals) in [
        (Adv, 0.388, 3),
        (Shape, 0.439, 3),
        (Ood, 0.065, 3),
        (Acc, -0.046, 3),
        (Bal, -0.0025, 4),
    ] {
        assert_near(
            difference(&adversarial, &supervised, d),
            by,
            decimals,
            d.name(),
        );
    }
    for (d, expected, decimals) in [(Ood, 0.16, 2), (Acc, 0.001, 3), (Bal, 0.40, 2)] {
        assert_near(
            p(&adversarial, &supervised, d),
            expected,
            decimals,
            d.name(),
        );
    }
}

#[test]
fn claim_24_zero_shot_models_against_all_others() {
    let zero_shot = regime(Regime::ZeroShot);
    let others = group(|model| model.regime != Regime::ZeroShot);
    assert_eq!((zero_shot.len(), others.len()), (25, 301));
    for (d, zero, other, decimals) in [
        (Ood, 1.004, 0.541, 3),
        (Bal, 0.897, 0.781, 3),
        (Shape, 0.560, 0.304, 3),
        (Acc, 0.739, 0.795, 3),
        (Cal, 0.0338, 0.0045, 4),
        (Params, 272.0, 60.0, 0),
    ] {
        assert_near(mean(&column(&zero_shot, d)), zero, decimals, d.name());
        assert_near(mean(&column(&others, d)), other, decimals, d.name());
    }
}

#[test]
fn claim_26_the_best_are_mostly_self_or_semi_supervised() {
    let top: Vec<Model> = ids_by_rank()[..10]
        .iter()
        .map(|id| model(id).unwrap())
        .collect();
    let count = |regime| top.iter().filter(|model| model.regime == regime).count();
    assert_eq!(count(Regime::FineTuned), 6);
    assert_eq!(count(Regime::SemiSupervised), 2);
    let supervised = top.iter().filter(|m| m.regime == Regime::Supervised);
    assert!(
        supervised
            .clone()
            .all(|m| m.data == PretrainingData::ImageNet21k)
    );
    assert_eq!(supervised.count(), 2);
}

#[test]
fn group_means() {
    let b_cos = group(|model| model.architecture == Architecture::BCos);
    for (name, group, expected) in [
        (
            "sl",
            regime(Regime::Supervised),
            [
                0.7910, 0.1381, 0.5957, 0.5753, 0.0046, 0.7821, 0.9208, 0.2807, 60.1,
            ],
        ),
        (
            "ssl-ft",
            regime(Regime::FineTuned),
            [
                0.8423, 0.2306, 0.7288, 0.7266, 0.0056, 0.8265, 0.9497, 0.3828, 88.5,
            ],
        ),
        (
            "ssl-lp",
            regime(Regime::LinearProbe),
            [
                0.7529, 0.1021, 0.6130, 0.5947, 0.0029, 0.7818, 0.8768, 0.4010, 91.1,
            ],
        ),
        (
            "at",
            regime(Regime::Adversarial),
            [
                0.7447, 0.5259, 0.6206, 0.6401, 0.0068, 0.7797, 0.9341, 0.7198, 95.1,
            ],
        ),
        (
            "semi",
            regime(Regime::SemiSupervised),
            [
                0.8225, 0.1998, 0.4217, 0.5752, 0.0056, 0.7966, 0.9257, 0.2934, 28.2,
            ],
        ),
        (
            "zero-shot",
            regime(Regime::ZeroShot),
            [
                0.7386, 0.0958, 0.6042, 1.0044, 0.0338, 0.8968, 0.9328, 0.5599, 271.7,
            ],
        ),
        (
            "b-cos",
            b_cos,
            [
                0.7515, 0.0173, 0.2642, 0.4639, 0.0115, 0.7524, 0.9040, 0.2740, 36.5,
            ],
        ),
    ] {
        for (d, expected) in Dimension::ALL.into_iter().zip(expected) {
            let decimals = if d == Params { 1 } else { 4 };
            assert_near(
                mean(&column(&group, d)),
                expected,
                decimals,
                &format!("{name} {d}"),
            );
        }
    }
    for (recipe, expected) in [
        (Regime::A1, [0.8016, 0.4745, 0.0635]),
        (Regime::A2, [0.8008, 0.4104, 0.0563]),
        (Regime::A3, [0.7829, 0.3223, 0.0426]),
    ] {
        for (d, expected) in [Acc, Adv, Cor].into_iter().zip(expected) {
            assert_near(
                mean(&column(&regime(recipe), d)),
                expected,
                4,
                &format!("{recipe} {d}"),
            );
        }
    }
}
