//! Fast gradient sign method (Goodfellow et al. 2015).

use super::sign;

/// `clamp(x + epsilon sign(g), 0, 1)` with the gradient g of the loss in x (SPEC §1.2); values
/// whose gradient is 0 or NaN are only clamped. Both have one length.
pub fn fgsm(image: &[f32], gradient: &[f32], epsilon: f32) -> Vec<f32> {
    let values = image.iter().zip(gradient);
    values
        .map(|(&x, &g)| (x + epsilon * sign(g)).clamp(0.0, 1.0))
        .collect()
}
