//! Claims about matched pairs of models: SPEC §9, 15, 16, 20–23 and 25. The p-values of claim 23,
//! which come from a paired test, are left out.

use shared::Dimension::{
    self, Accuracy as Acc, AdversarialRobustness as Adv, CalibrationError as Cal,
    ClassBalance as Bal, CorruptionRobustness as Cor, ObjectFocus as Obj, OodRobustness as Ood,
    Parameters as Params, ShapeBias as Shape,
};
use shared::published::{Architecture, PretrainingData, Regime, models};
use shared::statistics::mean;

use crate::support::{Model, assert_near, difference, group, model, regime, value};

type Pairs = Vec<(Model, Model)>;

/// Mean difference first − second, and in how many pairs the first is higher.
fn paired(pairs: &[(Model, Model)], d: Dimension) -> (f64, usize) {
    let differences: Vec<f64> = pairs
        .iter()
        .map(|(a, b)| value(a, d) - value(b, d))
        .collect();
    let higher = differences.iter().filter(|&&x| x > 0.0).count();
    (mean(&differences), higher)
}

/// Checks `(dimension, mean difference, decimals, pairs in which the first is higher)`.
#[track_caller]
fn assert_pairs(pairs: &[(Model, Model)], expected: &[(Dimension, f64, i32, Option<usize>)]) {
    for &(d, by, decimals, higher) in expected {
        let (found, count) = paired(pairs, d);
        assert_near(found, by, decimals, d.name());
        if let Some(higher) = higher {
            assert_eq!(count, higher, "{d}");
        }
    }
}

/// Models pre-trained on ImageNet-21k with their twins that were not.
fn data_pairs() -> Pairs {
    models()
        .iter()
        .filter_map(|more| Some((more, model(more.id.strip_suffix("-21k")?)?)))
        .collect()
}

#[test]
fn claim_15_larger_data_helps_almost_all() {
    let pairs = data_pairs();
    assert_eq!(pairs.len(), 24);
    assert_pairs(
        &pairs,
        &[
            (Acc, 0.0203, 4, Some(24)),
            (Cor, 0.0452, 4, Some(19)),
            (Cal, -0.0023, 4, Some(2)),
            (Obj, 0.0095, 4, Some(17)),
            (Shape, 0.0381, 4, Some(19)),
            (Ood, 0.0055, 4, Some(15)),
            (Bal, 0.0023, 4, Some(12)),
            (Adv, -0.0132, 4, Some(6)),
        ],
    );
}

#[test]
fn claim_16_transformers_lose_adversarial_robustness_with_larger_data() {
    let (transformers, cnns): (Pairs, Pairs) = data_pairs()
        .into_iter()
        .partition(|(more, _)| more.architecture == Architecture::Transformer);
    assert_eq!((transformers.len(), cnns.len()), (12, 12));
    assert_pairs(&transformers, &[(Adv, -0.0386, 4, Some(2))]);
    assert_pairs(&cnns, &[(Adv, 0.0123, 4, Some(4))]);
}

/// Supervised ImageNet-1k models of the same name that are not B-cos.
fn same_architecture(other: Model) -> Option<Model> {
    models().iter().find(|model| {
        model.name == other.name
            && model.regime == Regime::Supervised
            && model.data == PretrainingData::ImageNet1k
            && model.architecture == other.architecture
    })
}

#[test]
fn claim_20_semi_supervised_training() {
    let (semi, supervised) = (regime(Regime::SemiSupervised), regime(Regime::Supervised));
    assert_eq!(semi.len(), 14);
    for (d, by, decimals) in [
        (Acc, 0.0314, 4),
        (Adv, 0.0617, 4),
        (Bal, 0.0144, 4),
        (Cor, -0.174, 3),
    ] {
        assert_near(difference(&semi, &supervised, d), by, decimals, d.name());
    }
    // The drop in corruption robustness is that of the flagged rows.
    let pairs = semi.into_iter().map(|m| (m, same_architecture(m).unwrap()));
    let (flagged, noisy_student): (Pairs, Pairs) = pairs.partition(|(m, _)| m.flags.bn_train);
    assert_eq!((flagged.len(), noisy_student.len()), (6, 8));
    assert_pairs(&noisy_student, &[(Cor, 0.077, 3, None)]);
    assert_pairs(&flagged, &[(Cor, -0.465, 3, Some(0))]);
}

