//! Published models imitated: complete image sets on which they have the published values.
//!
//! Whether an answer is right hangs on how hard it is: a normal number that adds up the class and
//! the image, the same for every model, the model's own view of the image, the same in all its
//! passes, and chance. Of every pass the easiest answers are right, as many as the published values
//! ask for, so accuracy, robustness, focus and shape bias are the published ones up to the rounding
//! of counts.
//!
//! Calibration and class balance say less about single images, so two choices fill in:
//! - Confidence is the chance of being right where all but chance is known, lowered by a factor that
//!   gives the expected calibration error its share of the published error ([`EXPECTED`]). The
//!   adaptive error is what then makes the whole the published one.
//! - The true class of a wrong answer gets a share of the remaining confidence, the same for all
//!   images, that makes class balance the published one.

use statrs::distribution::{ContinuousCDF, Normal};

use super::simulation::{push_list, push_pass};
use crate::metrics::balance::{ClassBalance, LabelledImage};
use crate::metrics::tests::builder;
use crate::metrics::tests::random::SplitMix64;
use crate::metrics::{adversarial, calibration, ood};
use crate::outcome::{Attack, Corruption, Outcomes, PassKind, Severity};
use crate::published::PublishedModel;
use crate::result::Evaluation;
use crate::{Dimension, Protocol};

/// Shares of the variance of hardness: class, image, the model's own view, chance. How hard an image
/// is for two models then correlates by 0.7. Assumed, not measured.
const CLASS: f64 = 0.3;
const IMAGE: f64 = 0.4;
const OWN: f64 = 0.1;
const CHANCE: f64 = 0.2;

/// Expected calibration error over the published one. Assumed for all: that of ResNet-50, for which
/// about 3.7 % is usually reported, over its published 0.0021.
const EXPECTED: f64 = 17.6;

/// Relative accuracy under each attack, over the published robustness.
const ATTACKED: [f64; 2] = [1.5, 1.0 / 1.5];
/// Relative accuracy on each shifted set, over the published robustness.
const SHIFTED: [f64; 5] = [0.7, 0.95, 1.25, 1.0, 1.0 / (0.7 * 0.95 * 1.25)];
/// Share of the cue conflicts that are decided for shape or texture.
const DECIDED: f64 = 0.65;

/// Groups of the sets that are decided between few.
const GROUPS: u32 = 16;

/// The study's sets with their labels and the images of each label.
const SETS: [(PassKind, u32, u32); 9] = [
    (PassKind::Clean, 1000, 50),
    (PassKind::Edge, GROUPS, 10),
    (PassKind::Silhouette, GROUPS, 10),
    (PassKind::Sketch, GROUPS, 50),
    (PassKind::Stylized, GROUPS, 50),
    (PassKind::Rendition, 200, 150),
    (PassKind::CueConflict, GROUPS, 80),
    (PassKind::MixedSame, 9, 450),
    (PassKind::MixedRand, 9, 450),
];

/// The images of all sets, and how hard they are for every model.
pub(super) struct Pictures(Vec<Set>);

struct Set {
    kind: PassKind,
    labels: Vec<u32>,
    hardness: Vec<f64>,
}

impl Pictures {
    pub(super) fn new(seed: u64) -> Self {
        let random = &mut SplitMix64::numbered(seed, 0);
        let set = |(kind, labels, per_label)| {
            let classes: Vec<f64> = (0..labels).map(|_| random.normal(CLASS.sqrt())).collect();
            let labels: Vec<u32> = (0..labels * per_label).map(|i| i / per_label).collect();
            let image = |&label: &u32| classes[label as usize] + random.normal(IMAGE.sqrt());
            Set {
                kind,
                hardness: labels.iter().map(image).collect(),
                labels,
            }
        };
        Self(SETS.into_iter().map(set).collect())
    }
}

