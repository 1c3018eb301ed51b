//! One model under attack on one image.

use anyhow::{Context, Result};
use shared::outcome::{Attack, AttackMethod, AttackSpace};
use shared::result::{OutputKind, Preprocessing};

use crate::model::OutputView;
use crate::perturb::attack::{self, LossGradient, Pgd, Stop, Target};
use crate::perturb::generate::Identity;
use crate::runtime::Session;
use crate::runtime::gradient::GradientSession;

/// A model's sessions as an attack sees them: a function of an image in the attack's space.
pub(super) struct Attacked<'a, 's> {
    pub(super) session: &'a mut (dyn Session + 's),
    pub(super) gradients: Option<&'a mut GradientSession<'s>>,
    pub(super) preprocessing: &'a Preprocessing,
    pub(super) output: OutputView,
    pub(super) kind: OutputKind,
    pub(super) space: AttackSpace,
    /// The model's input.
    pub(super) tensor: &'a mut Vec<f32>,
}

impl Attacked<'_, '_> {
    /// Attacks `image` (CHW, in the attack's space); returns what the model answers in the end.
    pub(super) fn attack(
        &mut self,
        image: &[f32],
        label: u32,
        attack: &Attack,
        identity: &Identity,
        seed: u64,
    ) -> Result<Vec<f32>> {
        let mut rng = identity.rng_of(seed, &attack.to_string());
        let epsilon = attack.epsilon.value();
        let norm = attack.norm;
        let pgd = |step: shared::outcome::Strength, steps, restarts| Pgd {
            norm,
            epsilon,
            step: step.value(),
            steps,
            restarts,
            random_start: true,
        };
        let changed = match attack.method {
            AttackMethod::Fgsm => attack::fgsm(self, image, label, epsilon)?,
            AttackMethod::Pgd { step, steps } => {
                let pgd = pgd(step, steps, 1);
                attack::pgd(self, image, label, &pgd, Stop::LastIterate, &mut rng)?.image
            }
            AttackMethod::WorstPgd {
                step,
                steps,
                restarts,
            } => {
                let pgd = pgd(step, steps, restarts);
                attack::pgd(self, image, label, &pgd, Stop::FirstSuccess, &mut rng)?.image
            }
            AttackMethod::Square { queries } => {
                let (width, height) = self.preprocessing.crop;
                let dims = (3, height as usize, width as usize);
                attack::square(self, image, dims, label, epsilon, queries, &mut rng)?.image
            }
        };
        let mut scores = Vec::new();
        self.raw_scores(&changed, &mut scores)?;
        Ok(scores)
    }

    /// The model's raw outputs.
    fn raw_scores(&mut self, image: &[f32], scores: &mut Vec<f32>) -> Result<()> {
        self.prepare(image);
        self.session.run(self.tensor, scores)
    }

    /// The model's input for an image in the attack's space.
    fn prepare(&mut self, image: &[f32]) {
        self.tensor.clear();
        self.tensor.extend_from_slice(image);
        if self.space == AttackSpace::Pixels {
            self.by_channel(|value, mean, std| (value - mean) / std);
        }
    }

    fn by_channel(&mut self, f: impl Fn(f32, f32, f32) -> f32) {
        let Preprocessing { mean, std, .. } = self.preprocessing;
        let plane = (self.tensor.len() / 3).max(1);
        for ((channel, mean), std) in self.tensor.chunks_exact_mut(plane).zip(mean).zip(std) {
            channel.iter_mut().for_each(|v| *v = f(*v, *mean, *std));
        }
    }
}

impl Target for Attacked<'_, '_> {
    fn scores(&mut self, image: &[f32], scores: &mut Vec<f32>) -> Result<()> {
        self.raw_scores(image, scores)?;
        self.output.keep_classes(scores, self.kind);
        Ok(())
    }

    fn loss_gradient(&mut self, image: &[f32], label: u32, out: &mut LossGradient) -> Result<()> {
        self.prepare(image);
        let target = label as usize + usize::from(self.output.drop_background);
        let gradients = self
            .gradients
            .as_mut()
            .context("the model has no gradient")?;
        out.loss = gradients.run(self.tensor, target, &mut out.scores, &mut out.gradient)?;
        self.output.keep_classes(&mut out.scores, self.kind);
        if self.space == AttackSpace::Pixels {
            std::mem::swap(self.tensor, &mut out.gradient);
            self.by_channel(|slope, _, std| slope / std);
            std::mem::swap(self.tensor, &mut out.gradient);
        }
        Ok(())
    }
}
