mod iterates;
mod properties;
mod square;
mod starts;

use shared::outcome::Norm;

use super::*;
use crate::perturb::rng::SplitMix64;

/// A target given by a function of the image that fills in loss, scores and gradient.
struct Analytic<F> {
    function: F,
    /// Calls of `scores`, then of `loss_gradient`.
    calls: [u32; 2],
    /// Where images and gradients lay in memory.
    seen: Vec<(*const f32, *const f32)>,
}

fn analytic<F: FnMut(&[f32], u32, &mut LossGradient)>(function: F) -> Analytic<F> {
    Analytic {
        function,
        calls: [0; 2],
        seen: Vec::new(),
    }
}

impl<F: FnMut(&[f32], u32, &mut LossGradient)> Target for Analytic<F> {
    fn scores(&mut self, image: &[f32], scores: &mut Vec<f32>) -> anyhow::Result<()> {
        self.calls[0] += 1;
        let mut out = LossGradient::default();
        (self.function)(image, 0, &mut out);
        scores.clone_from(&out.scores);
        Ok(())
    }

    fn loss_gradient(
        &mut self,
        image: &[f32],
        label: u32,
        out: &mut LossGradient,
    ) -> anyhow::Result<()> {
        self.calls[1] += 1;
        out.scores.clear();
        out.gradient.clear();
        (self.function)(image, label, out);
        self.seen.push((image.as_ptr(), out.gradient.as_ptr()));
        Ok(())
    }
}

/// Scores `w1 . sin(3 (w0 . x))` of three classes, or `w0 . x` of two where `w1` is empty, with
/// the cross entropy.
fn network(w0: Vec<Vec<f64>>, w1: Vec<Vec<f64>>) -> impl Target {
    analytic(move |image: &[f32], label, out: &mut LossGradient| {
        let dot =
            |w: &Vec<f64>, x: &[f64]| -> f64 { w.iter().zip(x).map(|(w, x)| w * x).sum::<f64>() };
        let image: Vec<f64> = image.iter().map(|&x| f64::from(x)).collect();
        let inner: Vec<f64> = w0.iter().map(|w| dot(w, &image)).collect();
        let bent: Vec<f64> = inner.iter().map(|v| (3.0 * v).sin()).collect();
        let scores: Vec<f64> = if w1.is_empty() {
            inner.clone()
        } else {
            w1.iter().map(|w| dot(w, &bent)).collect()
        };
        let sum: f64 = scores.iter().map(|s| s.exp()).sum();
        let slopes: Vec<f64> = (scores.iter().enumerate())
            .map(|(k, s)| s.exp() / sum - f64::from(u8::from(k == label as usize)))
            .collect();
        let inner_slopes: Vec<f64> = if w1.is_empty() {
            slopes
        } else {
            (inner.iter().enumerate())
                .map(|(j, v)| {
                    let back: f64 = w1.iter().zip(&slopes).map(|(w, s)| w[j] * s).sum();
                    back * 3.0 * (3.0 * v).cos()
                })
                .collect()
        };
        out.loss = (sum.ln() - scores[label as usize]) as f32;
        out.scores.extend(scores.iter().map(|&s| s as f32));
        out.gradient.extend((0..image.len()).map(|i| {
            let slopes = w0.iter().zip(&inner_slopes);
            slopes.map(|(w, s)| w[i] * s).sum::<f64>() as f32
        }));
    })
}

/// Two classes; the loss of class 0 rises with `direction . x`.
fn linear(direction: &[f64]) -> impl Target + use<> {
    let zero = vec![0.0; direction.len()];
    network(vec![zero, direction.to_vec()], Vec::new())
}

/// Loss `|x - centre|^2 / 2`, for which class 0 is right until the loss is above `limit`.
fn quadratic(centre: f32, limit: f32) -> Analytic<impl FnMut(&[f32], u32, &mut LossGradient)> {
    analytic(move |image: &[f32], _, out: &mut LossGradient| {
        out.loss = image.iter().map(|x| (x - centre).powi(2) / 2.0).sum();
        out.scores.extend([limit, out.loss]);
        out.gradient.extend(image.iter().map(|x| x - centre));
    })
}

