//! The order of several models.

use std::fmt;

use super::{Reference, Score, Weights, score};
use crate::dimension::{Dimension, Values};

/// Competition ranks, the highest score first: equal scores share a rank and the next one counts
/// them all (1, 2, 2, 4). Without a score (`None` or not a number) there is no rank.
pub fn rank(scores: &[Option<f64>]) -> Vec<Option<u32>> {
    let present = |score: &Option<f64>| score.filter(|value| !value.is_nan());
    let mut sorted: Vec<f64> = scores.iter().filter_map(present).collect();
    sorted.sort_by(f64::total_cmp);
    scores
        .iter()
        .map(|score| present(score).map(|value| 1 + greater(&sorted, value)))
        .collect()
}

/// Number of values above `value` in an ascending list.
fn greater(ascending: &[f64], value: f64) -> u32 {
    let above = ascending.len() - ascending.partition_point(|&other| other <= value);
    u32::try_from(above).unwrap_or(u32::MAX)
}

/// Where a score would stand in a list it is not part of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placement {
    /// Rank it would have, from 1.
    pub rank: u32,
    /// Number of scores it is compared with, itself not counted.
    pub others: u32,
}

/// Where `value` would stand among `others`, before those that it equals.
pub fn placement(value: f64, others: &[f64]) -> Placement {
    let above = others.iter().filter(|&&other| other > value).count();
    Placement {
        rank: u32::try_from(above).map_or(u32::MAX, |above| above.saturating_add(1)),
        others: u32::try_from(others.len()).unwrap_or(u32::MAX),
    }
}

impl fmt::Display for Placement {
    /// For instance `57th of 327`, the placed model counted.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let suffix = match (self.rank % 100, self.rank % 10) {
            (11..=13, _) => "th",
            (_, 1) => "st",
            (_, 2) => "nd",
            (_, 3) => "rd",
            _ => "th",
        };
        let all = self.others.saturating_add(1);
        f.pad(&format!("{}{suffix} of {all}", self.rank))
    }
}

/// One line of a ranking.
#[derive(Clone, Debug, PartialEq)]
pub struct RankedModel {
    /// Position of the model in the list that was ranked.
    pub index: usize,
    /// Rank over all scores of the list; `None` without a score.
    pub rank: Option<u32>,
    /// The score, which knows whether it is partial; `None` where no weighted dimension was
    /// measured.
    pub score: Option<Score>,
}

/// Models in order of their score, with a statement of how comparable the scores are.
#[derive(Clone, Debug, PartialEq)]
pub struct Ranking {
    /// Best first, equal scores in input order, models without a score last.
    pub models: Vec<RankedModel>,
    /// To be shown with the ranks.
    pub coverage: Coverage,
}

/// Which dimensions the scores of one ranking cover.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Coverage {
    /// Every score covers every weighted dimension.
    Complete,
    /// Every score misses the same dimensions: comparable with each other, not with others.
    SamePart(Vec<Dimension>),
    /// Scores cover different dimensions, so their order is only indicative.
    Mixed {
        /// Number of partial scores.
        partial: usize,
        /// Number of scores.
        scored: usize,
    },
}

impl fmt::Display for Coverage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Complete => f.write_str("all scores are complete"),
            Self::SamePart(missing) => {
                let names: Vec<&str> = missing.iter().map(|d| d.name()).collect();
                write!(
                    f,
                    "all scores are partial, without {}: compare them only with each other",
                    names.join(", ")
                )
            }
            Self::Mixed { partial, scored } => write!(
                f,
                "{partial} of {scored} scores are partial: scores over different dimensions are \
                 not comparable, the order is only indicative"
            ),
        }
    }
}

/// Scores and orders models.
pub fn ranking(models: &[Values], reference: &Reference, weights: &Weights) -> Ranking {
    let scores: Vec<Option<Score>> = models
        .iter()
        .map(|values| score(values, reference, weights))
        .collect();
    let coverage = coverage(&scores);
    let numbers: Vec<Option<f64>> = scores
        .iter()
        .map(|score| score.as_ref().map(|s| s.value))
        .collect();
    let mut models: Vec<RankedModel> = rank(&numbers)
        .into_iter()
        .zip(scores)
        .enumerate()
        .map(|(index, (rank, score))| RankedModel { index, rank, score })
        .collect();
    models.sort_by_key(|model| (model.rank.unwrap_or(u32::MAX), model.index));
    Ranking { models, coverage }
}

