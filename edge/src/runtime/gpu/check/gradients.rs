//! Whether a GPU may be trusted with gradients: by direction and by sign.
//!
//! Where a value lies near the kink of a Relu, or two lie near a tie of a maximum, rounding decides
//! which way the gradient goes: two correct engines differ there, by more in deeper networks, so
//! that single values say nothing.

use super::{Mistrust, TOLERANCE, compare_all, compare_rows, failed, images};
use crate::model::probe::test_image;
use crate::runtime::gradient::LossGradients;

/// Smallest cosine of the angle between the gradient of the GPU and that of the CPU. Correct lowered
/// backbones had at least 0.9998.
pub const COSINE: f64 = 0.99;

/// Smallest share of equal signs, among values of at least [`NEGLIGIBLE`]. Correct lowered backbones
/// had at least 0.996.
pub const SIGNS: f64 = 0.98;

/// Values smaller than this, relative to the largest of the gradient, have no sign to rely on.
const NEGLIGIBLE: f32 = 1e-4;

/// Compares the losses and gradients of a GPU, which runs up to `batch` rows at once, with those of
/// the CPU on fixed images.
///
/// Returns the largest difference of the scores, relative to the largest one of the image.
///
/// # Errors
/// When the GPU is not to be trusted, with the first reason found.
pub fn compare_gradients(
    cpu: &LossGradients,
    batch: usize,
    gpu: impl FnMut(&[f32]) -> anyhow::Result<Vec<f32>>,
) -> Result<f32, Mistrust> {
    let cases = (0..images(batch)).map(|number| case(cpu, number));
    let cases: anyhow::Result<Vec<_>> = cases.collect();
    let (rows, expected): (Vec<_>, Vec<_>) = cases.map_err(failed)?.into_iter().unzip();
    compare_all(&rows, &expected, batch, gpu, |image, gpu, cpu_row| {
        let (scores, loss, gradient) = cpu.parts(cpu_row);
        let (gpu_scores, gpu_loss, gpu_gradient) = cpu.parts(gpu);
        let difference = compare_rows(image, gpu_scores, scores)?;
        compare_losses(image, gpu_loss, loss, scores)?;
        compare_directions(image, gpu_gradient, gradient)?;
        Ok(difference)
    })
}

/// A row and what the CPU makes of it. Its target is not the class that the model decides for: the
/// gradient towards that one may be next to nothing.
fn case(cpu: &LossGradients, number: usize) -> anyhow::Result<(Vec<f32>, Vec<f32>)> {
    let image = test_image(number, cpu.image_len());
    let mut session = cpu.network().session()?;
    let mut outputs = Vec::new();
    let mut row = Vec::new();
    for shift in [0, 1] {
        let target = (number + shift) % cpu.classes();
        cpu.fill_row(&image, target, &mut row)?;
        session.run(&row, &mut outputs)?;
        let (scores, ..) = cpu.parts(&outputs);
        if super::largest(scores) != target {
            break;
        }
    }
    Ok((row, outputs))
}

fn compare_losses(image: usize, gpu: f32, cpu: f32, scores: &[f32]) -> Result<(), Mistrust> {
    let scale = scores
        .iter()
        .fold(cpu.abs().max(1.0), |m, v| m.max(v.abs()));
    let difference = (gpu - cpu).abs() / scale;
    if difference.is_nan() || difference > TOLERANCE {
        return Err(Mistrust::OtherLoss { image, gpu, cpu });
    }
    Ok(())
}

fn compare_directions(image: usize, gpu: &[f32], cpu: &[f32]) -> Result<(), Mistrust> {
    if gpu == cpu {
        return Ok(());
    }
    let (cosine, signs) = agreement(gpu, cpu);
    // Not a number where either is not finite, or 0 alone.
    if cosine >= COSINE && signs >= SIGNS {
        Ok(())
    } else {
        Err(Mistrust::OtherGradient {
            image,
            cosine,
            signs,
        })
    }
}

/// The cosine of the angle between two gradients, and the share of equal signs where the second is
/// not negligible.
pub(crate) fn agreement(gpu: &[f32], cpu: &[f32]) -> (f64, f64) {
    let pairs = || gpu.iter().zip(cpu);
    let (mut dot, mut of_gpu, mut of_cpu) = (0.0, 0.0, 0.0);
    for (a, b) in pairs().map(|(&a, &b)| (f64::from(a), f64::from(b))) {
        dot += a * b;
        of_gpu += a * a;
        of_cpu += b * b;
    }
    let least = NEGLIGIBLE * cpu.iter().fold(0.0_f32, |most, v| most.max(v.abs()));
    let (mut equal, mut all) = (0_u64, 0_u64);
    for (a, b) in pairs().filter(|(_, b)| b.abs() > least) {
        all += 1;
        equal += u64::from(a.signum() == b.signum());
    }
    // The product of the lengths, not the length of the product: squares of f32 are far from the
    // ends of f64.
    (
        dot / (of_gpu.sqrt() * of_cpu.sqrt()),
        equal as f64 / all as f64,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directions() {
        let cpu: Vec<f32> = (0..200).map(|i| (i as f32 - 99.5) * 1e-6).collect();
        assert!(compare_directions(0, &cpu, &cpu).is_ok());
        let longer: Vec<f32> = cpu.iter().map(|v| v * 1.001).collect();
        assert!(compare_directions(0, &longer, &cpu).is_ok());
        let opposite: Vec<f32> = cpu.iter().map(|v| -v).collect();
        let error = compare_directions(3, &opposite, &cpu).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the gradient of test image 3 has cosine -1.0000 and 0.0 % equal signs with the CPU's, \
             expected at least 0.99 and 98 %"
        );
        // A few values the other way: the cosine alone would not tell.
        let mut few = cpu.clone();
        few[97..103].reverse();
        let (cosine, signs) = agreement(&few, &cpu);
        assert!(cosine > COSINE && signs < SIGNS);
        assert!(compare_directions(0, &few, &cpu).is_err());
    }

    #[test]
    fn vanishing_and_broken_gradients() {
        let zero = [0.0_f32; 3];
        assert!(compare_directions(0, &zero, &zero).is_ok());
        assert!(compare_directions(0, &zero, &[0.0, 1.0, 0.0]).is_err());
        assert!(compare_directions(0, &[0.0, 1.0, 0.0], &zero).is_err());
        for broken in [f32::NAN, f32::INFINITY] {
            assert!(compare_directions(0, &[broken, 1.0, 0.0], &[1.0, 1.0, 0.0]).is_err());
            assert!(compare_directions(0, &[1.0, 1.0, 0.0], &[broken, 1.0, 0.0]).is_err());
        }
    }

    #[test]
    fn losses() {
        assert!(compare_losses(0, 6.907, 6.9075, &[0.1, 0.2]).is_ok());
        assert!(compare_losses(0, 6.8, 6.9, &[0.1, 0.2]).is_err());
        assert!(compare_losses(0, 6.8, 6.9, &[0.1, -200.0]).is_ok());
        assert!(compare_losses(0, f32::NAN, 6.9, &[0.1]).is_err());
    }
}
