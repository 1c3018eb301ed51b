//! One worker's models under attack, image by image.

use std::sync::atomic::Ordering;

use anyhow::{Context, Result};
use shared::outcome::{Attack, AttackMethod, AttackSpace, PassKind, Start, Strength};

use super::pipeline::{ModelWork, Work};
use crate::perturb::attack::{self, LossGradient, Pgd, Stop, Target, misclassified};
use crate::perturb::generate::Identity;
use crate::runtime::Session;
use crate::runtime::gradient::{GradientSession, LossGradients};

/// About how many runs of the model a gradient takes.
const GRADIENT_COST: u64 = 3;

/// About how many runs of the model a pass takes for each image, at most.
pub(super) fn cost(kind: PassKind) -> u64 {
    let PassKind::Attack(attack) = kind else {
        return 1;
    };
    let pgd = |steps: u32| u64::from(steps) * GRADIENT_COST + 1;
    match attack.method {
        AttackMethod::Fgsm => GRADIENT_COST + 1,
        AttackMethod::Pgd { steps, .. } => pgd(steps),
        AttackMethod::WorstPgd {
            steps, restarts, ..
        } => pgd(steps).saturating_mul(u64::from(restarts)) + GRADIENT_COST,
        AttackMethod::Square { queries } => u64::from(queries) + 1,
    }
}

/// What attacks on one image of the pass have in common.
pub(super) struct Victim<'a> {
    /// CHW, in the space of the attack.
    pub(super) image: &'a [f32],
    /// The true class.
    pub(super) label: u32,
    /// What seeds random starts.
    pub(super) identity: &'a Identity,
}

/// One worker's gradient sessions, and what the attacks on one image share.
pub(super) struct Attacks<'a> {
    work: &'a Work<'a>,
    gradients: Vec<Option<GradientSession<'a>>>,
    /// By model, the scores and the gradient at the image itself.
    clean: Vec<Option<(AttackSpace, LossGradient)>>,
    /// Input of the attacked model.
    tensor: Vec<f32>,
}

impl<'a> Attacks<'a> {
    pub(super) fn new(work: &'a Work<'a>) -> Result<Self> {
        let sessions = work.models.iter();
        let sessions = sessions.map(|m| m.gradients.map(LossGradients::session).transpose());
        Ok(Self {
            work,
            gradients: sessions.collect::<Result<_>>()?,
            clean: vec![None; work.models.len()],
            tensor: Vec::new(),
        })
    }

    /// Forgets the image before.
    pub(super) fn next_image(&mut self) {
        self.clean.fill(None);
    }

    /// Attacks an image; whether the model is still right about it.
    ///
    /// An image leaves early only where that cannot change the number. Attacks that keep the worst
    /// they find do not touch what is already misclassified, and end with the first success. FGSM
    /// and PGD by SPEC §1.2 count where they end, in either protocol: a step away from the loss of
    /// a wrong answer, or past the one wrong place, can end in a right answer, so all images take
    /// all steps.
    pub(super) fn survives(
        &mut self,
        index: usize,
        session: &mut dyn Session,
        victim: &Victim,
        attack: &Attack,
    ) -> Result<bool> {
        let work = self.work;
        let mut target = Attacked {
            model: &work.models[index],
            work,
            session,
            gradients: self.gradients[index].as_mut(),
            space: attack.space,
            tensor: &mut self.tensor,
            spent: 0,
        };
        let wrong = target.misled(victim, attack, &mut self.clean[index])?;
        // What was not needed counts as done.
        let saved = cost(PassKind::Attack(*attack)).saturating_sub(target.spent);
        work.spent.fetch_add(saved, Ordering::Relaxed);
        Ok(!wrong)
    }
}

/// A model as an attack sees it: a function of an image in the attack's space.
struct Attacked<'a, 's> {
    work: &'a Work<'a>,
    model: &'a ModelWork<'a>,
    session: &'a mut dyn Session,
    gradients: Option<&'a mut GradientSession<'s>>,
    space: AttackSpace,
    /// The model's input.
    tensor: &'a mut Vec<f32>,
    /// Runs of the model so far.
    spent: u64,
}

