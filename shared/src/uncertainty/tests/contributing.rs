//! The split of QUBA's variance against the variance itself and against a closed form.

use super::super::{Options, contributions, resample};
use super::simulation::Simulation;
use crate::Dimension;
use crate::dimension::PerDimension;
use crate::outcome::PassKind;
use crate::quba::{Reference, Weights};
use crate::statistics::standard_deviation;

fn only(dimension: Dimension) -> Weights {
    let weight = |d| if d == dimension { 1.0 } else { 0.0 };
    Weights::new(PerDimension::from_fn(weight)).unwrap()
}

fn group_of(kind: PassKind) -> Option<usize> {
    Some(match kind {
        PassKind::Clean => 0,
        PassKind::Attack(_) => 1,
        PassKind::Corruption(..) => 2,
        PassKind::CueConflict => 3,
        _ => 4,
    })
}

#[test]
fn together_the_groups_make_the_variance_of_quba() {
    let evaluation = Simulation::new(40, 20, 0.7, 0.4).sample(3, 3);
    let (weights, reference) = (Weights::default(), Reference::published());
    let options = Options::default();
    let split = contributions(&evaluation, options, &weights, &reference, 5, group_of).unwrap();
    let all = resample(&evaluation, options);
    let scores = all.quba_replicates(&weights, &reference).unwrap();
    let variance = standard_deviation(&scores, 1).powi(2);
    let sum: f64 = split.iter().flatten().sum();
    assert!((sum / variance - 1.0).abs() < 0.1, "{sum} {variance}");
    // A relative accuracy falls as the clean one rises, and both rise with easy images.
    let weights = only(Dimension::CorruptionRobustness);
    let split = contributions(&evaluation, options, &weights, &reference, 5, group_of).unwrap();
    assert!(
        split[0][0] > 0.0 && split[2][2] > 0.0 && split[0][2] < 0.0,
        "{split:?}"
    );
}

#[test]
fn a_single_share_has_the_variance_of_a_stratified_mean() {
    let (classes, per_class) = (20, 30);
    let evaluation = Simulation::new(classes, per_class, 0.7, 0.4).sample(1, 1);
    let clean = crate::metrics::records::clean(&evaluation).unwrap();
    let n = f64::from(per_class);
    let mut variance = 0.0;
    let answers: Vec<(u32, bool)> = clean.labels.iter().copied().zip(clean.correct()).collect();
    for class in 0..classes {
        let of_class = answers.iter().filter(|(label, _)| *label == class);
        let right = of_class.filter(|(_, right)| *right).count() as f64;
        let share = right / n;
        variance += share * (1.0 - share) / (n - 1.0) / f64::from(classes).powi(2);
    }
    let reference = Reference::published();
    let scale = reference.scales[Dimension::Accuracy].unwrap().std;
    let options = Options {
        resamples: 20_000,
        ..Options::default()
    };
    let weights = only(Dimension::Accuracy);
    let split = contributions(&evaluation, options, &weights, &reference, 5, group_of).unwrap();
    let expected = variance / (scale * scale);
    assert!(
        (split[0][0] / expected - 1.0).abs() < 0.05,
        "{split:?} {expected}"
    );
    let others = split[1..].concat();
    assert!(others.iter().all(|v| v.abs() < 1e-20), "{split:?}");
}
