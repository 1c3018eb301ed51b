//! Attacks: small changes of an image that are searched for to make a classifier wrong.
//!
//! All are untargeted and work on one image, in the space that its [`Target`] takes: pixels in
//! [0, 1] with the normalisation inside the target, or, in the published protocol, normalised
//! values. Either way the attacked image is clamped to [0, 1], so values outside it (published
//! protocol) are attacked as if they were its nearest end. Whatever the target returns, an attacked
//! image is at most epsilon away from the clamped original, to the rounding of f32.
//!
//! Randomness comes from a generator of the image alone. An attack advances it by a number of draws that depends on its parameters, never on what the target returns.

mod fgsm;
mod pgd;
mod square;
#[cfg(test)]
mod tests;

use anyhow::ensure;
use shared::metrics::decision::argmax;

pub use fgsm::fgsm;
pub use pgd::{Pgd, Stop, pgd};
pub use square::square;

/// The largest epsilon and step: far beyond any use, and squares of it are still exact enough.
const LARGEST: f32 = 1e6;

/// One classifier under attack, on tensors of one image (channels, height, width).
pub trait Target {
    /// Replaces `scores` by the class scores (logits) of `image`.
    ///
    /// # Errors
    /// When the classifier cannot be run.
    fn scores(&mut self, image: &[f32], scores: &mut Vec<f32>) -> anyhow::Result<()>;

    /// Replaces `out` by the loss of `image` with the true class `label`, its gradient and the
    /// scores, the same ones as [`Target::scores`].
    ///
    /// # Errors
    /// When the classifier cannot be run or differentiated.
    fn loss_gradient(
        &mut self,
        image: &[f32],
        label: u32,
        out: &mut LossGradient,
    ) -> anyhow::Result<()>;
}

/// What the gradient graph returns for one image.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LossGradient {
    /// Cross entropy of the scores with the true class.
    pub loss: f32,
    /// Class scores (logits).
    pub scores: Vec<f32>,
    /// Derivative of the loss in each value of the image, in its order.
    pub gradient: Vec<f32>,
}

/// The result of an attack.
#[derive(Clone, Debug, PartialEq)]
pub struct Attacked {
    /// The changed image.
    pub image: Vec<f32>,
    /// Whether the classifier is wrong about it; scores that are not finite are wrong.
    pub misclassified: bool,
    /// Gradient steps of PGD, over all restarts, or queries of Square Attack that were made.
    pub steps: u32,
}

/// Whether these scores decide for another class than `label`: of equal scores the first wins, and
/// scores that are not finite are wrong.
pub fn misclassified(scores: &[f32], label: u32) -> bool {
    scores.is_empty()
        || scores.iter().any(|score| !score.is_finite())
        || argmax(scores) != label as usize
}

/// Runs the target, and refuses a gradient that does not fit the image.
///
/// # Errors
/// When the target fails or its gradient has another length.
pub fn loss_gradient(
    target: &mut dyn Target,
    image: &[f32],
    label: u32,
    out: &mut LossGradient,
) -> anyhow::Result<()> {
    target.loss_gradient(image, label, out)?;
    let (found, expected) = (out.gradient.len(), image.len());
    ensure!(
        found == expected,
        "the gradient has {found} values for an image of {expected}"
    );
    Ok(())
}

fn check_image(image: &[f32]) -> anyhow::Result<()> {
    ensure!(
        image.iter().all(|value| value.is_finite()),
        "the image to attack has values that are not finite"
    );
    Ok(())
}

/// Refuses an epsilon or a step, called `name`, that is not a length.
fn check_length(name: &str, length: f32) -> anyhow::Result<()> {
    ensure!(
        (0.0..=LARGEST).contains(&length),
        "{name} of an attack must be from 0 to {LARGEST}, not {length}"
    );
    Ok(())
}

/// Sign with sign(0) = 0, as the attacks are published; 0 for NaN.
fn sign(value: f32) -> f32 {
    if value > 0.0 {
        1.0
    } else if value < 0.0 {
        -1.0
    } else {
        0.0
    }
}
