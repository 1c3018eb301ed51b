//! Which passes the wanted dimensions need, each once.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use shared::Dimension;
use shared::metrics::adversarial::space_of;
use shared::outcome::{Attack, AttackMethod, Corruption, Origin, PassKind, Severity};

use super::Settings;
use super::settings::{CorruptionSource, Part};
use crate::dataset::sample::{sample, shard};
use crate::dataset::{Dataset, ImageSet};

/// Files per thread from which on a thread takes a file with all its copies.
const FILES_PER_THREAD: usize = 4;

/// The passes of a run, in order.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Passes, sorted by kind.
    pub passes: Vec<PlannedPass>,
}

/// One pass and the images it shows.
#[derive(Clone, Debug)]
pub struct PlannedPass {
    /// What is shown.
    pub kind: PassKind,
    /// The set whose files are read: of this kind, or the clean one where copies are generated.
    pub source: PassKind,
    /// Where the images come from.
    pub origin: Origin,
    /// Positions in the complete image set, ascending.
    pub positions: Arc<[u32]>,
    /// The models that it is for.
    pub models: Models,
}

/// Which models a pass is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Models {
    /// Any.
    All,
    /// Those that have a gradient.
    WithGradients,
    /// Those that have none.
    WithoutGradients,
}

impl Models {
    /// Whether a model is among them that has gradients, or has none.
    fn include(self, gradients: bool) -> bool {
        match self {
            Self::All => true,
            Self::WithGradients => gradients,
            Self::WithoutGradients => !gradients,
        }
    }
}

impl PlannedPass {
    /// The set whose files are read.
    pub fn set<'a>(&self, dataset: &'a Dataset) -> &'a ImageSet {
        &dataset.sets[&self.source]
    }

    /// Whether the files are corrupted before they are shown.
    pub fn is_generated(&self) -> bool {
        matches!(self.kind, PassKind::Corruption(..)) && self.source != self.kind
    }

    /// Whether the pass is for models that have gradients, or for those that have none.
    pub fn is_for(&self, gradients: bool) -> bool {
        self.models.include(gradients)
    }

    /// The kind, and what a person must know of the images.
    pub fn name(&self) -> String {
        self.origin.label(self.kind)
    }
}

impl Plan {
    /// The passes that the wanted dimensions need and `dataset` has or can give, over the wanted
    /// sample of each set, or its shard.
    ///
    /// `gradients` says of every model whether it has them: the others are attacked without.
    pub fn new(dataset: &Dataset, settings: &Settings, gradients: &[bool]) -> Self {
        let mut passes: Vec<PlannedPass> = Vec::new();
        for (kind, models) in wanted(settings, gradients) {
            let Some((source, origin)) = source_of(kind, dataset, settings) else {
                continue;
            };
            let planned = passes.iter().find(|p| p.source == source);
            let positions = planned.map(|p| Arc::clone(&p.positions));
            passes.push(PlannedPass {
                kind,
                source,
                origin,
                models,
                positions: positions
                    .unwrap_or_else(|| shown(&dataset.sets[&source], settings).into()),
            });
        }
        Self { passes }
    }

    /// Passes that show the same files, by position: a file is read once for all of them. Where
    /// there are few files for so many threads, every pass is a group of its own, because reading
    /// a file again costs less than waiting for the thread that has the last one.
    ///
    /// `files` counts those of a pass that are needed.
    pub fn groups(&self, threads: usize, files: impl Fn(u16) -> usize) -> Vec<Vec<u16>> {
        let mut groups: Vec<(PassKind, Vec<u16>)> = Vec::new();
        for (index, pass) in (0u16..).zip(&self.passes) {
            let many = files(index) >= FILES_PER_THREAD * threads;
            let same = groups
                .iter_mut()
                .find(|(source, _)| many && *source == pass.source);
            match same {
                Some((_, group)) => group.push(index),
                None => groups.push((pass.source, vec![index])),
            }
        }
        groups.into_iter().map(|(_, group)| group).collect()
    }
}

