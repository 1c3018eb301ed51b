//! Models whose true values are known, and samples of what they answer.

use crate::dimension::Values;
use crate::metrics::corruption::mean_relative_accuracy;
use crate::metrics::tests::builder;
use crate::metrics::tests::random::SplitMix64;
use crate::metrics::{adversarial, gmean, ood};
use crate::outcome::{Corruption, ImageList, Origin, Outcomes, Pass, PassKind, Severity};
use crate::result::Evaluation;
use crate::{Dimension, Protocol};

/// Shape groups; the 16-class sets have as many images of each as the clean set of a class.
pub(super) const GROUPS: u32 = 4;

/// A model seen on image sets of a size.
pub(super) struct Simulation {
    pub(super) classes: u32,
    pub(super) per_class: u32,
    /// True accuracy of each class.
    accuracies: Vec<f64>,
    /// How much of the answers to shifted images hangs on the clean image, in [0, 1].
    dependence: f64,
}

/// Whether an image is answered rightly at a share of right answers; one threshold decides for
/// all passes that show the image, but for some independent ones.
struct Image {
    label: u32,
    ease: f64,
}

impl Simulation {
    /// `spread` is the range of the class accuracies around their `mean`.
    pub(super) fn new(classes: u32, per_class: u32, mean: f64, spread: f64) -> Self {
        let at = |class: u32| mean + spread * (f64::from(class) / f64::from(classes - 1) - 0.5);
        Self {
            classes,
            per_class,
            accuracies: (0..classes).map(at).collect(),
            dependence: 0.7,
        }
    }

    fn clean(&self) -> f64 {
        self.accuracies.iter().sum::<f64>() / f64::from(self.classes)
    }

    /// True values of the dimensions that have a closed form: those of unlimited images.
    pub(super) fn truth(&self) -> Values {
        let clean = self.clean();
        let over = |share: f64| share / clean;
        let mut truth = Values::default();
        truth[Dimension::Accuracy] = Some(clean);
        truth[Dimension::AdversarialRobustness] =
            Some(gmean(&ATTACKED.map(|factor| over(factor * clean))));
        let cells = std::array::from_fn(|c| std::array::from_fn(|s| corrupted(c, s)));
        truth[Dimension::CorruptionRobustness] = Some(mean_relative_accuracy(&cells));
        truth[Dimension::OodRobustness] = Some(gmean(&SHIFTED.map(over)));
        truth[Dimension::ObjectFocus] = Some(1.0 - (MIXED[0] - MIXED[1]) / clean);
        truth[Dimension::ShapeBias] = Some(CUES[0] / (CUES[0] + CUES[1]));
        truth[Dimension::Parameters] = Some(25.557032);
        truth
    }

    /// One sample of every set, evaluated: the images of seed `sample` and what seed `model` makes
    /// of them.
    pub(super) fn sample(&self, sample: u64, model: u64) -> Evaluation {
        let pictures = &mut SplitMix64(sample);
        let random = &mut SplitMix64(1 + 2 * model);
        let mut evaluation = builder::evaluation(self.classes, GROUPS as usize);
        let images = images(self.classes, self.per_class, pictures);
        let list = push_list(&mut evaluation, 1, labels(&images), Vec::new());
        self.push_clean(&mut evaluation, list, &images, random);
        let space = adversarial::space_of(Protocol::Correct);
        for (attack, factor) in crate::outcome::Attack::scored(space)
            .into_iter()
            .zip(ATTACKED)
        {
            let share = |label: u32| factor * self.accuracies[label as usize];
            let outcomes = self.answers(&images, share, random);
            push_pass(&mut evaluation, PassKind::Attack(attack), list, outcomes);
        }
        for (c, corruption) in Corruption::SCORED.into_iter().enumerate() {
            for (s, severity) in Severity::ALL.into_iter().enumerate() {
                let share = |label: u32| corrupted(c, s) * self.accuracies[label as usize];
                let outcomes = self.answers(&images, share, random);
                let kind = PassKind::Corruption(corruption, severity);
                push_pass(&mut evaluation, kind, list, outcomes);
            }
        }
        for (number, (kind, share)) in ood::SETS.into_iter().zip(SHIFTED).enumerate() {
            let images = self.shifted(pictures);
            let identity = 2 + number as u8;
            self.push_set(&mut evaluation, kind, identity, &images, share, random);
        }
        for (number, (kind, share)) in [PassKind::MixedSame, PassKind::MixedRand]
            .into_iter()
            .zip(MIXED)
            .enumerate()
        {
            let images = self.shifted(pictures);
            let identity = 10 + number as u8;
            self.push_set(&mut evaluation, kind, identity, &images, share, random);
        }
        self.push_cues(&mut evaluation, &self.shifted(pictures));
        evaluation
    }

