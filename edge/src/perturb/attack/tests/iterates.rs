//! Where FGSM and PGD go, step by step.

use super::*;

/// The network that PyTorch's double-precision autograd attacked for the numbers below.
fn golden() -> (impl Target, Vec<f32>) {
    let w0 = (0..4).map(|j| (0..6).map(|i| f64::from(1 + 3 * i + 7 * j).sin()).collect());
    let w1 = (0..3).map(|k| (0..4).map(|j| f64::from(2 + 5 * j + 3 * k).cos()).collect());
    let image = vec![0.02, 0.3, 0.5, 0.98, 0.97, 0.45];
    (network(w0.collect(), w1.collect()), image)
}

#[test]
fn iterates_are_those_of_pytorch() {
    let (mut target, image) = golden();
    let mut out = LossGradient::default();
    target.loss_gradient(&image, 1, &mut out).unwrap();
    assert!((out.loss - 0.378_502_4).abs() < 1e-6);
    close(
        &fgsm_of(&mut target, &image, 1, 0.1),
        &[0.12, 0.2, 0.6, 0.88, 1.0, 0.35],
        1e-6,
    );
    let mut attack = |norm, epsilon, step, steps| {
        let plain = Pgd {
            norm,
            epsilon,
            step,
            steps,
            random_start: false,
            ..PUBLISHED
        };
        end(&mut target, &image, 1, &plain, Stop::LastIterate).image
    };
    // Steps so long that it goes to and fro, and against the end of the range.
    let found = attack(Norm::LInf, 0.4, 0.15, 6);
    close(&found, &[0.02, 0.3, 0.5, 0.98, 0.85, 0.45], 1e-6);
    let found = attack(Norm::L2, 0.25, 0.1, 7);
    let expected = [
        0.127_279_1,
        0.188_928_5,
        0.612_640_8,
        0.868_044_4,
        1.0,
        0.346_078_6,
    ];
    close(&found, &expected, 2e-6);
}

#[test]
fn linear_targets_end_in_the_optimal_corner() {
    let direction = [1.0, -2.0, 0.0, 0.5, -0.1, 3.0];
    let image = [0.5, 0.5, 0.5, 0.99, 0.01, 0.2];
    let corner = [0.6, 0.4, 0.5, 1.0, 0.0, 0.3];
    let mut target = linear(&direction);
    let found = fgsm_of(&mut target, &image, 0, 0.1);
    close(&found, &corner, 1e-7);
    let plain = Pgd {
        epsilon: 0.1,
        step: 0.03,
        random_start: false,
        ..PUBLISHED
    };
    let found = end(&mut target, &image, 0, &plain, Stop::LastIterate);
    close(&found.image, &corner, 1e-7);
    assert_eq!(found.steps, 10);
    let random = Pgd {
        random_start: true,
        ..plain
    };
    let found = end(&mut target, &image, 0, &random, Stop::LastIterate);
    for ((i, (&a, &b)), d) in found.image.iter().zip(&corner).enumerate().zip(direction) {
        assert!(d == 0.0 || (a - b).abs() < 1e-6, "{i}");
    }
    // In L2 the optimum is along the direction, where no clamp is in the way.
    let middle = [0.5; 6];
    let l2 = Pgd {
        norm: Norm::L2,
        ..plain
    };
    let found = end(&mut target, &middle, 0, &l2, Stop::LastIterate);
    let norm = direction.iter().map(|d| d * d).sum::<f64>().sqrt();
    let expected = direction.map(|d| (0.5 + 0.1 * d / norm) as f32);
    close(&found.image, &expected, 1e-6);
}

#[test]
fn a_quadratic_loss_rises_with_every_step_to_the_far_corner() {
    let image = [0.5, 0.4, 0.62, 0.97];
    let mut target = quadratic(0.5, f32::MAX);
    let mut last = -1.0;
    for steps in 0..8 {
        let plain = Pgd {
            epsilon: 0.1,
            step: 0.02,
            steps,
            random_start: false,
            ..PUBLISHED
        };
        let attacked = end(&mut target, &image, 0, &plain, Stop::LastIterate);
        let mut out = LossGradient::default();
        target.loss_gradient(&attacked.image, 0, &mut out).unwrap();
        assert!(out.loss > last || steps > 5, "{steps}");
        assert!(out.loss >= last);
        last = out.loss;
        // The first value lies where the gradient is 0, and stays.
        if steps == 7 {
            close(&attacked.image, &[0.5, 0.3, 0.72, 1.0], 1e-6);
        }
    }
}

#[test]
fn signs_of_nothing_are_zero() {
    for value in [0.0, -0.0, f32::NAN, -f32::NAN] {
        assert_eq!(sign(value), 0.0);
    }
    let signs = [f32::MIN_POSITIVE, f32::INFINITY, -1e-45, f32::NEG_INFINITY].map(sign);
    assert_eq!(signs, [1.0, 1.0, -1.0, -1.0]);
}

#[test]
fn the_last_iterate_counts_unless_the_first_success_is_asked_for() {
    // Wrong from 0.55 to 0.65 alone; the gradient leads through it.
    let mut target = analytic(|image: &[f32], _, out: &mut LossGradient| {
        let wrong = (0.55..0.65).contains(&image[0]);
        out.scores.extend([0.5, f32::from(u8::from(wrong))]);
        out.gradient.push(1.0);
    });
    let plain = Pgd {
        epsilon: 0.3,
        step: 0.1,
        steps: 3,
        random_start: false,
        ..PUBLISHED
    };
    let mut attack = |stop| end(&mut target, &[0.5], 0, &plain, stop);
    let last = attack(Stop::LastIterate);
    assert!(!last.misclassified && last.steps == 3);
    close(&last.image, &[0.8], 1e-6);
    let first = attack(Stop::FirstSuccess);
    assert!(first.misclassified && first.steps == 1);
    close(&first.image, &[0.6], 1e-6);
}
