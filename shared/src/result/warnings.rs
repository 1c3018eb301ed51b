//! Warnings that follow from what is recorded, and what a warning is about.

use std::fmt;

use super::{Evaluation, Warning};
use crate::outcome::PassKind;

impl Warning {
    /// The pass that the warning is about, where it is about one.
    pub fn pass(&self) -> Option<PassKind> {
        match self {
            Self::SkippedImages { pass, .. }
            | Self::Sampled { pass, .. }
            | Self::NonFiniteOutputs { pass, .. } => Some(*pass),
            Self::DefaultPreprocessing
            | Self::NearChance
            | Self::EmptyClasses { .. }
            | Self::ParametersFromInitializers
            | Self::AceLostByMerge => None,
        }
    }

    /// Whether [`Evaluation::counted_warnings`] computes it from the records.
    pub fn is_counted(&self) -> bool {
        matches!(
            self,
            Self::SkippedImages { .. } | Self::Sampled { .. } | Self::EmptyClasses { .. }
        )
    }
}

impl fmt::Display for Warning {
    /// What it means for the numbers and, where there is something to do, what.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::DefaultPreprocessing => f.write_str(
                "no model card and no timm configuration beside the model: ImageNet \
                 preprocessing was assumed; write a card to be sure",
            ),
            Self::SkippedImages { pass, count } => write!(
                f,
                "{pass}: {count} unreadable image(s) left out; the result file names them"
            ),
            Self::Sampled {
                pass,
                images,
                population,
            } => write!(f, "{pass}: a sample of {images} of {population} images"),
            Self::NearChance => f.write_str(
                "accuracy is near chance: check class order, label set and preprocessing",
            ),
            Self::EmptyClasses { count } => write!(
                f,
                "{count} class(es) without a clean image: class balance is over the others"
            ),
            Self::ParametersFromInitializers => f.write_str(
                "parameters were counted in the ONNX file, where folded normalisation hides \
                 some; a card can state the number",
            ),
            Self::NonFiniteOutputs { pass, count } => write!(
                f,
                "{pass}: outputs of {count} image(s) are not finite and count as wrong"
            ),
            Self::AceLostByMerge => f.write_str(
                "the adaptive calibration error cannot be computed from joined parts; evaluate \
                 the clean set in one run to measure calibration",
            ),
        }
    }
}

impl Evaluation {
    /// The warnings that follow from the recorded images alone, sorted: skipped images, sampled
    /// sets, and classes of the label set without a clean image.
    pub fn counted_warnings(&self) -> Vec<Warning> {
        let mut warnings = Vec::new();
        for pass in &self.passes {
            let Some(list) = self.lists.get(pass.list as usize) else {
                continue;
            };
            let skipped = pass.skipped.len() as u32;
            if skipped > 0 {
                warnings.push(Warning::SkippedImages {
                    pass: pass.kind,
                    count: skipped,
                });
            }
            let images = list.labels.len() as u32;
            if u64::from(images) + u64::from(skipped) < u64::from(list.population) {
                warnings.push(Warning::Sampled {
                    pass: pass.kind,
                    images,
                    population: list.population,
                });
            }
            if pass.kind == PassKind::Clean {
                let mut shown = list.labels.clone();
                shown.sort_unstable();
                shown.dedup();
                let empty = self.label_set.classes.saturating_sub(shown.len() as u32);
                if empty > 0 {
                    warnings.push(Warning::EmptyClasses { count: empty });
                }
            }
        }
        warnings.sort();
        warnings
    }
}
