//! Warnings that follow from what is recorded, and what a warning is about.

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
