//! What two models must have in common for their answers to be compared image by image.
//!
//! How a model wants its images prepared is its own affair; which images, how they were changed
//! and what counts as right must be the same.

use crate::metrics::{adversarial, ood, records};
use crate::outcome::{Corruption, ImageList, Origin, Pass, PassKind, Severity};
use crate::protocol::Protocol;
use crate::result::Evaluation;
use crate::{Dimension, words};

/// Why two models are not compared in a dimension or a pass.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotCompared {
    /// One of the models, or both, were not measured.
    #[error("not measured for both")]
    NotMeasured,
    /// The classes or groups differ.
    #[error("the label sets '{first}' and '{second}' differ")]
    LabelSet {
        /// Name of the first label set.
        first: String,
        /// Name of the second label set.
        second: String,
    },
    /// The dimension was measured by different definitions.
    #[error("measured by protocol {first} and {second}; evaluate again with one --protocol")]
    Protocol {
        /// Protocol of the first.
        first: Protocol,
        /// Protocol of the second.
        second: Protocol,
    },
    /// Other attacks stand behind the two numbers.
    #[error("attacked by {first} and by {second}")]
    Attacks {
        /// Attacks on the first.
        first: String,
        /// Attacks on the second.
        second: String,
    },
    /// A pass showed other images.
    #[error("{pass}: {what} differ ({first} and {second}); evaluate both on the same images")]
    Images {
        /// The pass.
        pass: PassKind,
        /// What differs, for instance `image sets`.
        what: &'static str,
        /// The first, in words.
        first: String,
        /// The second, in words.
        second: String,
    },
    /// The two were resampled with other options, so their resamples do not pair up.
    #[error("resampled with different options")]
    Options,
    /// A weighted dimension of the score is not compared.
    #[error("{dimension}: {reason}")]
    Dimension {
        /// The dimension.
        dimension: Dimension,
        /// Why.
        reason: Box<NotCompared>,
    },
}

/// The passes that a dimension is measured by.
fn passes_of(dimension: Dimension, evaluation: &Evaluation) -> Vec<PassKind> {
    let mut passes = match dimension {
        Dimension::Parameters => return Vec::new(),
        Dimension::ShapeBias => return vec![PassKind::CueConflict],
        Dimension::Accuracy | Dimension::CalibrationError | Dimension::ClassBalance => Vec::new(),
        Dimension::AdversarialRobustness => adversarial::scored_passes(evaluation),
        Dimension::CorruptionRobustness => Corruption::SCORED
            .into_iter()
            .flat_map(|c| Severity::ALL.map(|s| PassKind::Corruption(c, s)))
            .collect(),
        Dimension::OodRobustness => ood::SETS.to_vec(),
        Dimension::ObjectFocus => vec![PassKind::MixedSame, PassKind::MixedRand],
    };
    passes.insert(0, PassKind::Clean);
    passes
}

/// Whether the two may be compared in a dimension that both were measured on.
pub(super) fn check(
    dimension: Dimension,
    a: &Evaluation,
    b: &Evaluation,
) -> Result<(), NotCompared> {
    let (first, second) = (a.protocols[dimension], b.protocols[dimension]);
    if first != second {
        return Err(NotCompared::Protocol { first, second });
    }
    let (passes, others) = (passes_of(dimension, a), passes_of(dimension, b));
    if passes != others {
        return Err(NotCompared::Attacks {
            first: list(&passes),
            second: list(&others),
        });
    }
    passes
        .into_iter()
        .try_for_each(|kind| check_pass(kind, a, b))
}

/// The attacks among passes, in words.
fn list(passes: &[PassKind]) -> String {
    let attacks = passes.iter().filter(|kind| **kind != PassKind::Clean);
    let words: Vec<String> = attacks.map(ToString::to_string).collect();
    words.join(", ")
}

/// Whether a pass showed both models the same images.
pub(super) fn check_pass(
    pass: PassKind,
    a: &Evaluation,
    b: &Evaluation,
) -> Result<(), NotCompared> {
    label_sets(a, b)?;
    let (Ok(first), Ok(second)) = (records::pass(a, pass), records::pass(b, pass)) else {
        return Err(NotCompared::NotMeasured);
    };
    let differ = |what, first: String, second: String| {
        Err(NotCompared::Images {
            pass,
            what,
            first,
            second,
        })
    };
    let ((x, shown), (y, also)) = (first, second);
    let set =
        |(pass, list): (&Pass, &ImageList)| (pass.fingerprint, list.identity, list.population);
    if set(first) != set(second) {
        return differ("image sets", described(first), described(second));
    }
    if x.origin != y.origin {
        return differ("origins", x.origin.to_string(), y.origin.to_string());
    }
    if matches!(x.origin, Origin::Generated(_)) && a.seed != b.seed {
        return differ("seeds", a.seed.to_string(), b.seed.to_string());
    }
    if shown.indices != also.indices {
        let count = |list: &ImageList| words::plural(list.labels.len() as u64, "image");
        return differ("samples", count(shown), count(also));
    }
    if (&shown.labels, &shown.textures) != (&also.labels, &also.textures) {
        return differ("labels", "one".to_owned(), "another".to_owned());
    }
    Ok(())
}

/// A complete set of files, in words.
fn described((pass, list): (&Pass, &ImageList)) -> String {
    let files = words::count(list.population.into());
    let hash = blake3::Hash::from(pass.fingerprint).to_hex();
    format!("{files} files of fingerprint {}", &hash[..8])
}

fn label_sets(a: &Evaluation, b: &Evaluation) -> Result<(), NotCompared> {
    let (x, y) = (&a.label_set, &b.label_set);
    if (x.hash, x.classes, &x.shape_groups) == (y.hash, y.classes, &y.shape_groups) {
        return Ok(());
    }
    Err(NotCompared::LabelSet {
        first: x.name.clone(),
        second: y.name.clone(),
    })
}
