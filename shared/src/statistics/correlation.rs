//! Spearman's rank correlation.

use statrs::function::beta::checked_beta_reg;

use super::mean;
use crate::dimension::{Dimension, PerDimension, Values};

/// A rank correlation and how surprising it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Correlation {
    /// Spearman's coefficient, −1 to 1.
    pub rho: f64,
    /// Two-sided p-value of no correlation, by the t distribution with `n − 2` degrees of freedom.
    pub p: f64,
    /// Number of pairs.
    pub n: usize,
}

/// The correlation of each two dimensions; `None` where it is not defined.
pub type CorrelationMatrix = PerDimension<PerDimension<Option<Correlation>>>;

/// Ranks from 1, ascending; equal values share the mean of their ranks.
pub fn ranks_average(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
    let mut ranks = vec![0.0; values.len()];
    let mut first = 0;
    for tied in order.chunk_by(|&a, &b| values[a] == values[b]) {
        let shared = first as f64 + (tied.len() + 1) as f64 / 2.0;
        for &index in tied {
            ranks[index] = shared;
        }
        first += tied.len();
    }
    ranks
}

/// Spearman's correlation of paired values: Pearson's correlation of their average ranks.
///
/// `None` for fewer than three pairs, lists of different lengths, values that are not finite, or a
/// list of equal values.
pub fn spearman(x: &[f64], y: &[f64]) -> Option<Correlation> {
    let n = x.len();
    let finite = x.iter().chain(y).all(|value| value.is_finite());
    if n < 3 || y.len() != n || !finite {
        return None;
    }
    let rho = pearson(&ranks_average(x), &ranks_average(y))?;
    // With t² = ν·ρ²/(1 − ρ²), the two tails of the t distribution hold I(ν/(ν + t²); ν/2, 1/2),
    // and ν/(ν + t²) is 1 − ρ².
    let freedom = (n - 2) as f64;
    let p = checked_beta_reg(freedom / 2.0, 0.5, (1.0 - rho) * (1.0 + rho)).ok()?;
    Some(Correlation { rho, p, n })
}

/// Pearson's correlation of lists of the same length; `None` where one does not vary.
pub(super) fn pearson(x: &[f64], y: &[f64]) -> Option<f64> {
    let (mean_x, mean_y) = (mean(x), mean(y));
    let (mut xy, mut xx, mut yy) = (0.0, 0.0, 0.0);
    for (x, y) in x.iter().zip(y) {
        let (dx, dy) = (x - mean_x, y - mean_y);
        xy += dx * dy;
        xx += dx * dx;
        yy += dy * dy;
    }
    let spread = (xx * yy).sqrt();
    (spread > 0.0).then(|| (xy / spread).clamp(-1.0, 1.0))
}

/// Spearman's correlation of each two dimensions over the models measured on both.
pub fn spearman_matrix(models: &[Values]) -> CorrelationMatrix {
    let mut matrix = CorrelationMatrix::default();
    for (i, row) in Dimension::ALL.into_iter().enumerate() {
        for column in Dimension::ALL.into_iter().take(i + 1) {
            let (x, y): (Vec<f64>, Vec<f64>) = models
                .iter()
                .filter_map(|values| values[row].zip(values[column]))
                .unzip();
            let correlation = spearman(&x, &y);
            matrix[row][column] = correlation;
            matrix[column][row] = correlation;
        }
    }
    matrix
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn ties_share_their_mean_rank() {
        assert_eq!(ranks_average(&[3.0, 1.0, 3.0, 2.0]), [3.5, 1.0, 3.5, 2.0]);
        assert_eq!(ranks_average(&[0.0, -0.0]), [1.5, 1.5]);
        assert!(ranks_average(&[]).is_empty());
    }

    /// Expected values: `scipy.stats.spearmanr` 1.17.1 on the same lists.
    #[test]
    fn agrees_with_scipy() {
        let cases: [(&[f64], &[f64], f64, f64); 3] = [
            (
                &[1.0, 2.0, 3.0, 4.0, 5.0],
                &[5.0, 6.0, 7.0, 8.0, 7.0],
                0.8207826816681233,
                0.08858700531354384,
            ),
            (
                &[0.1, 0.4, 0.4, 0.9, 0.2, 0.7, 0.4],
                &[3.0, 1.0, 2.0, 2.0, 9.0, 4.0, 4.0],
                -0.28306925853614895,
                0.5384659719172196,
            ),
            (
                &[10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0, 90.0, 100.0],
                &[1.0, 3.0, 2.0, 5.0, 4.0, 7.0, 6.0, 9.0, 8.0, 10.0],
                0.9515151515151514,
                2.279854920641689e-05,
            ),
        ];
        for (x, y, rho, p) in cases {
            let found = spearman(x, y).unwrap();
            assert!((found.rho - rho).abs() < 1e-14, "{found:?}");
            assert!((found.p - p).abs() < 1e-12, "{found:?}");
        }
    }

    #[test]
    fn perfect_agreement_leaves_no_doubt() {
        let found = spearman(&[1.0, 2.0, 3.0, 4.0], &[-1.0, -2.0, -3.0, -40.0]).unwrap();
        assert_eq!((found.rho, found.p, found.n), (-1.0, 0.0, 4));
    }

    #[test]
    fn undefined_cases() {
        assert_eq!(spearman(&[1.0, 2.0], &[1.0, 2.0]), None);
        assert_eq!(spearman(&[1.0, 2.0, 3.0], &[1.0, 2.0]), None);
        assert_eq!(spearman(&[1.0, 1.0, 1.0], &[1.0, 2.0, 3.0]), None);
        assert_eq!(spearman(&[1.0, f64::NAN, 1.5], &[1.0, 2.0, 3.0]), None);
    }

    #[test]
    fn the_matrix_uses_the_models_measured_on_both() {
        let mut models = vec![Values::default(); 5];
        for (i, model) in models.iter_mut().enumerate() {
            model[Dimension::Accuracy] = Some(i as f64);
            model[Dimension::ShapeBias] = (i > 0).then_some(-(i as f64));
        }
        let matrix = spearman_matrix(&models);
        let found = matrix[Dimension::ShapeBias][Dimension::Accuracy].unwrap();
        assert_eq!((found.rho, found.n), (-1.0, 4));
        assert_eq!(
            matrix[Dimension::Accuracy][Dimension::ShapeBias],
            Some(found)
        );
        assert_eq!(matrix[Dimension::Accuracy][Dimension::Parameters], None);
    }

    proptest! {
        #[test]
        fn bounded_symmetric_and_blind_to_monotone_maps(
            pairs in proptest::collection::vec((0..9_i32, 0..9_i32), 3..30),
        ) {
            let (x, y): (Vec<f64>, Vec<f64>) =
                pairs.iter().map(|&(x, y)| (f64::from(x), f64::from(y))).unzip();
            let found = spearman(&x, &y);
            let cubed: Vec<f64> = x.iter().map(|x| x.powi(3) - 7.0).collect();
            prop_assert_eq!(spearman(&cubed, &y), found);
            prop_assert_eq!(spearman(&y, &x), found);
            if let Some(found) = found {
                prop_assert!((-1.0..=1.0).contains(&found.rho));
                prop_assert!((0.0..=1.0).contains(&found.p));
            }
        }
    }
}