/// A published model on all images.
pub(super) fn imitation(model: &PublishedModel, pictures: &Pictures, seed: u64) -> Evaluation {
    let mut imitation = Imitation {
        model,
        random: SplitMix64::numbered(seed, u64::from(model.row) + 1),
        evaluation: builder::evaluation(SETS[0].1, GROUPS as usize),
    };
    let millions = imitation.published(Dimension::Parameters);
    imitation.evaluation.model.parameters.count = (1e6 * millions).round() as u64;
    for (set, identity) in pictures.0.iter().zip(1..) {
        imitation.show(set, identity);
    }
    imitation.evaluation
}

struct Imitation<'a> {
    model: &'a PublishedModel,
    random: SplitMix64,
    evaluation: Evaluation,
}

impl Imitation<'_> {
    fn published(&self, dimension: Dimension) -> f64 {
        self.model.values[dimension].unwrap()
    }

    fn show(&mut self, set: &Set, identity: u8) {
        let own = |hardness: &f64| hardness + self.random.normal(OWN.sqrt());
        let seen: Vec<f64> = set.hardness.iter().map(own).collect();
        let textures = match set.kind {
            PassKind::CueConflict => (0..GROUPS).cycle().take(seen.len()).collect(),
            _ => Vec::new(),
        };
        let (labels, shown) = (set.labels.clone(), textures.clone());
        let list = push_list(&mut self.evaluation, identity, labels, shown);
        let outcomes = match set.kind {
            PassKind::Clean => self.clean(set, &seen),
            PassKind::CueConflict => self.decide(set, &seen, &textures),
            kind => self.answer(&seen, self.accuracy(kind)),
        };
        push_pass(&mut self.evaluation, set.kind, list, outcomes);
        if set.kind == PassKind::Clean {
            self.perturb(list, &seen);
        }
    }

    /// Accuracy on a set that is no copy of the clean one.
    fn accuracy(&self, kind: PassKind) -> f64 {
        let clean = self.published(Dimension::Accuracy);
        // A little above the clean accuracy, as models have it between nine groups.
        let same = clean + 0.05;
        match kind {
            PassKind::MixedSame => same,
            PassKind::MixedRand => same - (1.0 - self.published(Dimension::ObjectFocus)) * clean,
            _ => {
                let number = ood::SETS.iter().position(|&set| set == kind).unwrap();
                SHIFTED[number] * self.published(Dimension::OodRobustness) * clean
            }
        }
    }

    /// The passes over changed clean images.
    fn perturb(&mut self, list: u32, seen: &[f64]) {
        let clean = self.published(Dimension::Accuracy);
        let robustness = self.published(Dimension::AdversarialRobustness);
        let attacks = Attack::scored(adversarial::space_of(Protocol::Correct));
        for (attack, factor) in attacks.into_iter().zip(ATTACKED) {
            let outcomes = self.answer(seen, clean * robustness * factor);
            push_pass(
                &mut self.evaluation,
                PassKind::Attack(attack),
                list,
                outcomes,
            );
        }
        let mean = self.published(Dimension::CorruptionRobustness);
        let step = 0.2 * mean.min(1.0 - mean);
        for corruption in Corruption::SCORED {
            for severity in Severity::ALL {
                let relative = mean + step * (3.0 - f64::from(severity.get()));
                let outcomes = self.answer(seen, clean * relative);
                let kind = PassKind::Corruption(corruption, severity);
                push_pass(&mut self.evaluation, kind, list, outcomes);
            }
        }
    }

    /// How hard the answers of one pass are.
    fn hardness(&mut self, seen: &[f64]) -> Vec<f64> {
        let answer = |hardness: &f64| hardness + self.random.normal(CHANCE.sqrt());
        seen.iter().map(answer).collect()
    }

    fn answer(&mut self, seen: &[f64], share: f64) -> Outcomes {
        let right = easiest(&self.hardness(seen), share);
        Outcomes::Correct(right.into_iter().collect())
    }

    fn clean(&mut self, set: &Set, seen: &[f64]) -> Outcomes {
        let accuracy = self.published(Dimension::Accuracy);
        let right = easiest(&self.hardness(seen), accuracy);
        let error = self.published(Dimension::CalibrationError);
        let confidences = confidences(seen, accuracy, EXPECTED * error / accuracy);
        let expected = calibration::ece(&confidences, right.iter().copied()).unwrap();
        let balance = self.published(Dimension::ClassBalance);
        let answer = |(&label, &right): (&u32, &bool)| {
            if right {
                label
            } else {
                (label + 1) % SETS[0].1
            }
        };
        Outcomes::Classified {
            predictions: set.labels.iter().zip(&right).map(answer).collect(),
            true_confidences: balanced(&set.labels, &right, &confidences, balance),
            confidences,
            ace: Some(error * error / expected),
        }
    }

    /// The easiest conflicts are decided for shape, the next ones for texture.
    fn decide(&mut self, set: &Set, seen: &[f64], textures: &[u32]) -> Outcomes {
        let mut hardness = self.hardness(seen);
        let cues: Vec<(u32, u32)> = set
            .labels
            .iter()
            .zip(textures)
            .map(|(&s, &t)| (s, t))
            .collect();
        // Without a conflict: the easiest of all, and decided alike for both.
        for (hardness, (shape, texture)) in hardness.iter_mut().zip(&cues) {
            if shape == texture {
                *hardness = f64::NEG_INFINITY;
            }
        }
        let agreeing = cues.iter().filter(|(s, t)| s == t).count() as f64;
        let conflicts = cues.len() as f64 - agreeing;
        let share = |decided: f64| (agreeing + conflicts * decided) / cues.len() as f64;
        let shape = easiest(
            &hardness,
            share(DECIDED * self.published(Dimension::ShapeBias)),
        );
        let either = easiest(&hardness, share(DECIDED));
        let decide = |((&(label, texture), shape), either)| match (shape, either) {
            (true, _) => label,
            (false, true) => texture,
            (false, false) => GROUPS,
        };
        Outcomes::Decided(cues.iter().zip(shape).zip(either).map(decide).collect())
    }
}

