use proptest::prelude::*;

use shared::outcome::Norm;

use super::*;

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
        &fgsm(&mut target, &image, 1, 0.1).unwrap(),
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
        pgd(
            &mut target,
            &image,
            1,
            &plain,
            Stop::LastIterate,
            &mut rng(),
        )
        .unwrap()
        .image
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
    let found = fgsm(&mut target, &image, 0, 0.1).unwrap();
    close(&found, &corner, 1e-7);
    let plain = Pgd {
        epsilon: 0.1,
        step: 0.03,
        random_start: false,
        ..PUBLISHED
    };
    let found = pgd(
        &mut target,
        &image,
        0,
        &plain,
        Stop::LastIterate,
        &mut rng(),
    )
    .unwrap();
    close(&found.image, &corner, 1e-7);
    assert_eq!(found.steps, 10);
    let random = Pgd {
        random_start: true,
        ..plain
    };
    let found = pgd(
        &mut target,
        &image,
        0,
        &random,
        Stop::LastIterate,
        &mut rng(),
    )
    .unwrap();
    for ((i, (&a, &b)), d) in found.image.iter().zip(&corner).enumerate().zip(direction) {
        assert!(d == 0.0 || (a - b).abs() < 1e-6, "{i}");
    }
    // In L2 the optimum is along the direction, where no clamp is in the way.
    let middle = [0.5; 6];
    let l2 = Pgd {
        norm: Norm::L2,
        ..plain
    };
    let found = pgd(&mut target, &middle, 0, &l2, Stop::LastIterate, &mut rng()).unwrap();
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
        let attacked = pgd(
            &mut target,
            &image,
            0,
            &plain,
            Stop::LastIterate,
            &mut rng(),
        )
        .unwrap();
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
    let mut attack = |stop| pgd(&mut target, &[0.5], 0, &plain, stop, &mut rng()).unwrap();
    let last = attack(Stop::LastIterate);
    assert!(!last.misclassified && last.steps == 3);
    close(&last.image, &[0.8], 1e-6);
    let first = attack(Stop::FirstSuccess);
    assert!(first.misclassified && first.steps == 1);
    close(&first.image, &[0.6], 1e-6);
}

#[test]
fn restarts_find_what_one_start_misses() {
    // Repelled by 0.5 and wrong from 0.75: half of the starts go the other way.
    let attack = |restarts, seed| {
        let mut target = analytic(|image: &[f32], _, out: &mut LossGradient| {
            out.scores.extend([0.75, image[0]]);
            out.gradient.push(image[0] - 0.5);
        });
        let pgd_of = Pgd {
            epsilon: 0.3,
            step: 0.1,
            restarts,
            ..PUBLISHED
        };
        let mut rng = SplitMix64::new(seed);
        pgd(
            &mut target,
            &[0.5],
            0,
            &pgd_of,
            Stop::FirstSuccess,
            &mut rng,
        )
        .unwrap()
    };
    let (one, many): (Vec<_>, Vec<_>) = (0..200)
        .map(|seed| (attack(1, seed), attack(8, seed)))
        .unzip();
    let broken = |all: &[Attacked]| all.iter().filter(|a| a.misclassified).count();
    assert!((75..125).contains(&broken(&one)), "{}", broken(&one));
    assert!(broken(&many) > 195);
    for (one, many) in one.iter().zip(&many) {
        // The first restart is the attack without any other.
        assert!(if one.misclassified {
            one == many
        } else {
            many.steps >= 10
        });
    }
    assert!(many.iter().any(|many| many.steps > 20));
}

#[test]
fn without_a_random_start_one_restart_is_made() {
    let mut target = quadratic(0.5, f32::MAX);
    let plain = Pgd {
        restarts: 7,
        random_start: false,
        ..PUBLISHED
    };
    let attacked = pgd(
        &mut target,
        &[0.4; 3],
        0,
        &plain,
        Stop::FirstSuccess,
        &mut rng(),
    )
    .unwrap();
    assert_eq!((attacked.steps, target.calls), (10, [1, 10]));
    let clamp = Pgd { steps: 0, ..plain };
    let image = [-2.0, 0.5, 3.0];
    let attacked = pgd(
        &mut target,
        &image,
        0,
        &clamp,
        Stop::LastIterate,
        &mut rng(),
    )
    .unwrap();
    assert_eq!(attacked.image, [0.0, 0.5, 1.0]);
}