fn coverage(scores: &[Option<Score>]) -> Coverage {
    let missing: Vec<&[Dimension]> = scores
        .iter()
        .flatten()
        .map(|score| score.missing.as_slice())
        .collect();
    let first = missing.first().copied().unwrap_or_default();
    if missing.iter().any(|other| *other != first) {
        return Coverage::Mixed {
            partial: missing.iter().filter(|m| !m.is_empty()).count(),
            scored: missing.len(),
        };
    }
    if first.is_empty() {
        Coverage::Complete
    } else {
        Coverage::SamePart(first.to_vec())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn ties_share_a_rank_and_the_next_counts_them() {
        let scores = [
            Some(0.5),
            None,
            Some(1.0),
            Some(0.5),
            Some(0.1),
            Some(f64::NAN),
        ];
        let expected = [Some(2), None, Some(1), Some(2), Some(4), None];
        assert_eq!(rank(&scores), expected);
        assert_eq!(rank(&[Some(0.0), Some(-0.0)]), [Some(1), Some(1)]);
        assert_eq!(rank(&[]), []);
    }

    #[test]
    fn placements_count_the_placed_model() {
        let others = [0.4, 0.3, 0.2];
        assert_eq!(placement(0.9, &others).to_string(), "1st of 4");
        assert_eq!(placement(0.3, &others).to_string(), "2nd of 4");
        assert_eq!(placement(0.0, &others).to_string(), "4th of 4");
        let text = |rank| Placement { rank, others: 326 }.to_string();
        assert_eq!(text(111), "111th of 327");
        assert_eq!(text(113), "113th of 327");
        assert_eq!(text(223), "223rd of 327");
        assert_eq!(text(301), "301st of 327");
    }

    /// A model with the given accuracy, and all else average unless `partial`.
    fn model(accuracy: f64, partial: bool) -> Values {
        let scales = Reference::published().scales;
        let mut values = Values::from_fn(|d| scales[d].map(|s| s.mean));
        values[Dimension::Accuracy] = Some(accuracy);
        if partial {
            values[Dimension::ShapeBias] = None;
        }
        values
    }

    fn ranked(models: &[Values]) -> Ranking {
        ranking(models, &Reference::published(), &Weights::default())
    }

    #[test]
    fn the_list_is_ordered_and_says_what_is_partial() {
        let list = ranked(&[
            model(0.7, false),
            Values::default(),
            model(0.9, true),
            model(0.7, false),
            model(0.8, false),
        ]);
        let order: Vec<_> = list.models.iter().map(|m| (m.index, m.rank)).collect();
        assert_eq!(
            order,
            [
                (2, Some(1)),
                (4, Some(2)),
                (0, Some(3)),
                (3, Some(3)),
                (1, None)
            ]
        );
        assert!(list.models[0].score.as_ref().unwrap().is_partial());
        insta::assert_snapshot!(list.coverage, @"1 of 4 scores are partial: scores over different dimensions are not comparable, the order is only indicative");
    }

    #[test]
    fn equal_coverage_is_told_from_mixed() {
        let complete = ranked(&[model(0.7, false), model(0.8, false)]);
        assert_eq!(complete.coverage, Coverage::Complete);
        let same = ranked(&[model(0.7, true), model(0.8, true)]);
        insta::assert_snapshot!(same.coverage, @"all scores are partial, without shape bias: compare them only with each other");
        assert_eq!(ranked(&[]).coverage, Coverage::Complete);
    }

    proptest! {
        #[test]
        fn ranks_do_not_depend_on_order(
            scores in proptest::collection::vec(proptest::option::of(0..20_i32), 0..40),
            turn in 0..40_usize,
        ) {
            let scores: Vec<_> = scores.into_iter().map(|s| s.map(f64::from)).collect();
            let mut turned = scores.clone();
            let turn = turn % scores.len().max(1);
            turned.rotate_left(turn);
            turned.reverse();
            let mut ranks = rank(&scores);
            ranks.rotate_left(turn);
            ranks.reverse();
            prop_assert_eq!(rank(&turned), ranks);
        }
    }
}
