//! From folder and list words to labels.

use std::collections::BTreeMap;

use shared::labels::{Groups, LabelSet};
use shared::outcome::PassKind;

/// The labels that an image set is decided between, by every word that may name them.
pub(super) struct Targets {
    /// What a word should be, for messages: `class of imagenet-1k`.
    pub(super) noun: String,
    /// An example of a good word.
    example: String,
    /// Ids, letter by letter.
    ids: BTreeMap<String, u32>,
    /// Names and first synonyms, normalised.
    names: BTreeMap<String, Vec<u32>>,
    /// Further synonyms, normalised.
    synonyms: BTreeMap<String, Vec<u32>>,
    /// Number of labels that numbers count through.
    len: u32,
    /// The labels that may occur; `None`: all.
    allowed: Option<Vec<u32>>,
    /// Group names by position, where folders may be `00_name`.
    ordered: Vec<String>,
}

/// Why a word gives no label.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum NameError {
    #[error("'{word}' names no {noun}, expected for instance '{example}'")]
    Unknown {
        word: String,
        noun: String,
        example: String,
    },
    #[error("'{word}' names more than one {noun}; use an id: {ids}")]
    Ambiguous {
        word: String,
        noun: String,
        ids: String,
    },
    #[error("'{word}' is a {noun}, but not one of its rendition classes")]
    NotAllowed { word: String, noun: String },
    #[error(
        "numbers {min} to {max} may count from 0 or from 1; \
         say index_base = 0 or 1 for this set in data.toml"
    )]
    Base { min: u32, max: u32 },
    #[error("number {number} is outside {base} to {last}")]
    Range {
        number: String,
        base: u32,
        last: u32,
    },
}

impl Targets {
    /// The labels of a pass: classes, shape groups or foreground groups; `None` where the label
    /// set has no such groups.
    pub(super) fn of(labels: &LabelSet, kind: PassKind) -> Option<Self> {
        let set = &labels.name;
        match kind {
            PassKind::Clean | PassKind::Corruption(..) | PassKind::Attack(_) => {
                Some(Self::classes(labels, None))
            }
            PassKind::Rendition => Some(Self::classes(
                labels,
                Some(labels.rendition_classes.clone()),
            )),
            PassKind::MixedSame | PassKind::MixedRand => Self::groups(
                &labels.foreground_groups,
                format!("foreground group of {set}"),
            ),
            PassKind::Edge
            | PassKind::Silhouette
            | PassKind::Sketch
            | PassKind::Stylized
            | PassKind::CueConflict => {
                Self::groups(&labels.shape_groups, format!("shape group of {set}"))
            }
        }
    }

    fn classes(labels: &LabelSet, allowed: Option<Vec<u32>>) -> Self {
        let mut targets = Self::empty(format!("class of {}", labels.name));
        targets.len = u32::try_from(labels.classes.len()).unwrap_or(u32::MAX);
        targets.allowed = allowed;
        for (index, class) in (0u32..).zip(&labels.classes) {
            targets.ids.insert(class.id.clone(), index);
            insert(&mut targets.names, &class.id, index);
            insert(&mut targets.names, &class.name, index);
            for (position, word) in class.name.split(',').enumerate() {
                let map = match position {
                    0 => &mut targets.names,
                    _ => &mut targets.synonyms,
                };
                insert(map, word, index);
            }
        }
        targets.example = labels
            .classes
            .first()
            .map(|class| class.id.clone())
            .unwrap_or_default();
        targets
    }

    fn groups(groups: &Groups, noun: String) -> Option<Self> {
        let first = groups.names.first()?;
        let mut targets = Self::empty(noun);
        targets.len = u32::try_from(groups.names.len()).ok()?;
        targets.example.clone_from(first);
        for (index, name) in (0u32..).zip(&groups.names) {
            targets.ids.insert(name.clone(), index);
            insert(&mut targets.names, name, index);
            targets.ordered.push(normalise(name));
        }
        Some(targets)
    }

    fn empty(noun: String) -> Self {
        Self {
            noun,
            example: String::new(),
            ids: BTreeMap::new(),
            names: BTreeMap::new(),
            synonyms: BTreeMap::new(),
            len: 0,
            allowed: None,
            ordered: Vec::new(),
        }
    }

