//! Raw outputs of one image → the record that its pass keeps.

use serde::{Deserialize, Serialize};
use shared::Protocol;
use shared::labels::LabelSet;
use shared::metrics::decision::{
    TieRule, argmax, argmax_within, decide_foreground, decide_group, softmax,
};
use shared::outcome::PassKind;
use shared::result::OutputKind;

use crate::model::OutputView;

/// What is kept of one image.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) enum Record {
    /// Clean set: prediction, its probability and that of the true class.
    Classified {
        prediction: u32,
        confidence: f32,
        true_confidence: f32,
    },
    /// Whether the decision was right.
    Correct(bool),
    /// The shape group decided for.
    Decided(u32),
    /// The outputs were not finite: no decision, counted as wrong.
    NotFinite,
}

/// Turns outputs of one model into records.
pub(super) struct Judge<'a> {
    labels: &'a LabelSet,
    foreground_of_class: Vec<Option<u32>>,
    output: OutputView,
    kind: OutputKind,
    protocol: Protocol,
}

impl<'a> Judge<'a> {
    pub(super) fn new(
        labels: &'a LabelSet,
        output: OutputView,
        kind: OutputKind,
        protocol: Protocol,
    ) -> Self {
        let foreground_of_class = labels.foreground_groups.of_classes(labels.classes.len());
        Self {
            labels,
            foreground_of_class,
            output,
            kind,
            protocol,
        }
    }

    /// The record of an image with true label `label`. `scores` are the raw outputs, of which a
    /// background class is removed; `probabilities` receives the class probabilities where the
    /// pass needs them (all zero where the outputs are not finite, which ACE ignores).
    pub(super) fn judge(
        &self,
        pass: PassKind,
        label: u32,
        scores: &mut Vec<f32>,
        probabilities: &mut Vec<f32>,
    ) -> Record {
        self.output.keep_classes(scores, self.kind);
        if !scores.iter().all(|v| v.is_finite()) {
            probabilities.clear();
            probabilities.resize(scores.len(), 0.0);
            return Record::NotFinite;
        }
        let top = argmax(scores);
        match pass {
            PassKind::Clean => {
                self.fill_probabilities(scores, probabilities);
                Record::Classified {
                    prediction: top as u32,
                    confidence: share(probabilities[top]),
                    true_confidence: share(probabilities[label as usize]),
                }
            }
            PassKind::Corruption(..) | PassKind::Attack(_) => Record::Correct(top as u32 == label),
            PassKind::Rendition => {
                Record::Correct(argmax_within(scores, &self.labels.rendition_classes) == label)
            }
            PassKind::MixedSame | PassKind::MixedRand => {
                let group = decide_foreground(scores, &self.foreground_of_class);
                Record::Correct(group == Some(label))
            }
            PassKind::Edge
            | PassKind::Silhouette
            | PassKind::Sketch
            | PassKind::Stylized
            | PassKind::CueConflict => {
                self.fill_probabilities(scores, probabilities);
                let groups = &self.labels.shape_groups;
                Record::Decided(decide_group(probabilities, groups, self.ties(pass)))
            }
        }
    }

    fn fill_probabilities(&self, scores: &[f32], probabilities: &mut Vec<f32>) {
        match self.kind {
            OutputKind::Probabilities => {
                probabilities.clear();
                probabilities.extend_from_slice(scores);
            }
            // A second softmax over probabilities is the published quirk S1; the first was the
            // model's own.
            OutputKind::Logits | OutputKind::DoubleSoftmax => softmax(scores, probabilities),
        }
    }

    /// The study's cue-conflict code alone breaks exact ties towards the last group (SPEC §1.8).
    fn ties(&self, pass: PassKind) -> TieRule {
        match (pass, self.protocol) {
            (PassKind::CueConflict, Protocol::Published) => TieRule::Last,
            _ => TieRule::First,
        }
    }
}

/// A probability without the rounding slack that graphs ending in softmax show (−3e-8, 1.0000001).
fn share(probability: f32) -> f32 {
    // Adding zero turns −0 into 0, so that equal values are equal bytes.
    probability.clamp(0.0, 1.0) + 0.0
}
