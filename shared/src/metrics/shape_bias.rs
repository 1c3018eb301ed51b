//! Shape bias under cue conflict (SPEC §1.8).

use super::{Measured, Measurement, NotMeasured, Part, records};
use crate::outcome::{Outcomes, PassKind};
use crate::result::Evaluation;

/// Decisions on the images whose shape and texture differ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CueDecisions {
    /// Images whose shape and texture differ.
    pub images: u32,
    /// Decisions for the shape.
    pub shape: u32,
    /// Decisions for the texture.
    pub texture: u32,
}

impl CueDecisions {
    /// Counts `(shape, texture, decision)` triples; images without a conflict are left out.
    pub fn count(images: impl IntoIterator<Item = (u32, u32, u32)>) -> Self {
        let mut counts = Self::default();
        for (shape, texture, decision) in images {
            if shape == texture {
                continue;
            }
            counts.images += 1;
            counts.shape += u32::from(decision == shape);
            counts.texture += u32::from(decision == texture);
        }
        counts
    }

    /// Share of shape decisions among both, in [0, 1]; `None` if there is neither.
    pub fn bias(self) -> Option<f64> {
        let both = f64::from(self.shape) + f64::from(self.texture);
        (both > 0.0).then(|| f64::from(self.shape) / both)
    }
}

/// One image: shape, texture, decision.
pub(crate) type Cue = (u32, u32, u32);

/// The images of cue conflict, those without a conflict too.
pub(crate) fn cues(evaluation: &Evaluation) -> Result<impl Iterator<Item = Cue>, NotMeasured> {
    let kind = PassKind::CueConflict;
    let (pass, list) = records::pass(evaluation, kind)?;
    let Outcomes::Decided(decisions) = &pass.outcomes else {
        return Err(records::inconsistent(kind, "no decisions"));
    };
    if list.textures.len() != list.labels.len() {
        return Err(records::inconsistent(kind, "a texture is missing"));
    }
    let groups = evaluation.label_set.shape_groups.len();
    records::check_labels(kind, &list.labels, groups)?;
    records::check_labels(kind, &list.textures, groups)?;
    let cues = list.labels.iter().zip(&list.textures).zip(decisions);
    Ok(cues.map(|((&s, &t), &decision)| (s, t, decision)))
}

/// The decisions by the category of the shape, one entry per shape group of the label set.
///
/// # Errors
/// Cue conflict was not evaluated or its records contradict each other.
pub fn by_shape(evaluation: &Evaluation) -> Result<Vec<CueDecisions>, NotMeasured> {
    let cues: Vec<Cue> = cues(evaluation)?.collect();
    let of = |group: usize| {
        let own = |(shape, _, _): &&Cue| *shape as usize == group;
        CueDecisions::count(cues.iter().filter(own).copied())
    };
    Ok((0..evaluation.label_set.shape_groups.len())
        .map(of)
        .collect())
}

/// Parts: the two counts of decisions.
pub(super) fn measure(evaluation: &Evaluation) -> Measured {
    let counts = CueDecisions::count(cues(evaluation)?);
    let value = counts
        .bias()
        .ok_or_else(|| NotMeasured::Undefined("no decision for shape or texture".to_owned()))?;
    Ok(Measurement {
        value,
        images: counts.images,
        parts: vec![
            Part::new("shape decisions", f64::from(counts.shape)),
            Part::new("texture decisions", f64::from(counts.texture)),
        ],
    })
}
