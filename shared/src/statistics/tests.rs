//! Associations against exact values, published ones and what must always hold.

use proptest::prelude::*;

use super::*;
use crate::dimension::Direction::HigherIsBetter;

/// One line of SPEC §6.6's table and of what was recomputed with scipy 1.17.1.
struct Subset {
    ecology: bool,
    from: f64,
    n: usize,
    /// R², Spearman, Kendall.
    values: [f64; 3],
    /// Their intervals.
    intervals: [[f64; 2]; 3],
    misranked: f64,
}

const SUBSETS: [Subset; 5] = [
    Subset {
        ecology: true,
        from: 0.0,
        n: 84,
        values: [0.555, 0.858, 0.685],
        intervals: [[0.44, 0.68], [0.77, 0.92], [0.60, 0.76]],
        misranked: 0.158,
    },
    Subset {
        ecology: true,
        from: 0.75,
        n: 63,
        values: [0.579, 0.768, 0.617],
        intervals: [[0.34, 0.78], [0.58, 0.90], [0.48, 0.74]],
        misranked: 0.192,
    },
    Subset {
        ecology: true,
        from: 0.8,
        n: 55,
        values: [0.363, 0.688, 0.556],
        intervals: [[0.11, 0.73], [0.44, 0.88], [0.38, 0.71]],
        misranked: 0.222,
    },
    Subset {
        ecology: false,
        from: 0.0,
        n: 78,
        values: [0.602, 0.924, 0.758],
        intervals: [[0.52, 0.73], [0.88, 0.95], [0.70, 0.81]],
        misranked: 0.121,
    },
    Subset {
        ecology: false,
        from: 0.75,
        n: 61,
        values: [0.732, 0.876, 0.697],
        intervals: [[0.60, 0.84], [0.79, 0.92], [0.61, 0.77]],
        misranked: 0.151,
    },
];

/// Accuracy on ImageNet and mean of nine tasks of the public leaderboard's 84 complete checkpoints.
fn biobench(ecology: bool) -> (Vec<f64>, Vec<f64>) {
    let table = include_str!("../../tests/fixtures/biobench.csv");
    csv::Reader::from_reader(table.as_bytes())
        .records()
        .map(Result::unwrap)
        .filter(|row| ecology || &row[1] == "no")
        .map(|row| {
            (
                row[2].parse::<f64>().unwrap(),
                row[3].parse::<f64>().unwrap(),
            )
        })
        .unzip()
}

#[test]
fn biobench_as_specified() {
    for subset in SUBSETS {
        let (x, y) = biobench(subset.ecology);
        let steps = threshold_sweep(&x, HigherIsBetter, &[subset.from], 10);
        let of = |values: &[f64]| {
            steps[0]
                .kept
                .iter()
                .map(|&i| values[i])
                .collect::<Vec<f64>>()
        };
        let found = associate(&of(&x), &of(&y), Sampling::default()).unwrap();
        assert_eq!(found.n, subset.n);
        let estimates = [found.r_squared, found.spearman, found.kendall];
        let expected = subset.values.into_iter().zip(subset.intervals);
        for (found, (value, [low, high])) in estimates.into_iter().zip(expected) {
            assert!((found.value - value).abs() < 1e-3, "{found:?} {value}");
            let interval = found.interval.unwrap();
            assert!((interval.low - low).abs() <= 0.02 + 5e-3, "{found:?} {low}");
            assert!(
                (interval.high - high).abs() <= 0.02 + 5e-3,
                "{found:?} {high}"
            );
        }
        assert!((misranking(found.kendall.value) - subset.misranked).abs() < 1e-3);
        // None of the permutations comes near.
        assert_eq!(
            (found.spearman_p, found.kendall_p),
            (1.0 / 5001.0, 1.0 / 5001.0)
        );
        let selection = select(&x, &y, [HigherIsBetter; 2]).unwrap();
        assert_eq!(selection.regret, 0.0, "SigLIP2 1B/16 leads in both");
    }
}

/// The claims of the texts that SPEC §6.6 found not to reproduce.
#[test]
fn biobench_sweep() {
    let (x, _) = biobench(true);
    let steps = threshold_sweep(
        &x,
        HigherIsBetter,
        &default_thresholds(&x, HigherIsBetter),
        10,
    );
    let counts: Vec<usize> = steps.iter().map(|step| step.kept.len()).collect();
    assert_eq!(counts[0], 84);
    assert!(counts.is_sorted_by(|a, b| a > b) && counts.iter().all(|&n| n >= 10));
    assert!(
        steps
            .iter()
            .any(|step| step.at == 0.8 && step.kept.len() == 55)
    );
}