    /// The label that an id or a name gives.
    pub(super) fn find(&self, word: &str) -> Result<u32, NameError> {
        let key = normalise(word);
        let noun = || self.noun.clone();
        let label = if let Some(&label) = self.ids.get(word) {
            label
        } else if let Some(labels) = self.names.get(&key).or_else(|| self.synonyms.get(&key)) {
            match labels.as_slice() {
                &[label] => label,
                _ => {
                    let is_meant =
                        |(id, label): (&String, &u32)| labels.contains(label).then(|| id.clone());
                    let ids: Vec<String> = self.ids.iter().filter_map(is_meant).collect();
                    let ids = ids.join(", ");
                    return Err(NameError::Ambiguous {
                        word: word.to_owned(),
                        noun: noun(),
                        ids,
                    });
                }
            }
        } else if let Some(label) = self.numbered_group(&key) {
            label
        } else {
            let example = self.example.clone();
            return Err(NameError::Unknown {
                word: word.to_owned(),
                noun: noun(),
                example,
            });
        };
        if self
            .allowed
            .as_ref()
            .is_some_and(|allowed| !allowed.contains(&label))
        {
            return Err(NameError::NotAllowed {
                word: word.to_owned(),
                noun: noun(),
            });
        }
        Ok(label)
    }

    /// `02_vehicle` and `02_wheeled vehicle` are group 2 if that is the vehicles.
    fn numbered_group(&self, key: &str) -> Option<u32> {
        let (number, name) = key.split_once('_')?;
        let position: u32 = number.parse().ok()?;
        let group = self.ordered.get(position as usize)?;
        let is_named = name == group || name.strip_suffix(group.as_str())?.ends_with('_');
        is_named.then_some(position)
    }

    /// Labels of words that belong together, in their order: ids and names, or, where all are
    /// numbers and no ids, numbers. Gives the base that numbers count from.
    pub(super) fn find_all(
        &self,
        words: &[&str],
        base: Option<u32>,
    ) -> (Option<u32>, Vec<Result<u32, NameError>>) {
        if !are_numbers(words) || words.iter().all(|word| self.ids.contains_key(*word)) {
            return (None, words.iter().map(|word| self.find(word)).collect());
        }
        let base = match base {
            Some(base) => base,
            None => match self.detect_base(words) {
                Ok(base) => base,
                Err(error) => return (None, words.iter().map(|_| Err(error.clone())).collect()),
            },
        };
        (
            Some(base),
            words
                .iter()
                .map(|word| self.find_number(word, base))
                .collect(),
        )
    }

    /// The label of a number that counts from `base`.
    fn find_number(&self, word: &str, base: u32) -> Result<u32, NameError> {
        let label = word
            .parse::<u32>()
            .ok()
            .and_then(|number| number.checked_sub(base));
        let Some(label) = label.filter(|&label| label < self.len) else {
            let last = (self.len + base).saturating_sub(1);
            return Err(NameError::Range {
                number: word.to_owned(),
                base,
                last,
            });
        };
        match &self.allowed {
            Some(allowed) if !allowed.contains(&label) => Err(NameError::NotAllowed {
                word: word.to_owned(),
                noun: self.noun.clone(),
            }),
            _ => Ok(label),
        }
    }

    /// Zero present: from 0. Exactly 1 to the number of labels: from 1. Else nobody can know.
    fn detect_base(&self, words: &[&str]) -> Result<u32, NameError> {
        let mut numbers: Vec<u32> = words.iter().filter_map(|word| word.parse().ok()).collect();
        numbers.sort_unstable();
        numbers.dedup();
        let (min, max) = match (numbers.first(), numbers.last()) {
            (Some(&min), Some(&max)) => (min, max),
            _ => (u32::MAX, u32::MAX),
        };
        // 0 to 199 for the 200 renditions would not be class indices: only a stated base counts.
        if self
            .allowed
            .as_ref()
            .is_some_and(|allowed| allowed.len() < self.len as usize)
        {
            return Err(NameError::Base { min, max });
        }
        let complete_from_one = min == 1 && max == self.len && numbers.len() == self.len as usize;
        match min {
            0 => Ok(0),
            _ if complete_from_one => Ok(1),
            _ => Err(NameError::Base { min, max }),
        }
    }
}

/// Whether there are words, and all consist of digits.
pub(super) fn are_numbers(words: &[&str]) -> bool {
    let is_number = |word: &&str| !word.is_empty() && word.bytes().all(|b| b.is_ascii_digit());
    !words.is_empty() && words.iter().all(is_number)
}

fn insert(map: &mut BTreeMap<String, Vec<u32>>, word: &str, index: u32) {
    let labels = map.entry(normalise(word)).or_default();
    if !labels.contains(&index) {
        labels.push(index);
    }
}

/// Case does not count, and spaces equal underscores.
fn normalise(word: &str) -> String {
    let words: Vec<&str> = word
        .split(|c: char| c.is_whitespace() || c == '_')
        .filter(|part| !part.is_empty())
        .collect();
    words.join("_").to_lowercase()
}
