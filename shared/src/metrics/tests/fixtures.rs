//! The rows of `metric_fixtures.json`: predictors made by a recipe, values computed by the
//! reference implementations.

use serde_json::Value;

use super::random::SplitMix64;
use crate::metrics::balance::{ClassBalance, LabelledImage};
use crate::metrics::{accuracy, calibration, decision, gmean};

const FIXTURES: &str = include_str!("../../../tests/fixtures/metric_fixtures.json");

struct Predictor {
    labels: Vec<u32>,
    /// One row of probabilities per image.
    rows: Vec<Vec<f32>>,
}

fn fixtures() -> Value {
    serde_json::from_str(FIXTURES).unwrap()
}

fn number(value: &Value, key: &str) -> f64 {
    value[key].as_f64().unwrap_or_else(|| panic!("no {key}"))
}

/// Labels, then logits, then boosts of the true class; softmax in f64, stored as f32.
fn predictor(row: &Value) -> Predictor {
    let (n, k) = (number(row, "n") as usize, number(row, "k") as usize);
    let (gain, scale) = (number(row, "gain"), number(row, "scale"));
    let mut random = SplitMix64(row["seed"].as_u64().unwrap());
    let labels: Vec<u32> = (0..n).map(|_| random.below(k) as u32).collect();
    let mut logits: Vec<f64> = (0..n * k).map(|_| random.normal(scale)).collect();
    for (row, &label) in logits.chunks_mut(k).zip(&labels) {
        row[label as usize] += gain * random.uniform();
    }
    let softmax = |row: &[f64]| {
        let largest = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let exps: Vec<f64> = row.iter().map(|z| (z - largest).exp()).collect();
        let sum: f64 = exps.iter().sum();
        exps.iter().map(|e| (e / sum) as f32).collect()
    };
    Predictor {
        rows: logits.chunks(k).map(softmax).collect(),
        labels,
    }
}

impl Predictor {
    fn softmax_again(&self) -> Self {
        let again = |row: &Vec<f32>| {
            let mut out = Vec::new();
            decision::softmax(row, &mut out);
            out
        };
        Self {
            labels: self.labels.clone(),
            rows: self.rows.iter().map(again).collect(),
        }
    }

    fn correct(&self) -> Vec<bool> {
        let pairs = self.rows.iter().zip(&self.labels);
        pairs
            .map(|(row, &label)| decision::argmax(row) == label as usize)
            .collect()
    }

    fn ece(&self) -> f64 {
        let top = |row: &Vec<f32>| row[decision::argmax(row)];
        let confidences: Vec<f32> = self.rows.iter().map(top).collect();
        calibration::ece(&confidences, self.correct()).unwrap()
    }

    fn ace(&self) -> f64 {
        let classes = self.rows[0].len();
        let errors = (0..classes).map(|class| {
            let mut column: Vec<f32> = self.rows.iter().map(|row| row[class]).collect();
            calibration::ace_of_class(&mut column, |i| self.labels[i] as usize == class)
        });
        calibration::ace_from_classes(errors, classes)
    }

    fn balance(&self) -> ClassBalance {
        let images = self.rows.iter().zip(&self.labels).zip(self.correct());
        ClassBalance::of(images.map(|((row, &label), correct)| LabelledImage {
            label,
            correct,
            true_confidence: row[label as usize],
        }))
        .unwrap()
    }

    /// Compares every value; `f32_error` is for the balances, which the reference computes in f32
    /// and we in f64.
    #[track_caller]
    fn assert_matches(&self, expected: &Value, ece_error: f64, ace_error: f64, f32_error: f64) {
        let right = self.correct().iter().filter(|&&c| c).count() as u32;
        let balance = self.balance();
        let (ece, ace) = (self.ece(), self.ace());
        let close = |key: &str, value: f64, tolerance: f64| {
            let expected = number(expected, key);
            let error = (value - expected).abs();
            assert!(
                error <= tolerance,
                "{key}: {value} against {expected}, {error:e} apart"
            );
        };
        close(
            "acc",
            accuracy::accuracy(right, self.labels.len() as u32),
            1e-15,
        );
        close("ece", ece, ece_error);
        close("ace", ace, ace_error);
        close("cal", gmean(&[ece, ace]), ece_error.max(ace_error) + 1e-15);
        close("bal_acc", balance.accuracy, f32_error);
        close("bal_conf", balance.confidence, f32_error);
        close("bal_conf_between", balance.confidence_between, f32_error);
        close("bal", balance.value(), f32_error);
    }
}

#[test]
fn recipe_is_reproduced() {
    for row in fixtures()["rows"].as_array().unwrap() {
        let predictor = predictor(row);
        let head: Vec<u32> = serde_json::from_value(row["labels_head"].clone()).unwrap();
        assert_eq!(predictor.labels[..head.len()], head);
        let head: Vec<f32> = serde_json::from_value(row["p_head"].clone()).unwrap();
        for (value, expected) in predictor.rows[0].iter().zip(&head) {
            assert!(
                (value - expected).abs() < 1e-7,
                "{value} against {expected}"
            );
        }
        let saturated = |row: &&Vec<f32>| row[decision::argmax(row)] == 1.0;
        let count = predictor.rows.iter().filter(saturated).count();
        assert_eq!(count as f64, number(row, "n_conf1"));
    }
}

#[test]
fn metrics_match_the_reference() {
    for row in fixtures()["rows"].as_array().unwrap() {
        predictor(row).assert_matches(row, 0.0, 1e-15, 3e-8);
    }
}

/// The second softmax is f32 in both, but two exponential functions differ in the last bit.
#[test]
fn metrics_match_the_reference_after_a_second_softmax() {
    for row in fixtures()["rows"].as_array().unwrap() {
        let again = predictor(row).softmax_again();
        again.assert_matches(&row["double_softmax"], 6e-8, 1e-8, 3e-8);
    }
}

/// A right and a wrong answer in one bin cancel, in two bins they add up: so the error shows that
/// a value at a boundary and the one just below it are in different bins.
#[test]
fn ece_boundaries_are_bit_exact() {
    let bits: Vec<u32> =
        serde_json::from_value(fixtures()["ece_boundaries_f32_bits"].clone()).unwrap();
    assert_eq!(calibration::BOUNDARY_BITS.to_vec(), bits);
    for &bits in &bits[1..] {
        let at = f32::from_bits(bits);
        let below = f32::from_bits(bits - 1);
        let together = (0.5 - (at + at) / 2.0).abs();
        let apart = ((1.0 - at).abs() + below) / 2.0;
        let same = calibration::ece(&[at, at], [true, false]).unwrap();
        let split = calibration::ece(&[at, below], [true, false]).unwrap();
        assert!((same - f64::from(together)).abs() < 1e-6, "{at}");
        assert!((split - f64::from(apart)).abs() < 1e-6, "{at}");
    }
}
