//! The clean set evaluated a second time, by straightforward code written from the definitions:
//! one image after the other, f64 sums, no shared metric code.

use edge::model::{LoadOptions, LoadedModel};
use edge::preprocess::{Preprocessor, decode};
use shared::outcome::{Outcomes, PassKind};
use shared::{Dimension, metrics};

use super::{data, evaluated, models};

const BINS: usize = 15;
const TOLERANCE: f64 = 1e-6;

/// Class probabilities and true class of one image.
struct Row {
    p: Vec<f32>,
    label: usize,
}

impl Row {
    fn top(&self) -> usize {
        (0..self.p.len()).fold(0, |best, j| if self.p[j] > self.p[best] { j } else { best })
    }

    fn right(&self) -> bool {
        self.top() == self.label
    }
}

/// All clean images, class folders and file names in order.
fn rows(model: &LoadedModel) -> Vec<Row> {
    let mut session = model.classifier.session().unwrap();
    let mut preprocessor = Preprocessor::new(&model.record.preprocessing).unwrap();
    let listed = |folder: &std::path::Path| {
        let entries = std::fs::read_dir(folder).unwrap();
        let mut paths: Vec<_> = entries.map(|e| e.unwrap().path()).collect();
        paths.sort();
        paths
    };
    let mut rows = Vec::new();
    for (label, class) in listed(&data().join("imagenet/val")).iter().enumerate() {
        for file in listed(class) {
            let image = decode(&std::fs::read(file).unwrap()).unwrap();
            let (mut tensor, mut logits) = (Vec::new(), Vec::new());
            preprocessor.tensor(&image, &mut tensor);
            session.run(&tensor, &mut logits).unwrap();
            let largest = logits.iter().copied().fold(f32::MIN, f32::max);
            let powers: Vec<f32> = logits.iter().map(|z| (z - largest).exp()).collect();
            let sum: f32 = powers.iter().sum();
            let p = powers.iter().map(|e| e / sum).collect();
            rows.push(Row { p, label });
        }
    }
    rows
}

/// Fifteen equal bins over the top confidence, and one more for exactly 1.
fn ece(rows: &[Row]) -> f64 {
    let mut bins = [(0.0, 0.0); BINS + 1];
    for row in rows {
        let confidence = row.p[row.top()];
        let bin = (0..=BINS)
            .rfind(|&b| b as f32 / BINS as f32 <= confidence)
            .unwrap();
        bins[bin].0 += f64::from(u8::from(row.right()));
        bins[bin].1 += f64::from(confidence);
    }
    let gaps = bins
        .iter()
        .map(|(right, confidence)| (right - confidence).abs());
    gaps.sum::<f64>() / rows.len() as f64
}

/// Per class: equally filled bins over its positive probabilities; then the mean over classes.
fn ace(rows: &[Row]) -> f64 {
    let classes = rows[0].p.len();
    let error = |class: usize| {
        let q: Vec<(f32, bool)> = rows
            .iter()
            .map(|row| (row.p[class], row.label == class))
            .filter(|(p, _)| *p > 0.0)
            .collect();
        let mut sorted: Vec<f32> = q.iter().map(|(p, _)| *p).collect();
        sorted.sort_by(f32::total_cmp);
        let n = sorted.len();
        let edge = |k: usize| {
            let position = (k as f64 * n as f64 / BINS as f64).round_ties_even() as usize;
            sorted[position.min(n - 1)]
        };
        let edges: Vec<f32> = (1..BINS).map(edge).chain([1.0]).collect();
        let mut gaps = [0.0; BINS + 1];
        for (p, positive) in q {
            let bin = edges.iter().filter(|&&e| e <= p).count();
            gaps[bin] += f64::from(u8::from(positive)) - f64::from(p);
        }
        gaps.iter().map(|g| g.abs()).sum::<f64>() / n as f64
    };
    (0..classes).map(error).sum::<f64>() / classes as f64
}

fn deviation(values: &[f64], degrees_less: usize) -> f64 {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let squares = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>();
    (squares / (values.len() - degrees_less) as f64).sqrt()
}

/// One minus the spread of class accuracies, and one minus the mean spread of the true class's
/// probability within a class.
fn balances(rows: &[Row]) -> (f64, f64) {
    let (mut accuracies, mut spreads) = (Vec::new(), Vec::new());
    for class in 0..rows[0].p.len() {
        let own: Vec<&Row> = rows.iter().filter(|row| row.label == class).collect();
        let right = own.iter().filter(|row| row.right()).count();
        accuracies.push(right as f64 / own.len() as f64);
        let truth: Vec<f64> = own.iter().map(|row| f64::from(row.p[class])).collect();
        spreads.push(deviation(&truth, 0));
    }
    let spread = spreads.iter().sum::<f64>() / spreads.len() as f64;
    (1.0 - deviation(&accuracies, 1), 1.0 - spread)
}

#[test]
fn the_metrics_of_the_clean_set_agree_with_a_naive_evaluation() {
    let model = edge::model::load(&models(1)[0], &LoadOptions::default()).unwrap();
    let rows = rows(&model);
    let out = tempfile::tempdir().unwrap();
    let evaluation = evaluated(out.path(), &["--dims", "acc,cal,bal"]);

    let pass = evaluation.passes.iter().find(|p| p.kind == PassKind::Clean);
    let Outcomes::Classified {
        predictions,
        true_confidences,
        ..
    } = &pass.unwrap().outcomes
    else {
        panic!("the clean pass holds classifications");
    };
    assert_eq!(predictions.len(), rows.len());
    for (i, row) in rows.iter().enumerate() {
        assert_eq!(predictions[i] as usize, row.top(), "image {i}");
        let difference = f64::from(true_confidences[i] - row.p[row.label]).abs();
        assert!(difference < TOLERANCE, "image {i}");
    }

    let right = rows.iter().filter(|row| row.right()).count() as f64;
    let (accuracies, confidences) = balances(&rows);
    let (ece, ace) = (ece(&rows), ace(&rows));
    let measured = metrics::measure(&evaluation);
    let near = |name: &str, found: f64, expected: f64| {
        let difference = (found - expected).abs();
        assert!(
            difference < TOLERANCE,
            "{name}: {found}, expected {expected}"
        );
    };
    for (dimension, expected, parts) in [
        (Dimension::Accuracy, right / rows.len() as f64, vec![]),
        (
            Dimension::CalibrationError,
            (ece * ace).sqrt(),
            vec![("ece", ece), ("ace", ace)],
        ),
        (
            Dimension::ClassBalance,
            (accuracies * confidences).sqrt(),
            vec![
                ("accuracy balance", accuracies),
                ("confidence balance", confidences),
            ],
        ),
    ] {
        let measurement = measured[dimension].as_ref().unwrap();
        near(dimension.name(), measurement.value, expected);
        for (name, expected) in parts {
            let part = measurement.parts.iter().find(|p| p.name == name);
            near(name, part.unwrap().value, expected);
        }
    }
}
