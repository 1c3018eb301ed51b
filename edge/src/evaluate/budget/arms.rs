//! Passes that get images together, and the order in which they get them.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use shared::outcome::PassKind;

use crate::dataset::Dataset;
use crate::dataset::sample::order;
use crate::evaluate::attacked::cost;
use crate::evaluate::plan::{Plan, PlannedPass};
use crate::evaluate::state::ModelState;

/// By pass and slot, whether an image is to be shown.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::evaluate) struct Shown(pub(in crate::evaluate) Vec<Vec<bool>>);

impl Shown {
    /// Whether no image is left out.
    pub(in crate::evaluate) fn is_all(&self) -> bool {
        self.0.iter().flatten().all(|&shown| shown)
    }
}

/// What to evaluate next.
pub(in crate::evaluate) struct Round {
    pub(in crate::evaluate) shown: Shown,
    /// When to stop, finished or not.
    pub(in crate::evaluate) deadline: Option<Instant>,
    /// By pass, the slots in the order in which images enter.
    orders: Vec<Arc<[u32]>>,
}

impl Round {
    /// Sorts `(group, slot)` of files, which come group by group, so that, wherever the time ends, every
    /// group of passes has got about the same part of its files, and the first ones of its order.
    pub(in crate::evaluate) fn sort(&self, units: &mut [(u16, u32)], groups: &[Vec<u16>]) {
        let mut keyed = Vec::with_capacity(units.len());
        for group in units.chunk_by(|a, b| a.0 == b.0) {
            let pass = groups[group[0].0 as usize][0];
            let order = &self.orders[pass as usize];
            let mut ranks = vec![0; order.len()];
            for (rank, &slot) in order.iter().enumerate() {
                ranks[slot as usize] = rank;
            }
            let mut files = group.to_vec();
            files.sort_by_key(|&(_, slot)| ranks[slot as usize]);
            let share = |place: usize| (place as f64 + 0.5) / group.len() as f64;
            keyed.extend((0..).map(share).zip(files));
        }
        keyed.sort_by(|a, b| a.0.total_cmp(&b.0));
        for (unit, (_, sorted)) in units.iter_mut().zip(keyed) {
            *unit = sorted;
        }
    }
}

/// Passes that get images together.
pub(super) struct Arm {
    /// What it is called: the pass, or the family of passes.
    pub(super) name: String,
    /// Positions in the plan.
    pub(super) passes: Vec<usize>,
    /// Images of the largest pass.
    pub(super) images: usize,
    /// What the images are, whether disturbed or not: see [`crate::dataset::ImageSet::identity`].
    pub(super) identity: [u8; 32],
}

/// All of them.
pub(super) struct Arms {
    pub(super) all: Vec<Arm>,
    /// By pass, the slots in the order in which images enter.
    orders: Vec<Arc<[u32]>>,
}

impl Arms {
    /// Corruptions are one arm, attacks another, since files and gradients serve all of them at once;
    /// every other pass is its own.
    pub(super) fn of(plan: &Plan, dataset: &Dataset, seed: u64) -> Self {
        let mut all: Vec<Arm> = Vec::new();
        for (index, pass) in plan.passes.iter().enumerate() {
            let name = family(pass.kind);
            let images = pass.positions.len();
            if let Some(arm) = all.iter_mut().find(|arm| arm.name == name) {
                arm.passes.push(index);
                arm.images = arm.images.max(images);
            } else {
                all.push(Arm {
                    name,
                    passes: vec![index],
                    images,
                    identity: pass.set(dataset).identity,
                });
            }
        }
        let mut known: BTreeMap<PassKind, Arc<[u32]>> = BTreeMap::new();
        let mut ordered = |pass: &PlannedPass| {
            let of_source = known.entry(pass.source);
            Arc::clone(of_source.or_insert_with(|| slots_in_order(pass, dataset, seed)))
        };
        let orders = plan.passes.iter().map(&mut ordered).collect();
        Self { all, orders }
    }

    /// By arm, all its images.
    pub(super) fn limits(&self) -> Vec<usize> {
        self.all.iter().map(|arm| arm.images).collect()
    }

