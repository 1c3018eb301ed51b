//! What choosing models by one figure costs in another.

use crate::dimension::Direction;

/// Probability that a random pair of models is ordered wrongly, at a Kendall's τ that counts
/// agreement on what is better as positive: `(1 − τ)/2`, the share of discordant pairs where none
/// is tied.
pub fn misranking(tau: f64) -> f64 {
    (1.0 - tau) / 2.0
}

/// What choosing the best model by x costs in y.
#[derive(Clone, Debug, PartialEq)]
pub struct Selection {
    /// Positions of the models that are best in x; several where they are equal.
    pub chosen: Vec<usize>,
    /// Positions of the models that are best in y.
    pub best: Vec<usize>,
    /// How much better the best y is than that of the chosen model (the mean of several), in the
    /// unit of y, at least 0.
    pub regret: f64,
}

/// Chooses by x and judges by y. `None` without models, for lists of different lengths, or values
/// that are not finite.
pub fn select(x: &[f64], y: &[f64], by: [Direction; 2]) -> Option<Selection> {
    let finite = x.iter().chain(y).all(|value| value.is_finite());
    if x.is_empty() || x.len() != y.len() || !finite {
        return None;
    }
    let best_of = |values: &[f64], direction: Direction| {
        let signed = |value: f64| direction.sign() * value;
        let best = values
            .iter()
            .fold(f64::NEG_INFINITY, |best, &v| best.max(signed(v)));
        let at: Vec<usize> = (0..values.len())
            .filter(|&i| signed(values[i]) == best)
            .collect();
        (at, best)
    };
    let (chosen, _) = best_of(x, by[0]);
    let (best, top) = best_of(y, by[1]);
    let got: f64 = chosen.iter().map(|&i| by[1].sign() * y[i]).sum();
    let regret = (top - got / chosen.len() as f64).max(0.0);
    Some(Selection {
        chosen,
        best,
        regret,
    })
}

/// One step of a threshold sweep.
#[derive(Clone, Debug, PartialEq)]
pub struct Threshold {
    /// The least good x.
    pub at: f64,
    /// Positions of the models that are at least as good.
    pub kept: Vec<usize>,
}

/// The models at least as good in x as each threshold, ever fewer: thresholds that keep the same
/// models as the one before, or fewer than `least`, are left out.
pub fn threshold_sweep(
    x: &[f64],
    direction: Direction,
    thresholds: &[f64],
    least: usize,
) -> Vec<Threshold> {
    let sign = direction.sign();
    let mut ordered = thresholds.to_vec();
    ordered.sort_by(|a, b| (sign * a).total_cmp(&(sign * b)));
    let mut steps: Vec<Threshold> = Vec::new();
    for at in ordered {
        let kept: Vec<usize> = (0..x.len()).filter(|&i| sign * x[i] >= sign * at).collect();
        let repeats = steps.last().is_some_and(|last| last.kept == kept);
        if kept.len() >= least && !repeats {
            steps.push(Threshold { at, kept });
        }
    }
    steps
}

/// Thresholds for values of any kind: steps of 0.04 from 0 to 0.88 for shares (SPEC §6.4), else
/// those at which another tenth of the models falls away.
pub fn default_thresholds(x: &[f64], direction: Direction) -> Vec<f64> {
    let is_share = x.iter().all(|value| (0.0..=1.0).contains(value));
    if is_share && direction == Direction::HigherIsBetter {
        return (0..=22).map(|step| f64::from(step) * 4.0 / 100.0).collect();
    }
    let mut sorted: Vec<f64> = x.iter().copied().filter(|v| v.is_finite()).collect();
    sorted.sort_by(|a, b| (direction.sign() * a).total_cmp(&(direction.sign() * b)));
    (0..10)
        .filter_map(|tenth| sorted.get(tenth * sorted.len() / 10).copied())
        .collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use Direction::{HigherIsBetter as Higher, LowerIsBetter as Lower};

    #[test]
    fn the_choice_and_what_it_costs() {
        let (x, y) = ([0.9, 0.7, 0.8, 0.9], [1.0, 5.0, 4.0, 3.0]);
        let found = select(&x, &y, [Higher, Higher]).unwrap();
        assert_eq!(found.chosen, [0, 3]);
        assert_eq!(found.best, [1]);
        assert_eq!(found.regret, 3.0);
        let found = select(&x, &y, [Lower, Lower]).unwrap();
        assert_eq!((found.chosen, found.best), (vec![1], vec![0]));
        assert_eq!(found.regret, 4.0);
        assert_eq!(select(&[], &[], [Higher, Higher]), None);
        assert_eq!(select(&[f64::NAN], &[1.0], [Higher, Higher]), None);
        assert_eq!(misranking(0.5), 0.25);
    }

    #[test]
    fn sweeps_drop_what_repeats_or_keeps_too_few() {
        let x = [0.1, 0.5, 0.52, 0.9];
        let steps = threshold_sweep(&x, Higher, &[0.6, 0.0, 0.05, 0.5], 2);
        let kept: Vec<(f64, Vec<usize>)> = steps.into_iter().map(|s| (s.at, s.kept)).collect();
        assert_eq!(kept, [(0.0, vec![0, 1, 2, 3]), (0.5, vec![1, 2, 3])]);
        let steps = threshold_sweep(&x, Lower, &[0.51, 0.95], 1);
        let kept: Vec<f64> = steps.iter().map(|s| s.at).collect();
        assert_eq!(kept, [0.95, 0.51]);
    }

    #[test]
    fn thresholds_fit_the_values() {
        let shares = default_thresholds(&[0.2, 0.9], Higher);
        assert_eq!((shares.len(), shares[1], shares[22]), (23, 0.04, 0.88));
        let wide: Vec<f64> = (1..=20).map(f64::from).collect();
        let found = default_thresholds(&wide, Lower);
        assert_eq!((found.len(), found[0], found[9]), (10, 20.0, 2.0));
        assert!(default_thresholds(&[], Lower).is_empty());
    }

    proptest! {
        #[test]
        fn no_choice_beats_the_best(
            pairs in proptest::collection::vec((0..9_i32, 0..9_i32), 1..20),
        ) {
            let (x, y): (Vec<f64>, Vec<f64>) =
                pairs.iter().map(|&(x, y)| (f64::from(x), f64::from(y))).unzip();
            let found = select(&x, &y, [Higher, Lower]).unwrap();
            prop_assert!(found.regret >= 0.0);
            prop_assert_eq!(select(&y, &y, [Lower, Lower]).unwrap().regret, 0.0);
        }
    }
}
