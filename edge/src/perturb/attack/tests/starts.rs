//! Starts and restarts of PGD.

use super::*;

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
    let attacked = end(&mut target, &[0.4; 3], 0, &plain, Stop::FirstSuccess);
    assert_eq!((attacked.steps, target.calls), (10, [1, 10]));
    let clamp = Pgd { steps: 0, ..plain };
    let image = [-2.0, 0.5, 3.0];
    let attacked = end(&mut target, &image, 0, &clamp, Stop::LastIterate);
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
