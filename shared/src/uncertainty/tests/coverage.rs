//! How often 95 % intervals contain the true value.

use std::collections::BTreeMap;

use rayon::prelude::*;

use super::super::{Interval, Options, resample};
use super::simulation::Simulation;
use crate::Dimension;
use crate::dimension::Values;
use crate::metrics::{measure, values};
use crate::quba::{Reference, Weights, score};

/// The true values: closed forms, and for class balance its mean over many samples, since its
/// target is the metric on sets of this size.
fn truth(simulation: &Simulation, samples: u64) -> Values {
    let mut truth = simulation.truth();
    let balances: Vec<f64> = (0..samples)
        .into_par_iter()
        .filter_map(|seed| {
            let sample = simulation.sample(1_000_000 + seed, 1_000_000 + seed);
            values(&measure(&sample))[Dimension::ClassBalance]
        })
        .collect();
    truth[Dimension::ClassBalance] = Some(crate::statistics::mean(&balances));
    truth
}

/// Share of intervals that contain the truth, by column name, and how many lie above it.
fn coverage(simulation: &Simulation, samples: u64) -> BTreeMap<&'static str, (f64, f64)> {
    let truth = truth(simulation, 4 * samples);
    let (weights, reference) = (weights(), Reference::published());
    let quba = score(&truth, &reference, &weights).unwrap().value;
    let found: Vec<Vec<(&'static str, f64, Interval)>> = (0..samples)
        .into_par_iter()
        .map(|seed| {
            let sample = simulation.sample(seed, seed);
            let options = Options {
                seed,
                ..Options::default()
            };
            let resampled = resample(&sample, options);
            let mut found: Vec<_> = Dimension::ALL
                .into_iter()
                .filter_map(|d| Some((d.column(), truth[d]?, resampled.interval(d).ok()?)))
                .collect();
            let interval = resampled.quba_interval(&weights, &reference).unwrap();
            assert_eq!(interval.held_fixed, []);
            found.push(("QUBA", quba, interval.interval));
            found
        })
        .collect();
    let mut counts: BTreeMap<&'static str, (f64, f64)> = BTreeMap::new();
    for (name, truth, interval) in found.into_iter().flatten() {
        let (inside, above) = counts.entry(name).or_default();
        *inside += f64::from(u8::from(interval.low <= truth && truth <= interval.high));
        *above += f64::from(u8::from(interval.low > truth));
    }
    let n = samples as f64;
    counts
        .into_iter()
        .map(|(name, (a, b))| (name, (a / n, b / n)))
        .collect()
}

/// The study's weights without calibration, which has no interval.
fn weights() -> Weights {
    Weights::default().adjusted("cal=0").unwrap()
}

#[test]
fn nearly_nineteen_of_twenty_intervals_contain_the_truth() {
    let samples = 400;
    let found = coverage(&Simulation::new(10, 20, 0.7, 0.4), samples);
    assert_eq!(found.len(), 8);
    for (name, (inside, _)) in found {
        // 93 to 97 %, and 3.5 standard errors of a share of 400.
        assert!(
            (inside - 0.95).abs() < 0.02 + 3.5 * 0.0109,
            "{name}: {inside}"
        );
    }
}

#[test]
#[ignore = "takes minutes; prints the table of the module's documentation"]
fn table_of_coverage() {
    for (classes, per_class, spread) in [
        (10, 50, 0.5),
        (10, 20, 0.5),
        (100, 10, 0.5),
        (100, 10, 0.1),
        (100, 50, 0.5),
        (40, 5, 0.5),
    ] {
        let found = coverage(&Simulation::new(classes, per_class, 0.7, spread), 2000);
        let cells: Vec<String> = found
            .iter()
            .map(|(name, (inside, above))| {
                format!("{name} {:.1} ({:.1})", 100.0 * inside, 100.0 * above)
            })
            .collect();
        println!(
            "{classes} x {per_class}, spread {spread}: {}",
            cells.join(" | ")
        );
    }
}
