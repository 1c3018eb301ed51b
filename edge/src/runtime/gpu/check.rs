//! Whether a GPU may be trusted with a model: its outputs against those of the CPU.

mod gradients;

use anyhow::Context;
use thiserror::Error;

#[cfg(test)]
pub(crate) use gradients::agreement;
pub use gradients::compare_gradients;

use crate::model::probe::test_image;
use crate::runtime::Network;

/// Largest difference to the CPU's outputs that is accepted, relative to the largest output of the
/// same image in absolute terms. Correct lowered backbones differed by at most 3.2e-5.
pub const TOLERANCE: f32 = 1e-3;

/// Images are compared in whole batches, at least this many.
const IMAGES: usize = 4;

/// Why a GPU is not trusted with a model.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum Mistrust {
    /// One of the two could not run.
    #[error("{0}")]
    Failed(String),
    /// An output is not a number.
    #[error("output {index} of test image {image} is {value} on the GPU")]
    NotFinite {
        /// Number of the image.
        image: usize,
        /// Number of the output.
        index: usize,
        /// The output.
        value: f32,
    },
    /// Outputs differ by more than [`TOLERANCE`].
    #[error(
        "the outputs of test image {image} differ from the CPU's by {difference:.1e} of the largest \
         one, more than {TOLERANCE:.0e}"
    )]
    Different {
        /// Number of the image.
        image: usize,
        /// Largest difference over largest output of the CPU.
        difference: f32,
    },
    /// The largest output is another one.
    #[error("test image {image} is class {gpu} on the GPU and class {cpu} on the CPU")]
    OtherClass {
        /// Number of the image.
        image: usize,
        /// First class with the largest output on the GPU.
        gpu: usize,
        /// First class with the largest output on the CPU.
        cpu: usize,
    },
    /// The loss is another one.
    #[error("the loss of test image {image} is {gpu} on the GPU and {cpu} on the CPU")]
    OtherLoss {
        /// Number of the image.
        image: usize,
        /// Cross entropy on the GPU.
        gpu: f32,
        /// Cross entropy on the CPU.
        cpu: f32,
    },
    /// The gradient points elsewhere.
    #[error(
        "the gradient of test image {image} has cosine {cosine:.4} and {:.1} % equal signs with the \
         CPU's, expected at least {} and {} %",
        signs * 100.0,
        gradients::COSINE,
        gradients::SIGNS * 100.0
    )]
    OtherGradient {
        /// Number of the image.
        image: usize,
        /// Cosine of the angle between both.
        cosine: f64,
        /// Share of equal signs.
        signs: f64,
    },
}

/// Compares a GPU, which runs up to `batch` images at once, with the CPU on fixed images: whole
/// batches of different images, then one image alone.
///
/// Returns the largest difference found, relative to the largest output of the image in absolute
/// terms.
///
/// # Errors
/// When the GPU is not to be trusted, with the first reason found.
pub fn compare(
    cpu: &dyn Network,
    batch: usize,
    gpu: impl FnMut(&[f32]) -> anyhow::Result<Vec<f32>>,
) -> Result<f32, Mistrust> {
    let images: Vec<Vec<f32>> = (0..images(batch))
        .map(|i| test_image(i, cpu.input_len()))
        .collect();
    let expected = on_cpu(cpu, &images).map_err(failed)?;
    compare_all(&images, &expected, batch, gpu, compare_rows)
}

/// Number of images to compare: whole batches.
fn images(batch: usize) -> usize {
    IMAGES.next_multiple_of(batch.max(1))
}

/// Compares what a GPU makes of rows with what is expected: `judge` takes the number of a row, the
/// GPU's outputs and those expected, and gives their difference.
fn compare_all(
    rows: &[Vec<f32>],
    expected: &[Vec<f32>],
    batch: usize,
    mut gpu: impl FnMut(&[f32]) -> anyhow::Result<Vec<f32>>,
    judge: impl Fn(usize, &[f32], &[f32]) -> Result<f32, Mistrust>,
) -> Result<f32, Mistrust> {
    let (count, batch) = (rows.len(), batch.max(1));
    let output = expected.first().map_or(0, Vec::len);
    let together = (0..count).step_by(batch).map(|start| start..start + batch);
    // The last one, so that a row left over from before shows.
    let alone = count - 1..count;
    let mut largest = 0.0_f32;
    for range in together.chain([alone]) {
        let outputs = gpu(&rows[range.clone()].concat()).map_err(failed)?;
        if outputs.len() != range.len() * output {
            let (got, wanted) = (outputs.len(), range.len() * output);
            let text = format!("the GPU gave {got} outputs, expected {wanted}");
            return Err(Mistrust::Failed(text));
        }
        for (image, found) in range.zip(outputs.chunks_exact(output.max(1))) {
            largest = largest.max(judge(image, found, &expected[image])?);
        }
    }
    Ok(largest)
}

fn failed(error: anyhow::Error) -> Mistrust {
    Mistrust::Failed(format!("{error:#}"))
}

fn on_cpu(cpu: &dyn Network, rows: &[Vec<f32>]) -> anyhow::Result<Vec<Vec<f32>>> {
    let mut session = cpu.session()?;
    let mut run = |row: &Vec<f32>| {
        let mut outputs = Vec::new();
        session.run(row, &mut outputs)?;
        Ok(outputs)
    };
    let outputs: anyhow::Result<_> = rows.iter().map(&mut run).collect();
    outputs.context("running a test image on the CPU")
}

fn compare_rows(image: usize, gpu: &[f32], cpu: &[f32]) -> Result<f32, Mistrust> {
    if let Some(index) = gpu.iter().position(|value| !value.is_finite()) {
        let value = gpu[index];
        return Err(Mistrust::NotFinite {
            image,
            index,
            value,
        });
    }
    let pairs = || gpu.iter().zip(cpu);
    let apart = pairs().map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
    let scale = cpu.iter().fold(0.0_f32, |m, v| m.max(v.abs()));
    let difference = if apart == 0.0 { 0.0 } else { apart / scale };
    // A CPU that is not finite itself gives NaN or an infinite scale: nothing can be shown.
    if difference.is_nan() || difference > TOLERANCE || cpu.iter().any(|v| !v.is_finite()) {
        return Err(Mistrust::Different { image, difference });
    }
    let (of_gpu, of_cpu) = (largest(gpu), largest(cpu));
    // Outputs that are equal on the CPU may come in either order.
    if cpu.get(of_gpu) != cpu.get(of_cpu) {
        return Err(Mistrust::OtherClass {
            image,
            gpu: of_gpu,
            cpu: of_cpu,
        });
    }
    Ok(difference)
}

/// The first index of the largest value.
fn largest(row: &[f32]) -> usize {
    let better = |best: usize, i: usize| if row[i] > row[best] { i } else { best };
    (0..row.len()).reduce(better).unwrap_or(0)
}

#[cfg(test)]
#[path = "check/tests.rs"]
mod tests;