#[test]
fn random_starts_fill_the_ball() {
    let start = |norm, seed| {
        let pgd_of = Pgd {
            norm,
            epsilon: 0.2,
            steps: 0,
            ..PUBLISHED
        };
        let mut rng = SplitMix64::new(seed);
        let mut target = quadratic(0.5, f32::MAX);
        pgd(
            &mut target,
            &[0.5, 0.5],
            0,
            &pgd_of,
            Stop::LastIterate,
            &mut rng,
        )
        .unwrap()
        .image
    };
    let count = 4000;
    // Uniform: moments of each value, and a quarter of the disc within half its radius.
    let moments = |norm| {
        let all: Vec<Vec<f32>> = (0..count).map(|seed| start(norm, seed)).collect();
        let shift = |v: &Vec<f32>| f64::from(v[0] - 0.5);
        let mean = all.iter().map(shift).sum::<f64>() / count as f64;
        let square = all.iter().map(|v| shift(v).powi(2)).sum::<f64>() / count as f64;
        let within = all
            .iter()
            .filter(|v| distance(v, &[0.5, 0.5]) < 0.1)
            .count();
        (mean, square, within as f64 / count as f64)
    };
    let (mean, square, _) = moments(Norm::LInf);
    assert!(
        mean.abs() < 0.006 && (square - 0.04 / 3.0).abs() < 0.0007,
        "{mean} {square}"
    );
    let (mean, square, within) = moments(Norm::L2);
    assert!(
        mean.abs() < 0.006 && (square - 0.04 / 4.0).abs() < 0.0007,
        "{mean} {square}"
    );
    assert!((within - 0.25).abs() < 0.03, "{within}");
    // The documented order of the draws.
    let mut draws = SplitMix64::new(9);
    let expected =
        [0.0; 2].map(|_| 0.5 + draws.range(f64::from(-0.2f32), f64::from(0.2f32)) as f32);
    assert_eq!(start(Norm::LInf, 9), expected);
}

#[test]
fn steps_reuse_their_buffers() {
    for norm in [Norm::LInf, Norm::L2] {
        let mut target = quadratic(0.5, f32::MAX);
        let pgd_of = Pgd {
            norm,
            restarts: 3,
            ..PUBLISHED
        };
        pgd(
            &mut target,
            &[0.3; 50],
            0,
            &pgd_of,
            Stop::LastIterate,
            &mut rng(),
        )
        .unwrap();
        assert_eq!(target.seen.len(), 30);
        assert!(target.seen[1..].iter().all(|seen| *seen == target.seen[1]));
    }
}

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
    let best = along(&fgsm(&mut target, &image, 0, 0.05).unwrap()) - along(&image);
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
    let error = fgsm(&mut short, &[0.5; 2], 0, 0.1).unwrap_err();
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

#[test]
fn generators_tell_images_runs_and_attacks_apart() {
    let first = |identity: u8, run, name| seed(&[identity; 32], run, name).next_u64();
    let all = [
        first(1, 0, "pgd"),
        first(2, 0, "pgd"),
        first(1, 1, "pgd"),
        first(1, 0, "square"),
    ];
    assert_eq!(first(1, 0, "pgd"), all[0]);
    assert!((0..4).all(|i| !all[..i].contains(&all[i])));
    let hash = blake3::hash(&[&[1; 32][..], &[0; 8], b"pgd"].concat());
    let expected = u64::from_le_bytes(hash.as_bytes()[..8].try_into().unwrap());
    assert_eq!(first(1, 0, "pgd"), SplitMix64::new(expected).next_u64());
}

