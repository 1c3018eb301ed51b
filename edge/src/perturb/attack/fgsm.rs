//! Fast gradient sign method (Goodfellow et al. 2015).

use super::{LossGradient, Target, check_image, check_length, loss_gradient, sign};

/// `clamp(x + epsilon sign(g), 0, 1)` with the gradient g of the loss in x (SPEC §1.2); values
/// whose gradient is 0 or NaN are only clamped.
///
/// # Errors
/// When the image is not finite, epsilon is not from 0 to 1e6, or the target fails.
pub fn fgsm(
    target: &mut dyn Target,
    image: &[f32],
    label: u32,
    epsilon: f32,
) -> anyhow::Result<Vec<f32>> {
    check_image(image)?;
    check_length("epsilon", epsilon)?;
    let mut out = LossGradient::default();
    loss_gradient(target, image, label, &mut out)?;
    let values = image.iter().zip(&out.gradient);
    Ok(values
        .map(|(&x, &g)| (x + epsilon * sign(g)).clamp(0.0, 1.0))
        .collect())
}
