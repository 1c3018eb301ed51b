//! Evaluations made of given outcomes.

use crate::dimension::PerDimension;
use crate::outcome::{Bits, ImageList, Origin, Outcomes, Pass, PassKind};
use crate::protocol::Protocol;
use crate::result::{
    ChannelOrder, Dataset, Evaluation, Grouping, Interpolation, LabelSetRecord, Model, OutputKind,
    ParameterSource, Parameters, Preprocessing, PreprocessingSource, Resize,
};

/// No pass yet; a model of 25.6 million parameters.
pub(crate) fn evaluation(classes: u32, shape_groups: usize) -> Evaluation {
    Evaluation {
        model: model(),
        protocols: PerDimension([Protocol::Correct; 9]),
        label_set: LabelSetRecord {
            name: "test".to_owned(),
            classes,
            shape_groups: (0..shape_groups).map(|g| g.to_string()).collect(),
            hash: [0; 32],
        },
        dataset: Dataset {
            name: "test".to_owned(),
            counts: Vec::new(),
        },
        seed: 0,
        subset: None,
        runs: Vec::new(),
        lists: Vec::new(),
        passes: Vec::new(),
        warnings: Vec::new(),
        costs: Vec::new(),
        shards: Vec::new(),
    }
}

fn model() -> Model {
    Model {
        name: "test".to_owned(),
        hash: [0; 32],
        bytes: 0,
        opset: 17,
        parameters: Parameters {
            count: 25_557_032,
            source: ParameterSource::Card,
        },
        macs: None,
        grouping: Grouping::default(),
        outputs: 0,
        output_kind: OutputKind::Logits,
        preprocessing: Preprocessing {
            resize: Resize::None,
            crop: (1, 1),
            interpolation: Interpolation::Bilinear,
            mean: [0.0; 3],
            std: [1.0; 3],
            channels: ChannelOrder::Rgb,
            source: PreprocessingSource::Defaults,
        },
    }
}

/// Adds a pass over images of its own.
pub(crate) fn add(
    evaluation: &mut Evaluation,
    kind: PassKind,
    labels: Vec<u32>,
    textures: Vec<u32>,
    outcomes: Outcomes,
) {
    let images = labels.len() as u32;
    evaluation.passes.push(Pass {
        kind,
        origin: Origin::Stored,
        fingerprint: [0; 32],
        list: evaluation.lists.len() as u32,
        outcomes,
        skipped: Vec::new(),
    });
    evaluation.lists.push(ImageList {
        identity: [0; 32],
        population: images,
        indices: (0..images).collect(),
        labels,
        textures,
    });
}

/// Adds a pass with the first `correct` of `total` images right.
pub(crate) fn add_correct(
    evaluation: &mut Evaluation,
    kind: PassKind,
    correct: usize,
    total: usize,
) {
    let bits: Bits = (0..total).map(|i| i < correct).collect();
    add(
        evaluation,
        kind,
        vec![0; total],
        Vec::new(),
        Outcomes::Correct(bits),
    );
}

/// Adds a clean pass with the first `correct` of `total` images right, all of class 0 or 1 in
/// turn, with confidence 0.75.
pub(crate) fn add_clean(evaluation: &mut Evaluation, correct: usize, total: usize) {
    let labels: Vec<u32> = (0..total).map(|i| i as u32 % 2).collect();
    let answer = |(i, &label): (usize, &u32)| if i < correct { label } else { 1 - label };
    let outcomes = Outcomes::Classified {
        predictions: labels.iter().enumerate().map(answer).collect(),
        confidences: vec![0.75; total],
        true_confidences: (0..total)
            .map(|i| if i < correct { 0.75 } else { 0.25 })
            .collect(),
        ace: Some(0.04),
    };
    add(evaluation, PassKind::Clean, labels, Vec::new(), outcomes);
}
