//! Out-of-distribution robustness (SPEC §1.4).

use super::{Measured, Measurement, Part, gmean, records, relative};
use crate::outcome::PassKind;
use crate::result::Evaluation;

/// The five sets, in the order of the definition.
pub const SETS: [PassKind; 5] = [
    PassKind::Edge,
    PassKind::Silhouette,
    PassKind::Sketch,
    PassKind::Stylized,
    PassKind::Rendition,
];

/// The answers on one set.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SetTally {
    /// The set.
    pub set: PassKind,
    /// Right answers and images, at least one image.
    pub answers: (u32, u32),
    /// Accuracy over clean accuracy; `None` without a clean accuracy above 0.
    pub relative: Option<f64>,
}

/// The answers on each of [`SETS`] that was evaluated.
pub fn by_set(evaluation: &Evaluation) -> Vec<SetTally> {
    let clean = records::tally(evaluation, PassKind::Clean).ok();
    let of = |set: PassKind| {
        let tally = records::tally(evaluation, set).ok()?;
        Some(SetTally {
            set,
            answers: (tally.correct, tally.total),
            relative: clean.and_then(|clean| relative::to_clean(tally, clean).ok()),
        })
    };
    SETS.into_iter().filter_map(of).collect()
}

/// Geometric mean of the five relative accuracies, which are its parts.
///
/// Four of the sets are decided between few groups, yet divided by the accuracy over all classes:
/// that ratio of unlike tasks is the definition.
pub(super) fn measure(evaluation: &Evaluation) -> Measured {
    let [edge, silhouette, sketch, stylized, rendition] = SETS;
    let kinds = [
        PassKind::Clean,
        edge,
        silhouette,
        sketch,
        stylized,
        rendition,
    ];
    let [clean, tallies @ ..] = records::tallies(evaluation, kinds)?;
    let mut values = [0.0; SETS.len()];
    for (value, tally) in values.iter_mut().zip(tallies) {
        *value = relative::to_clean(tally, clean)?;
    }
    let part = |(kind, value): (PassKind, f64)| Part::new(kind.to_string(), value);
    Ok(Measurement {
        value: gmean(&values),
        images: records::total(&tallies),
        parts: SETS.into_iter().zip(values).map(part).collect(),
    })
}
