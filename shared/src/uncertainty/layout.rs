//! Which image lies where: the images behind all lists of an evaluation, once each, in strata.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::metrics::records;
use crate::outcome::{ImageList, PassKind};
use crate::random::mix;
use crate::result::Evaluation;

/// The images of all lists that name the same files. Passes over the same images share it, and so
/// the weights of a resample.
pub(super) struct Population {
    /// Ranges of positions that are resampled each within itself, in order, without gaps.
    pub(super) strata: Vec<Stratum>,
    /// Number of images.
    pub(super) images: usize,
}

/// Images of one class, at least two, unless the whole population is a single image.
pub(super) struct Stratum {
    /// Positions in the population.
    pub(super) images: Range<usize>,
    /// Seed of its draws; equal for equal images, whichever model saw them.
    pub(super) seed: u64,
}

/// Which images of one population a sum runs over.
pub(super) struct Column {
    pub(super) population: usize,
    /// By position in the population.
    pub(super) bits: Vec<bool>,
}

/// Two columns: the images with right answers among the images shown.
#[derive(Clone, Copy)]
pub(super) struct Share {
    /// The pass that shows them.
    pub(super) of: PassKind,
    pub(super) right: usize,
    pub(super) shown: usize,
}

/// Identity and size of the complete list.
type Key = ([u8; 32], u32);

/// Where the images of a list lie: the population, and a position for each.
#[derive(Clone)]
pub(super) struct Places {
    pub(super) population: usize,
    pub(super) positions: Vec<usize>,
}

/// The images of an evaluation and the columns that were asked for.
pub(super) struct Layout<'a> {
    evaluation: &'a Evaluation,
    pub(super) populations: Vec<Population>,
    pub(super) columns: Vec<Column>,
    /// By list; `None` where a list contradicts itself.
    places: Vec<Option<Places>>,
    /// By list: the column of its images, once it was asked for.
    shown: Vec<Option<usize>>,
    /// The shares that were asked for.
    shares: BTreeMap<PassKind, Share>,
}

impl<'a> Layout<'a> {
    pub(super) fn of(evaluation: &'a Evaluation) -> Self {
        let mut layout = Self {
            evaluation,
            populations: Vec::new(),
            columns: Vec::new(),
            places: vec![None; evaluation.lists.len()],
            shown: vec![None; evaluation.lists.len()],
            shares: BTreeMap::new(),
        };
        let mut groups: BTreeMap<Key, Vec<usize>> = BTreeMap::new();
        for (number, list) in evaluation.lists.iter().enumerate() {
            if is_sound(list) {
                let key = (list.identity, list.population);
                groups.entry(key).or_default().push(number);
            }
        }
        let clean = records::pass(evaluation, PassKind::Clean).ok();
        let clean = clean.map(|(pass, _)| pass.list as usize);
        for (key, mut lists) in groups {
            // The classes of the clean images decide, should lists name the labels differently.
            lists.sort_by_key(|&list| (Some(list) != clean, list));
            layout.add(key, &lists);
        }
        layout
    }

    /// Adds the population of some lists.
    fn add(&mut self, key: Key, lists: &[usize]) {
        let mut labels: BTreeMap<u32, u32> = BTreeMap::new();
        for &number in lists {
            let list = &self.evaluation.lists[number];
            for (index, &label) in list.indices.iter().zip(&list.labels) {
                labels.entry(index).or_insert(label);
            }
        }
        let (order, population) = stratify(key, &labels);
        let positions: BTreeMap<u32, usize> = order.into_iter().zip(0..).collect();
        for &number in lists {
            let indices = self.evaluation.lists[number].indices.iter();
            self.places[number] = Some(Places {
                population: self.populations.len(),
                positions: indices.filter_map(|i| positions.get(&i).copied()).collect(),
            });
        }
        self.populations.push(population);
    }

    /// Where the images of a list lie.
    pub(super) fn places(&self, list: usize) -> Option<&Places> {
        self.places.get(list)?.as_ref()
    }

    /// A column of the images of a list for which `bits` says so.
    pub(super) fn column(&mut self, list: usize, bits: &[bool]) -> Option<usize> {
        let places = self.places.get(list)?.as_ref()?;
        let images = self.populations.get(places.population)?.images;
        let mut column = vec![false; images];
        for (&position, &bit) in places.positions.iter().zip(bits) {
            *column.get_mut(position)? = bit;
        }
        self.columns.push(Column {
            population: places.population,
            bits: column,
        });
        Some(self.columns.len() - 1)
    }

