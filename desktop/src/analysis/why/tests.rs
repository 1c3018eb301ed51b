//! Takeovers against trying weights one by one.

use shared::quba::{Reference, Scale, Weights, score};

use super::*;

/// Numbers in [0, 1) that are the same everywhere.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// A reference whose z-scores are the signed values.
fn unit() -> Reference {
    let scale = Scale {
        mean: 0.0,
        std: 1.0,
    };
    Reference {
        name: "unit".to_owned(),
        scales: PerDimension([Some(scale); 9]),
    }
}

/// The leader by the scores of `shared`.
fn brute(contest: &Contest<'_>, moved: Dimension, weight: f64) -> Option<usize> {
    let mut weights = contest.weights;
    weights[moved] = weight;
    let weights = Weights::new(weights).ok()?;
    let mut best: Option<(f64, usize)> = None;
    for (index, z) in contest.z.iter().enumerate() {
        let values = z.map(|d, z| z.map(|z| d.direction().sign() * z));
        let Some(score) = score(&values, &unit(), &weights) else {
            continue;
        };
        let counts = contest.missing == MissingPolicy::Partial || !score.is_partial();
        if counts && best.is_none_or(|(most, _)| score.value > most) {
            best = Some((score.value, index));
        }
    }
    best.map(|(_, index)| index)
}

fn check(contest: &Contest<'_>) -> u32 {
    let leader = contest.leader();
    let moves = contest.moves();
    let mut takeovers = 0;
    for moved in Dimension::ALL {
        let now = contest.weights[moved];
        assert_eq!(brute(contest, moved, now), leader);
        let Moves { down, up } = moves[moved];
        let low = down.map_or(0.0, |t| t.weight + 1e-9);
        let high = up.map_or(1e4, |t| t.weight - 1e-9);
        for step in 0..=200 {
            let share = f64::from(step) / 200.0;
            if low <= now {
                assert_eq!(
                    brute(contest, moved, low + share * (now - low)),
                    leader,
                    "{moved}"
                );
            }
            if high >= now {
                let at = now + share * share * share * (high - now);
                assert_eq!(brute(contest, moved, at), leader, "{moved} {at} {up:?}");
            }
        }
        for (takeover, beyond) in [(down, -1e-7), (up, 1e-7)] {
            if let Some(Takeover { weight, model }) = takeover {
                let at = (weight + beyond).max(0.0);
                assert_eq!(
                    brute(contest, moved, at),
                    Some(model),
                    "{moved} {takeover:?}"
                );
                takeovers += 1;
            }
        }
    }
    takeovers
}

#[test]
fn agrees_with_trying_every_weight() {
    let mut numbers = Numbers(7);
    let mut takeovers = 0;
    for round in 0..60 {
        let missing = if round % 2 == 0 {
            MissingPolicy::Partial
        } else {
            MissingPolicy::Exclude
        };
        let gaps = if round % 3 == 0 { 0.0 } else { 0.06 };
        let z: Vec<Values> = (0..8)
            .map(|_| {
                PerDimension::from_fn(|_| {
                    let z = numbers.next() * 4.0 - 2.0;
                    (numbers.next() >= gaps).then_some(z)
                })
            })
            .collect();
        let weights = PerDimension::from_fn(|_| {
            if numbers.next() < 0.15 {
                0.0
            } else {
                numbers.next() * 2.0
            }
        });
        takeovers += check(&Contest {
            z: &z,
            weights,
            missing,
        });
    }
    assert!(takeovers > 200, "{takeovers}");
}

#[test]
fn two_models_by_hand() {
    // Scores (1 + 0) / 2 against (0 + w) / (1 + w): equal where the weight of the second is 1.
    let mut z = [Values::default(); 2];
    z[0][Dimension::Accuracy] = Some(1.0);
    z[0][Dimension::ShapeBias] = Some(0.0);
    z[1][Dimension::Accuracy] = Some(0.0);
    z[1][Dimension::ShapeBias] = Some(1.0);
    let mut weights = PerDimension([0.0; 9]);
    weights[Dimension::Accuracy] = 1.0;
    weights[Dimension::ShapeBias] = 0.25;
    let contest = Contest {
        z: &z,
        weights,
        missing: MissingPolicy::Partial,
    };
    assert_eq!(contest.leader(), Some(0));
    let moves = contest.moves();
    let takeover = |weight| Some(Takeover { weight, model: 1 });
    assert_eq!(
        moves[Dimension::ShapeBias],
        Moves {
            down: None,
            up: takeover(1.0)
        }
    );
    assert_eq!(
        moves[Dimension::Accuracy],
        Moves {
            down: takeover(0.25),
            up: None
        }
    );
    assert_eq!(moves[Dimension::Parameters], Moves::default());
}

#[test]
fn nobody_leads_an_empty_contest() {
    let contest = Contest {
        z: &[],
        weights: PerDimension([1.0; 9]),
        missing: MissingPolicy::Partial,
    };
    assert_eq!(contest.leader(), None);
    assert_eq!(contest.moves(), PerDimension::default());
}
