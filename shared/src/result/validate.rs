//! Whether an evaluation is consistent in itself.

mod costs;
mod shards;

use std::fmt;

use super::{Evaluation, Warning};
use crate::outcome::{Corruption, ImageList, Origin, Outcomes, Pass, PassKind};

/// A softmax probability may exceed one by rounding.
const MAX_CONFIDENCE: f64 = 1.0 + 1e-6;

/// Where an evaluation contradicts itself.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{part}: expected {expected}, found {found}")]
pub struct Inconsistency {
    /// The part concerned, for instance `pass clean`.
    pub part: String,
    /// What must hold.
    pub expected: String,
    /// What is there.
    pub found: String,
}

type Checked = Result<(), Inconsistency>;

/// Fails with an [`Inconsistency`] unless `holds`; the words are made only then.
fn ensure(
    holds: bool,
    part: impl fmt::Display,
    expected: impl fmt::Display,
    found: impl fmt::Display,
) -> Checked {
    if holds {
        return Ok(());
    }
    Err(Inconsistency {
        part: part.to_string(),
        expected: expected.to_string(),
        found: found.to_string(),
    })
}

impl Evaluation {
    /// Checks everything that the types leave open: equal lengths, classes and groups in range,
    /// probabilities in [0,1], indices below the population, sorted and unique parts.
    ///
    /// Every function that takes an evaluation may rely on it.
    ///
    /// # Errors
    /// The first contradiction found.
    pub fn validate(&self) -> Checked {
        ascending("runs", &self.runs)?;
        ascending("warnings", &self.warnings)?;
        ascending("lists", &self.lists)?;
        let kinds: Vec<PassKind> = self.passes.iter().map(|pass| pass.kind).collect();
        ascending("passes", &kinds)?;
        let counted: Vec<PassKind> = self.dataset.counts.iter().map(|&(kind, _)| kind).collect();
        ascending("counts of the dataset", &counted)?;
        let (mean, std) = (self.model.preprocessing.mean, self.model.preprocessing.std);
        ensure(
            mean.iter().chain(&std).all(|v| v.is_finite()) && std.iter().all(|&s| s > 0.0),
            "preprocessing",
            "a finite mean and a finite, positive standard deviation",
            format_args!("{mean:?} and {std:?}"),
        )?;
        one_warning_each(&self.warnings)?;
        costs::are_consistent(self)?;
        for (position, list) in self.lists.iter().enumerate() {
            list_is_consistent(position, list)?;
            let used = self.passes.iter().any(|p| p.list as usize == position);
            ensure(used, Nth("list", position), "a pass that uses it", "none")?;
        }
        self.passes.iter().try_for_each(|p| self.pass(p))?;
        shards::are_consistent(self)
    }

    fn pass(&self, pass: &Pass) -> Checked {
        let part = Nth("pass", pass.kind);
        let Some(list) = self.lists.get(pass.list as usize) else {
            let expected = format_args!("a list below {}", self.lists.len()).to_string();
            return ensure(false, part, expected, pass.list);
        };
        let (classes, groups) = (
            self.label_set.classes,
            u32::try_from(self.label_set.shape_groups.len()).unwrap_or(u32::MAX),
        );
        // Foreground groups are disjoint sets of classes, so there are no more of them.
        let decided_between = if is_shape(pass.kind) { groups } else { classes };
        below(&part, "label", &list.labels, decided_between)?;
        let textures = match pass.kind {
            PassKind::CueConflict => list.labels.len(),
            _ => 0,
        };
        ensure(
            list.textures.len() == textures,
            &part,
            format_args!("{textures} textures"),
            list.textures.len(),
        )?;
        below(&part, "texture", &list.textures, groups)?;
        ensure(
            pass.outcomes.len() == list.labels.len(),
            &part,
            format_args!("{} outcomes", list.labels.len()),
            pass.outcomes.len(),
        )?;
        origin_is_consistent(pass)?;
        skipped_are_consistent(pass, list)?;
        outcomes_are_consistent(pass, classes, decided_between)
    }
}

/// A noun with its number or name.
struct Nth<T>(&'static str, T);

impl<T: fmt::Display> fmt::Display for Nth<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.0, self.1)
    }
}

/// Whether the true labels of a pass are shape groups.
fn is_shape(kind: PassKind) -> bool {
    use PassKind::{CueConflict, Edge, Silhouette, Sketch, Stylized};
    matches!(kind, Edge | Silhouette | Sketch | Stylized | CueConflict)
}

fn ascending<T: PartialOrd>(part: &str, items: &[T]) -> Checked {
    let fault = items.windows(2).position(|pair| pair[0] >= pair[1]);
    ensure(
        fault.is_none(),
        part,
        "ascending order without repetition",
        format_args!("a fault at position {}", fault.map_or(0, |i| i + 1)),
    )
}

