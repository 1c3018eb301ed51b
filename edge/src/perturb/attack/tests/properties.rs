//! Every attacked image stays in the ball and in range, whatever the target returns.

use proptest::prelude::*;

use super::*;

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
    let plain = fgsm_of(target, image, 0, epsilon);
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
