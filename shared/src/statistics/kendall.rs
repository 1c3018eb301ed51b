//! Kendall's rank correlation.

/// Kendall's τ-b of paired values, −1 to 1: concordant less discordant pairs of models, over the
/// geometric mean of the pairs that are not tied in x and of those not tied in y.
///
/// `None` for fewer than two pairs, lists of different lengths, values that are not finite, or a
/// list of equal values. Takes n·log n steps: Knight (1966), "A computer method for calculating
/// Kendall's tau with ungrouped data".
pub fn kendall(x: &[f64], y: &[f64]) -> Option<f64> {
    let finite = x.iter().chain(y).all(|value| value.is_finite());
    if x.len() != y.len() || !finite {
        return None;
    }
    // Adding 0 leaves one zero where there are two.
    let points = x.iter().zip(y).map(|(x, y)| (x + 0.0, y + 0.0));
    let mut points: Vec<(f64, f64)> = points.collect();
    points.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let tied_x = tied_pairs(points.chunk_by(|a, b| a.0 == b.0));
    let tied_both = tied_pairs(points.chunk_by(|a, b| a == b));
    let mut ys: Vec<f64> = points.into_iter().map(|(_, y)| y).collect();
    let discordant = sort_counting(&mut ys);
    let tied_y = tied_pairs(ys.chunk_by(|a, b| a == b));
    let all = pairs(x.len());
    let spread = ((all - tied_x) * (all - tied_y)).sqrt();
    let net = all - tied_x - tied_y + tied_both - 2.0 * discordant as f64;
    (spread > 0.0).then(|| (net / spread).clamp(-1.0, 1.0))
}

/// Pairs among `n` items.
fn pairs(n: usize) -> f64 {
    n as f64 * (n as f64 - 1.0) / 2.0
}

fn tied_pairs<'a, T: 'a>(runs: impl Iterator<Item = &'a [T]>) -> f64 {
    runs.map(|run| pairs(run.len())).sum()
}

/// Sorts by merging; the number of pairs that stood in falling order.
fn sort_counting(values: &mut Vec<f64>) -> u64 {
    let n = values.len();
    let mut falling = 0;
    let mut merged = Vec::with_capacity(n);
    let mut width = 1;
    while width < n {
        merged.clear();
        for run in values.chunks(2 * width) {
            let (mut left, mut right) = run.split_at(width.min(run.len()));
            while let ([a, later_left @ ..], [b, later_right @ ..]) = (left, right) {
                if b < a {
                    falling += left.len() as u64;
                    merged.push(*b);
                    right = later_right;
                } else {
                    merged.push(*a);
                    left = later_left;
                }
            }
            merged.extend_from_slice(left);
            merged.extend_from_slice(right);
        }
        std::mem::swap(values, &mut merged);
        width *= 2;
    }
    falling
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Expected values: `scipy.stats.kendalltau` 1.17.1 on the same lists.
    #[test]
    fn agrees_with_scipy() {
        let cases: [(&[f64], &[f64], f64); 5] = [
            (
                &[1.0, 2.0, 3.0, 4.0, 5.0],
                &[5.0, 6.0, 7.0, 8.0, 7.0],
                0.7378647873726218,
            ),
            (
                &[0.1, 0.4, 0.4, 0.9, 0.2, 0.7, 0.4],
                &[3.0, 1.0, 2.0, 2.0, 9.0, 4.0, 4.0],
                -0.21629522817435004,
            ),
            (
                &[10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0, 90.0, 100.0],
                &[1.0, 3.0, 2.0, 5.0, 4.0, 7.0, 6.0, 9.0, 8.0, 10.0],
                0.8222222222222221,
            ),
            (&[1.0, 1.0, 2.0, 2.0], &[3.0, 3.0, 1.0, 1.0], -1.0),
            (&[0.0, -0.0, 1.0], &[2.0, 1.0, 3.0], 0.816496580927726),
        ];
        for (x, y, tau) in cases {
            let found = kendall(x, y).unwrap();
            assert!((found - tau).abs() < 1e-14, "{found} against {tau}");
        }
    }

    #[test]
    fn undefined_cases() {
        assert_eq!(kendall(&[1.0], &[1.0]), None);
        assert_eq!(kendall(&[], &[]), None);
        assert_eq!(kendall(&[1.0, 2.0], &[1.0, 2.0, 3.0]), None);
        assert_eq!(kendall(&[1.0, 1.0], &[1.0, 2.0]), None);
        assert_eq!(kendall(&[1.0, f64::NAN], &[1.0, 2.0]), None);
    }

    /// The definition, pair by pair.
    fn plain(x: &[f64], y: &[f64]) -> Option<f64> {
        let (mut net, mut in_x, mut in_y) = (0.0, 0.0, 0.0);
        for i in 0..x.len() {
            for j in 0..i {
                let sign = |a: f64, b: f64| f64::from(u8::from(a > b)) - f64::from(u8::from(a < b));
                let (dx, dy) = (sign(x[i], x[j]), sign(y[i], y[j]));
                net += dx * dy;
                in_x += dx * dx;
                in_y += dy * dy;
            }
        }
        (in_x * in_y > 0.0).then(|| net / f64::sqrt(in_x * in_y))
    }

    proptest! {
        #[test]
        fn counts_every_pair(pairs in proptest::collection::vec((0..9_i32, 0..9_i32), 0..40)) {
            let (x, y): (Vec<f64>, Vec<f64>) =
                pairs.iter().map(|&(x, y)| (f64::from(x), f64::from(y))).unzip();
            let found = kendall(&x, &y);
            let expected = plain(&x, &y);
            prop_assert_eq!(found.is_some(), expected.is_some());
            if let (Some(found), Some(expected)) = (found, expected) {
                prop_assert!((found - expected).abs() < 1e-12, "{} {}", found, expected);
                let turned: Vec<f64> = y.iter().map(|y| -y).collect();
                prop_assert!((kendall(&x, &turned).unwrap() + found).abs() < 1e-12);
                prop_assert!((kendall(&y, &x).unwrap() - found).abs() < 1e-12);
            }
        }
    }
}
