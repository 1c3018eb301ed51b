//! Warnings that follow from what is recorded, and what a warning is about.

use std::fmt;
use std::mem::discriminant;

use super::{Evaluation, Warning};
use crate::metrics::adversarial::black_box;
use crate::metrics::pass_accuracy;
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
            | Self::AceLostByMerge
            | Self::BlackBoxAttack
            | Self::GpuFallback { .. } => None,
        }
    }

    /// Whether both say the same of the same, if with other numbers: an evaluation holds one of them.
    pub(crate) fn repeats(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::GpuFallback { .. }, Self::GpuFallback { .. }) => self == other,
            _ => discriminant(self) == discriminant(other) && self.pass() == other.pass(),
        }
    }

    /// Whether [`Evaluation::counted_warnings`] computes it from the records.
    pub fn is_counted(&self) -> bool {
        matches!(
            self,
            Self::SkippedImages { .. }
                | Self::Sampled { .. }
                | Self::EmptyClasses { .. }
                | Self::NearChance
                | Self::BlackBoxAttack
        )
    }
}

impl fmt::Display for Warning {
    /// What it means for the numbers and, where there is something to do, what.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(pass) = self.pass() {
            write!(f, "{pass}: ")?;
        }
        self.statement(f)
    }
}

impl Warning {
    /// The warning without the pass that it is about.
    fn statement(&self, f: &mut dyn fmt::Write) -> fmt::Result {
        match self {
            Self::DefaultPreprocessing => f.write_str(
                "no model card and no timm configuration beside the model: ImageNet \
                 preprocessing was assumed; write a card to be sure",
            ),
            Self::SkippedImages { count, .. } => write!(
                f,
                "{count} unreadable image(s) left out; the result file names them"
            ),
            Self::Sampled {
                images, population, ..
            } => write!(f, "a sample of {images} of {population} images"),
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
            Self::NonFiniteOutputs { count, .. } => write!(
                f,
                "outputs of {count} image(s) are not finite and count as wrong"
            ),
            Self::AceLostByMerge => f.write_str(
                "the adaptive calibration error cannot be computed from these joined parts; \
                 evaluate the clean set in one run, or in shards, to measure calibration",
            ),
            Self::BlackBoxAttack => f.write_str(
                "the model could not be differentiated: adversarial robustness is that under Square \
                 Attack, which is weaker than FGSM and PGD and does not compare with them",
            ),
            Self::GpuFallback { reason } => write!(f, "GPU: {reason}"),
        }
    }
}

impl Evaluation {
    /// The warnings as lines for a person: one that is the same for several corruption passes is
    /// one line.
    pub fn warning_lines(&self) -> Vec<String> {
        let mut lines: Vec<(bool, String, Vec<PassKind>)> = Vec::new();
        for warning in &self.warnings {
            let mut statement = String::new();
            // Writing to a string cannot fail.
            let _ = warning.statement(&mut statement);
            let pass = warning.pass();
            let corruption = matches!(pass, Some(PassKind::Corruption(..)));
            let same = lines
                .iter_mut()
                .find(|(c, s, _)| corruption && *c && *s == statement);
            match same {
                Some((_, _, passes)) => passes.extend(pass),
                None => lines.push((corruption, statement, pass.into_iter().collect())),
            }
        }
        let words = |(_, statement, passes): (bool, String, Vec<PassKind>)| match &passes[..] {
            [] => statement,
            [pass] => format!("{pass}: {statement}"),
            _ => format!("{} corruption passes: {statement}", passes.len()),
        };
        lines.into_iter().map(words).collect()
    }

    /// The warnings that follow from the recorded images alone, sorted: skipped images, sampled
    /// sets, classes of the label set without a clean image, and accuracy near chance.
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
        if black_box(self).is_some() {
            warnings.push(Warning::BlackBoxAttack);
        }
        if self.is_near_chance() {
            warnings.push(Warning::NearChance);
        }
        warnings.sort();
        warnings
    }

    /// Whether clean accuracy is within twice of guessing: most often a wrong class order.
    fn is_near_chance(&self) -> bool {
        let classes = f64::from(self.label_set.classes);
        pass_accuracy(self, PassKind::Clean).is_some_and(|(right, total)| {
            total > 0 && f64::from(right) * classes <= 2.0 * f64::from(total)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::small_evaluation;
    use super::*;
    use crate::outcome::{Corruption, Severity};

    #[test]
    fn equal_warnings_of_corruption_passes_are_one_line() {
        let skipped = |pass, count| Warning::SkippedImages { pass, count };
        let fog = |s: usize| PassKind::Corruption(Corruption::Fog, Severity::ALL[s]);
        let mut evaluation = small_evaluation();
        evaluation.warnings = vec![
            skipped(PassKind::Clean, 1),
            skipped(fog(0), 1),
            skipped(fog(1), 2),
            skipped(fog(2), 1),
            skipped(PassKind::Sketch, 1),
            Warning::NearChance,
        ];
        let rest = "unreadable image(s) left out; the result file names them";
        assert_eq!(
            evaluation.warning_lines(),
            [
                format!("clean: 1 {rest}"),
                format!("2 corruption passes: 1 {rest}"),
                format!("fog/2: 2 {rest}"),
                format!("sketch16: 1 {rest}"),
                Warning::NearChance.to_string(),
            ]
        );
    }
}
