//! What images cost, by the clock.

use std::time::Duration;

use super::arms::Arms;
use crate::evaluate::plan::Plan;
use crate::evaluate::run::Tally;

/// What an image of each arm costs.
pub(super) struct Prices {
    /// By arm: images, and the seconds they took with all workers.
    measured: Vec<(f64, f64)>,
    /// By arm: runs of a model per image.
    runs: Vec<f64>,
}

impl Prices {
    pub(super) fn new(arms: &Arms, plan: &Plan) -> Self {
        let count = arms.all.len();
        Self {
            measured: vec![(0.0, 0.0); count],
            runs: (0..count).map(|arm| arms.runs(arm, plan) as f64).collect(),
        }
    }

    /// Shares the time of a round out by the time that workers were busy.
    pub(super) fn learn(&mut self, arms: &Arms, tallies: &[Tally], time: Duration) {
        let busy: Duration = tallies.iter().map(|tally| tally.busy).sum();
        if busy.is_zero() {
            return;
        }
        let scale = time.as_secs_f64() / busy.as_secs_f64();
        for (arm, (images, seconds)) in arms.all.iter().zip(&mut self.measured) {
            let tallies = arm.passes.iter().map(|&pass| tallies[pass]);
            let (shown, busy) = tallies.fold((0, 0.0), |(images, busy), tally| {
                (images + tally.images, busy + tally.busy.as_secs_f64())
            });
            *images += shown as f64 / arm.passes.len() as f64;
            *seconds += scale * busy;
        }
    }

    /// Seconds per image of each arm; those of an arm that has had none by the number of runs.
    pub(super) fn seconds(&self) -> Vec<f64> {
        let known = || {
            self.measured
                .iter()
                .zip(&self.runs)
                .filter(|(m, _)| m.0 > 0.0)
        };
        let seconds: f64 = known().map(|(m, _)| m.1).sum();
        let runs: f64 = known().map(|(m, runs)| m.0 * runs).sum();
        let per_run = if runs > 0.0 { seconds / runs } else { 1.0 };
        let of_arm = |(measured, runs): (&(f64, f64), &f64)| match measured {
            (images, seconds) if *images > 0.0 => (seconds / images).max(1e-9),
            _ => runs * per_run,
        };
        self.measured.iter().zip(&self.runs).map(of_arm).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_arm_without_images_costs_as_its_runs() {
        let mut prices = Prices {
            measured: vec![(10.0, 2.0), (0.0, 0.0)],
            runs: vec![4.0, 35.0],
        };
        // Two seconds for 40 runs.
        assert_eq!(prices.seconds(), [0.2, 1.75]);
        prices.measured[1] = (2.0, 1.0);
        assert_eq!(prices.seconds(), [0.2, 0.5]);
        prices.measured = vec![(0.0, 0.0); 2];
        assert_eq!(prices.seconds(), [4.0, 35.0]);
    }
}
