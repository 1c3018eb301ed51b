//! Pareto fronts of two figures.

use std::cmp::Ordering;

use crate::dimension::Direction;

/// One step along a front.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trade {
    /// Position of the point that is left.
    pub from: usize,
    /// Position of the point that is reached.
    pub to: usize,
    /// What the first figure loses, positive.
    pub given_up: f64,
    /// What the second figure wins, positive.
    pub gained: f64,
}

/// Whether `a` is at least as good as `b` in both figures and better in one; false where a figure
/// is NaN.
pub fn dominates(a: [f64; 2], b: [f64; 2], directions: [Direction; 2]) -> bool {
    let [first, second] = [0, 1].map(|i| better(a[i], b[i], directions[i]));
    match (first, second) {
        (Some(first), Some(second)) => {
            first != Ordering::Less
                && second != Ordering::Less
                && (first, second) != (Ordering::Equal, Ordering::Equal)
        }
        _ => false,
    }
}

/// Positions of the points that no other point dominates, from best to worst in the first figure
/// and so from worst to best in the second. Equal points are on the front together, in the given
/// order; a point with a NaN is never on it.
pub fn pareto_front(points: &[[f64; 2]], directions: [Direction; 2]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..points.len())
        .filter(|&i| points[i].iter().all(|figure| !figure.is_nan()))
        .collect();
    let best_first = |a: usize, b: usize, figure: usize| {
        let (a, b) = (points[a][figure], points[b][figure]);
        better(b, a, directions[figure]).unwrap_or(Ordering::Equal)
    };
    // Stable, so that equal points keep their order.
    order.sort_by(|&a, &b| best_first(a, b, 0).then(best_first(a, b, 1)));
    let mut front: Vec<usize> = Vec::new();
    for index in order {
        // All points before are at least as good in the first figure, and the last of the front is
        // the best of them in the second.
        let joins = front.last().is_none_or(|&last| {
            points[last] == points[index] || best_first(index, last, 1) == Ordering::Less
        });
        if joins {
            front.push(index);
        }
    }
    front
}

/// The steps along a front from [`pareto_front`]: what the first figure gives up for what the
/// second gains. Equal points are one stop, named by the first of them.
pub fn trades(points: &[[f64; 2]], front: &[usize]) -> Vec<Trade> {
    let mut stops = front.to_vec();
    stops.dedup_by(|a, b| points[*a] == points[*b]);
    let step = |pair: &[usize]| {
        let (from, to) = (pair[0], pair[1]);
        let change = |figure: usize| (points[to][figure] - points[from][figure]).abs();
        Trade {
            from,
            to,
            given_up: change(0),
            gained: change(1),
        }
    };
    stops.windows(2).map(step).collect()
}

/// `Greater` where `a` is the better figure; `None` where one is NaN.
fn better(a: f64, b: f64, direction: Direction) -> Option<Ordering> {
    let ordering = a.partial_cmp(&b)?;
    Some(match direction {
        Direction::HigherIsBetter => ordering,
        Direction::LowerIsBetter => ordering.reverse(),
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use Direction::{HigherIsBetter, LowerIsBetter};

    /// Size against accuracy: small is good, accurate is good.
    const SIZE_ACCURACY: [Direction; 2] = [LowerIsBetter, HigherIsBetter];

    #[test]
    fn a_front_and_its_trades() {
        let points = [
            [10.0, 0.70],
            [25.0, 0.80],
            [20.0, 0.60],
            [90.0, 0.85],
            [25.0, 0.80],
            [25.0, 0.75],
            [f64::NAN, 0.99],
        ];
        let front = pareto_front(&points, SIZE_ACCURACY);
        assert_eq!(front, [0, 1, 4, 3]);
        let steps = trades(&points, &front);
        let ends: Vec<(usize, usize)> = steps.iter().map(|t| (t.from, t.to)).collect();
        assert_eq!(ends, [(0, 1), (1, 3)]);
        assert_eq!(steps[0].given_up, 15.0);
        assert!((steps[0].gained - 0.1).abs() < 1e-12);
    }

    #[test]
    fn nothing_and_one_point() {
        assert!(pareto_front(&[], SIZE_ACCURACY).is_empty());
        assert!(trades(&[], &[]).is_empty());
        assert_eq!(pareto_front(&[[1.0, 2.0]], SIZE_ACCURACY), [0]);
        assert!(pareto_front(&[[f64::NAN, 2.0]], SIZE_ACCURACY).is_empty());
    }

    fn direction() -> impl Strategy<Value = Direction> {
        prop_oneof![Just(HigherIsBetter), Just(LowerIsBetter)]
    }

    proptest! {
        /// Few distinct figures, so that ties are common.
        #[test]
        fn the_front_dominates_all_others_and_none_of_itself(
            points in prop::collection::vec([0u8..8, 0u8..8], 0..40),
            directions in [direction(), direction()],
        ) {
            let points: Vec<[f64; 2]> = points.iter().map(|p| p.map(f64::from)).collect();
            let front = pareto_front(&points, directions);
            for (index, &point) in points.iter().enumerate() {
                let by_front = front.iter().any(|&f| dominates(points[f], point, directions));
                let by_any = points.iter().any(|&p| dominates(p, point, directions));
                prop_assert_eq!(by_front, by_any);
                prop_assert_eq!(front.contains(&index), !by_any);
            }
            for trade in trades(&points, &front) {
                prop_assert!(trade.given_up > 0.0 && trade.gained > 0.0);
            }
        }
    }
}