fn one_warning_each(warnings: &[Warning]) -> Checked {
    let repeated = warnings.windows(2).find(|pair| pair[0].repeats(&pair[1]));
    match repeated {
        None => Ok(()),
        Some(pair) => ensure(
            false,
            "warnings",
            "each kind once per pass",
            format_args!("{:?} and {:?}", pair[0], pair[1]),
        ),
    }
}

fn below(part: &impl fmt::Display, what: &'static str, values: &[u32], bound: u32) -> Checked {
    match values.iter().find(|&&value| value >= bound) {
        None => Ok(()),
        Some(value) => ensure(
            false,
            part,
            format_args!("every {what} below {bound}"),
            value,
        ),
    }
}

fn list_is_consistent(position: usize, list: &ImageList) -> Checked {
    let part = Nth("list", position);
    ensure(
        list.indices.is_well_formed(list.population),
        &part,
        format_args!(
            "runs of indices, ascending and apart, below {}",
            list.population
        ),
        "others",
    )?;
    ensure(
        list.indices.len() == list.labels.len(),
        &part,
        format_args!("{} labels", list.indices.len()),
        list.labels.len(),
    )
}

fn skipped_are_consistent(pass: &Pass, list: &ImageList) -> Checked {
    let part = Nth("skipped images of pass", pass.kind);
    let indices: Vec<u32> = pass.skipped.iter().map(|s| s.index).collect();
    ascending(&part.to_string(), &indices)?;
    below(&part, "index", &indices, list.population)?;
    let evaluated = indices
        .into_iter()
        .find(|&index| list.indices.contains(index));
    ensure(
        evaluated.is_none(),
        part,
        "images without an outcome",
        format_args!("image {} with one", evaluated.unwrap_or_default()),
    )
}

/// Only corruptions are generated, and only frost has pictures.
fn origin_is_consistent(pass: &Pass) -> Checked {
    let Origin::Generated(generation) = pass.origin else {
        return Ok(());
    };
    let PassKind::Corruption(corruption, _) = pass.kind else {
        let part = Nth("pass", pass.kind);
        return ensure(false, part, "stored images", "generated ones");
    };
    let with_pictures = generation.frost.is_some();
    ensure(
        with_pictures == (corruption == Corruption::Frost) && generation.side > 0,
        Nth("origin of pass", pass.kind),
        "a side above 0, and frost pictures for frost alone",
        pass.origin,
    )
}

fn outcomes_are_consistent(pass: &Pass, classes: u32, groups: u32) -> Checked {
    let part = Nth("pass", pass.kind);
    let fits = match (&pass.outcomes, pass.kind) {
        (Outcomes::Classified { .. }, kind) => kind == PassKind::Clean,
        (Outcomes::Decided(_), kind) => {
            is_shape(kind) || matches!(kind, PassKind::MixedSame | PassKind::MixedRand)
        }
        (Outcomes::Correct(_), kind) => !matches!(kind, PassKind::Clean | PassKind::CueConflict),
    };
    ensure(
        fits,
        &part,
        "the records of this kind of pass",
        pass.outcomes.name(),
    )?;
    match &pass.outcomes {
        Outcomes::Classified {
            predictions,
            confidences,
            true_confidences,
            ace,
        } => {
            // One past the last class or group is "no decision".
            below(&part, "prediction", predictions, classes + 1)?;
            probabilities(&part, "confidences", predictions.len(), confidences)?;
            probabilities(
                &part,
                "true-class confidences",
                predictions.len(),
                true_confidences,
            )?;
            let finite = ace.is_none_or(f64::is_finite);
            ensure(finite, part, "a finite ACE", ace.unwrap_or_default())
        }
        Outcomes::Correct(bits) => ensure(
            bits.is_well_formed(),
            part,
            format_args!("{} packed bits", bits.len()),
            "bytes of another length or with unused bits set",
        ),
        Outcomes::Decided(decisions) => below(&part, "decision", decisions, groups + 1),
    }
}

fn probabilities(part: &impl fmt::Display, what: &str, images: usize, values: &[f32]) -> Checked {
    ensure(
        values.len() == images,
        part,
        format_args!("{images} {what}"),
        values.len(),
    )?;
    // Written so that NaN is a fault; so is −0, which would make equal values differ in bytes.
    let fault = values
        .iter()
        .find(|&&p| p.is_sign_negative() || !(0.0..=MAX_CONFIDENCE).contains(&f64::from(p)));
    ensure(
        fault.is_none(),
        part,
        format_args!("{what} within 0 to 1"),
        fault.copied().unwrap_or_default(),
    )
}

#[cfg(test)]
mod tests;