/// A target of arbitrary values, a few of them not finite where `poison` asks for it.
fn arbitrary_target(seed: u64, poison: u8) -> impl Target {
    let mut values = SplitMix64::new(seed);
    analytic(move |image: &[f32], _, out: &mut LossGradient| {
        let odd = [
            f32::NAN,
            f32::INFINITY,
            f32::NEG_INFINITY,
            0.0,
            f32::MAX,
            1e-45,
        ];
        let mut value = |poisoned| {
            if poisoned && values.uniform() < 0.3 {
                odd[values.integer(0, 6) as usize]
            } else {
                values.range(-1.0, 1.0) as f32
            }
        };
        out.loss = value(poison > 0);
        // Mostly right, so that attacks go on.
        out.scores.extend([0.9, value(poison == 2), value(false)]);
        out.gradient.extend(image.iter().map(|_| match poison {
            3 => 0.0,
            4 => f32::NAN,
            _ => value(poison == 1),
        }));
    })
}

/// Every attack on one image; each result with its ball, and what is next in its generator.
fn all_attacks(
    target: &mut dyn Target,
    image: &[f32],
    dims: (usize, usize, usize),
    epsilon: f32,
    seed: u64,
) -> Vec<(Norm, Vec<f32>, u64)> {
    let plain = fgsm(target, image, 0, epsilon).unwrap();
    let mut all = vec![(Norm::LInf, plain, 0)];
    for norm in [Norm::LInf, Norm::L2] {
        for (stop, restarts, random_start) in [
            (Stop::LastIterate, 1, true),
            (Stop::LastIterate, 1, false),
            (Stop::FirstSuccess, 3, true),
        ] {
            let pgd_of = Pgd {
                norm,
                epsilon,
                step: epsilon / 3.0,
                steps: 5,
                restarts,
                random_start,
            };
            let mut rng = SplitMix64::new(seed);
            let attacked = pgd(target, image, 0, &pgd_of, stop, &mut rng).unwrap();
            assert!(attacked.steps <= 15);
            all.push((norm, attacked.image, rng.next_u64()));
        }
    }
    let mut rng = SplitMix64::new(seed);
    let attacked = square(target, image, dims, 0, epsilon, 20, &mut rng).unwrap();
    assert!((1..=20).contains(&attacked.steps));
    all.push((Norm::LInf, attacked.image, rng.next_u64()));
    all
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn attacked_images_stay_in_the_ball_and_in_range(
        dims in (1usize..4, 1usize..9, 1usize..9),
        epsilon in prop_oneof![Just(0.0f32), Just(8.0 / 255.0), 0.0f32..0.5, 0.0f32..20.0],
        outside in prop::bool::ANY,
        poison in 0u8..5,
        seed in prop::num::u64::ANY,
    ) {
        let mut rng = SplitMix64::new(seed);
        let (low, high) = if outside { (-3.0, 4.0) } else { (0.0, 1.0) };
        let image: Vec<f32> = (0..dims.0 * dims.1 * dims.2)
            .map(|_| match rng.integer(0, 6) {
                0 => 0.0,
                1 => 1.0,
                _ => rng.range(low, high) as f32,
            })
            .collect();
        // Published protocol: values outside count as the end that they are clamped to.
        let clean: Vec<f32> = image.iter().map(|x| x.clamp(0.0, 1.0)).collect();
        let make = |poison| all_attacks(&mut arbitrary_target(seed, poison), &image, dims, epsilon, seed);
        let all = make(poison);
        for (norm, attacked, _) in &all {
            prop_assert!(attacked.iter().all(|v| (0.0..=1.0).contains(v)));
            let far = match norm {
                Norm::LInf => {
                    let changes = attacked.iter().zip(&clean).map(|(&a, &x)| f64::from(a) - f64::from(x));
                    changes.fold(0.0, |far, change| change.abs().max(far))
                }
                Norm::L2 => distance(attacked, &clean),
            };
            prop_assert!(far <= f64::from(epsilon) + 1e-6, "{norm:?} {far} {epsilon}");
        }
        // The same again; and draws do not depend on what targets return.
        prop_assert_eq!(&all, &make(poison));
        for other in 0..5 {
            for (one, other) in all.iter().zip(make(other)) {
                prop_assert_eq!(one.2, other.2);
            }
        }
    }
}
