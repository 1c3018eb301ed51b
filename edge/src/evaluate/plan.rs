//! Which passes the wanted dimensions need, each once.

use std::collections::BTreeSet;

use shared::Dimension;
use shared::outcome::{Corruption, PassKind, Severity};

use crate::dataset::Dataset;
use crate::dataset::sample::sample;

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
    /// Positions in the complete image set, ascending.
    pub positions: Vec<u32>,
}

impl Plan {
    /// The passes that `dimensions` need and `dataset` has, over at most `images` of each set.
    pub fn new(
        dataset: &Dataset,
        dimensions: &[Dimension],
        images: Option<u32>,
        seed: u64,
    ) -> Self {
        let wanted: BTreeSet<PassKind> = dimensions.iter().flat_map(|&d| passes_for(d)).collect();
        let passes = wanted
            .into_iter()
            .filter_map(|kind| {
                let set = dataset.sets.get(&kind)?;
                let positions = sample(set, images.map(|n| n as usize), seed);
                Some(PlannedPass { kind, positions })
            })
            .collect();
        Self { passes }
    }

    /// Images shown over all passes.
    pub fn image_count(&self) -> usize {
        self.passes.iter().map(|p| p.positions.len()).sum()
    }
}

/// Passes that enter a dimension; the relative ones need the clean set as their denominator.
pub fn passes_for(dimension: Dimension) -> Vec<PassKind> {
    use PassKind as P;
    match dimension {
        Dimension::Accuracy | Dimension::CalibrationError | Dimension::ClassBalance => {
            vec![P::Clean]
        }
        Dimension::CorruptionRobustness => {
            let cells = Corruption::SCORED
                .into_iter()
                .flat_map(|c| Severity::ALL.map(|s| P::Corruption(c, s)));
            std::iter::once(P::Clean).chain(cells).collect()
        }
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
        Dimension::AdversarialRobustness | Dimension::Parameters => Vec::new(),
    }
}
