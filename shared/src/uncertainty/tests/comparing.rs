//! Two models: how often differences are found, and what keeps them from being compared.

use rayon::prelude::*;

use super::super::{
    Comparison, Model, NoInterval, NotCompared, Options, Resampled, Test, compare, resample,
};
use super::simulation::Simulation;
use crate::dimension::Values;
use crate::metrics::records::answers;
use crate::outcome::PassKind;
use crate::quba::{Reference, Weights, score};
use crate::result::Evaluation;
use crate::{Dimension, Protocol};

type Subject = (Evaluation, Resampled);

fn subject(simulation: &Simulation, sample: u64, model: u64) -> Subject {
    with(simulation.sample(sample, model))
}

fn with(evaluation: Evaluation) -> Subject {
    let resampled = resample(&evaluation, Options::default());
    (evaluation, resampled)
}

fn compared(a: &Subject, b: &Subject, weights: &Weights) -> Comparison {
    compare(of(a), of(b), weights, &Reference::published())
}

fn of((evaluation, resampled): &Subject) -> Model<'_> {
    Model {
        evaluation,
        resampled,
    }
}

/// Shares over many samples: of intervals that contain the true difference, and of p-values up to
/// 5 %; by dimension, then of QUBA.
fn shares(first: &Simulation, second: &Simulation, samples: u64) -> Vec<(String, f64, f64)> {
    let weights = Weights::default().adjusted("cal=0,bal=0").unwrap();
    let truth = |s: &Simulation| -> Values { s.truth() };
    let score = |v: &Values| score(v, &Reference::published(), &weights).unwrap().value;
    let (x, y) = (truth(first), truth(second));
    let found: Vec<Vec<(String, bool, bool)>> = (0..samples)
        .into_par_iter()
        .map(|sample| {
            let a = subject(first, sample, 2 * sample);
            let b = subject(second, sample, 2 * sample + 1);
            let comparison = compared(&a, &b, &weights);
            let mut found = Vec::new();
            let mut add = |name: &str, truth: f64, certainty: &super::super::Certainty| {
                let inside = certainty.interval.low <= truth && truth <= certainty.interval.high;
                found.push((name.to_owned(), inside, certainty.p <= 0.05));
            };
            for (dimension, difference) in comparison.dimensions.iter() {
                let certainty = difference.as_ref().unwrap().certainty.as_ref();
                if let (Some(x), Some(y), Ok(certainty)) = (x[dimension], y[dimension], certainty) {
                    add(dimension.column(), y - x, certainty);
                }
            }
            let quba = comparison.quba.unwrap();
            add("QUBA", score(&y) - score(&x), &quba.certainty.unwrap());
            found
        })
        .collect();
    let share = |i: usize, of: fn(&(String, bool, bool)) -> bool| {
        found.iter().filter(|sample| of(&sample[i])).count() as f64 / samples as f64
    };
    let names = found[0].iter().enumerate();
    names
        .map(|(i, (name, ..))| (name.clone(), share(i, |f| f.1), share(i, |f| f.2)))
        .collect()
}

#[test]
fn equal_models_are_told_apart_one_time_in_twenty() {
    // Equally good in all dimensions, but good at other classes.
    let model = Simulation::new(10, 20, 0.7, 0.4);
    let other = Simulation::new(10, 20, 0.7, -0.4);
    let found = shares(&model, &other, 200);
    // Both decide alike on cue conflict, which leaves five dimensions and QUBA.
    assert_eq!(found.len(), 6);
    for (name, inside, significant) in found {
        // 3.5 standard errors of a share of 200, beside 2 points.
        assert!(
            (inside - 0.95).abs() < 0.02 + 3.5 * 0.0154,
            "{name}: {inside}"
        );
        assert!(
            (significant - 0.05).abs() < 0.02 + 3.5 * 0.0154,
            "{name}: {significant}"
        );
    }
}

#[test]
fn a_difference_is_found_and_its_interval_holds_it() {
    let (worse, better) = (
        Simulation::new(10, 20, 0.6, 0.3),
        Simulation::new(10, 20, 0.8, 0.3),
    );
    let found = shares(&worse, &better, 100);
    for (name, inside, significant) in found {
        assert!(
            (inside - 0.95).abs() < 0.02 + 3.5 * 0.0218,
            "{name}: {inside}"
        );
        assert!(name != "acc" || significant > 0.99, "{significant}");
    }
}