    /// The column of all images of a list.
    fn shown(&mut self, list: usize) -> Option<usize> {
        if let Some(column) = self.shown.get(list)? {
            return Some(*column);
        }
        let images = self.places(list)?.positions.len();
        let column = self.column(list, &vec![true; images])?;
        self.shown[list] = Some(column);
        Some(column)
    }

    /// The right answers of a pass among its images.
    pub(super) fn share(&mut self, kind: PassKind) -> Option<Share> {
        if let Some(share) = self.shares.get(&kind) {
            return Some(*share);
        }
        let (pass, _) = records::pass(self.evaluation, kind).ok()?;
        let answers = records::answers(self.evaluation, kind).ok()?;
        let list = pass.list as usize;
        let share = Share {
            of: kind,
            right: self.column(list, &answers)?,
            shown: self.shown(list)?,
        };
        self.shares.insert(kind, share);
        Some(share)
    }

    /// The right answers of the clean pass among the images of another pass; `None` unless both
    /// show images of one population.
    pub(super) fn clean_share_of(&mut self, kind: PassKind) -> Option<Share> {
        let (pass, _) = records::pass(self.evaluation, kind).ok()?;
        let list = pass.list as usize;
        let clean = self.share(PassKind::Clean)?;
        let shown = self.shown(list)?;
        if shown == clean.shown {
            return Some(Share { of: kind, ..clean });
        }
        let ([right, among], population) = self.two(clean.right, shown)?;
        let bits = right.iter().zip(among).map(|(&a, &b)| a && b).collect();
        self.columns.push(Column { population, bits });
        Some(Share {
            of: kind,
            right: self.columns.len() - 1,
            shown,
        })
    }

    /// The bits of two columns of one population.
    fn two(&self, a: usize, b: usize) -> Option<([&[bool]; 2], usize)> {
        let (a, b) = (self.columns.get(a)?, self.columns.get(b)?);
        (a.population == b.population).then_some(([&a.bits, &b.bits], a.population))
    }
}

/// Whether the indices are sets as they should be, and each has a label.
fn is_sound(list: &ImageList) -> bool {
    list.indices.is_well_formed(list.population) && list.indices.len() == list.labels.len()
}

/// The indices in order of their positions, and the population.
///
/// Classes of a single image are resampled together: alone, none of them could vary.
fn stratify(key: Key, labels: &BTreeMap<u32, u32>) -> (Vec<u32>, Population) {
    let mut order: Vec<(u32, u32)> = labels.iter().map(|(&i, &label)| (label, i)).collect();
    order.sort_unstable();
    let (mut classes, singles): (Vec<&[(u32, u32)]>, Vec<_>) = order
        .chunk_by(|a, b| a.0 == b.0)
        .partition(|class| class.len() > 1);
    let singles = singles.concat();
    if singles.len() > 1 || classes.is_empty() {
        classes.extend((!singles.is_empty()).then_some(singles.as_slice()));
    }
    let mut indices = Vec::with_capacity(order.len());
    let mut strata = Vec::with_capacity(classes.len());
    for class in classes {
        let start = indices.len();
        indices.extend(class.iter().map(|&(_, index)| index));
        strata.push(Stratum {
            images: start..indices.len(),
            seed: seed_of(key, class[0]),
        });
    }
    // A lone single joins the last class.
    if let ([single], Some(last)) = (singles.as_slice(), strata.last_mut())
        && indices.len() < order.len()
    {
        indices.push(single.1);
        last.images.end += 1;
    }
    let images = indices.len();
    (indices, Population { strata, images })
}

/// A seed for the draws of the stratum that starts with this image.
fn seed_of((identity, population): Key, (label, index): (u32, u32)) -> u64 {
    let words = identity.chunks_exact(8).map(|bytes| {
        let word = bytes.try_into().unwrap_or_default();
        u64::from_le_bytes(word)
    });
    let numbers = [population, label, index].map(u64::from);
    words.chain(numbers).fold(1, |seed, word| mix(seed ^ word))
}
