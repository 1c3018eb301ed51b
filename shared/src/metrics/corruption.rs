//! Corruption robustness (SPEC §1.3): not the AlexNet-normalised mean corruption error.

use super::{Measured, Measurement, NotMeasured, Part, records, relative};
use crate::outcome::{Corruption, PassKind, Severity};
use crate::result::Evaluation;

/// Mean over the corruptions of the mean over the severities of relative accuracy.
///
/// `cells[c][s]` is the relative accuracy at corruption `Corruption::SCORED[c]` and severity
/// `s + 1`.
pub fn mean_relative_accuracy(cells: &[[f64; 5]; 15]) -> f64 {
    mean(&cells.map(|severities| mean(&severities)))
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn kind(corruption: Corruption, severity: Severity) -> PassKind {
    PassKind::Corruption(corruption, severity)
}

/// Relative accuracy at corruption `Corruption::SCORED[c]` and severity `s + 1` in `[c][s]`; `None`
/// where that pass was not evaluated or there is no clean accuracy to divide by.
pub fn cells(evaluation: &Evaluation) -> [[Option<f64>; 5]; 15] {
    let clean = records::tally(evaluation, PassKind::Clean).ok();
    let cell = |corruption, severity| {
        let tally = records::tally(evaluation, kind(corruption, severity)).ok()?;
        relative::to_clean(tally, clean?).ok()
    };
    Corruption::SCORED.map(|corruption| Severity::ALL.map(|severity| cell(corruption, severity)))
}

/// All 75 passes, or how many there are and which corruptions lack one.
fn require_all(evaluation: &Evaluation) -> Result<(), NotMeasured> {
    let missing = |corruption: Corruption| {
        let is_missing = |severity: &Severity| {
            let wanted = kind(corruption, *severity);
            evaluation.passes.iter().all(|pass| pass.kind != wanted)
        };
        Severity::ALL.iter().filter(|s| is_missing(s)).count()
    };
    let missing = Corruption::SCORED.map(|corruption| (corruption, missing(corruption)));
    let absent: usize = missing.iter().map(|&(_, count)| count).sum();
    if absent == 0 {
        return Ok(());
    }
    let incomplete = missing.iter().filter(|&&(_, count)| count > 0);
    Err(NotMeasured::IncompleteCorruptions {
        present: 75 - absent,
        incomplete: incomplete.map(|&(corruption, _)| corruption).collect(),
    })
}

/// Parts: the mean over the severities of each corruption.
pub(super) fn measure(evaluation: &Evaluation) -> Measured {
    require_all(evaluation)?;
    let clean = records::tally(evaluation, PassKind::Clean)?;
    let mut cells = [[0.0; 5]; 15];
    let mut images = 0u32;
    for (row, corruption) in cells.iter_mut().zip(Corruption::SCORED) {
        let tallies = records::tallies(evaluation, Severity::ALL.map(|s| kind(corruption, s)))?;
        images = images.saturating_add(records::total(&tallies));
        for (cell, tally) in row.iter_mut().zip(tallies) {
            *cell = relative::to_clean(tally, clean)?;
        }
    }
    let part = |(corruption, row): (Corruption, &[f64; 5])| Part::new(corruption.name(), mean(row));
    Ok(Measurement {
        value: mean_relative_accuracy(&cells),
        images,
        parts: Corruption::SCORED
            .into_iter()
            .zip(&cells)
            .map(part)
            .collect(),
    })
}
