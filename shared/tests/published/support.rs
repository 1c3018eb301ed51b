//! Groups of published models and comparison of rounded figures.

use shared::Dimension;
use shared::dimension::Values;
use shared::published::{PublishedModel, Regime, models};
use shared::quba::{Reference, Weights, ranking};
use shared::statistics::mean;

pub type Model = &'static PublishedModel;

pub fn model(id: &str) -> Option<Model> {
    models().iter().find(|model| model.id == id)
}

pub fn value(model: &PublishedModel, d: Dimension) -> f64 {
    model.values[d].unwrap()
}

pub fn column(group: &[Model], d: Dimension) -> Vec<f64> {
    group.iter().map(|model| value(model, d)).collect()
}

pub fn group(keep: impl Fn(&PublishedModel) -> bool) -> Vec<Model> {
    models().iter().filter(|model| keep(model)).collect()
}

pub fn regime(regime: Regime) -> Vec<Model> {
    group(|model| model.regime == regime)
}

/// Asserts that `found` rounds to `expected`, which was stated with that many decimals.
#[track_caller]
pub fn assert_near(found: f64, expected: f64, decimals: i32, what: &str) {
    let tolerance = 0.5 * 10_f64.powi(-decimals) + 1e-9;
    assert!(
        (found - expected).abs() <= tolerance,
        "{what}: {found} against {expected}"
    );
}

pub fn ids_by_rank() -> Vec<&'static str> {
    let values: Vec<Values> = models().iter().map(|model| model.values).collect();
    let ranking = ranking(&values, &Reference::published(), &Weights::default());
    let id = |ranked: &shared::quba::RankedModel| models()[ranked.index].id.as_str();
    ranking.models.iter().map(id).collect()
}

/// Difference of the group means of one dimension.
pub fn difference(a: &[Model], b: &[Model], d: Dimension) -> f64 {
    mean(&column(a, d)) - mean(&column(b, d))
}
