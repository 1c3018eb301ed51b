//! The answers of two models image by image, over every kind of pass that both hold.

use std::collections::HashMap;

use shared::metrics::ood::SETS;
use shared::metrics::paired::{Paired, paired};
use shared::outcome::{Corruption, ImageList, Outcomes, Pass, PassKind, Severity};
use shared::result::Evaluation;

/// Answers of two models on the same images.
#[derive(Clone, Debug, PartialEq)]
pub struct Answers {
    /// Which answers, in words.
    pub name: String,
    /// Images that both hold, and those where only one is right or is right more often.
    pub counts: Paired,
}

/// All answers that can be compared, the clean ones first.
pub fn answers(first: &Evaluation, second: &Evaluation) -> Vec<Answers> {
    let mut all = Vec::new();
    let mut add = |name: String, counts: Option<Paired>| {
        all.extend(counts.map(|counts| Answers { name, counts }));
    };
    add("clean images".to_owned(), paired(first, second));
    for kind in SETS.into_iter().chain([PassKind::MixedRand]) {
        add(kind.to_string(), of_pass(first, second, kind));
    }
    let shape = of_pass(first, second, PassKind::CueConflict);
    add("cue-conflict, decided for the shape".to_owned(), shape);
    add("corruptions".to_owned(), corruptions(first, second));
    for pass in &first.passes {
        if matches!(pass.kind, PassKind::Attack(_)) {
            add(pass.kind.to_string(), of_pass(first, second, pass.kind));
        }
    }
    all
}

/// Right answers of one pass.
fn of_pass(first: &Evaluation, second: &Evaluation, kind: PassKind) -> Option<Paired> {
    let mut counts = Paired::default();
    for (_, a, b) in common(first, second, kind)? {
        counts.images += 1;
        counts.only_first += u32::from(a && !b);
        counts.only_second += u32::from(b && !a);
    }
    (counts.images > 0).then_some(counts)
}

/// Images by which of the two is right under more of the scored corruptions: answers on copies of
/// one image depend on each other, images do not.
fn corruptions(first: &Evaluation, second: &Evaluation) -> Option<Paired> {
    let mut leads: HashMap<u32, i32> = HashMap::new();
    for corruption in Corruption::SCORED {
        for severity in Severity::ALL {
            let kind = PassKind::Corruption(corruption, severity);
            for (image, a, b) in common(first, second, kind).unwrap_or_default() {
                *leads.entry(image).or_default() += i32::from(a) - i32::from(b);
            }
        }
    }
    let count = |holds: &dyn Fn(i32) -> bool| {
        let images = leads.values().filter(|&&lead| holds(lead)).count();
        u32::try_from(images).unwrap_or(u32::MAX)
    };
    (!leads.is_empty()).then(|| Paired {
        images: count(&|_| true),
        only_first: count(&|lead| lead > 0),
        only_second: count(&|lead| lead < 0),
    })
}

/// The images of a pass that both hold, and whether each model is right; `None` where the two were
/// not shown the same.
fn common(
    first: &Evaluation,
    second: &Evaluation,
    kind: PassKind,
) -> Option<Vec<(u32, bool, bool)>> {
    let ((pass, list), (other, others)) = (shown(first, kind)?, shown(second, kind)?);
    let same = (
        list.identity,
        list.population,
        pass.fingerprint,
        pass.origin,
    ) == (
        others.identity,
        others.population,
        other.fingerprint,
        other.origin,
    );
    if !same || first.label_set.hash != second.label_set.hash {
        return None;
    }
    let mut images = Vec::new();
    // Both ascend.
    let mut rest = others.indices.iter().enumerate().peekable();
    for (position, image) in list.indices.iter().enumerate() {
        while rest.next_if(|&(_, other)| other < image).is_some() {}
        if let Some((at, _)) = rest.next_if(|&(_, other)| other == image)
            && let (Some(a), Some(b)) =
                (is_right(pass, list, position), is_right(other, others, at))
        {
            images.push((image, a, b));
        }
    }
    Some(images)
}

fn shown(evaluation: &Evaluation, kind: PassKind) -> Option<(&Pass, &ImageList)> {
    let pass = evaluation.passes.iter().find(|pass| pass.kind == kind)?;
    Some((pass, evaluation.lists.get(pass.list as usize)?))
}

/// Whether an answer is right; `None` where there is none, or where shape and texture agree.
fn is_right(pass: &Pass, list: &ImageList, position: usize) -> Option<bool> {
    let label = list.labels.get(position)?;
    if list.textures.get(position) == Some(label) {
        return None;
    }
    match &pass.outcomes {
        Outcomes::Classified { predictions, .. } => Some(predictions.get(position)? == label),
        Outcomes::Correct(right) => right.get(position),
        Outcomes::Decided(decisions) => Some(decisions.get(position)? == label),
    }
}

