//! Rank correlations of the published figures: SPEC §9 (matrix, claims 9–14) and §8.1.

use shared::Dimension::{
    self, Accuracy as Acc, AdversarialRobustness as Adv, CalibrationError as Cal,
    ClassBalance as Bal, CorruptionRobustness as Cor, ObjectFocus as Obj, OodRobustness as Ood,
    Parameters as Params, ShapeBias as Shape,
};
use shared::dimension::Values;
use shared::published::{PublishedModel, models};
use shared::statistics::{Correlation, CorrelationMatrix, spearman_matrix};

fn matrix(keep: impl Fn(&PublishedModel) -> bool) -> CorrelationMatrix {
    let kept: Vec<Values> = models()
        .iter()
        .filter(|model| keep(model))
        .map(|model| model.values)
        .collect();
    spearman_matrix(&kept)
}

fn all() -> CorrelationMatrix {
    matrix(|_| true)
}

/// Lower triangle, rows adv to params.
const EXPECTED: [&[f64]; 8] = [
    &[0.4400],
    &[0.6238, 0.0115],
    &[0.3523, -0.0808, 0.7958],
    &[-0.1186, 0.0639, 0.0778, 0.2520],
    &[0.5339, 0.0822, 0.7349, 0.7627, 0.4897],
    &[0.7172, 0.4488, 0.6400, 0.4712, 0.0879, 0.5694],
    &[0.2612, 0.1669, 0.6073, 0.6230, 0.2394, 0.5400, 0.5213],
    &[
        0.3121, 0.1781, 0.4356, 0.4339, 0.1096, 0.4749, 0.4822, 0.5299,
    ],
];

#[test]
fn the_full_matrix_is_reproduced() {
    let matrix = all();
    for (row, expected) in Dimension::ALL.into_iter().skip(1).zip(EXPECTED) {
        for (column, &rho) in Dimension::ALL.into_iter().zip(expected) {
            let found = matrix[row][column].unwrap();
            assert!(
                (found.rho - rho).abs() <= 5e-5 + 1e-9,
                "{row}, {column}: {found:?}"
            );
            assert_eq!(found.n, 326);
            assert_eq!(matrix[column][row], Some(found));
        }
        assert_eq!(matrix[row][row].map(|c| (c.rho, c.p)), Some((1.0, 0.0)));
    }
}

fn assert_p(found: Correlation, p: f64) {
    assert!((found.p - p).abs() <= 5e-4, "{found:?} against p = {p}");
}

#[test]
fn claims_9_and_14_accuracy_goes_with_ood_focus_shape_size_and_balance() {
    let matrix = all();
    for d in [Ood, Obj, Shape, Params, Bal] {
        let found = matrix[Acc][d].unwrap();
        assert!(found.rho > 0.0 && found.p < 1e-5, "{d}: {found:?}");
    }
}

#[test]
fn claim_10_accuracy_against_calibration_error_is_weak() {
    let found = all()[Acc][Cal].unwrap();
    assert!(found.rho < 0.0);
    assert_p(found, 0.032);
}

#[test]
fn claims_11_and_12_pairs_that_are_not_significant() {
    let matrix = all();
    for (a, b, p) in [
        (Adv, Cor, 0.836),
        (Adv, Ood, 0.146),
        (Adv, Cal, 0.250),
        (Cor, Cal, 0.161),
        (Adv, Bal, 0.139),
        (Obj, Cal, 0.113),
        // Borderline: crossed out in the published figure.
        (Params, Cal, 0.048),
    ] {
        assert_p(matrix[a][b].unwrap(), p);
    }
    // These and accuracy–calibration are the only ones that are not clearly significant.
    let pairs = Dimension::ALL
        .into_iter()
        .flat_map(|a| Dimension::ALL.into_iter().map(move |b| (a, b)));
    let unclear = pairs.filter(|&(a, b)| a < b && matrix[a][b].unwrap().p > 0.01);
    assert_eq!(unclear.count(), 8);
}

#[test]
fn claim_13_object_focus_goes_with_all_but_calibration() {
    let matrix = all();
    for d in Dimension::ALL.into_iter().filter(|&d| d != Obj && d != Cal) {
        let found = matrix[Obj][d].unwrap();
        assert!(found.rho > 0.448 && found.rho < 0.718, "{d}: {found:?}");
        assert!(found.p < 1e-15, "{d}: {found:?}");
    }
}

/// SPEC §8.1: without the flagged rows, other correlations appear.
#[test]
fn flagged_rows_hide_correlations() {
    let without_bn_train = matrix(|model| !model.flags.bn_train);
    let clean = matrix(PublishedModel::is_clean);
    assert_eq!(without_bn_train[Acc][Adv].unwrap().n, 245);
    assert_eq!(clean[Acc][Adv].unwrap().n, 219);
    for (a, b, everything, without, cleaned) in [
        (Adv, Cor, 0.012, 0.598, 0.654),
        (Adv, Ood, -0.081, 0.417, 0.600),
        (Adv, Bal, 0.082, 0.478, 0.657),
        (Acc, Cal, -0.119, -0.053, 0.056),
        (Obj, Cal, 0.088, 0.196, 0.148),
        (Acc, Bal, 0.534, 0.611, 0.883),
    ] {
        for (matrix, rho) in [
            (&all(), everything),
            (&without_bn_train, without),
            (&clean, cleaned),
        ] {
            let found = matrix[a][b].unwrap();
            assert!(
                (found.rho - rho).abs() <= 5e-4 + 1e-6,
                "{a}, {b}: {found:?} against {rho}"
            );
        }
    }
    for (matrix, a, b, p) in [
        (&without_bn_train, Acc, Cal, 0.41),
        (&without_bn_train, Obj, Cal, 0.002),
        (&clean, Acc, Cal, 0.41),
        (&clean, Obj, Cal, 0.03),
    ] {
        let found = matrix[a][b].unwrap();
        assert!(
            (found.p - p).abs() <= 5e-3,
            "{a}, {b}: {found:?} against p = {p}"
        );
    }
    // To their order of magnitude, as stated.
    let p = |d| without_bn_train[Adv][d].unwrap().p;
    assert!(p(Cor) < 1e-24 && p(Cor) > 1e-25);
    assert!(p(Ood) < 1.1e-11 && p(Ood) > 1e-12);
}
