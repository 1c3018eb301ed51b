//! Class balance over resampled images.
//!
//! `B_acc` is one minus the spread of the class accuracies, and part of that spread is the chance
//! of few images per class. A resample adds that chance once more, so plain replicates lie below
//! the value and vary too much. Here the class accuracies are first drawn together until their
//! spread is the part that chance does not explain; the noise of the resample then brings it back
//! to the observed one. What is left of a shift, and the one of `B_conf`, is subtracted.
//!
//! Classes of few images that were all right (or wrong) have no noise to resample, which makes
//! intervals too narrow by a few percent: deviations are widened by √(1 + 1/n), n images per class,
//! a correction found by simulation, not derived (without it 5 images per class gave 92 % coverage).
//!
//! The interval is thus for the metric on image sets of this size and composition, not for one
//! with unlimited images per class: the definition, and the constants of QUBA, are for the former.

use super::draw::{Draws, LANES};
use super::layout::Layout;
use crate::metrics::calibration::probability;
use crate::metrics::{gmean, records};
use crate::outcome::PassKind;
use crate::result::Evaluation;
use crate::statistics::{mean, standard_deviation};

/// The classes of the clean images.
pub(super) struct Classes {
    pub(super) population: usize,
    /// By stratum of the population; empty where it holds no clean image.
    classes: Vec<Class>,
    /// Classes that have images.
    used: usize,
    /// Mean of the class accuracies.
    centre: f64,
    /// What the distances from the centre are multiplied by, in [0, 1].
    shrinkage: f64,
    /// `[B_acc, B_conf]` of the images themselves.
    measured: [f64; 2],
}

#[derive(Default)]
struct Class {
    images: Vec<Image>,
    accuracy: f64,
}

struct Image {
    /// Position in the stratum.
    position: usize,
    right: bool,
    /// True-class confidence less the mean of the class.
    confidence: f64,
}

/// Sums over the classes of several resamples.
pub(super) struct Sums {
    spread: [f64; LANES],
    accuracy: [f64; LANES],
    accuracy_squared: [f64; LANES],
}

impl Default for Sums {
    fn default() -> Self {
        let zero = [0.0; LANES];
        Self {
            spread: zero,
            accuracy: zero,
            accuracy_squared: zero,
        }
    }
}

impl Classes {
    /// `None` where a class has a single image, which tells nothing of its spread.
    pub(super) fn of(evaluation: &Evaluation, layout: &Layout) -> Option<Self> {
        let (pass, _) = records::pass(evaluation, PassKind::Clean).ok()?;
        let clean = records::clean(evaluation).ok()?;
        let places = layout.places(pass.list as usize)?;
        let strata = &layout.populations.get(places.population)?.strata;
        let mut classes: Vec<Class> = strata.iter().map(|_| Class::default()).collect();
        let mut labels: Vec<Option<u32>> = vec![None; strata.len()];
        let answers = clean.correct().zip(clean.true_confidences);
        let images = places.positions.iter().zip(clean.labels).zip(answers);
        for ((&position, &label), (right, &confidence)) in images {
            let number = strata.partition_point(|s| s.images.end <= position);
            if *labels.get_mut(number)?.get_or_insert(label) != label {
                return None;
            }
            classes[number].images.push(Image {
                position: position - strata[number].images.start,
                right,
                confidence: probability(confidence)?.into(),
            });
        }
        let used = || classes.iter().filter(|class| !class.images.is_empty());
        let too_few = used().count() < 2 || used().any(|class| class.images.len() < 2);
        (!too_few).then(|| Self::centred(places.population, classes))
    }

    fn centred(population: usize, mut classes: Vec<Class>) -> Self {
        let mut accuracies = Vec::new();
        let mut noise = Vec::new();
        let mut spreads = Vec::new();
        for class in classes.iter_mut().filter(|class| !class.images.is_empty()) {
            let n = class.images.len() as f64;
            let right = class.images.iter().filter(|image| image.right).count() as f64;
            class.accuracy = right / n;
            let confidences: Vec<f64> = class.images.iter().map(|i| i.confidence).collect();
            let middle = mean(&confidences);
            spreads.push(standard_deviation(&confidences, 0));
            class.images.iter_mut().for_each(|i| i.confidence -= middle);
            accuracies.push(class.accuracy);
            noise.push(class.accuracy * (1.0 - class.accuracy) / (n - 1.0));
        }
        let spread = standard_deviation(&accuracies, 1);
        let explained = (1.0 - mean(&noise) / (spread * spread)).max(0.0);
        Self {
            population,
            classes,
            used: accuracies.len(),
            centre: mean(&accuracies),
            // Without any spread there is nothing to draw together.
            shrinkage: if spread > 0.0 { explained.sqrt() } else { 0.0 },
            measured: [1.0 - spread, 1.0 - mean(&spreads)],
        }
    }

    /// Draws no class accuracies together, for tests of the plain form.
    #[cfg(test)]
    pub(super) fn leave_as_observed(&mut self) {
        self.shrinkage = 1.0;
    }

    /// Adds the class of one stratum.
    pub(super) fn add(&self, stratum: usize, draws: &Draws, sums: &mut Sums) {
        let class = &self.classes[stratum];
        if class.images.is_empty() {
            return;
        }
        let (mut weight, mut right) = ([0u32; LANES], [0u32; LANES]);
        let (mut first, mut second) = ([0.0; LANES], [0.0; LANES]);
        for image in &class.images {
            let (x, counts) = (image.confidence, &draws.counts[image.position]);
            let answer = u32::from(image.right);
            for lane in 0..LANES {
                let count = u32::from(counts[lane]);
                weight[lane] += count;
                right[lane] += count * answer;
                first[lane] += f64::from(count) * x;
                second[lane] += f64::from(count) * (x * x);
            }
        }
        let centre = self.shrinkage * (class.accuracy - self.centre) - class.accuracy;
        for lane in 0..LANES {
            let n = f64::from(weight[lane]);
            let variance = second[lane] / n - (first[lane] / n).powi(2);
            // A NaN, of a class that was not drawn, must stay one.
            sums.spread[lane] += if variance < 0.0 { 0.0 } else { variance.sqrt() };
            let accuracy = f64::from(right[lane]) / n + centre;
            sums.accuracy[lane] += accuracy;
            sums.accuracy_squared[lane] += accuracy * accuracy;
        }
    }

    /// `[B_acc, B_conf]` of each lane.
    pub(super) fn factors(&self, sums: &Sums) -> [[f64; 2]; LANES] {
        let n = self.used as f64;
        std::array::from_fn(|lane| {
            let sum = sums.accuracy[lane];
            let variance = (sums.accuracy_squared[lane] - sum * sum / n) / (n - 1.0);
            let spread = if variance < 0.0 { 0.0 } else { variance.sqrt() };
            [1.0 - spread, 1.0 - sums.spread[lane] / n]
        })
    }

    /// Class balance of each resample, its two factors centred on the measured ones.
    pub(super) fn centred_values(&self, factors: &[[f64; 2]]) -> Vec<f64> {
        let centre = |factor: usize| {
            let all: Vec<f64> = factors.iter().map(|f| f[factor]).collect();
            mean(&all)
        };
        let centres = [centre(0), centre(1)];
        let images: usize = self.classes.iter().map(|class| class.images.len()).sum();
        let widening = (1.0 + self.used as f64 / images as f64).sqrt();
        let factor = |f: &[f64; 2], i: usize| self.measured[i] + widening * (f[i] - centres[i]);
        let value = |f: &[f64; 2]| gmean(&[factor(f, 0), factor(f, 1)]);
        factors.iter().map(value).collect()
    }
}
