//! Adversarial robustness (SPEC §1.2).

use super::{Measured, Measurement, Part, gmean, records, relative};
use crate::dimension::Dimension;
use crate::outcome::{Attack, AttackSpace, PassKind};
use crate::protocol::Protocol;
use crate::result::Evaluation;

/// The space that a protocol attacks in.
pub fn space_of(protocol: Protocol) -> AttackSpace {
    match protocol {
        Protocol::Correct => AttackSpace::Pixels,
        Protocol::Published => AttackSpace::Normalized,
    }
}

/// The attack that stands in for the scored ones where a model has no gradient, if it was run: its
/// number is not comparable with theirs.
pub fn black_box(evaluation: &Evaluation) -> Option<Attack> {
    let scored = Attack::scored(space_of(
        evaluation.protocols[Dimension::AdversarialRobustness],
    ));
    let present = |attack: &Attack| {
        let wanted = PassKind::Attack(*attack);
        evaluation.passes.iter().any(|pass| pass.kind == wanted)
    };
    if scored.iter().any(present) {
        return None;
    }
    evaluation.passes.iter().find_map(|pass| match pass.kind {
        PassKind::Attack(attack) => {
            let stands_in = !attack.method.needs_gradient()
                && (attack.norm, attack.epsilon) == (scored[0].norm, scored[0].epsilon);
            stands_in.then_some(attack)
        }
        _ => None,
    })
}

/// The answers under one attack.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AttackTally {
    /// The attack.
    pub attack: Attack,
    /// Right answers and attacked images, at least one image.
    pub answers: (u32, u32),
    /// Accuracy over clean accuracy of the attacked images; `None` where that is 0 or unknown.
    pub relative: Option<f64>,
}

/// The answers under every attack that was run, scored or not: by method, then by strength.
pub fn by_attack(evaluation: &Evaluation) -> Vec<AttackTally> {
    let of = |kind: PassKind| {
        let PassKind::Attack(attack) = kind else {
            return None;
        };
        let attacked = records::tally(evaluation, kind).ok()?;
        let clean = records::clean_tally_of(evaluation, kind).ok();
        Some(AttackTally {
            attack,
            answers: (attacked.correct, attacked.total),
            relative: clean.and_then(|clean| relative::to_clean(attacked, clean).ok()),
        })
    };
    let kinds = evaluation.passes.iter().map(|pass| pass.kind);
    let mut tallies: Vec<AttackTally> = kinds.filter_map(of).collect();
    tallies.sort_by_key(|tally| tally.attack);
    tallies
}

/// Geometric mean of the relative accuracies under FGSM and PGD; where a model has no gradient, the
/// relative accuracy under the black-box attack, if that was run. Clean accuracy is that of the
/// attacked images.
///
/// The passes that the dimension is measured by: the scored attacks, or the one that stands in.
pub(crate) fn scored_passes(evaluation: &Evaluation) -> Vec<PassKind> {
    let space = space_of(evaluation.protocols[Dimension::AdversarialRobustness]);
    let attacks = match black_box(evaluation) {
        Some(attack) => vec![attack],
        None => Attack::scored(space).to_vec(),
    };
    attacks.into_iter().map(PassKind::Attack).collect()
}

/// Parts: the relative accuracies.
pub(super) fn measure(evaluation: &Evaluation) -> Measured {
    let kinds = scored_passes(evaluation);
    records::require(evaluation, &kinds)?;
    let mut values = Vec::new();
    let mut parts = Vec::new();
    let mut images = 0u32;
    for kind in kinds {
        let attacked = records::tally(evaluation, kind)?;
        let clean = records::clean_tally_of(evaluation, kind)?;
        let value = relative::to_clean(attacked, clean)?;
        images = images.saturating_add(attacked.total);
        parts.push(Part::new(kind.to_string(), value));
        values.push(value);
    }
    Ok(Measurement {
        value: gmean(&values),
        images,
        parts,
    })
}
