//! Whether a GPU may be trusted with a model: its outputs against those of the CPU.

use anyhow::Context;
use thiserror::Error;

use crate::runtime::Classifier;

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
    cpu: &dyn Classifier,
    batch: usize,
    mut gpu: impl FnMut(&[f32]) -> anyhow::Result<Vec<f32>>,
) -> Result<f32, Mistrust> {
    let (input, output) = (cpu.input_len(), cpu.output_len());
    let batch = batch.max(1);
    let count = IMAGES.next_multiple_of(batch);
    let images: Vec<Vec<f32>> = (0..count).map(|i| image(i, input)).collect();
    let expected = on_cpu(cpu, &images).map_err(failed)?;
    let together = (0..count).step_by(batch).map(|start| start..start + batch);
    // The last one, so that a row left over from before shows.
    let alone = count - 1..count;
    let mut largest = 0.0_f32;
    for range in together.chain([alone]) {
        let outputs = gpu(&images[range.clone()].concat()).map_err(failed)?;
        if outputs.len() != range.len() * output {
            let (got, wanted) = (outputs.len(), range.len() * output);
            let text = format!("the GPU gave {got} outputs, expected {wanted}");
            return Err(Mistrust::Failed(text));
        }
        for (image, row) in range.zip(outputs.chunks_exact(output.max(1))) {
            largest = largest.max(compare_rows(image, row, &expected[image])?);
        }
    }
    Ok(largest)
}

fn failed(error: anyhow::Error) -> Mistrust {
    Mistrust::Failed(format!("{error:#}"))
}

fn on_cpu(cpu: &dyn Classifier, images: &[Vec<f32>]) -> anyhow::Result<Vec<Vec<f32>>> {
    let mut session = cpu.session()?;
    let mut run = |image: &Vec<f32>| {
        let mut outputs = Vec::new();
        session.run(image, &mut outputs)?;
        Ok(outputs)
    };
    let outputs: anyhow::Result<_> = images.iter().map(&mut run).collect();
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

/// Fixed images spread as normalised ones are: a ramp, then noise, each from its own state.
fn image(number: usize, len: usize) -> Vec<f32> {
    if number == 0 {
        return (0..len)
            .map(|i| 4.0 * i as f32 / len as f32 - 2.0)
            .collect();
    }
    let mut state = number as u32;
    let noise = (0..len).map(|_| {
        // Numerical Recipes' linear congruential generator: all that matters is that it is fixed.
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as f32 / (1 << 22) as f32 - 2.0
    });
    noise.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runtime::Session;

    /// Outputs: the sum, its negative, and the first value of an image of 6.
    struct Sums;

    fn sums(image: &[f32]) -> Vec<f32> {
        let sum = image.iter().sum();
        vec![sum, -sum, image[0]]
    }

    impl Classifier for Sums {
        fn input_len(&self) -> usize {
            6
        }
        fn output_len(&self) -> usize {
            3
        }
        fn engine(&self) -> shared::result::Engine {
            crate::runtime::tract::engine()
        }
        fn session(&self) -> anyhow::Result<Box<dyn Session + '_>> {
            Ok(Box::new(Self))
        }
    }

    impl Session for Sums {
        fn run(&mut self, tensor: &[f32], outputs: &mut Vec<f32>) -> anyhow::Result<()> {
            *outputs = sums(tensor);
            Ok(())
        }
    }

    fn rows(images: &[f32]) -> Vec<Vec<f32>> {
        images.chunks_exact(6).map(sums).collect()
    }

    #[test]
    fn equal_outputs_are_trusted() {
        for batch in [1, 3, 4, 9] {
            let mut seen = Vec::new();
            let compared = compare(&Sums, batch, |images| {
                seen.push(images.len() / 6);
                Ok(rows(images).concat())
            });
            assert_eq!(compared, Ok(0.0));
            let alone = seen.pop();
            assert_eq!(alone, Some(1));
            assert!(seen.iter().all(|n| *n == batch) && seen.iter().sum::<usize>() >= 4);
        }
    }

    #[test]
    fn small_differences_are_trusted_and_reported() {
        let near = compare(&Sums, 2, |images| {
            Ok(rows(images).concat().iter().map(|v| v * 1.0001).collect())
        });
        let difference = near.unwrap();
        assert!((9e-5..1.1e-4).contains(&difference), "{difference}");
        let far = compare(&Sums, 2, |images| {
            Ok(rows(images).concat().iter().map(|v| v * 1.01).collect())
        });
        let message = far.unwrap_err().to_string();
        assert_eq!(
            message,
            "the outputs of test image 0 differ from the CPU's by 1.0e-2 of the largest one, more \
             than 1e-3"
        );
    }

    #[test]
    fn a_later_row_of_the_batch_counts() {
        let stale = compare(&Sums, 4, |images| {
            let rows = rows(images);
            Ok(rows.iter().flat_map(|_| rows[0].clone()).collect())
        });
        assert!(matches!(stale, Err(Mistrust::Different { image: 1, .. })));
        let once = compare(&Sums, 1, |_| Ok(rows(&image(0, 6)).concat()));
        assert!(matches!(once, Err(Mistrust::Different { image: 1, .. })));
    }

    #[test]
    fn what_is_no_number_is_refused() {
        for value in [f32::NAN, f32::INFINITY] {
            let broken = compare(&Sums, 1, |images| {
                let mut outputs = rows(images).concat();
                outputs[2] = value;
                Ok(outputs)
            });
            assert!(matches!(
                broken,
                Err(Mistrust::NotFinite {
                    image: 0,
                    index: 2,
                    ..
                })
            ));
        }
        assert!(compare_rows(0, &[1.0, 2.0], &[1.0, f32::NAN]).is_err());
        assert!(compare_rows(0, &[1.0, 2.0], &[1.0, f32::INFINITY]).is_err());
    }

    #[test]
    fn classes() {
        // Within the tolerance, but another class.
        assert_eq!(
            compare_rows(5, &[1.0, 1.0001], &[1.0001, 1.0]),
            Err(Mistrust::OtherClass {
                image: 5,
                gpu: 1,
                cpu: 0
            })
        );
        // A tie on the CPU may be broken either way.
        assert!(compare_rows(0, &[1.0, 1.0001], &[1.0, 1.0]).is_ok());
        assert_eq!(compare_rows(0, &[0.0, 0.0], &[0.0, 0.0]), Ok(0.0));
        assert!(compare_rows(0, &[0.0, 1e-9], &[0.0, 0.0]).is_err());
    }

    #[test]
    fn a_failing_gpu_or_a_short_answer_is_refused() {
        let failing = compare(&Sums, 1, |_| anyhow::bail!("the device was lost"));
        assert_eq!(
            failing,
            Err(Mistrust::Failed("the device was lost".to_owned()))
        );
        let short = compare(&Sums, 2, |_| Ok(vec![0.0; 3]));
        let message = short.unwrap_err().to_string();
        assert_eq!(message, "the GPU gave 3 outputs, expected 6");
    }
}