/// SPEC's attack.
const PUBLISHED: Pgd = Pgd {
    norm: Norm::LInf,
    epsilon: 8.0 / 255.0,
    step: 2.0 / 255.0,
    steps: 10,
    restarts: 1,
    random_start: true,
};

fn rng() -> SplitMix64 {
    SplitMix64::new(1)
}

/// FGSM along the target's own gradient.
fn fgsm_of(target: &mut dyn Target, image: &[f32], label: u32, epsilon: f32) -> Vec<f32> {
    let mut out = LossGradient::default();
    loss_gradient(target, image, label, &mut out).unwrap();
    fgsm(image, &out.gradient, epsilon)
}

/// Where PGD ends, with the usual draws.
fn end(target: &mut dyn Target, image: &[f32], label: u32, attack: &Pgd, stop: Stop) -> Attacked {
    pgd(target, image, label, attack, stop, &mut rng()).unwrap()
}

fn close(found: &[f32], expected: &[f32], tolerance: f32) {
    assert_eq!(found.len(), expected.len());
    let mut pairs = found.iter().zip(expected);
    assert!(
        pairs.all(|(a, b)| (a - b).abs() <= tolerance),
        "{found:?} {expected:?}"
    );
}

fn distance(a: &[f32], b: &[f32]) -> f64 {
    let squares = a.iter().zip(b).map(|(&a, &b)| f64::from(a - b).powi(2));
    squares.sum::<f64>().sqrt()
}

#[test]
fn wrong_parameters_are_refused() {
    let mut target = quadratic(0.5, f32::MAX);
    let mut message = |image: &[f32], epsilon, step, restarts| {
        let pgd_of = Pgd {
            epsilon,
            step,
            restarts,
            ..PUBLISHED
        };
        let attacked = pgd(
            &mut target,
            image,
            0,
            &pgd_of,
            Stop::LastIterate,
            &mut rng(),
        );
        attacked.unwrap_err().to_string()
    };
    let messages = [
        message(&[f32::NAN], 0.1, 0.1, 1),
        message(&[0.5], -0.1, 0.1, 1),
        message(&[0.5], f32::NAN, 0.1, 1),
        message(&[0.5], 0.1, f32::INFINITY, 1),
        message(&[0.5], 0.1, 0.1, 0),
    ];
    insta::assert_snapshot!(messages.join("\n"), @r"
    the image to attack has values that are not finite
    epsilon of an attack must be from 0 to 1000000, not -0.1
    epsilon of an attack must be from 0 to 1000000, not NaN
    step of an attack must be from 0 to 1000000, not inf
    PGD needs at least 1 restart
    ");
    let mut message = |dims, queries| {
        let attacked = square(&mut target, &[0.5; 12], dims, 0, 0.1, queries, &mut rng());
        attacked.unwrap_err().to_string()
    };
    let messages = [
        message((3, 2, 2), 0),
        message((3, 2, 3), 1),
        message((3, 0, 2), 1),
        message((usize::MAX, 2, 2), 1),
    ];
    insta::assert_snapshot!(messages.join("\n"), @r"
    Square Attack needs at least 1 query
    an image of 3 x 2 x 3 has 18 values, not 12
    no image is 3 x 0 x 2
    no image is 18446744073709551615 x 2 x 2
    ");
    let mut short = analytic(|_: &[f32], _, out: &mut LossGradient| out.gradient.push(1.0));
    let error = loss_gradient(&mut short, &[0.5; 2], 0, &mut LossGradient::default()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the gradient has 1 values for an image of 2"
    );
}

#[test]
fn scores_that_decide_nothing_are_wrong() {
    assert!(!misclassified(&[1.0, 2.0, 2.0], 1));
    assert!(misclassified(&[1.0, 2.0, 2.0], 2));
    assert!(misclassified(&[0.0, f32::NAN], 0));
    assert!(misclassified(&[f32::INFINITY, 0.0], 0));
    assert!(misclassified(&[], 0));
    assert!(misclassified(&[1.0], 1));
}
