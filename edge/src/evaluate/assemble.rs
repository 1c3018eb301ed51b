//! Slots of all passes → the recorded evaluation.

use shared::dimension::PerDimension;
use shared::metrics::pass_accuracy;
use shared::outcome::{ImageList, Pass, PassKind, SkippedImage};
use shared::result::{
    Dataset as DatasetRecord, Evaluation, LabelSetRecord, Model, Run, Subset, Warning,
};

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

/// Adds the warnings that the records call for, shares equal lists and sorts everything.
pub(super) fn finish(evaluation: &mut Evaluation, of_model: &[Warning]) {
    evaluation.warnings.extend_from_slice(of_model);
    evaluation.warnings.extend(evaluation.counted_warnings());
    if near_chance(evaluation) {
        evaluation.warnings.push(Warning::NearChance);
    }
    evaluation.canonicalise();
}

/// The frame of an evaluation, without passes.
pub(super) fn empty_evaluation(
    model: &Model,
    dataset: &Dataset,
    settings: &Settings,
    subset: Option<Subset>,
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
        subset,
        runs: vec![run],
        lists: Vec::new(),
        passes: Vec::new(),
        warnings: Vec::new(),
        costs: Vec::new(),
    }
}

/// Whether clean accuracy is within twice of guessing: most often a wrong class order.
fn near_chance(evaluation: &Evaluation) -> bool {
    let classes = f64::from(evaluation.label_set.classes);
    pass_accuracy(evaluation, PassKind::Clean).is_some_and(|(right, total)| {
        total > 0 && f64::from(right) * classes <= 2.0 * f64::from(total)
    })
}