impl Attacked<'_, '_> {
    /// Whether the model is wrong in the end.
    fn misled(
        &mut self,
        victim: &Victim,
        attack: &Attack,
        clean: &mut Option<(AttackSpace, LossGradient)>,
    ) -> Result<bool> {
        let &Victim {
            image,
            label,
            identity,
        } = victim;
        let epsilon = attack.epsilon.value();
        // Not of the strength: a stronger attack then starts in the same direction.
        let name = attack.method.name();
        let mut rng = identity.rng_of(self.work.method.seed, name);
        let pgd = |step: Strength, steps, restarts, start| Pgd {
            norm: attack.norm,
            epsilon,
            step: step.value(),
            steps,
            restarts,
            random_start: start == Start::Random,
        };
        let mut scores = Vec::new();
        match attack.method {
            AttackMethod::Fgsm => {
                let clean = self.clean(clean, image, label)?;
                let changed = attack::fgsm(image, &clean.gradient, epsilon);
                self.scores(&changed, &mut scores)?;
                Ok(misclassified(&scores, label))
            }
            AttackMethod::Pgd { step, steps, start } => {
                let pgd = pgd(step, steps, 1, start);
                let end = attack::pgd(self, image, label, &pgd, Stop::LastIterate, &mut rng)?;
                Ok(end.misclassified)
            }
            AttackMethod::WorstPgd {
                step,
                steps,
                restarts,
            } => {
                if misclassified(&self.clean(clean, image, label)?.scores, label) {
                    return Ok(true);
                }
                let pgd = pgd(step, steps, restarts, Start::Random);
                let end = attack::pgd(self, image, label, &pgd, Stop::FirstSuccess, &mut rng)?;
                Ok(end.misclassified)
            }
            AttackMethod::Square { queries } => {
                self.scores(image, &mut scores)?;
                if misclassified(&scores, label) {
                    return Ok(true);
                }
                let (width, height) = self.work.preprocessings[self.model.preprocessing].crop;
                let dims = (3, height as usize, width as usize);
                let end = attack::square(self, image, dims, label, epsilon, queries, &mut rng)?;
                Ok(end.misclassified)
            }
        }
    }

    /// Scores and gradient at the image itself, computed once for all attacks on it.
    fn clean<'c>(
        &mut self,
        known: &'c mut Option<(AttackSpace, LossGradient)>,
        image: &[f32],
        label: u32,
    ) -> Result<&'c LossGradient> {
        if known.as_ref().is_none_or(|(space, _)| *space != self.space) {
            let mut found = LossGradient::default();
            attack::loss_gradient(self, image, label, &mut found)?;
            *known = Some((self.space, found));
        }
        let (_, found) = known.as_ref().context("no gradient")?;
        Ok(found)
    }

    fn spend(&mut self, runs: u64) {
        self.spent += runs;
        self.work.spent.fetch_add(runs, Ordering::Relaxed);
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
        let preprocessing = self.work.preprocessings[self.model.preprocessing];
        let moments = preprocessing.mean.iter().zip(&preprocessing.std);
        let plane = (self.tensor.len() / 3).max(1);
        for (channel, (mean, std)) in self.tensor.chunks_exact_mut(plane).zip(moments) {
            channel.iter_mut().for_each(|v| *v = f(*v, *mean, *std));
        }
    }
}

impl Target for Attacked<'_, '_> {
    fn scores(&mut self, image: &[f32], scores: &mut Vec<f32>) -> Result<()> {
        self.prepare(image);
        self.session.run(self.tensor, scores)?;
        self.model.output.keep_classes(scores, self.model.kind);
        self.spend(1);
        Ok(())
    }

    fn loss_gradient(&mut self, image: &[f32], label: u32, out: &mut LossGradient) -> Result<()> {
        self.prepare(image);
        let target = label as usize + usize::from(self.model.output.drop_background);
        let gradients = self.gradients.as_mut();
        let gradients = gradients.context("the model has no gradient")?;
        out.loss = gradients.run(self.tensor, target, &mut out.scores, &mut out.gradient)?;
        self.model
            .output
            .keep_classes(&mut out.scores, self.model.kind);
        if self.space == AttackSpace::Pixels {
            std::mem::swap(self.tensor, &mut out.gradient);
            self.by_channel(|slope, _, std| slope / std);
            std::mem::swap(self.tensor, &mut out.gradient);
        }
        self.spend(GRADIENT_COST);
        Ok(())
    }
}