    fn push_clean(
        &self,
        evaluation: &mut Evaluation,
        list: u32,
        images: &[Image],
        random: &mut SplitMix64,
    ) {
        let accuracy = |image: &Image| self.accuracies[image.label as usize];
        let answer = |image: &Image| {
            let right = image.ease < accuracy(image);
            if right {
                image.label
            } else {
                (image.label + 1) % self.classes
            }
        };
        let confidence = |image: &Image, noise: f64| {
            (accuracy(image) + 0.5 * (0.5 - image.ease) + 0.2 * noise).clamp(0.0, 1.0) as f32
        };
        let outcomes = Outcomes::Classified {
            predictions: images.iter().map(answer).collect(),
            confidences: vec![0.75; images.len()],
            true_confidences: images
                .iter()
                .map(|image| confidence(image, random.uniform() - 0.5))
                .collect(),
            ace: Some(0.01),
        };
        push_pass(evaluation, PassKind::Clean, list, outcomes);
    }

    /// Answers that are right with a probability by label and depend on the ease of the image.
    fn answers(
        &self,
        images: &[Image],
        share: impl Fn(u32) -> f64,
        random: &mut SplitMix64,
    ) -> Outcomes {
        let mut right = |image: &Image| {
            let (own, drawn) = (random.uniform(), random.uniform());
            let ease = if own < self.dependence {
                image.ease
            } else {
                drawn
            };
            ease < share(image.label)
        };
        Outcomes::Correct(images.iter().map(&mut right).collect())
    }

    fn push_set(
        &self,
        evaluation: &mut Evaluation,
        kind: PassKind,
        identity: u8,
        images: &[Image],
        share: f64,
        random: &mut SplitMix64,
    ) {
        let list = push_list(evaluation, identity, labels(images), Vec::new());
        // Groups differ, so that resampling within them matters.
        let of = |group: u32| share + 0.1 * (f64::from(group) - 1.5);
        let outcomes = self.answers(images, of, random);
        push_pass(evaluation, kind, list, outcomes);
    }

    /// The images of a set that is decided between the shape groups.
    fn shifted(&self, random: &mut SplitMix64) -> Vec<Image> {
        let per_group = (self.classes * self.per_class / GROUPS).min(50);
        images(GROUPS, per_group, random)
    }

    fn push_cues(&self, evaluation: &mut Evaluation, images: &[Image]) {
        let textures: Vec<u32> = (0..GROUPS).cycle().take(images.len()).collect();
        let decide = |(image, &texture): (&Image, &u32)| {
            if image.ease < CUES[0] {
                image.label
            } else if image.ease < CUES[0] + CUES[1] {
                texture
            } else {
                GROUPS
            }
        };
        let decisions = images.iter().zip(&textures).map(decide).collect();
        let list = push_list(evaluation, 20, labels(images), textures);
        push_pass(
            evaluation,
            PassKind::CueConflict,
            list,
            Outcomes::Decided(decisions),
        );
    }
}

/// Accuracy under attack, relative to the clean one.
const ATTACKED: [f64; 2] = [0.5, 0.2];
/// Accuracy on the five shifted sets.
const SHIFTED: [f64; 5] = [0.3, 0.45, 0.6, 0.4, 0.35];
/// Accuracy with backgrounds of the same and of a random group.
const MIXED: [f64; 2] = [0.7, 0.6];
/// Share of decisions for shape and for texture.
const CUES: [f64; 2] = [0.25, 0.5];

/// Accuracy relative to the clean one.
fn corrupted(corruption: usize, severity: usize) -> f64 {
    0.95 - 0.1 * severity as f64 - 0.02 * corruption as f64
}

fn images(labels: u32, per_label: u32, random: &mut SplitMix64) -> Vec<Image> {
    let label = |i: u32| i / per_label;
    (0..labels * per_label)
        .map(|i| Image {
            label: label(i),
            ease: random.uniform(),
        })
        .collect()
}

fn labels(images: &[Image]) -> Vec<u32> {
    images.iter().map(|image| image.label).collect()
}

/// Adds the images of a complete set and returns the number of their list.
pub(super) fn push_list(
    evaluation: &mut Evaluation,
    identity: u8,
    labels: Vec<u32>,
    textures: Vec<u32>,
) -> u32 {
    let count = labels.len() as u32;
    evaluation.lists.push(ImageList {
        identity: [identity; 32],
        population: count,
        indices: (0..count).collect(),
        labels,
        textures,
    });
    evaluation.lists.len() as u32 - 1
}

/// Adds a pass over the images of a list.
pub(super) fn push_pass(
    evaluation: &mut Evaluation,
    kind: PassKind,
    list: u32,
    outcomes: Outcomes,
) {
    evaluation.passes.push(Pass {
        kind,
        origin: Origin::Stored,
        fingerprint: [0; 32],
        list,
        outcomes,
        skipped: Vec::new(),
    });
}
