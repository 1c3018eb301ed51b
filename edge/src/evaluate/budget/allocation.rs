//! How many images each group of passes should have: the most certainty for the time.

/// Share of the time that all groups with images left get alike: where few images were all right, or all wrong, more of
/// them can still tell otherwise.
const EVEN_SHARE: f64 = 0.2;

/// One step of a group, as a part of the images it has.
const STEP: f64 = 0.05;

/// Groups of passes, and what their images are worth and cost.
pub(super) struct Allocation<'a> {
    /// By two groups, the covariance of what one image of each adds to QUBA: with n images in a and m in
    /// b, they covary by entry (a, b) over the larger of n and m, because smaller samples are part of
    /// larger ones. Summed up that is the variance of QUBA.
    pub(super) covariance: &'a [Vec<f64>],
    /// Images of each group that are there.
    pub(super) limits: &'a [usize],
    /// Seconds per image.
    pub(super) seconds: &'a [f64],
    /// The group that must not have fewer images, because it shows the same ones undisturbed.
    pub(super) base: &'a [Option<usize>],
}

impl Allocation<'_> {
    /// Spends `time` seconds on top of the images that are evaluated; more where that suffices for none,
    /// up to the seconds that are `left`. `None` where they do not suffice either.
    pub(super) fn next(&self, sizes: &[usize], mut time: f64, left: f64) -> Option<Vec<usize>> {
        loop {
            let next = self.spend(sizes, time.min(left));
            if next != sizes {
                return Some(next);
            }
            if time >= left {
                return None;
            }
            time *= 2.0;
        }
    }

    /// Spends `time` seconds on top of the images that are evaluated.
    ///
    /// An even part goes to all groups alike that have images left. The rest goes step by step to the group in which it takes
    /// most variance away, which comes out at Neyman's allocation: images as the deviation over the
    /// square root of the cost.
    fn spend(&self, sizes: &[usize], time: f64) -> Vec<usize> {
        let mut spread = sizes.to_vec();
        let mut left = time;
        let open = |&group: &usize| sizes[group] < self.limits[group];
        let open: Vec<usize> = (0..sizes.len()).filter(open).collect();
        let even = EVEN_SHARE * time / open.len() as f64;
        for group in open {
            let images = (even / self.seconds[group]) as usize;
            let grown = self.grown(&spread, group, images);
            left -= self.cost(&spread, &grown);
            spread = grown;
        }
        while let Some((grown, cost)) = self.best_step(&spread, left) {
            left -= cost;
            spread = grown;
        }
        spread
    }

    /// The step that takes most variance away for its time, of those that the time allows.
    fn best_step(&self, sizes: &[usize], time: f64) -> Option<(Vec<usize>, f64)> {
        let before = self.variance(sizes);
        let step = |group: usize| {
            let images = (STEP * sizes[group] as f64).ceil() as usize;
            let grown = self.grown(sizes, group, images.max(1));
            let cost = self.cost(sizes, &grown);
            let gain = (before - self.variance(&grown)) / cost;
            (cost > 0.0 && cost <= time && gain > 0.0).then_some((gain, grown, cost))
        };
        let steps = (0..sizes.len()).filter_map(step);
        let best = steps.max_by(|a, b| a.0.total_cmp(&b.0))?;
        Some((best.1, best.2))
    }

    /// With more images in a group, as far as there are any, and in the one it is based on.
    fn grown(&self, sizes: &[usize], group: usize, images: usize) -> Vec<usize> {
        let mut grown = sizes.to_vec();
        grown[group] = sizes[group].saturating_add(images).min(self.limits[group]);
        if let Some(base) = self.base[group] {
            grown[base] = grown[base].max(grown[group]).min(self.limits[base]);
        }
        grown
    }

    fn cost(&self, before: &[usize], after: &[usize]) -> f64 {
        let added = before.iter().zip(after).map(|(b, a)| (a - b) as f64);
        added.zip(self.seconds).map(|(n, s)| n * s).sum()
    }

    /// The variance of QUBA, to first order.
    fn variance(&self, sizes: &[usize]) -> f64 {
        let mut variance = 0.0;
        for (row, &n) in self.covariance.iter().zip(sizes) {
            for (value, &m) in row.iter().zip(sizes) {
                variance += value / n.max(m).max(1) as f64;
            }
        }
        variance
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const NO_LIMIT: usize = 1 << 40;

    #[test]
    fn independent_groups_come_out_at_neymans_allocation() {
        let deviations = [3.0, 1.0, 0.5];
        let seconds = [0.1, 0.1, 3.5];
        let mut covariance = vec![vec![0.0; 3]; 3];
        for (group, deviation) in deviations.into_iter().enumerate() {
            covariance[group][group] = deviation * deviation;
        }
        let allocation = Allocation {
            covariance: &covariance,
            limits: &[NO_LIMIT; 3],
            seconds: &seconds,
            base: &[None; 3],
        };
        let time = 10_000.0;
        let found = allocation.spend(&[1; 3], time);
        let raw: Vec<f64> = (0..3)
            .map(|i| deviations[i] / f64::sqrt(seconds[i]))
            .collect();
        let total: f64 = raw.iter().zip(seconds).map(|(n, s)| n * s).sum();
        for group in 0..3 {
            let expected = raw[group] * time / total;
            let ratio = found[group] as f64 / expected;
            assert!((ratio - 1.0).abs() < 0.1, "{group}: {found:?} {expected}");
        }
    }

    #[test]
    fn what_seems_certain_gets_its_even_share() {
        let allocation = Allocation {
            covariance: &[vec![1.0, 0.0], vec![0.0, 0.0]],
            limits: &[NO_LIMIT; 2],
            seconds: &[0.5, 0.5],
            base: &[None; 2],
        };
        let found = allocation.spend(&[10, 10], 1000.0);
        assert_eq!(found[1], 10 + 200);
        assert!(found[0] > 10 + 1700, "{found:?}");
    }

    #[test]
    fn dear_images_are_waited_for_while_there_is_time() {
        let allocation = Allocation {
            covariance: &[vec![1.0, 0.0], vec![0.0, 0.0]],
            limits: &[50, 60],
            seconds: &[0.1, 10.0],
            base: &[None; 2],
        };
        // Only the dear ones are left, and they seem certain.
        let next = |left| allocation.next(&[50, 16], 2.0, left);
        assert_eq!(next(5.0), None);
        assert_eq!(next(1000.0), Some(vec![50, 17]));
        assert_eq!(next(f64::INFINITY), Some(vec![50, 17]));
        assert_eq!(allocation.next(&[50, 60], 2.0, f64::INFINITY), None);
    }

    proptest! {
        #[test]
        fn neither_time_nor_images_are_exceeded_and_bases_are_as_large(
            roots in proptest::array::uniform9(-1.0..1.0_f64),
            sizes in proptest::array::uniform3(1..50_usize),
            more in proptest::array::uniform3(0..500_usize),
            seconds in proptest::array::uniform3(0.01..5.0_f64),
            time in 0.0..500.0_f64,
        ) {
            // Any R·Rᵀ is a covariance matrix.
            let row = |a: usize| &roots[3 * a..3 * a + 3];
            let of = |a, b| row(a).iter().zip(row(b)).map(|(x, y)| x * y).sum::<f64>();
            let covariance: Vec<Vec<f64>> =
                (0..3).map(|a| (0..3).map(|b| of(a, b)).collect()).collect();
            let mut sizes = sizes;
            sizes[0] = sizes[0].max(sizes[1]);
            let mut limits: [usize; 3] = std::array::from_fn(|i| sizes[i] + more[i]);
            limits[1] = limits[1].min(limits[0]);
            let allocation = Allocation {
                covariance: &covariance,
                limits: &limits,
                seconds: &seconds,
                base: &[None, Some(0), None],
            };
            let found = allocation.spend(&sizes, time);
            let even_overrun = seconds[0] * (found[0] - sizes[0]) as f64;
            prop_assert!(allocation.cost(&sizes, &found) <= time + even_overrun);
            for group in 0..3 {
                prop_assert!((sizes[group]..=limits[group]).contains(&found[group]));
            }
            prop_assert!(found[0] >= found[1]);
        }
    }
}
