//! Slots of all passes → the recorded evaluation.

use shared::dimension::PerDimension;
use shared::outcome::{ImageList, Pass, SkippedImage};
use shared::result::{Dataset as DatasetRecord, Evaluation, LabelSetRecord, Model, Run, Warning};

use super::Settings;
use super::plan::PlannedPass;
use super::slots::Slots;
use crate::dataset::{Dataset, ImageSet};

/// Adds a finished pass with its image list.
pub(super) fn push_pass(
    evaluation: &mut Evaluation,
    set: &ImageSet,
    planned: &PlannedPass,
    slots: &Slots,
    ace: Option<f64>,
) {
    let position = |slot: u32| planned.positions[slot as usize];
    let item = |slot: u32| &set.items[position(slot) as usize];
    let list = ImageList {
        identity: set.identity,
        population: set.items.len() as u32,
        indices: slots.evaluated().map(position).collect(),
        labels: slots.evaluated().map(|s| item(s).label).collect(),
        textures: slots.evaluated().filter_map(|s| item(s).texture).collect(),
    };
    let mut skipped: Vec<SkippedImage> = slots
        .skipped()
        .iter()
        .map(|(&slot, reason)| SkippedImage {
            index: position(slot),
            path: item(slot).path.clone(),
            reason: reason.clone(),
        })
        .collect();
    skipped.sort();
    let pass = Pass {
        kind: planned.kind,
        origin: planned.origin,
        fingerprint: set.fingerprint,
        list: evaluation.lists.len() as u32,
        outcomes: slots.outcomes(ace),
        skipped,
    };
    evaluation.lists.push(list);
    evaluation.passes.push(pass);
    if slots.not_finite() > 0 {
        evaluation.warnings.push(Warning::NonFiniteOutputs {
            pass: planned.kind,
            count: slots.not_finite(),
        });
    }
}

/// Adds what the records call for, warnings and the size of the sample, shares equal lists and sorts
/// everything.
pub(super) fn finish(evaluation: &mut Evaluation, of_model: &[Warning]) {
    evaluation.warnings.extend_from_slice(of_model);
    evaluation.warnings.extend(evaluation.counted_warnings());
    evaluation.subset = evaluation.sampled();
    evaluation.canonicalise();
    evaluation.settle_shards();
}

/// The frame of an evaluation, without passes.
pub(super) fn empty_evaluation(
    model: &Model,
    dataset: &Dataset,
    settings: &Settings,
    run: Run,
) -> Evaluation {
    let counts = dataset
        .sets
        .iter()
        .map(|(&kind, set)| (kind, set.items.len() as u32));
    let labels = &dataset.labels;
    Evaluation {
        model: model.clone(),
        protocols: PerDimension::from_fn(|_| settings.protocol),
        label_set: LabelSetRecord {
            name: labels.name.clone(),
            classes: labels.classes.len() as u32,
            shape_groups: labels.shape_groups.names.clone(),
            hash: labels.hash(),
        },
        dataset: DatasetRecord {
            name: dataset.name.clone(),
            counts: counts.collect(),
        },
        seed: settings.seed,
        subset: None,
        runs: vec![run],
        lists: Vec::new(),
        passes: Vec::new(),
        warnings: Vec::new(),
        costs: Vec::new(),
        shards: Vec::new(),
    }
}