/// All 5040 permutations of seven pairs, counted with numpy and scipy 1.17.1.
#[test]
fn p_values_are_near_those_of_all_permutations() {
    let x = [0.1, 0.4, 0.4, 0.9, 0.2, 0.7, 0.4];
    let y = [3.0, 1.0, 2.0, 2.0, 9.0, 4.0, 4.0];
    let p = |alternative| {
        let sampling = Sampling {
            resamples: 20_000,
            alternative,
            ..Sampling::default()
        };
        let found = associate(&x, &y, sampling).unwrap();
        [found.spearman_p, found.kendall_p]
    };
    let near = |found: [f64; 2], expected: [f64; 2]| {
        // Five standard errors of a share of 20,000.
        let pairs = found.iter().zip(expected);
        pairs.map(|(a, b)| (a - b).abs()).all(|d| d < 0.018)
    };
    let two_sided = p(Alternative::TwoSided);
    assert!(near(two_sided, [0.580952, 0.619048]), "{two_sided:?}");
    let positive = p(Alternative::Positive);
    assert!(near(positive, [0.766667, 0.766667]), "{positive:?}");
}

/// Figures without any association: 5 % of the p-values are at most 5 %, 95 % of the intervals of
/// τ hold 0.
#[test]
fn chance_is_recognised() {
    let mut random = crate::random::SplitMix64::new(5);
    let sampling = Sampling {
        resamples: 400,
        ..Sampling::default()
    };
    let (mut small, mut inside) = (0, 0);
    for _ in 0..400 {
        let mut draw = || (0..40).map(|_| random.uniform()).collect::<Vec<f64>>();
        let found = associate(&draw(), &draw(), sampling).unwrap();
        small += u32::from(found.kendall_p <= 0.05);
        let interval = found.kendall.interval.unwrap();
        inside += u32::from(interval.low <= 0.0 && 0.0 <= interval.high);
    }
    // 3.5 standard errors of a share of 400 are 15; percentile intervals of 40 points are a little
    // narrow.
    assert!(small.abs_diff(20) <= 15, "{small}");
    assert!(inside.abs_diff(376) <= 18, "{inside}");
}

#[test]
fn few_models_have_no_interval() {
    // Three models drawn thrice: one draw in nine holds a single model.
    let found = associate(&[1.0, 2.0, 3.0], &[1.0, 2.0, 4.0], Sampling::default()).unwrap();
    assert_eq!((found.spearman.value, found.spearman.interval), (1.0, None));
    assert_eq!(
        associate(&[1.0, 2.0], &[1.0, 2.0], Sampling::default()),
        None
    );
    assert_eq!(
        associate(&[1.0; 4], &[1.0, 2.0, 3.0, 4.0], Sampling::default()),
        None
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    #[test]
    fn associations_are_bounded_and_deterministic(
        pairs in proptest::collection::vec((0..9_i32, 0..9_i32), 3..20),
        seed: u64,
    ) {
        let (x, y): (Vec<f64>, Vec<f64>) =
            pairs.iter().map(|&(x, y)| (f64::from(x), f64::from(y))).unzip();
        let sampling = Sampling { seed, resamples: 60, ..Sampling::default() };
        let found = associate(&x, &y, sampling);
        prop_assert_eq!(found, associate(&x, &y, sampling));
        prop_assert_eq!(found.is_some(), spearman(&x, &y).is_some());
        if let Some(found) = found {
            prop_assert!((0.0..=1.0).contains(&found.r_squared.value));
            for p in [found.spearman_p, found.kendall_p] {
                prop_assert!(p > 0.0 && p <= 1.0);
            }
            let turned: Vec<f64> = y.iter().map(|y| -y).collect();
            let turned = associate(&x, &turned, sampling).unwrap();
            prop_assert!((turned.kendall.value + found.kendall.value).abs() < 1e-12);
            prop_assert_eq!(turned.kendall_p, found.kendall_p);
            prop_assert!((turned.r_squared.value - found.r_squared.value).abs() < 1e-12);
        }
    }
}
