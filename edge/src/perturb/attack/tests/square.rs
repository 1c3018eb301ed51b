//! Square Attack on targets whose optimum is known.

use super::*;

#[test]
fn square_breaks_an_easy_target_within_its_budget() {
    // Wrong once the mean of the first channel has risen by 0.02, which takes squares.
    let image = vec![0.5; 3 * 16 * 16];
    let mut target = analytic(|image: &[f32], _, out: &mut LossGradient| {
        let mean = image[..256].iter().sum::<f32>() / 256.0;
        out.scores.extend([0.52, mean, -1.0]);
    });
    let attacked = square(&mut target, &image, (3, 16, 16), 0, 0.03, 500, &mut rng()).unwrap();
    assert!(attacked.misclassified && (2..500).contains(&attacked.steps));
    assert_eq!(target.calls, [attacked.steps, 0]);
    let mut scores = Vec::new();
    target.scores(&attacked.image, &mut scores).unwrap();
    assert!(misclassified(&scores, 0));
}

#[test]
fn square_comes_close_to_the_optimum_of_a_linear_target() {
    let direction: Vec<f64> = (0..2 * 6 * 5)
        .map(|i| f64::from(i * 7 % 11) - 5.0)
        .collect();
    let image: Vec<f32> = (0..60).map(|i| (i % 9) as f32 / 8.0).collect();
    let mut target = linear(&direction);
    let along = |image: &[f32]| -> f64 {
        let products = image.iter().zip(&direction).map(|(&x, d)| f64::from(x) * d);
        products.sum()
    };
    let best = along(&fgsm_of(&mut target, &image, 0, 0.05)) - along(&image);
    // Class 1 can never win here.
    let mut held = analytic(|image: &[f32], _, out: &mut LossGradient| {
        out.scores.extend([1e4, along(image) as f32]);
    });
    let gain = |held: &mut dyn Target, queries| {
        let attacked = square(held, &image, (2, 6, 5), 0, 0.05, queries, &mut rng()).unwrap();
        assert!(!attacked.misclassified && attacked.steps == queries);
        along(&attacked.image) - along(&image)
    };
    let gains = [1, 30, 300, 6000].map(|queries| gain(&mut held, queries));
    assert_eq!(held.calls, [6331, 0]);
    assert!(
        gains[0] < gains[2] && gains[1] < gains[2] && gains[2] < gains[3],
        "{gains:?}"
    );
    assert!(
        gains[3] > 0.98 * best && gains[3] < 1.000_001 * best,
        "{gains:?} {best}"
    );
}
