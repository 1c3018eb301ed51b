//! Checked access to the records of an evaluation: whatever a file claims, nothing here panics.

use super::NotMeasured;
use crate::outcome::{ImageList, Outcomes, Pass, PassKind};
use crate::result::Evaluation;

/// Right answers of one pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Tally {
    pub(super) correct: u32,
    pub(super) total: u32,
}

impl Tally {
    pub(super) fn accuracy(self) -> f64 {
        super::accuracy::accuracy(self.correct, self.total)
    }
}

/// The clean pass; every slice has one entry per image, and labels name classes.
///
/// A prediction that names no class is a wrong answer.
pub(crate) struct Clean<'a> {
    pub(crate) labels: &'a [u32],
    pub(super) predictions: &'a [u32],
    pub(super) confidences: &'a [f32],
    pub(crate) true_confidences: &'a [f32],
    pub(super) ace: Option<f64>,
}

impl Clean<'_> {
    pub(super) fn images(&self) -> u32 {
        count(self.labels.len())
    }

    /// Whether top-1 was right, per image.
    pub(crate) fn correct(&self) -> impl Iterator<Item = bool> {
        self.labels
            .iter()
            .zip(self.predictions)
            .map(|(label, prediction)| label == prediction)
    }
}

/// The error for records that contradict each other.
pub(super) fn inconsistent(kind: PassKind, problem: &str) -> NotMeasured {
    NotMeasured::Undefined(format!("inconsistent records of {kind}: {problem}"))
}

/// Image counts come from `u32` fields or vectors of a file, so they fit in practice.
pub(crate) fn count(images: usize) -> u32 {
    u32::try_from(images).unwrap_or(u32::MAX)
}

/// Images of several passes together.
pub(super) fn total(tallies: &[Tally]) -> u32 {
    tallies
        .iter()
        .fold(0, |sum, tally| sum.saturating_add(tally.total))
}

/// The pass and its images, one record each; at least one image.
pub(crate) fn pass(
    evaluation: &Evaluation,
    kind: PassKind,
) -> Result<(&Pass, &ImageList), NotMeasured> {
    let pass = evaluation
        .passes
        .iter()
        .find(|pass| pass.kind == kind)
        .ok_or_else(|| NotMeasured::MissingPass { passes: vec![kind] })?;
    let list = evaluation
        .lists
        .get(pass.list as usize)
        .ok_or_else(|| inconsistent(kind, "the image list is missing"))?;
    let images = list.labels.len();
    let one_record_each = match &pass.outcomes {
        Outcomes::Classified {
            predictions,
            confidences,
            true_confidences,
            ..
        } => [predictions.len(), confidences.len(), true_confidences.len()] == [images; 3],
        Outcomes::Correct(bits) => bits.is_well_formed() && bits.len() == images,
        Outcomes::Decided(decisions) => decisions.len() == images,
    };
    if !one_record_each {
        return Err(inconsistent(kind, "records and images differ in number"));
    }
    if images == 0 {
        return Err(NotMeasured::Undefined(format!("no image in {kind}")));
    }
    Ok((pass, list))
}

/// The clean pass with its per-image records.
pub(crate) fn clean(evaluation: &Evaluation) -> Result<Clean<'_>, NotMeasured> {
    let (pass, list) = pass(evaluation, PassKind::Clean)?;
    let Outcomes::Classified {
        predictions,
        confidences,
        true_confidences,
        ace,
    } = &pass.outcomes
    else {
        return Err(inconsistent(PassKind::Clean, "no classifications"));
    };
    check_labels(
        PassKind::Clean,
        &list.labels,
        evaluation.label_set.classes as usize,
    )?;
    Ok(Clean {
        labels: &list.labels,
        predictions,
        confidences,
        true_confidences,
        ace: *ace,
    })
}

/// Checks that every label names one of `count` classes or groups.
pub(super) fn check_labels(
    kind: PassKind,
    labels: &[u32],
    count: usize,
) -> Result<(), NotMeasured> {
    if labels.iter().all(|&label| (label as usize) < count) {
        Ok(())
    } else {
        Err(inconsistent(kind, "a label is out of range"))
    }
}

/// Right answers of one pass, whatever it records.
pub(super) fn tally(evaluation: &Evaluation, kind: PassKind) -> Result<Tally, NotMeasured> {
    let (pass, list) = pass(evaluation, kind)?;
    let correct = match &pass.outcomes {
        Outcomes::Correct(bits) => bits.count_ones(),
        _ => answers(evaluation, kind)?
            .into_iter()
            .filter(|&a| a)
            .count(),
    };
    Ok(Tally {
        correct: count(correct),
        total: count(list.labels.len()),
    })
}

/// Whether the answer was right, per image of one pass, whatever it records.
pub(crate) fn answers(evaluation: &Evaluation, kind: PassKind) -> Result<Vec<bool>, NotMeasured> {
    let (pass, list) = pass(evaluation, kind)?;
    let matches = |answers: &[u32]| {
        let pairs = answers.iter().zip(&list.labels);
        pairs.map(|(answer, label)| answer == label).collect()
    };
    Ok(match &pass.outcomes {
        Outcomes::Classified { predictions, .. } => {
            check_labels(kind, &list.labels, evaluation.label_set.classes as usize)?;
            matches(predictions)
        }
        Outcomes::Correct(bits) => bits.iter().collect(),
        Outcomes::Decided(decisions) => {
            check_labels(kind, &list.labels, evaluation.label_set.shape_groups.len())?;
            matches(decisions)
        }
    })
}

/// Right answers of the clean pass among the images of another pass.
pub(super) fn clean_tally_of(
    evaluation: &Evaluation,
    kind: PassKind,
) -> Result<Tally, NotMeasured> {
    let (_, list) = pass(evaluation, kind)?;
    let (_, clean_list) = pass(evaluation, PassKind::Clean)?;
    let clean = clean(evaluation)?;
    let wanted = &list.indices;
    let images = clean_list.indices.iter().zip(clean.correct());
    let among: Vec<bool> = images
        .filter(|(index, _)| wanted.contains(*index))
        .map(|(_, right)| right)
        .collect();
    if among.len() != list.labels.len() {
        return Err(inconsistent(kind, "images that the clean pass lacks"));
    }
    Ok(Tally {
        correct: count(among.iter().filter(|right| **right).count()),
        total: count(among.len()),
    })
}

/// Checks that all of these passes are there.
///
/// # Errors
/// [`NotMeasured::MissingPass`] with all that are missing.
pub(super) fn require(evaluation: &Evaluation, kinds: &[PassKind]) -> Result<(), NotMeasured> {
    let missing: Vec<PassKind> = kinds
        .iter()
        .copied()
        .filter(|kind| evaluation.passes.iter().all(|pass| pass.kind != *kind))
        .collect();
    if missing.is_empty() {
        Ok(())
    } else {
        Err(NotMeasured::MissingPass { passes: missing })
    }
}

/// Right answers of several passes; if some are missing, the error names all of those.
pub(super) fn tallies<const N: usize>(
    evaluation: &Evaluation,
    kinds: [PassKind; N],
) -> Result<[Tally; N], NotMeasured> {
    require(evaluation, &kinds)?;
    let mut found = [Tally {
        correct: 0,
        total: 0,
    }; N];
    for (slot, kind) in found.iter_mut().zip(kinds) {
        *slot = tally(evaluation, kind)?;
    }
    Ok(found)
}
