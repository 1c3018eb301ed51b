//! How the corrupted images of an evaluation came about.

use std::collections::BTreeMap;

use super::Evaluation;
use crate::outcome::{FrostSource, Generation, Origin, PassKind};

impl Evaluation {
    /// How the corrupted images came about, in words: `stored`, `generated at up to 224 px with synthetic
    /// frost`, or the number of passes of each; `None` where no corruption was evaluated.
    pub fn corruption_origin(&self) -> Option<String> {
        let mut methods: BTreeMap<Origin, (usize, Option<FrostSource>)> = BTreeMap::new();
        for pass in &self.passes {
            let PassKind::Corruption(..) = pass.kind else {
                continue;
            };
            let (method, frost) = without_frost(pass.origin);
            let (count, source) = methods.entry(method).or_default();
            *count += 1;
            *source = source.or(frost);
        }
        let words = |(&method, &(count, frost)): (&Origin, &(usize, Option<FrostSource>))| {
            let method = match method {
                Origin::Stored => method,
                Origin::Generated(generation) => Origin::Generated(Generation {
                    frost,
                    ..generation
                }),
            };
            match methods.len() {
                1 => method.to_string(),
                _ => format!("{count} {method}"),
            }
        };
        let words: Vec<String> = methods.iter().map(words).collect();
        (!words.is_empty()).then(|| words.join("; "))
    }
}

/// The method that a frost pass shares with the other corruptions, and its pictures.
fn without_frost(origin: Origin) -> (Origin, Option<FrostSource>) {
    match origin {
        Origin::Stored => (Origin::Stored, None),
        Origin::Generated(generation) => {
            let method = Generation {
                frost: None,
                ..generation
            };
            (Origin::Generated(method), generation.frost)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::small_evaluation;
    use super::*;
    use crate::outcome::{Corruption, Pass, Severity};

    fn corrupted(origins: &[(Corruption, Origin)]) -> Evaluation {
        let mut evaluation = small_evaluation();
        let template = evaluation.passes[1].clone();
        evaluation
            .passes
            .retain(|pass| !matches!(pass.kind, PassKind::Corruption(..)));
        let pass = |&(corruption, origin): &(Corruption, Origin)| Pass {
            kind: PassKind::Corruption(corruption, Severity::ALL[0]),
            origin,
            ..template.clone()
        };
        evaluation.passes.extend(origins.iter().map(pass));
        evaluation
    }

    #[test]
    fn words() {
        let generated = |frost| {
            Origin::Generated(Generation {
                side: 224,
                jpeg85: false,
                frost,
            })
        };
        let (fog, frost) = (Corruption::Fog, Corruption::Frost);
        let synthetic = generated(Some(FrostSource::Synthetic));
        let words = |origins: &[_]| corrupted(origins).corruption_origin();
        assert_eq!(words(&[]), None);
        assert_eq!(words(&[(fog, Origin::Stored)]).unwrap(), "stored");
        assert_eq!(
            words(&[(fog, generated(None))]).unwrap(),
            "generated at up to 224 px"
        );
        assert_eq!(
            words(&[(fog, generated(None)), (frost, synthetic)]).unwrap(),
            "generated at up to 224 px with synthetic frost"
        );
        assert_eq!(
            words(&[(fog, Origin::Stored), (frost, synthetic)]).unwrap(),
            "1 stored; 1 generated at up to 224 px with synthetic frost"
        );
    }
}
