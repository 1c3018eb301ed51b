//! The self-check against engines that are wrong in one way each.

use super::*;
use crate::runtime::Session;

/// Outputs: the sum, its negative, and the first value of an image of 6.
struct Sums;

fn sums(image: &[f32]) -> Vec<f32> {
    let sum = image.iter().sum();
    vec![sum, -sum, image[0]]
}

impl Network for Sums {
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
    let once = compare(&Sums, 1, |_| Ok(rows(&test_image(0, 6)).concat()));
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
