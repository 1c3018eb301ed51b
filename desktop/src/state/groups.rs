//! The words by which models are grouped: those of the study where a card uses them.

use shared::published::{Architecture, PretrainingData, Regime};

/// Shown and filtered by where a card does not state a group.
pub const NOT_STATED: &str = "not stated";

/// The label of an architecture as a card states it.
pub fn architecture(word: &str) -> String {
    let known = Architecture::ALL.iter().map(|a| (a.word(), a.label()));
    label(word, known)
}

/// The label of pre-training data as a card states it.
pub fn pretraining_data(word: &str) -> String {
    let known = PretrainingData::ALL.iter().map(|d| (d.word(), d.label()));
    label(word, known)
}

/// The label of a training regime as a card states it.
pub fn regime(word: &str) -> String {
    label(word, Regime::ALL.iter().map(|r| (r.word(), r.label())))
}

/// The architecture behind a label, where it is one of the study's.
pub fn known_architecture(label: &str) -> Option<Architecture> {
    Architecture::ALL
        .iter()
        .copied()
        .find(|architecture| architecture.label() == label)
}

fn label(word: &str, mut known: impl Iterator<Item = (&'static str, &'static str)>) -> String {
    let word = word.trim();
    if word.is_empty() {
        return NOT_STATED.to_owned();
    }
    known
        .find(|(short, label)| {
            [*short, *label]
                .iter()
                .any(|k| k.eq_ignore_ascii_case(word))
        })
        .map_or_else(|| word.to_owned(), |(_, label)| label.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_cards_become_the_study_s_labels_where_they_mean_the_same() {
        assert_eq!(architecture("CNN"), "convolutional");
        assert_eq!(architecture("Transformer "), "transformer");
        assert_eq!(architecture("hybrid"), "hybrid");
        assert_eq!(pretraining_data("in21k"), "ImageNet-21k");
        assert_eq!(regime(""), NOT_STATED);
        assert_eq!(regime("ssl-ft"), "self-supervised, fine-tuned");
        assert_eq!(known_architecture("convolutional"), Some(Architecture::Cnn));
        assert_eq!(known_architecture("hybrid"), None);
    }
}
