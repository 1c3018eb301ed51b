//! What is decided per image while a model runs: probabilities, the top class, the best group.

use crate::labels::Groups;

/// Which of several equal values wins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TieRule {
    /// The lowest index (SPEC §0).
    First,
    /// The highest index: only cue conflict under the published protocol (SPEC §1.8).
    Last,
}

/// Softmax of one image's logits into `out`, in f32 with the maximum subtracted (SPEC §0).
///
/// The sum alone is f64: rounded once, it does not depend on an order of summation. A logit that
/// is NaN or +∞ makes every probability NaN.
pub fn softmax(logits: &[f32], out: &mut Vec<f32>) {
    let largest = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    out.clear();
    out.extend(logits.iter().map(|logit| (logit - largest).exp()));
    let sum = out.iter().map(|&e| f64::from(e)).sum::<f64>() as f32;
    out.iter_mut().for_each(|e| *e /= sum);
}

/// Index of the largest value; ties go to the lowest index, NaN never wins. 0 if all values are
/// NaN or there is none.
pub fn argmax(values: &[f32]) -> usize {
    best(values.iter().copied(), TieRule::First)
}

/// The class with the largest value among `classes` (the 200 of ImageNet-R); ties go to the first
/// one listed, NaN and classes without a value never win.
///
/// Without any winner the first class listed, or 0 if there is none.
pub fn argmax_within(values: &[f32], classes: &[u32]) -> u32 {
    let listed = classes.iter().map(|&class| value_of(values, class));
    classes
        .get(best(listed, TieRule::First))
        .copied()
        .unwrap_or(0)
}

/// The group with the largest mean probability over its classes (SPEC §5.1): not the sum, not the
/// maximum, not renormalised.
///
/// `probabilities` are those of all classes, after softmax. A group without classes never wins.
/// 0 if no group can win.
pub fn decide_group(probabilities: &[f32], groups: &Groups, ties: TieRule) -> u32 {
    let means = groups.members.iter().map(|classes| {
        // Rounded to f32 once, so that the order of the classes has no effect.
        let values = classes
            .iter()
            .map(|&c| f64::from(value_of(probabilities, c)));
        (values.sum::<f64>() / classes.len() as f64) as f32
    });
    u32::try_from(best(means, ties)).unwrap_or(u32::MAX)
}

/// Group of the top class over *all* classes, as object focus needs it (SPEC §1.7); `None`, which
/// is always wrong, if that class is in no group of `group_of` (see [`Groups::of_classes`]).
pub fn decide_foreground(values: &[f32], group_of: &[Option<u32>]) -> Option<u32> {
    group_of.get(argmax(values)).copied().flatten()
}

fn value_of(values: &[f32], class: u32) -> f32 {
    values.get(class as usize).copied().unwrap_or(f32::NAN)
}

/// Index of the largest value that is not NaN, else 0.
fn best(values: impl Iterator<Item = f32>, ties: TieRule) -> usize {
    let mut winner: Option<(usize, f32)> = None;
    for (index, value) in values.enumerate() {
        let wins = match (winner, ties) {
            _ if value.is_nan() => false,
            (None, _) => true,
            (Some((_, largest)), TieRule::First) => value > largest,
            (Some((_, largest)), TieRule::Last) => value >= largest,
        };
        if wins {
            winner = Some((index, value));
        }
    }
    winner.map_or(0, |(index, _)| index)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn groups(members: &[&[u32]]) -> Groups {
        Groups {
            names: (0..members.len()).map(|i| i.to_string()).collect(),
            members: members.iter().map(|classes| classes.to_vec()).collect(),
        }
    }

    #[test]
    fn ties_go_to_the_lowest_index() {
        assert_eq!(argmax(&[1.0, 3.0, 3.0]), 1);
        assert_eq!(argmax(&[0.0, -0.0]), 0);
        assert_eq!(argmax(&[f32::NEG_INFINITY; 3]), 0);
        assert_eq!(argmax_within(&[9.0, 1.0, 2.0, 2.0], &[1, 2, 3]), 2);
    }

    #[test]
    fn nan_never_wins() {
        assert_eq!(argmax(&[f32::NAN, f32::NEG_INFINITY, f32::NAN]), 1);
        assert_eq!(argmax(&[f32::NAN; 2]), 0);
        assert_eq!(argmax(&[]), 0);
        assert_eq!(argmax_within(&[0.0, f32::NAN, 0.0], &[1, 2]), 2);
        assert_eq!(argmax_within(&[f32::NAN; 3], &[1, 2]), 1);
        assert_eq!(argmax_within(&[1.0], &[7, 0]), 0);
        assert_eq!(argmax_within(&[1.0], &[]), 0);
    }

    #[test]
    fn softmax_saturates_without_overflow() {
        let mut out = vec![7.0];
        softmax(&[1000.0, 0.0, -1000.0], &mut out);
        assert_eq!(out, [1.0, 0.0, 0.0]);
        softmax(&[0.0, 3f32.ln()], &mut out);
        assert!((out[0] - 0.25).abs() < 1e-7 && (out[1] - 0.75).abs() < 1e-7);
        softmax(&[0.0, f32::NAN], &mut out);
        assert!(out.iter().all(|p| p.is_nan()));
        softmax(&[], &mut out);
        assert!(out.is_empty());
    }

    #[test]
    fn group_score_is_a_mean() {
        // The sum would name group 1, the maximum group 2.
        let probabilities = [0.3, 0.2, 0.2, 0.2, 0.35, 0.0];
        let groups = groups(&[&[0], &[1, 2, 3], &[4, 5]]);
        assert_eq!(decide_group(&probabilities, &groups, TieRule::First), 0);
    }

    #[test]
    fn group_ties_follow_the_rule() {
        let groups = groups(&[&[3], &[0, 1], &[2], &[]]);
        let probabilities = [0.25, 0.25, 0.25, 0.0];
        assert_eq!(decide_group(&probabilities, &groups, TieRule::First), 1);
        assert_eq!(decide_group(&probabilities, &groups, TieRule::Last), 2);
        assert_eq!(decide_group(&[f32::NAN; 4], &groups, TieRule::Last), 0);
    }

    #[test]
    fn foreground_is_decided_over_all_classes() {
        let table = groups(&[&[2], &[0, 9]]).of_classes(4);
        assert_eq!(table, [Some(1), None, Some(0), None]);
        assert_eq!(decide_foreground(&[0.1, 0.0, 0.6, 0.3], &table), Some(0));
        assert_eq!(decide_foreground(&[0.1, 0.5, 0.4, 0.0], &table), None);
    }
}
