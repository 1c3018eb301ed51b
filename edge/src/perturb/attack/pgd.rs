//! Projected gradient descent (Madry et al. 2018).

use anyhow::ensure;

use shared::outcome::Norm;

use super::{
    Attacked, LossGradient, Target, check_image, check_length, loss_gradient, misclassified, sign,
};
use crate::perturb::rng::{SplitMix64, fill_normal};

/// When an attack on an image ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// After all steps; only where they end counts. SPEC's protocol, with one restart. Nothing is
    /// left early but restarts that remain once one has succeeded.
    LastIterate,
    /// As soon as the start or an iterate of any restart is misclassified: the worst case over all
    /// of them.
    ///
    /// Not for the published number: that counts the last iterate, and a later iterate may be
    /// classified right again. Leaving early would report fewer images as right.
    FirstSuccess,
}

/// Parameters of the attack. Lengths are in units of the attacked tensor, from 0 to 1e6.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pgd {
    /// In which ball the image moves, and along what: the sign of the gradient (L-inf) or its
    /// direction (L2).
    pub norm: Norm,
    /// Radius of the ball around the image.
    pub epsilon: f32,
    /// Length of a step.
    pub step: f32,
    /// Steps of each restart. None: the start is all, without a random one the clamped image.
    pub steps: u32,
    /// How often to start, at least 1. Without a random start all would be the same, and one is
    /// made.
    pub restarts: u32,
    /// Whether to start at a uniform point of the ball instead of the image.
    pub random_start: bool,
}

/// Attacks `image` of the true class `label`:
/// `x_{t+1} = clamp(x + project(x_t + step sign(g) - x), 0, 1)` (SPEC §1.2).
///
/// The projection onto the ball comes before the clamp to [0, 1]. In L2 the step is along g/|g|,
/// with none where g is 0. Values whose gradient is NaN do not move; in L2 neither do those whose
/// gradient is infinite. The result is the first misclassified one, otherwise that of the last
/// restart.
///
/// # Errors
/// When the image is not finite, a parameter is out of range, or the target fails.
pub fn pgd(
    target: &mut dyn Target,
    image: &[f32],
    label: u32,
    pgd: &Pgd,
    stop: Stop,
    rng: &mut SplitMix64,
) -> anyhow::Result<Attacked> {
    check_image(image)?;
    check_length("epsilon", pgd.epsilon)?;
    check_length("step", pgd.step)?;
    ensure!(pgd.restarts > 0, "PGD needs at least 1 restart");
    let mut draws = rng.clone();
    rng.skip(pgd.draws(image.len()));
    let mut attacked = Attacked {
        image: image.to_vec(),
        misclassified: false,
        steps: 0,
    };
    let mut out = LossGradient::default();
    let restarts = if pgd.random_start { pgd.restarts } else { 1 };
    for _ in 0..restarts {
        pgd.start(image, &mut attacked.image, &mut draws);
        pgd.restart(target, image, label, stop, &mut attacked, &mut out)?;
        if attacked.misclassified {
            break;
        }
    }
    Ok(attacked)
}

impl Pgd {
    /// Draws that all restarts take on an image of this many values.
    fn draws(&self, values: usize) -> u64 {
        let values = values as u64;
        let each = match (self.random_start, self.norm) {
            (false, _) => 0,
            (true, Norm::LInf) => values,
            (true, Norm::L2) => 2 * values + 1,
        };
        u64::from(self.restarts) * each
    }

    /// Puts the first iterate into `current`.
    fn start(&self, image: &[f32], current: &mut [f32], rng: &mut SplitMix64) {
        match (self.random_start, self.norm) {
            (false, _) => {
                for (value, &x) in current.iter_mut().zip(image) {
                    *value = x.clamp(0.0, 1.0);
                }
            }
            (true, Norm::LInf) => {
                let epsilon = f64::from(self.epsilon);
                for (value, &x) in current.iter_mut().zip(image) {
                    *value = (x + rng.range(-epsilon, epsilon) as f32).clamp(0.0, 1.0);
                }
            }
            (true, Norm::L2) => self.start_in_ball(image, current, rng),
        }
    }

    /// A uniform point of the ball: a Gaussian direction, and the radius epsilon u^(1/n).
    fn start_in_ball(&self, image: &[f32], current: &mut [f32], rng: &mut SplitMix64) {
        let mut normal = [0.0; 64];
        for part in current.chunks_mut(normal.len()) {
            let normal = &mut normal[..part.len()];
            fill_normal(rng, normal);
            for (value, &drawn) in part.iter_mut().zip(&*normal) {
                *value = drawn as f32;
            }
        }
        let radius = libm::pow(rng.uniform(), 1.0 / image.len() as f64);
        let scale = ratio(
            f64::from(self.epsilon) * radius,
            length(current.iter().copied()),
        );
        for (value, &x) in current.iter_mut().zip(image) {
            *value = (x + (f64::from(*value) * scale) as f32).clamp(0.0, 1.0);
        }
    }

    /// Moves from the start in `attacked` to the end of one restart.
    fn restart(
        &self,
        target: &mut dyn Target,
        image: &[f32],
        label: u32,
        stop: Stop,
        attacked: &mut Attacked,
        out: &mut LossGradient,
    ) -> anyhow::Result<()> {
        for _ in 0..self.steps {
            loss_gradient(target, &attacked.image, label, out)?;
            if stop == Stop::FirstSuccess && misclassified(&out.scores, label) {
                attacked.misclassified = true;
                return Ok(());
            }
            self.step(image, &out.gradient, &mut attacked.image);
            attacked.steps = attacked.steps.saturating_add(1);
        }
        target.scores(&attacked.image, &mut out.scores)?;
        attacked.misclassified = misclassified(&out.scores, label);
        Ok(())
    }

    /// Moves `current` to the next iterate.
    fn step(&self, image: &[f32], gradient: &[f32], current: &mut [f32]) {
        match self.norm {
            Norm::LInf => {
                for ((value, &x), &g) in current.iter_mut().zip(image).zip(gradient) {
                    let change = *value + self.step * sign(g) - x;
                    *value = (x + change.clamp(-self.epsilon, self.epsilon)).clamp(0.0, 1.0);
                }
            }
            Norm::L2 => {
                let slopes = gradient
                    .iter()
                    .map(|&g| if g.is_finite() { g } else { 0.0 });
                let scale = ratio(f64::from(self.step), length(slopes.clone()));
                for (value, slope) in current.iter_mut().zip(slopes) {
                    *value = (f64::from(*value) + f64::from(slope) * scale) as f32;
                }
                self.project_to_ball(image, current);
            }
        }
    }

    fn project_to_ball(&self, image: &[f32], current: &mut [f32]) {
        let changes = current.iter().zip(image).map(|(&value, &x)| value - x);
        let scale = ratio(f64::from(self.epsilon), length(changes)).min(1.0);
        for (value, &x) in current.iter_mut().zip(image) {
            let change = (f64::from(*value - x) * scale) as f32;
            *value = (x + change).clamp(0.0, 1.0);
        }
    }
}

/// Euclidean length, in f64: a sum of squares of f32 values neither overflows nor vanishes.
fn length(values: impl Iterator<Item = f32>) -> f64 {
    values.map(|v| f64::from(v).powi(2)).sum::<f64>().sqrt()
}

/// `wanted / length`, the factor that brings a vector to a length; 0 for a vector without one.
fn ratio(wanted: f64, length: f64) -> f64 {
    if length > 0.0 { wanted / length } else { 0.0 }
}
