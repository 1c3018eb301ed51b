//! The metrics over weighted images: each from the weight of right answers and of images shown.

use super::balance::Classes;
use super::layout::{Layout, Share};
use crate::Dimension;
use crate::dimension::{PerDimension, Values};
use crate::metrics::corruption::mean_relative_accuracy;
use crate::metrics::object_focus::object_focus;
use crate::metrics::relative::relative;
use crate::metrics::{adversarial, gmean, ood, shape_bias};
use crate::outcome::{Corruption, PassKind, Severity};
use crate::result::Evaluation;

/// A metric as a function of sums over columns.
pub(super) enum Formula {
    /// Share of right answers.
    Accuracy(Share),
    /// Geometric mean of shares relative to the clean share of the same images.
    Relative(Vec<(Share, Share)>),
    /// Mean over corruptions and severities of shares relative to the clean one.
    Corruptions(Box<[[Share; 5]; 15]>, Share),
    /// What misleading backgrounds cost, relative to the clean share.
    ObjectFocus {
        same: Share,
        rand: Share,
        clean: Share,
    },
    /// Columns of the decisions for shape and for texture.
    ShapeBias { shape: usize, texture: usize },
    /// From the classes, not from sums.
    ClassBalance(Classes),
}

impl Formula {
    /// The formulas of the dimensions that have a value.
    pub(super) fn of_measured(
        values: &Values,
        evaluation: &Evaluation,
        layout: &mut Layout,
    ) -> PerDimension<Option<Self>> {
        PerDimension::from_fn(|dimension| {
            values[dimension]?;
            Self::of(dimension, evaluation, layout)
        })
    }

    /// The formula of a measured dimension; `None` where it has none (calibration, parameters) or
    /// the image lists contradict each other.
    pub(super) fn of(
        dimension: Dimension,
        evaluation: &Evaluation,
        layout: &mut Layout,
    ) -> Option<Self> {
        let clean = layout.share(PassKind::Clean);
        Some(match dimension {
            Dimension::Accuracy => Self::Accuracy(clean?),
            Dimension::AdversarialRobustness => {
                let kinds = adversarial::scored_passes(evaluation).into_iter();
                let pairs = kinds.map(|k| Some((layout.share(k)?, layout.clean_share_of(k)?)));
                Self::Relative(pairs.collect::<Option<_>>()?)
            }
            Dimension::CorruptionRobustness => {
                let mut cells = [[clean?; 5]; 15];
                for (row, corruption) in cells.iter_mut().zip(Corruption::SCORED) {
                    for (cell, severity) in row.iter_mut().zip(Severity::ALL) {
                        *cell = layout.share(PassKind::Corruption(corruption, severity))?;
                    }
                }
                Self::Corruptions(Box::new(cells), clean?)
            }
            Dimension::OodRobustness => {
                let pairs = ood::SETS.map(|kind| Some((layout.share(kind)?, clean?)));
                Self::Relative(pairs.into_iter().collect::<Option<_>>()?)
            }
            Dimension::ObjectFocus => Self::ObjectFocus {
                same: layout.share(PassKind::MixedSame)?,
                rand: layout.share(PassKind::MixedRand)?,
                clean: clean?,
            },
            Dimension::ShapeBias => shape_columns(evaluation, layout)?,
            Dimension::ClassBalance => Self::ClassBalance(Classes::of(evaluation, layout)?),
            Dimension::CalibrationError | Dimension::Parameters => return None,
        })
    }

    /// The value where `sums` has the weight of every column, as a pass has it; NaN where it is
    /// undefined. Class balance is NaN here: it is no function of them.
    pub(super) fn value(&self, sums: impl Fn(PassKind, usize) -> f64) -> f64 {
        let share = |share: &Share| sums(share.of, share.right) / sums(share.of, share.shown);
        let to = |shifted: f64, clean: f64| relative(shifted, clean).unwrap_or(f64::NAN);
        match self {
            Self::Accuracy(clean) => share(clean),
            Self::Relative(pairs) => {
                let values = pairs.iter().map(|(s, clean)| to(share(s), share(clean)));
                gmean(&values.collect::<Vec<f64>>())
            }
            Self::Corruptions(cells, clean) => {
                let clean = share(clean);
                mean_relative_accuracy(&cells.map(|row| row.map(|cell| to(share(&cell), clean))))
            }
            Self::ObjectFocus { same, rand, clean } => {
                object_focus(share(same), share(rand), share(clean)).unwrap_or(f64::NAN)
            }
            Self::ShapeBias { shape, texture } => {
                let [shape, texture] = [shape, texture].map(|c| sums(PassKind::CueConflict, *c));
                shape / (shape + texture)
            }
            Self::ClassBalance(_) => f64::NAN,
        }
    }
}

fn shape_columns(evaluation: &Evaluation, layout: &mut Layout) -> Option<Formula> {
    let cues: Vec<shape_bias::Cue> = shape_bias::cues(evaluation).ok()?.collect();
    let conflicts = |decided: fn(&shape_bias::Cue) -> bool| -> Vec<bool> {
        cues.iter().map(|c| c.0 != c.1 && decided(c)).collect()
    };
    let kind = |pass: &&crate::outcome::Pass| pass.kind == PassKind::CueConflict;
    let list = evaluation.passes.iter().find(kind)?.list as usize;
    Some(Formula::ShapeBias {
        shape: layout.column(list, &conflicts(|c| c.2 == c.0))?,
        texture: layout.column(list, &conflicts(|c| c.2 == c.1))?,
    })
}
