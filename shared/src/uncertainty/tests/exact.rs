//! With every image weighing 1 the weighted form is the metric itself.

use super::super::draw::{Draws, LANES};
use super::super::formula::Formula;
use super::super::layout::Layout;
use super::super::sums::Block;
use super::super::{NoInterval, Options, resample};
use super::simulation::Simulation;
use crate::Dimension;
use crate::dimension::PerDimension;
use crate::metrics::{measure, values};
use crate::quba::{Reference, Weights, score};
use crate::result::Evaluation;

fn sample(seed: u64) -> Evaluation {
    Simulation::new(10, 12, 0.7, 0.4).sample(seed, seed)
}

#[test]
fn weighing_every_image_once_gives_the_value() {
    for seed in 0..5 {
        let evaluation = sample(seed);
        let values = values(&measure(&evaluation));
        let mut layout = Layout::of(&evaluation);
        let mut formulas = PerDimension::from_fn(|d| Formula::of(d, &evaluation, &mut layout));
        for formula in formulas.0.iter_mut().flatten() {
            if let Formula::ClassBalance(classes) = formula {
                classes.leave_as_observed();
            }
        }
        let block = Block::of(&layout, &formulas, |s| Draws::once(s.images.len()));
        let mut seen = 0;
        for (dimension, formula) in formulas.iter() {
            let expected = values[dimension].unwrap();
            match formula {
                None => continue,
                // Sums of squares round otherwise than the two passes of the metric.
                Some(Formula::ClassBalance(_)) => {
                    let [accuracy, confidence] = block.balance.unwrap()[LANES - 1];
                    let found = crate::metrics::gmean(&[confidence, accuracy]);
                    assert!((found - expected).abs() < 1e-12, "{found} {expected}");
                }
                Some(formula) => {
                    let found = formula.value(|_, column| block.columns[column][3]);
                    assert_eq!(found, expected, "{dimension}");
                }
            }
            seen += 1;
        }
        assert_eq!(seen, 7);
    }
}

#[test]
fn what_has_no_interval_says_why() {
    let resampled = resample(&sample(1), Options::default());
    let reason = |d| resampled.interval(d).unwrap_err();
    assert_eq!(reason(Dimension::Parameters), NoInterval::Constant);
    assert_eq!(
        reason(Dimension::CalibrationError),
        NoInterval::AdaptiveError
    );
    let (weights, reference) = (Weights::default(), Reference::published());
    let quba = resampled.quba_interval(&weights, &reference).unwrap();
    assert_eq!(quba.held_fixed, [Dimension::CalibrationError]);
    let value = score(resampled.values(), &reference, &weights)
        .unwrap()
        .value;
    assert!(quba.interval.low < value && value < quba.interval.high);
}

#[test]
fn the_same_whatever_the_number_of_threads() {
    let evaluation = sample(2);
    let on = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        let pool = pool.build().unwrap();
        pool.install(|| resample(&evaluation, Options::default()))
    };
    assert_eq!(on(1), on(3));
    // More resamples begin with the same ones (class balance is centred over all of them).
    let more = Options {
        resamples: 1100,
        ..Options::default()
    };
    let accuracy = |options| {
        let resampled = resample(&evaluation, options);
        resampled.replicates(Dimension::Accuracy).unwrap().to_vec()
    };
    assert_eq!(accuracy(Options::default()), accuracy(more)[..1000]);
}
