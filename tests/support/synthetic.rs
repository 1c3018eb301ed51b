//! Made-up evaluations, so that tables can be tested without running a model.

use shared::dimension::PerDimension;
use shared::outcome::{
    Corruption, ImageList, Origin, Outcomes, Pass, PassKind, Severity, SkippedImage,
};
use shared::result::{
    ChannelOrder, Dataset, Device, Engine, Evaluation, Grouping, Interpolation, LabelSetRecord,
    Model, OutputKind, ParameterSource, Parameters, Preprocessing, PreprocessingSource, Resize,
    Run, Warning,
};
use shared::{Dimension, Protocol};

const CLASSES: u32 = 10;
const GROUPS: u32 = 4;
const IMAGES: u32 = 40;

/// A complete evaluation in which every `wrong_every`th image of each pass is wrong; shifted sets
/// are wrong more often. Of the corruptions, there are none unless `corruptions`.
pub fn evaluation(name: &str, wrong_every: u32, corruptions: bool) -> Evaluation {
    let mut evaluation = frame(name, wrong_every);
    let mut kinds = vec![
        PassKind::Clean,
        PassKind::Rendition,
        PassKind::Edge,
        PassKind::Silhouette,
        PassKind::Sketch,
        PassKind::Stylized,
        PassKind::CueConflict,
        PassKind::MixedSame,
        PassKind::MixedRand,
    ];
    if corruptions {
        let cells = Corruption::SCORED
            .into_iter()
            .flat_map(|c| Severity::ALL.map(|s| PassKind::Corruption(c, s)));
        kinds.extend(cells);
    }
    for kind in kinds {
        add_pass(&mut evaluation, kind, wrong_every);
    }
    let counted = evaluation.counted_warnings();
    evaluation.warnings.extend(counted);
    evaluation.canonicalise();
    evaluation
}

/// Marks the first image of the clean pass as left out; its records go.
pub fn skip_first_clean(evaluation: &mut Evaluation) {
    let Some(pass) = evaluation
        .passes
        .iter_mut()
        .find(|p| p.kind == PassKind::Clean)
    else {
        return;
    };
    let mut list = evaluation.lists[pass.list as usize].clone();
    list.indices = (1..IMAGES).collect();
    list.labels.remove(0);
    pass.list = evaluation.lists.len() as u32;
    if let Outcomes::Classified {
        predictions,
        confidences,
        true_confidences,
        ..
    } = &mut pass.outcomes
    {
        predictions.remove(0);
        confidences.remove(0);
        true_confidences.remove(0);
    }
    pass.skipped.push(SkippedImage {
        index: 0,
        path: "class-0/image-0.png".into(),
        reason: "truncated PNG image: the file ends before the image does".into(),
    });
    evaluation.lists.push(list);
    let counted = evaluation.counted_warnings();
    evaluation.warnings.extend(counted);
    evaluation.canonicalise();
}

fn frame(name: &str, wrong_every: u32) -> Evaluation {
    Evaluation {
        model: Model {
            name: name.into(),
            hash: [wrong_every as u8; 32],
            bytes: 1_234_567,
            opset: 17,
            parameters: Parameters {
                count: 1_000_000 * u64::from(wrong_every),
                source: ParameterSource::Card,
            },
            macs: Some(7_654_321),
            grouping: Grouping {
                architecture: "cnn".into(),
                ..Grouping::default()
            },
            outputs: CLASSES,
            output_kind: OutputKind::Logits,
            preprocessing: Preprocessing {
                resize: Resize::ShorterSide(256),
                crop: (224, 224),
                interpolation: Interpolation::Bicubic,
                mean: [0.5, 0.5, 0.5],
                std: [0.25, 0.25, 0.25],
                channels: ChannelOrder::Rgb,
                source: PreprocessingSource::Card,
            },
        },
        protocols: PerDimension::from_fn(|_: Dimension| Protocol::Correct),
        label_set: LabelSetRecord {
            name: "ten".into(),
            classes: CLASSES,
            shape_groups: ["bird", "boat", "car", "cat"].map(String::from).into(),
            hash: [9; 32],
        },
        dataset: Dataset {
            name: "photos".into(),
            counts: Vec::new(),
        },
        seed: 17,
        subset: None,
        runs: vec![run()],
        lists: Vec::new(),
        passes: Vec::new(),
        warnings: Vec::<Warning>::new(),
        costs: Vec::new(),
        shards: Vec::new(),
    }
}

fn run() -> Run {
    Run {
        engine: Engine::Tract {
            version: "0.23.4".into(),
        },
        device: Device {
            host: "bench".into(),
            os: "linux".into(),
            arch: "x86_64".into(),
            processor: "a processor".into(),
            cores: 2,
        },
        tool_version: "0.1.0".into(),
        started: 1_700_000_000,
        wall_ms: 1500,
        threads: 2,
    }
}

fn add_pass(evaluation: &mut Evaluation, kind: PassKind, wrong_every: u32) {
    use PassKind as P;
    let shape = matches!(
        kind,
        P::Edge | P::Silhouette | P::Sketch | P::Stylized | P::CueConflict
    );
    let among = if shape { GROUPS } else { CLASSES };
    let period = match kind {
        P::Clean | P::MixedSame => wrong_every,
        P::Corruption(_, severity) => (wrong_every - 1).min(7 - u32::from(severity.get())),
        _ => wrong_every - 1,
    };
    let right = |i: u32| i % period != period - 1;
    let label = |i: u32| i % among;
    let texture = |i: u32| (i / GROUPS + 1 + i) % GROUPS;
    let images = || 0..IMAGES;
    let outcomes = match kind {
        P::Clean => Outcomes::Classified {
            predictions: images()
                .map(|i| (label(i) + u32::from(!right(i))) % among)
                .collect(),
            confidences: images().map(|i| 0.9 - (i % 7) as f32 / 20.0).collect(),
            true_confidences: images()
                .map(|i| {
                    if right(i) {
                        0.9 - (i % 7) as f32 / 20.0
                    } else {
                        0.05
                    }
                })
                .collect(),
            ace: Some(0.0125),
        },
        P::CueConflict => Outcomes::Decided(
            images()
                .map(|i| if right(i) { label(i) } else { texture(i) })
                .collect(),
        ),
        _ if shape => Outcomes::Decided(
            images()
                .map(|i| (label(i) + u32::from(!right(i))) % among)
                .collect(),
        ),
        _ => Outcomes::Correct(images().map(right).collect()),
    };
    evaluation.lists.push(ImageList {
        identity: [among as u8; 32],
        population: IMAGES,
        indices: images().collect(),
        labels: images().map(label).collect(),
        textures: if kind == P::CueConflict {
            images().map(texture).collect()
        } else {
            Vec::new()
        },
    });
    evaluation.passes.push(Pass {
        kind,
        origin: Origin::Stored,
        fingerprint: [1; 32],
        list: evaluation.lists.len() as u32 - 1,
        outcomes,
        skipped: Vec::new(),
    });
    evaluation.dataset.counts.push((kind, IMAGES));
}