#[test]
fn claim_21_a1_against_supervised() {
    let twin = |a1: Model| Some((a1, model(a1.id.strip_suffix("-a1")?)?));
    let pairs: Pairs = regime(Regime::A1).into_iter().filter_map(twin).collect();
    assert_eq!(pairs.len(), 13);
    assert_pairs(
        &pairs,
        &[
            (Acc, 0.0145, 4, None),
            (Adv, 0.306, 3, None),
            (Cor, -0.439, 3, None),
            (Ood, -0.238, 3, None),
            (Bal, -0.034, 3, None),
        ],
    );
}

#[test]
fn claim_22_a3_against_a1() {
    let twin = |a3: Model| Some((a3, model(&format!("{}-a1", a3.id.strip_suffix("-a3")?))?));
    let pairs: Pairs = regime(Regime::A3).into_iter().filter_map(twin).collect();
    assert_eq!(pairs.len(), 19);
    assert_pairs(
        &pairs,
        &[
            (Acc, -0.0188, 4, Some(2)),
            (Adv, -0.152, 3, Some(0)),
            (Cor, -0.021, 3, None),
            (Ood, -0.043, 3, Some(0)),
            (Shape, -0.101, 3, Some(0)),
            (Bal, 0.0098, 4, Some(17)),
            (Cal, 0.0018, 4, None),
        ],
    );
}

/// Each supervised ImageNet-1k transformer with the CNN nearest in size by ratio (the first of
/// equally near ones).
#[test]
fn claim_23_transformers_against_cnns_of_their_size() {
    let supervised = |architecture| {
        group(move |model| {
            model.architecture == architecture
                && model.regime == Regime::Supervised
                && model.data == PretrainingData::ImageNet1k
        })
    };
    let cnns = supervised(Architecture::Cnn);
    let distance = |a: Model, b: Model| (value(a, Params) / value(b, Params)).ln().abs();
    let nearest = |t: Model| {
        let by_distance = |a: &&Model, b: &&Model| distance(a, t).total_cmp(&distance(b, t));
        (t, *cnns.iter().min_by(by_distance).unwrap())
    };
    let pairs: Pairs = supervised(Architecture::Transformer)
        .into_iter()
        .map(nearest)
        .collect();
    assert_eq!(pairs.len(), 66);
    assert_pairs(
        &pairs,
        &[
            (Acc, 0.0092, 4, None),
            (Adv, 0.115, 3, None),
            (Cor, 0.084, 3, None),
            (Ood, 0.033, 3, None),
            (Obj, 0.011, 3, None),
            (Shape, 0.042, 3, None),
            (Cal, -0.0014, 4, None),
            (Bal, 0.0043, 4, None),
        ],
    );
}

#[test]
fn claim_25_b_cos_is_worse_almost_everywhere() {
    let twin = |b_cos: Model| {
        let id = match b_cos.id.strip_prefix("bcos-").unwrap() {
            "convnext-base" => "convnext-b",
            "convnext-tiny" => "convnext-t",
            "simple-vit-b-patch16-224" => "vit-b-16",
            same => same,
        };
        (b_cos, model(id).unwrap())
    };
    let b_cos = group(|model| model.architecture == Architecture::BCos);
    let pairs: Pairs = b_cos.into_iter().map(twin).collect();
    assert_eq!(pairs.len(), 12);
    assert_pairs(
        &pairs,
        &[
            (Acc, -0.021, 3, Some(0)),
            (Adv, -0.054, 3, None),
            (Cor, -0.314, 3, None),
            (Ood, -0.097, 3, Some(0)),
            (Cal, 0.0083, 4, Some(12)),
            (Obj, -0.022, 3, None),
            (Bal, -0.014, 3, None),
            (Shape, 0.001, 3, None),
        ],
    );
}