/// Whether each is among the least hard, of which there are exactly this share.
fn easiest(hardness: &[f64], share: f64) -> Vec<bool> {
    let count = (share * hardness.len() as f64).round() as usize;
    let mut sorted = hardness.to_vec();
    let (_, &mut limit, _) = sorted.select_nth_unstable_by(count, f64::total_cmp);
    hardness.iter().map(|&h| h < limit).collect()
}

/// The chance of a right answer where all but chance is known, lowered by a share of itself.
fn confidences(hardness: &[f64], accuracy: f64, lowered: f64) -> Vec<f32> {
    let normal = Normal::standard();
    let limit = normal.inverse_cdf(accuracy);
    let chance = |h: &f64| normal.cdf((limit - h) / CHANCE.sqrt());
    let lower = |h: &f64| ((1.0 - lowered) * chance(h)) as f32;
    hardness.iter().map(lower).collect()
}

/// Probabilities of the true class that make class balance the published one, as closely as that
/// is possible.
fn balanced(labels: &[u32], right: &[bool], confidences: &[f32], target: f64) -> Vec<f32> {
    let of = |share: f32| {
        let images = right.iter().zip(confidences);
        images.map(move |(&right, &top)| {
            if right {
                top
            } else {
                (share * (1.0 - top)).min(top)
            }
        })
    };
    let balance = |share: f32| {
        let images = labels.iter().zip(right).zip(of(share));
        let image = |((&label, &correct), true_confidence)| LabelledImage {
            label,
            correct,
            true_confidence,
        };
        ClassBalance::of(images.map(image)).unwrap().value()
    };
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..16 {
        let middle = 0.5 * (low + high);
        if balance(middle) < target {
            low = middle;
        } else {
            high = middle;
        }
    }
    of(high).collect()
}
