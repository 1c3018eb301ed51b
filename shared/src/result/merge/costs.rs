//! Joining costs that stand alone with an evaluation of their model, or with other costs.

use super::describe;
use crate::result::{Cost, Evaluation, Model};

/// `a` and `b` in one, where at least one of them is costs alone: whatever else there is comes from
/// the other, whose images no cost says anything about.
pub(super) fn attach(a: &Evaluation, b: &Evaluation) -> Evaluation {
    let costs = union(a, b);
    let mut merged = match (a.is_costs_only(), b.is_costs_only()) {
        (true, true) => Evaluation::of_costs(model(&a.model, &b.model), costs),
        (true, false) => Evaluation { costs, ..b.clone() },
        (false, _) => Evaluation { costs, ..a.clone() },
    };
    merged.canonicalise();
    merged
}

/// The costs of both; [`Evaluation::canonicalise`] keeps the latest of each key.
pub(super) fn union(a: &Evaluation, b: &Evaluation) -> Vec<Cost> {
    [a.costs.as_slice(), &b.costs].concat()
}

/// The record of the better source, as two boards may have different cards; of equals, the smaller
/// one in bytes, so that the order of merging does not matter.
fn model(a: &Model, b: &Model) -> Model {
    let key = |model: &Model| {
        let bytes = postcard::to_stdvec(model).unwrap_or_default();
        (describe::source_rank(&model.preprocessing), bytes)
    };
    if key(a) <= key(b) { a } else { b }.clone()
}