/// Positions of the images of a set that this run shows.
fn shown(set: &ImageSet, settings: &Settings) -> Vec<u32> {
    let all = sample(set, settings.images.map(|n| n as usize), settings.seed);
    match settings.shard {
        Some(Part { index, count }) => {
            shard(set, &all, settings.seed, index.saturating_sub(1), count)
        }
        None => all,
    }
}

/// The kinds of pass that the settings ask for, each with the models it is for.
fn wanted(settings: &Settings, gradients: &[bool]) -> BTreeMap<PassKind, Models> {
    let dimensions = settings.dimensions.iter();
    let mut kinds: BTreeSet<PassKind> = dimensions.flat_map(|&d| passes_for(d)).collect();
    if settings.extra_corruptions {
        kinds.insert(PassKind::Clean);
        kinds.extend(cells(&Corruption::EXTRA));
    }
    let plain = kinds.into_iter().map(|kind| (kind, Models::All));
    plain.chain(attacks(settings, gradients)).collect()
}

/// The attacks that the settings ask for, on models of which some have gradients. Of one attack that
/// is listed twice the last counts.
fn attacks(settings: &Settings, gradients: &[bool]) -> Vec<(PassKind, Models)> {
    let mut attacks = Vec::new();
    if settings.scores_attacks() {
        let scored = Attack::scored(space_of(settings.protocol));
        let queries = settings.square_queries;
        let stand_in = Attack {
            method: AttackMethod::Square { queries },
            ..scored[0]
        };
        attacks.extend(scored.map(|attack| (attack, Models::WithGradients)));
        attacks.push((stand_in, Models::WithoutGradients));
    }
    attacks.extend(settings.more_attacks.iter().map(|&attack| {
        if attack.method.needs_gradient() {
            (attack, Models::WithGradients)
        } else {
            (attack, Models::All)
        }
    }));
    attacks.retain(|(_, models)| gradients.iter().any(|&g| models.include(g)));
    let passes = attacks.into_iter();
    passes
        .map(|(attack, models)| (PassKind::Attack(attack), models))
        .collect()
}

/// The set that serves a pass, and how; `None` where there is none.
fn source_of(kind: PassKind, dataset: &Dataset, settings: &Settings) -> Option<(PassKind, Origin)> {
    use CorruptionSource::{Auto, Generated, Stored};
    let stored = dataset.sets.get(&kind).map(|set| (kind, set.origin));
    let corruption = match kind {
        PassKind::Attack(_) => {
            let clean = dataset.sets.get(&PassKind::Clean)?;
            return Some((PassKind::Clean, clean.origin));
        }
        PassKind::Corruption(corruption, _) => corruption,
        _ => return stored,
    };
    let generated = dataset.sets.contains_key(&PassKind::Clean).then(|| {
        let origin = settings.method().origin(corruption);
        (PassKind::Clean, origin)
    });
    match settings.corruptions {
        Auto => stored.or(generated),
        Stored => stored,
        Generated => generated,
    }
}

fn cells(corruptions: &[Corruption]) -> impl Iterator<Item = PassKind> {
    corruptions
        .iter()
        .flat_map(|&c| Severity::ALL.map(|s| PassKind::Corruption(c, s)))
}

/// Passes that enter a dimension; the relative ones need the clean set as their denominator.
fn passes_for(dimension: Dimension) -> Vec<PassKind> {
    use PassKind as P;
    match dimension {
        Dimension::Accuracy | Dimension::CalibrationError | Dimension::ClassBalance => {
            vec![P::Clean]
        }
        Dimension::CorruptionRobustness => std::iter::once(P::Clean)
            .chain(cells(&Corruption::SCORED))
            .collect(),
        Dimension::OodRobustness => vec![
            P::Clean,
            P::Rendition,
            P::Edge,
            P::Silhouette,
            P::Sketch,
            P::Stylized,
        ],
        Dimension::ObjectFocus => vec![P::Clean, P::MixedSame, P::MixedRand],
        Dimension::ShapeBias => vec![P::CueConflict],
        // The attacks depend on the models.
        Dimension::AdversarialRobustness => vec![P::Clean],
        Dimension::Parameters => Vec::new(),
    }
}