    /// The arm of a pass of the plan.
    pub(super) fn arm_of(&self, pass: usize) -> Option<usize> {
        self.all.iter().position(|arm| arm.passes.contains(&pass))
    }

    /// The arm whose images others show disturbed.
    pub(super) fn clean(&self) -> Option<usize> {
        let clean = family(PassKind::Clean);
        self.all.iter().position(|arm| arm.name == clean)
    }

    /// By arm, the one that must not have fewer images.
    pub(super) fn bases(&self) -> Vec<Option<usize>> {
        let clean = self.clean();
        let base = |(index, arm): (usize, &Arm)| {
            clean.filter(|&clean| clean != index && self.all[clean].identity == arm.identity)
        };
        self.all.iter().enumerate().map(base).collect()
    }

    /// By arm, how many images, from the first on without a gap, every model has in every pass of it;
    /// not more than the base of the arm has.
    pub(super) fn evaluated(&self, states: &[ModelState]) -> Vec<usize> {
        let is_done = |pass: usize, slot: u32| states.iter().all(|s| s.is_done(pass, slot));
        let prefix = |pass: usize, arm: &Arm| {
            let order = &self.orders[pass];
            let done = order
                .iter()
                .take_while(|&&slot| is_done(pass, slot))
                .count();
            // A smaller set that is complete holds the others up no longer.
            if done == order.len() {
                arm.images
            } else {
                done
            }
        };
        let of_arm = |arm: &Arm| {
            let prefixes = arm.passes.iter().map(|&pass| prefix(pass, arm));
            prefixes.min().unwrap_or(0)
        };
        let own: Vec<usize> = self.all.iter().map(of_arm).collect();
        let bases = self.bases().into_iter();
        let bounded = own.iter().zip(bases);
        bounded
            .map(|(&n, base)| base.map_or(n, |base| n.min(own[base])))
            .collect()
    }

    /// The first images of each arm, as many as `sizes` says.
    pub(super) fn shown(&self, sizes: &[usize]) -> Shown {
        let of_pass = |(pass, order): (usize, &Arc<[u32]>)| {
            let mut shown = vec![false; order.len()];
            let size = self.arm_of(pass).map_or(0, |arm| sizes[arm]);
            for &slot in order.iter().take(size) {
                shown[slot as usize] = true;
            }
            shown
        };
        Shown(self.orders.iter().enumerate().map(of_pass).collect())
    }

    /// The round after which each arm has its first `sizes` images.
    pub(super) fn round(&self, sizes: &[usize], deadline: Option<Instant>) -> Round {
        Round {
            shown: self.shown(sizes),
            deadline,
            orders: self.orders.clone(),
        }
    }

    /// Runs of one model that an image of an arm takes, about.
    pub(super) fn runs(&self, arm: usize, plan: &Plan) -> u64 {
        let passes = self.all[arm].passes.iter();
        passes.map(|&pass| cost(plan.passes[pass].kind)).sum()
    }
}

/// The name of the arm that a pass belongs to.
fn family(kind: PassKind) -> String {
    match kind {
        PassKind::Corruption(..) => "corruptions".to_owned(),
        PassKind::Attack(_) => "attacks".to_owned(),
        other => other.to_string(),
    }
}

/// The slots of a pass in the order in which images enter a sample.
fn slots_in_order(pass: &PlannedPass, dataset: &Dataset, seed: u64) -> Arc<[u32]> {
    let positions = pass.positions.iter().copied();
    let slot = |position| pass.positions.binary_search(&position).ok();
    order(pass.set(dataset), positions, seed)
        .into_iter()
        .filter_map(|position| Some(slot(position)? as u32))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_come_in_order_and_groups_side_by_side() {
        let round = Round {
            shown: Shown(Vec::new()),
            deadline: None,
            orders: vec![
                Arc::from([3, 1, 0, 2]),
                Arc::from([3, 1, 0, 2]),
                Arc::from([1, 0]),
            ],
        };
        let mut units = vec![(0, 0), (0, 1), (0, 2), (0, 3), (1, 0), (1, 1)];
        round.sort(&mut units, &[vec![0, 1], vec![2]]);
        assert_eq!(units, [(0, 3), (1, 1), (0, 1), (0, 0), (1, 0), (0, 2)]);
    }
}