#[cfg(test)]
mod tests {
    use shared::Dimension;
    use shared::metrics::adversarial::by_attack;
    use shared::metrics::ood::by_set;

    use super::*;
    use crate::state::library::Library;
    use crate::state::model::Model;
    use crate::state::testing;

    fn demo() -> Library {
        let mut library = Library::default();
        library.insert(testing::demo());
        library
    }

    fn evaluation<'a>(library: &'a Library, name: &str) -> (&'a Model, &'a Evaluation) {
        let model = library.models().iter().find(|m| m.name == name).unwrap();
        (model, &model.measurements().unwrap().evaluation)
    }

    /// Only-one counts differ by as much as the right answers that the metrics count.
    #[test]
    fn counts_agree_with_the_metrics() {
        let library = demo();
        let (_, a) = evaluation(&library, "Residual CNN");
        let (_, b) = evaluation(&library, "Wide CNN, adversarially trained");
        let found = answers(a, b);
        let gain = |name: &str| {
            let counts = found.iter().find(|f| f.name == name).unwrap().counts;
            (
                i64::from(counts.only_second) - i64::from(counts.only_first),
                counts.images,
            )
        };
        for (first, second) in by_set(a).iter().zip(by_set(b)) {
            let more = i64::from(second.answers.0) - i64::from(first.answers.0);
            assert_eq!(gain(&first.set.to_string()), (more, first.answers.1));
        }
        let attacks = by_attack(a);
        assert!(attacks.len() > 1);
        for first in attacks {
            let second = by_attack(b).into_iter().find(|t| t.attack == first.attack);
            let more = i64::from(second.unwrap().answers.0) - i64::from(first.answers.0);
            assert_eq!(gain(&first.attack.to_string()), (more, first.answers.1));
        }
        assert_eq!(found[0].name, "clean images");
        assert_eq!(gain("corruptions").1, found[0].counts.images);
    }

    #[test]
    fn more_robust_models_lead_on_more_images() {
        let library = demo();
        let (robust, a) = evaluation(&library, "Residual CNN, degraded images");
        let (plain, b) = evaluation(&library, "Residual CNN");
        let dimension = Dimension::CorruptionRobustness;
        assert!(robust.values[dimension] > plain.values[dimension]);
        let counts = corruptions(a, b).unwrap();
        assert!(counts.only_first > counts.only_second, "{counts:?}");
        let swapped = corruptions(b, a).unwrap();
        assert_eq!(
            (counts.only_first, counts.only_second),
            (swapped.only_second, swapped.only_first)
        );
        let same = corruptions(a, a).unwrap();
        assert_eq!((same.only_first, same.only_second), (0, 0));
    }

    #[test]
    fn what_was_not_the_same_is_not_compared() {
        let whole = testing::whole();
        let mut other = testing::whole();
        for pass in &mut other.passes {
            pass.fingerprint = [0; 32];
        }
        let names = |other: &Evaluation| -> Vec<String> {
            answers(&whole, other).into_iter().map(|a| a.name).collect()
        };
        assert_eq!(names(&other), ["clean images"]);
        other.label_set.hash = [0; 32];
        assert!(names(&other).is_empty());
        let clean = testing::part(&|pass| pass.kind == PassKind::Clean);
        assert_eq!(names(&clean), ["clean images"]);
    }

    /// Half of the images of a list, in shards: those in common are found.
    #[test]
    fn images_are_matched_by_their_index() {
        let whole = testing::whole();
        let mut part = testing::whole();
        let pass = part
            .passes
            .iter()
            .position(|p| p.kind == PassKind::Rendition);
        let list = part.passes[pass.unwrap()].list as usize;
        let kept: Vec<usize> = (0..part.lists[list].labels.len()).step_by(2).collect();
        let all: Vec<u32> = part.lists[list].indices.iter().collect();
        let labels = part.lists[list].labels.clone();
        part.lists[list].indices = kept.iter().map(|&at| all[at]).collect();
        part.lists[list].labels = kept.iter().map(|&at| labels[at]).collect();
        let outcomes = &mut part.passes[pass.unwrap()].outcomes;
        *outcomes = match &*outcomes {
            Outcomes::Correct(bits) => {
                Outcomes::Correct(kept.iter().map(|&at| bits.get(at).unwrap()).collect())
            }
            other => other.clone(),
        };
        let counts = of_pass(&whole, &part, PassKind::Rendition).unwrap();
        assert_eq!(counts.images as usize, kept.len());
        assert_eq!((counts.only_first, counts.only_second), (0, 0));
    }
}
