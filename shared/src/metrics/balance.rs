//! Class balance (SPEC §1.6): how evenly accuracy and confidence are spread.

use super::calibration::probability;
use super::{Measured, Measurement, NotMeasured, Part, gmean, records};
use crate::dimension::Dimension;
use crate::protocol::Protocol;
use crate::result::Evaluation;

/// What one clean image contributes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LabelledImage {
    /// True class.
    pub label: u32,
    /// Whether top-1 was right.
    pub correct: bool,
    /// Softmax probability of the true class, in [0, 1].
    pub true_confidence: f32,
}

/// Class balance over the classes that have images.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClassBalance {
    /// `B_acc`: one minus the spread (ddof 1) of the class accuracies; at least 0.29.
    pub accuracy: f64,
    /// `B_conf`: one minus the mean over the classes of the spread (ddof 0) of true-class
    /// confidences *within* the class, as the study's code has it; at least 0.5.
    pub confidence: f64,
    /// `B_conf'`: one minus the spread (ddof 1) *between* the mean true-class confidences of the
    /// classes, as the study's text has it; at least 0.29.
    pub confidence_between: f64,
    /// Number of classes that have images.
    pub classes_used: u32,
}

impl ClassBalance {
    /// Computes the balances; `None` if fewer than two classes have images, since one has no
    /// spread.
    ///
    /// Images of one class are taken in the given order, whatever lies between them.
    pub fn of(images: impl IntoIterator<Item = LabelledImage>) -> Option<Self> {
        // Grouping by sorting, not by a table of classes: its size would be up to the file.
        let mut images: Vec<LabelledImage> = images.into_iter().collect();
        images.sort_by_key(|image| image.label);
        let mut accuracies = Vec::new();
        let mut confidences = Vec::new();
        let mut spreads = Vec::new();
        for class in images.chunk_by(|a, b| a.label == b.label) {
            let right = class.iter().filter(|image| image.correct).count();
            let values = || class.iter().map(|image| f64::from(image.true_confidence));
            accuracies.push(right as f64 / class.len() as f64);
            confidences.push(mean(values(), class.len()));
            spreads.push(standard_deviation(values(), class.len(), 0));
        }
        let classes = accuracies.len();
        (classes >= 2).then(|| Self {
            accuracy: 1.0 - standard_deviation(accuracies.iter().copied(), classes, 1),
            confidence: 1.0 - mean(spreads.iter().copied(), classes),
            confidence_between: 1.0 - standard_deviation(confidences.iter().copied(), classes, 1),
            classes_used: records::count(classes),
        })
    }

    /// The dimension: geometric mean of `B_conf` and `B_acc`, the form that QUBA's constants are
    /// for.
    pub fn value(&self) -> f64 {
        gmean(&[self.confidence, self.accuracy])
    }

    /// The described form: geometric mean of `B_conf'` and `B_acc`.
    pub fn between(&self) -> f64 {
        gmean(&[self.confidence_between, self.accuracy])
    }
}

fn mean(values: impl Iterator<Item = f64>, count: usize) -> f64 {
    values.sum::<f64>() / count as f64
}

/// Two passes, so that equal values have no spread.
fn standard_deviation(values: impl Iterator<Item = f64> + Clone, count: usize, ddof: usize) -> f64 {
    let centre = mean(values.clone(), count);
    let squares: f64 = values.map(|v| (v - centre) * (v - centre)).sum();
    (squares / (count - ddof) as f64).sqrt()
}

/// Parts: the two factors, the described form, and the number of classes used.
pub(super) fn measure(evaluation: &Evaluation) -> Measured {
    let clean = records::clean(evaluation)?;
    let true_confidences = clean.true_confidences.iter().map(|&c| probability(c));
    let true_confidences: Option<Vec<f32>> = true_confidences.collect();
    let true_confidences = true_confidences
        .ok_or_else(|| NotMeasured::Undefined("a confidence is not a probability".to_owned()))?;
    let records = clean
        .labels
        .iter()
        .zip(clean.correct())
        .zip(true_confidences);
    let images = records.map(|((&label, correct), true_confidence)| LabelledImage {
        label,
        correct,
        true_confidence,
    });
    let balance = ClassBalance::of(images)
        .ok_or_else(|| NotMeasured::Undefined("fewer than two classes have images".to_owned()))?;
    let classes = evaluation.label_set.classes;
    let published = evaluation.protocols[Dimension::ClassBalance] == Protocol::Published;
    if published && balance.classes_used < classes {
        let empty = classes - balance.classes_used;
        return Err(NotMeasured::Undefined(format!(
            "{empty} of {classes} classes have no image, which the published protocol needs"
        )));
    }
    Ok(Measurement {
        value: balance.value(),
        images: clean.images(),
        parts: vec![
            Part::new("accuracy balance", balance.accuracy),
            Part::new("confidence balance", balance.confidence),
            Part::new("between-class balance", balance.between()),
            Part::new("classes used", f64::from(balance.classes_used)),
        ],
    })
}
