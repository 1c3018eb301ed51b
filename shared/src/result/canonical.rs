//! The one order in which the parts of an evaluation are written.

use super::{Cost, Evaluation, Shard};
use crate::outcome::ImageList;

impl Evaluation {
    /// Brings every part into its canonical order: equal lists become one, unused lists go, and
    /// lists, passes, skipped images, counts, runs, warnings, costs and shards are sorted; of several
    /// costs of one key the latest stays.
    pub fn canonicalise(&mut self) {
        self.share_lists();
        self.passes.sort_by_key(|pass| pass.kind);
        for pass in &mut self.passes {
            pass.skipped.sort();
            pass.skipped.dedup();
        }
        self.dataset.counts.sort_unstable();
        self.dataset.counts.dedup();
        self.runs.sort();
        self.runs.dedup();
        self.warnings.sort();
        self.warnings.dedup();
        self.costs.sort_by(Cost::order);
        self.costs
            .dedup_by(|cost, before| cost.key() == before.key());
        self.shards.sort_by_key(Shard::key);
    }

    fn share_lists(&mut self) {
        let lists = std::mem::take(&mut self.lists);
        let used = |position: usize| self.passes.iter().any(|p| p.list as usize == position);
        let mut kept: Vec<(ImageList, usize)> = lists
            .into_iter()
            .enumerate()
            .filter(|&(position, _)| used(position))
            .map(|(position, list)| (list, position))
            .collect();
        kept.sort_unstable();
        // Positions that name no list stay that way, for `validate` to report.
        let mut moved: Vec<(usize, u32)> = Vec::with_capacity(kept.len());
        for (list, position) in kept {
            if self.lists.last() != Some(&list) {
                self.lists.push(list);
            }
            let last = u32::try_from(self.lists.len() - 1).unwrap_or(u32::MAX);
            moved.push((position, last));
        }
        for pass in &mut self.passes {
            pass.list = moved
                .iter()
                .find(|&&(old, _)| old == pass.list as usize)
                .map_or(u32::MAX, |&(_, new)| new);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{pass_list, small_evaluation};

    #[test]
    fn lists_are_shared_sorted_and_pruned() {
        let expected = small_evaluation();
        let mut evaluation = expected.clone();
        // Each pass gets its own copy of its list, in reverse order, and one list is unused.
        let lists: Vec<_> = evaluation
            .passes
            .iter()
            .map(|pass| pass_list(&expected, pass).clone())
            .rev()
            .collect();
        evaluation.lists = lists;
        let mut unused = evaluation.lists[0].clone();
        unused.identity = [0xee; 32];
        evaluation.lists.push(unused);
        let count = evaluation.passes.len();
        for (position, pass) in evaluation.passes.iter_mut().enumerate() {
            pass.list = (count - 1 - position) as u32;
            pass.skipped.reverse();
        }
        evaluation.passes.reverse();
        evaluation.runs.push(evaluation.runs[0].clone());
        evaluation.warnings.reverse();
        evaluation.dataset.counts.reverse();
        assert!(evaluation.validate().is_err());
        evaluation.canonicalise();
        assert_eq!(evaluation, expected);
        evaluation.canonicalise();
        assert_eq!(evaluation, expected);
    }

    #[test]
    fn a_position_that_names_no_list_is_left_for_validation() {
        let mut evaluation = small_evaluation();
        evaluation.passes[0].list = 77;
        evaluation.canonicalise();
        assert!(evaluation.validate().is_err());
    }
}
