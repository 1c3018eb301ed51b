//! What is known so far of each image of a pass, one small slot per image.

use std::collections::BTreeMap;

use shared::outcome::{Bits, Outcomes, PassKind};

use super::journal::Entry;
use super::judge::Record;

/// The state of one pass of one model, indexed by the image's place in the plan.
#[derive(Clone)]
pub(super) struct Slots {
    records: Records,
    /// Reasons of skipped images.
    skipped: BTreeMap<u32, String>,
    done: Vec<bool>,
    not_finite: Vec<u32>,
}

/// Records by the kind of pass, kept compact: a full run has millions.
#[derive(Clone)]
enum Records {
    Classified(Vec<(u32, f32, f32)>),
    Correct(Vec<bool>),
    Decided(Vec<u32>),
}

impl Slots {
    /// `images` empty slots; `no_decision` (one past the last class or group) later stands for
    /// images whose outputs were not finite.
    pub(super) fn new(kind: PassKind, images: usize) -> Self {
        let records = match kind {
            PassKind::Clean => Records::Classified(vec![(0, 0.0, 0.0); images]),
            PassKind::Corruption(..)
            | PassKind::Rendition
            | PassKind::MixedSame
            | PassKind::MixedRand
            | PassKind::Attack(_) => Records::Correct(vec![false; images]),
            _ => Records::Decided(vec![0; images]),
        };
        Self {
            records,
            skipped: BTreeMap::new(),
            done: vec![false; images],
            not_finite: Vec::new(),
        }
    }

    pub(super) fn is_done(&self, slot: u32) -> bool {
        self.done.get(slot as usize).copied().unwrap_or(true)
    }

    /// Images whose outputs were not finite.
    pub(super) fn not_finite(&self) -> u32 {
        self.not_finite.len() as u32
    }

    /// What is known of the images for which `kept` says so, as if there were no others.
    pub(super) fn only(&self, kept: &[bool]) -> Self {
        let mut only = self.clone();
        let is_kept = |slot: &u32| kept.get(*slot as usize) == Some(&true);
        only.skipped.retain(|slot, _| is_kept(slot));
        only.not_finite.retain(is_kept);
        only.done.iter_mut().zip(kept).for_each(|(d, k)| *d &= k);
        only
    }

    /// Slots that were skipped, with the reason, in order.
    pub(super) fn skipped(&self) -> &BTreeMap<u32, String> {
        &self.skipped
    }

    /// Slots that hold a record, in order.
    pub(super) fn evaluated(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.done.len() as u32).filter(|s| self.is_done(*s) && !self.skipped.contains_key(s))
    }

    /// Fills a slot; false where the entry does not belong to this pass or is already known.
    pub(super) fn fill(&mut self, entry: &Entry, no_decision: u32) -> bool {
        let slot = entry.slot as usize;
        if self.is_done(entry.slot) {
            return false;
        }
        let record = match &entry.outcome {
            Ok(record) => *record,
            Err(reason) => {
                self.skipped.insert(entry.slot, reason.clone());
                self.done[slot] = true;
                return true;
            }
        };
        if record == Record::NotFinite {
            self.not_finite.push(entry.slot);
        }
        match (&mut self.records, record) {
            (
                Records::Classified(all),
                Record::Classified {
                    prediction,
                    confidence,
                    true_confidence,
                },
            ) => all[slot] = (prediction, confidence, true_confidence),
            (Records::Classified(all), Record::NotFinite) => all[slot] = (no_decision, 0.0, 0.0),
            (Records::Correct(all), Record::Correct(right)) => all[slot] = right,
            (Records::Correct(all), Record::NotFinite) => all[slot] = false,
            (Records::Decided(all), Record::Decided(group)) => all[slot] = group,
            (Records::Decided(all), Record::NotFinite) => all[slot] = no_decision,
            _ => return false,
        }
        self.done[slot] = true;
        true
    }

    /// The records of the evaluated images, in slot order.
    pub(super) fn outcomes(&self, ace: Option<f64>) -> Outcomes {
        let evaluated = || self.evaluated().map(|s| s as usize);
        match &self.records {
            Records::Classified(all) => Outcomes::Classified {
                predictions: evaluated().map(|s| all[s].0).collect(),
                confidences: evaluated().map(|s| all[s].1).collect(),
                true_confidences: evaluated().map(|s| all[s].2).collect(),
                ace,
            },
            Records::Correct(all) => {
                Outcomes::Correct(evaluated().map(|s| all[s]).collect::<Bits>())
            }
            Records::Decided(all) => Outcomes::Decided(evaluated().map(|s| all[s]).collect()),
        }
    }
}