#[test]
fn accuracy_is_tested_by_mcnemar_and_passes_are_listed() {
    let model = Simulation::new(10, 12, 0.7, 0.4);
    let (a, b) = (subject(&model, 3, 0), subject(&model, 3, 1));
    let comparison = compared(&a, &b, &Weights::default());
    let accuracy = comparison.dimensions[Dimension::Accuracy].as_ref().unwrap();
    assert_eq!(accuracy.certainty.unwrap_err(), NoInterval::NoVariation);
    assert_eq!(comparison.passes.len(), a.0.passes.len());
    let cues = comparison
        .passes
        .iter()
        .find(|p| p.pass == PassKind::Sketch)
        .unwrap();
    assert!(cues.only_first + cues.only_second > 0);
    assert_eq!(comparison.held_fixed, [Dimension::CalibrationError]);
    let other = subject(&Simulation::new(10, 12, 0.6, 0.4), 3, 1);
    let comparison = compared(&a, &other, &Weights::default());
    let accuracy = comparison.dimensions[Dimension::Accuracy].as_ref().unwrap();
    let certainty = accuracy.certainty.unwrap();
    assert_eq!(certainty.test, Test::McNemar);
    let [first, second] = [&a.0, &other.0].map(|e| answers(e, PassKind::Clean).unwrap());
    let only = |one: &[bool], two: &[bool]| {
        let pairs = one.iter().zip(two);
        pairs.map(|(&one, &two)| u32::from(one && !two)).sum()
    };
    assert_eq!(
        certainty.p,
        crate::statistics::mcnemar_mid_p(only(&first, &second), only(&second, &first))
    );
    assert!((comparison.passes[0].value() - accuracy.value()).abs() < 1e-12);
}

#[test]
fn what_differs_in_more_than_the_model_is_refused_with_the_reason() {
    let model = Simulation::new(10, 12, 0.7, 0.4);
    let a = subject(&model, 3, 0);
    let reason = |change: fn(&mut Evaluation), dimension| {
        let mut evaluation = model.sample(3, 1);
        change(&mut evaluation);
        let comparison = compared(&a, &with(evaluation), &Weights::default());
        comparison.dimensions[dimension]
            .as_ref()
            .unwrap_err()
            .to_string()
    };
    insta::assert_snapshot!(
        reason(|e| e.label_set.hash = [1; 32], Dimension::Accuracy),
        @"the label sets 'test' and 'test' differ"
    );
    insta::assert_snapshot!(
        reason(|e| e.protocols[Dimension::ObjectFocus] = Protocol::Published, Dimension::ObjectFocus),
        @"measured by protocol correct and published; evaluate again with one --protocol"
    );
    insta::assert_snapshot!(
        reason(|e| e.passes[0].fingerprint = [1; 32], Dimension::AdversarialRobustness),
        @"clean: image sets differ (120 files of fingerprint 00000000 and 120 files of fingerprint 01010101); evaluate both on the same images"
    );
    insta::assert_snapshot!(
        reason(|e| e.passes.retain(|p| p.kind != PassKind::CueConflict), Dimension::ShapeBias),
        @"not measured for both"
    );
    let mut evaluation = model.sample(3, 1);
    evaluation.protocols[Dimension::ShapeBias] = Protocol::Published;
    let comparison = compared(&a, &with(evaluation), &Weights::default());
    assert!(comparison.dimensions[Dimension::Accuracy].is_ok());
    insta::assert_snapshot!(
        comparison.quba.unwrap_err(),
        @"shape bias: measured by protocol correct and published; evaluate again with one --protocol"
    );
    let few = resample(
        &a.0,
        Options {
            resamples: 10,
            ..Options::default()
        },
    );
    let comparison = compared(&a, &(a.0.clone(), few), &Weights::default());
    assert_eq!(
        comparison.dimensions[Dimension::Accuracy],
        Err(NotCompared::Options)
    );
}
