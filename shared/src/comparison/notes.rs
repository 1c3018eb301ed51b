//! What a reader must know before comparing the models of one table.

use super::Entry;
use crate::dimension::Dimension;
use crate::protocol::Protocol;
use crate::quba::Reference;

/// To a value marked † because the model has no gradient.
pub const BLACK_BOX_NOTE: &str = "† under Square Attack, as the model has no gradient: weaker than FGSM \
    and PGD, so adv and QUBA do not compare with the others";

/// Where [`mixes_attacks`].
pub const ATTACK_NOTE: &str = "adv: attacked in pixels, while the study attacked normalised tensors; \
    its figures compare with --protocol published alone";

/// To places among all published models.
pub const PUBLISHED_NOTE: &str = "among published: place of the score among the 326 published models, \
    scored on the same dimensions; 81 of them have corruption, out-of-distribution, calibration \
    and balance figures distorted by training-mode normalisation, 30 by a second softmax";

/// To places among the published models of a model measured on other data.
pub const OTHER_DATA_NOTE: &str = "the study measured ImageNet-1k: places of models measured on \
    other data only indicate";

/// Which models follow which protocol, where they differ.
pub fn protocol_note(entries: &[Entry]) -> Option<String> {
    let first = entries.first().map(|e| &e.protocol);
    let differ = entries.iter().any(|e| Some(&e.protocol) != first);
    let of = |e: &Entry| format!("{} {}", e.name, e.protocol);
    differ.then(|| {
        let list: Vec<String> = entries.iter().map(of).collect();
        format!(
            "protocols differ, so values do not compare: {}",
            list.join(", ")
        )
    })
}

/// Whether attacks in pixels stand beside the published figures: through the reference, or
/// because the table shows those as well.
pub fn mixes_attacks(entries: &[Entry], reference: &Reference, shows_published: bool) -> bool {
    let beside = shows_published || reference.name == Reference::published().name;
    let in_pixels = |e: &Entry| {
        e.values[Dimension::AdversarialRobustness].is_some()
            && e.protocol != Protocol::Published.name()
    };
    beside && entries.iter().any(in_pixels)
}

/// Clean images of each class from which on class balance orders models as complete sets do, by the
/// study of sample sizes in [`crate::uncertainty`].
const ENOUGH_PER_CLASS: u32 = 5;

/// Which models have a class balance of so few images that it is another number.
pub fn balance_note(entries: &[Entry]) -> Option<String> {
    let few = |e: &Entry| {
        let images = e.sampled_per_class.filter(|&n| n < ENOUGH_PER_CLASS)?;
        Some(format!("{} {images}", e.name))
    };
    let list: Vec<String> = entries.iter().filter_map(few).collect();
    (!list.is_empty()).then(|| {
        format!(
            "bal: of fewer than {ENOUGH_PER_CLASS} images of some classes, so it compares with equal \
             samples alone: {}",
            list.join(", ")
        )
    })
}

/// How corrupted images came about, and whether that makes `cor` incomparable.
pub fn corruption_note(entries: &[Entry]) -> Option<String> {
    let of = |e: &Entry| Some(format!("{} {}", e.name, e.corruptions.as_ref()?));
    let mut origins = entries.iter().filter_map(|e| e.corruptions.as_ref());
    let first = origins.next()?;
    if origins.all(|origin| origin == first) {
        return Some(format!("corrupted images: {first}"));
    }
    let list: Vec<String> = entries.iter().filter_map(of).collect();
    Some(format!(
        "corrupted images differ in origin, so cor compares only roughly: {}",
        list.join(", ")
    ))
}
