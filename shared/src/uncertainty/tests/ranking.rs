//! How sure an order is, on simulated models.

use proptest::prelude::*;

use super::super::{NotCompared, Options, Perturbation, Resampled, Stability, resample, stability};
use super::simulation::Simulation;
use crate::quba::{Reference, Weights};
use crate::result::Evaluation;

const FIXED: Perturbation = Perturbation {
    weight_spread: 0.0,
    top: 2,
};

fn options() -> Options {
    Options {
        resamples: 600,
        ..Options::default()
    }
}

fn resampled(evaluations: &[Evaluation]) -> Vec<Resampled> {
    let of = |evaluation| resample(evaluation, options());
    evaluations.iter().map(of).collect()
}

fn ranked(models: &[Resampled], perturbation: Perturbation) -> Stability {
    let (weights, reference) = (Weights::default(), Reference::published());
    stability(models, &weights, &reference, perturbation).unwrap()
}

/// A model that is right on a share of the images.
fn model(accuracy: f64, number: u64) -> Evaluation {
    Simulation::new(10, 30, accuracy, 0.3).sample(1, number)
}

#[test]
fn far_models_are_apart_and_the_order_is_sure() {
    let models = resampled(&[model(0.4, 0), model(0.85, 1), model(0.6, 2)]);
    let found = ranked(&models, FIXED);
    let standings: Vec<_> = found.standings.iter().flatten().collect();
    assert_eq!(standings.len(), 3);
    assert!(standings[1].first > 0.99, "{standings:?}");
    assert_eq!(standings[1].ranks, (1, 1));
    assert_eq!((found.pairs, found.separated), (3, 3));
    let groups: Vec<_> = standings.iter().map(|s| s.groups.as_slice()).collect();
    assert_eq!(groups, [[2], [0], [1]]);
}

#[test]
fn equal_models_are_tied() {
    let evaluation = model(0.7, 0);
    let models = resampled(&[evaluation.clone(), evaluation, model(0.3, 1)]);
    let found = ranked(
        &models,
        Perturbation {
            weight_spread: 0.3,
            ..FIXED
        },
    );
    let standings: Vec<_> = found.standings.iter().flatten().collect();
    for equal in &standings[..2] {
        assert!((equal.first - 0.5).abs() < 0.01, "{equal:?}");
        assert!(equal.top > 0.99, "{equal:?}");
        assert_eq!(
            (equal.ranks, equal.groups.as_slice()),
            ((1, 2), [0].as_slice())
        );
    }
    assert_eq!(standings[2].groups, [1]);
}

/// Models of the same quality that answer differently: which is first is nearly open, and few
/// pairs are separated by chance.
#[test]
fn equally_good_models_are_rarely_separated() {
    let mut separated = 0;
    for sample in 0..40 {
        let quality = Simulation::new(10, 30, 0.7, 0.3);
        let evaluations: Vec<Evaluation> = (0..4)
            .map(|number| quality.sample(sample, 4 * sample + number))
            .collect();
        let found = ranked(&resampled(&evaluations), FIXED);
        assert_eq!(found.pairs, 6);
        separated += u32::from(found.separated > 0);
    }
    // 5 % of 40, and 3.5 standard errors.
    assert!(separated <= 7, "{separated}");
}

#[test]
fn uncertain_weights_widen_the_ranks() {
    let mut large = model(0.75, 0);
    let small = model(0.7, 1);
    large.model.parameters.count *= 3;
    let models = resampled(&[large, small]);
    let first = |weight_spread| {
        let found = ranked(
            &models,
            Perturbation {
                weight_spread,
                top: 1,
            },
        );
        found.standings[0].as_ref().unwrap().first
    };
    let (sure, open) = (first(0.0), first(1.0));
    assert!((open - 0.5).abs() < (sure - 0.5).abs(), "{sure} {open}");
}

#[test]
fn other_options_and_models_without_a_score() {
    let mut models = resampled(&[model(0.7, 0)]);
    models.push(resample(&model(0.7, 1), Options::default()));
    let (weights, reference) = (Weights::default(), Reference::published());
    let found = stability(&models, &weights, &reference, FIXED);
    assert_eq!(found, Err(NotCompared::Options));
    let mut empty = model(0.7, 1);
    empty.passes.clear();
    let models = resampled(&[model(0.7, 0), empty]);
    let only = "params=0".parse().unwrap();
    let found = stability(&models, &only, &reference, FIXED).unwrap();
    assert_eq!(found.standings[1], None);
    assert_eq!(
        (found.pairs, found.standings[0].as_ref().unwrap().first),
        (0, 1.0)
    );
    let nothing = stability(&[], &weights, &reference, FIXED).unwrap();
    assert!(nothing.standings.is_empty());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]
    #[test]
    fn probabilities_add_up(
        accuracies in proptest::collection::vec(0.3..0.9_f64, 1..5),
        weight_spread in 0.0..1.0_f64,
        top in 1..6_usize,
    ) {
        let evaluations: Vec<Evaluation> = accuracies
            .iter()
            .enumerate()
            .map(|(number, &accuracy)| Simulation::new(4, 8, accuracy, 0.1).sample(1, number as u64))
            .collect();
        let models = resampled(&evaluations);
        let perturbation = Perturbation { weight_spread, top };
        let found = ranked(&models, perturbation);
        prop_assert_eq!(&found, &ranked(&models, perturbation));
        let standings: Vec<_> = found.standings.iter().flatten().collect();
        let n = standings.len();
        let first: f64 = standings.iter().map(|s| s.first).sum();
        let within: f64 = standings.iter().map(|s| s.top).sum();
        prop_assert!((first - 1.0).abs() < 1e-9, "{}", first);
        prop_assert!((within - top.min(n) as f64).abs() < 1e-9, "{}", within);
        for standing in standings {
            prop_assert!(standing.first <= standing.top + 1e-12);
            let (low, high) = standing.ranks;
            prop_assert!(1 <= low && low <= high && high as usize <= n);
        }
    }
}
