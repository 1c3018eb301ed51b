//! The descriptive parts of a merged evaluation: any choice that does not depend on the order.

use crate::outcome::PassKind;
use crate::result::{
    Dataset, Evaluation, Grouping, LabelSetRecord, Model, ParameterSource, Parameters,
    Preprocessing, PreprocessingSource,
};

pub(super) fn model(a: &Model, b: &Model) -> Model {
    Model {
        name: text(&a.name, &b.name),
        hash: a.hash,
        bytes: a.bytes.min(b.bytes),
        opset: a.opset.min(b.opset),
        parameters: parameters(a.parameters, b.parameters),
        macs: [a.macs, b.macs].into_iter().flatten().min(),
        grouping: Grouping {
            architecture: text(&a.grouping.architecture, &b.grouping.architecture),
            pretraining_data: text(&a.grouping.pretraining_data, &b.grouping.pretraining_data),
            training: text(&a.grouping.training, &b.grouping.training),
            paper: text(&a.grouping.paper, &b.grouping.paper),
        },
        outputs: a.outputs,
        output_kind: a.output_kind,
        preprocessing: preprocessing(&a.preprocessing, &b.preprocessing),
    }
}

/// The first in alphabetical order that is not empty.
fn text(a: &str, b: &str) -> String {
    let chosen = match (a, b) {
        ("", other) | (other, "") => other,
        (a, b) => a.min(b),
    };
    chosen.to_owned()
}

/// A card knows better than the file.
fn parameters(a: Parameters, b: Parameters) -> Parameters {
    let key = |p: &Parameters| (p.source != ParameterSource::Card, p.count);
    if key(&a) <= key(&b) { a } else { b }
}

/// The values are equal; the better source is kept.
fn preprocessing(a: &Preprocessing, b: &Preprocessing) -> Preprocessing {
    let kept = if source_rank(a) <= source_rank(b) {
        a
    } else {
        b
    };
    kept.clone()
}

/// How far the source is from the best one.
pub(super) fn source_rank(preprocessing: &Preprocessing) -> u8 {
    match preprocessing.source {
        PreprocessingSource::Card => 0,
        PreprocessingSource::Timm => 1,
        PreprocessingSource::Defaults => 2,
    }
}

pub(super) fn has_default_preprocessing(evaluation: &Evaluation) -> bool {
    evaluation.model.preprocessing.source == PreprocessingSource::Defaults
}

pub(super) fn has_counted_parameters(evaluation: &Evaluation) -> bool {
    evaluation.model.parameters.source == ParameterSource::Initializers
}

pub(super) fn label_set(a: &LabelSetRecord, b: &LabelSetRecord) -> LabelSetRecord {
    LabelSetRecord {
        name: text(&a.name, &b.name),
        ..a.clone()
    }
}

/// The sets of both, each with the larger count.
pub(super) fn dataset(a: &Dataset, b: &Dataset) -> Dataset {
    let mut counts: Vec<(PassKind, u32)> = a.counts.iter().chain(&b.counts).copied().collect();
    counts.sort_unstable_by(|x, y| y.cmp(x));
    counts.dedup_by_key(|&mut (kind, _)| kind);
    counts.reverse();
    Dataset {
        name: text(&a.name, &b.name),
        counts,
    }
}

/// Where a pass was evaluated, its images are the count of its set.
pub(super) fn count_evaluated_sets(merged: &mut Evaluation) {
    for (kind, count) in &mut merged.dataset.counts {
        if let Some(pass) = merged.passes.iter().find(|pass| pass.kind == *kind) {
            *count = merged.lists[pass.list as usize].population;
        }
    }
}
