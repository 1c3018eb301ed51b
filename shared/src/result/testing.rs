//! Evaluations for the tests of this module.

use proptest::collection::{btree_map, btree_set, vec};
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;

use super::*;
use crate::dimension::PerDimension;
use crate::outcome::{
    Corruption, ImageList, Origin, Outcomes, Pass, PassKind, Severity, SkippedImage,
};
use crate::protocol::Protocol;

/// Classes and shape groups of the evaluations made here.
pub(super) const CLASSES: u32 = 6;
pub(super) const GROUPS: u32 = 3;

/// The list of a pass.
pub(super) fn pass_list<'a>(evaluation: &'a Evaluation, pass: &Pass) -> &'a ImageList {
    &evaluation.lists[pass.list as usize]
}

fn model() -> Model {
    Model {
        name: "resnet".into(),
        hash: [7; 32],
        bytes: 44_000_000,
        opset: 17,
        parameters: Parameters {
            count: 11_689_512,
            source: ParameterSource::Initializers,
        },
        macs: Some(1_814_073_344),
        grouping: Grouping {
            architecture: "cnn".into(),
            ..Grouping::default()
        },
        outputs: CLASSES,
        output_kind: OutputKind::Logits,
        preprocessing: Preprocessing {
            resize: Resize::ShorterSide(256),
            crop: (224, 224),
            interpolation: Interpolation::Bilinear,
            mean: [0.485, 0.456, 0.406],
            std: [0.229, 0.224, 0.225],
            channels: ChannelOrder::Rgb,
            source: PreprocessingSource::Defaults,
        },
    }
}

/// An evaluation without any pass.
pub(super) fn empty_evaluation() -> Evaluation {
    Evaluation {
        model: model(),
        protocols: PerDimension([Protocol::Correct; 9]),
        label_set: LabelSetRecord {
            name: "six".into(),
            classes: CLASSES,
            shape_groups: vec!["bird".into(), "boat".into(), "car".into()],
            hash: [9; 32],
        },
        dataset: Dataset {
            name: "photos".into(),
            counts: vec![],
        },
        seed: 17,
        subset: None,
        runs: vec![run(1)],
        lists: vec![],
        passes: vec![],
        warnings: vec![Warning::DefaultPreprocessing],
        costs: vec![],
        shards: vec![],
    }
}

/// A cost on the processor of [`run`]'s machine.
pub(crate) fn cost(threads: u32, measured: u64) -> Cost {
    let Run {
        engine,
        device,
        tool_version,
        ..
    } = run(measured);
    Cost {
        engine,
        device,
        tool_version,
        measured,
        threads,
        latency: Latency {
            p50_ms: 4.0,
            p90_ms: 4.5,
            p99_ms: 6.25,
            queries: 700,
            duration_ms: 3001,
        },
        throughput: Some(Throughput {
            images_per_s: 480.5,
            batch: 1,
            images: 1442,
        }),
        load_ms: 55.5,
        peak_memory: Some(64_000_000),
        machine_macs_per_s: Some(9.5e10),
        governor: "schedutil".into(),
        thermal: "61.5 °C".into(),
        energy: Some(Energy {
            joules_per_image: 0.015,
            source: "RAPL package-0".into(),
        }),
        weight_bytes: vec![("float32".into(), 43_000_000), ("int64".into(), 64)],
    }
}

/// A cost on a GPU, of which little is known.
pub(crate) fn gpu_cost(measured: u64) -> Cost {
    Cost {
        engine: Engine::Wonnx {
            version: "0.5.1".into(),
            adapter: "V3D 4.2".into(),
            api: "Vulkan".into(),
            driver: String::new(),
        },
        throughput: None,
        peak_memory: None,
        machine_macs_per_s: None,
        governor: String::new(),
        thermal: String::new(),
        energy: None,
        weight_bytes: vec![],
        ..cost(2, measured)
    }
}

/// Up to three costs of few keys and times, so that they meet; sorted by [`finish`].
pub(super) fn any_costs() -> impl Strategy<Value = Vec<Cost>> {
    let one = (1u32..3, 0u64..4, any::<bool>(), 1u32..4).prop_map(
        |(threads, measured, gpu, milliseconds)| {
            let mut one = match gpu {
                true => gpu_cost(measured),
                false => cost(threads, measured),
            };
            one.latency.p99_ms = 100.0 + f64::from(milliseconds);
            one
        },
    );
    vec(one, 0..3)
}

pub(super) fn run(started: u64) -> Run {
    Run {
        engine: Engine::Tract {
            version: "0.23.4".into(),
        },
        device: Device {
            host: "bench".into(),
            os: "linux".into(),
            arch: "x86_64".into(),
            processor: String::new(),
            cores: 2,
        },
        tool_version: "0.1.0".into(),
        started,
        wall_ms: 1500,
        threads: 2,
    }
}

/// What a pass holds of one image; a sparse pass is a map from index to this.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Record {
    pub(super) label: u32,
    pub(super) decided: u32,
    pub(super) confidence: f32,
    pub(super) true_confidence: f32,
}

/// Adds a pass with its own list; `canonicalise` afterwards.
pub(super) fn add_pass(
    evaluation: &mut Evaluation,
    kind: PassKind,
    population: u32,
    records: &[(u32, Record)],
    skipped: &[u32],
    ace: Option<f64>,
) {
    let column = |f: fn(&Record) -> u32| records.iter().map(|(_, r)| f(r)).collect::<Vec<u32>>();
    evaluation.passes.push(Pass {
        kind,
        origin: Origin::Stored,
        fingerprint: [population as u8; 32],
        list: evaluation.lists.len() as u32,
        outcomes: match kind {
            PassKind::Clean => Outcomes::Classified {
                predictions: column(|r| r.decided),
                confidences: records.iter().map(|(_, r)| r.confidence).collect(),
                true_confidences: records.iter().map(|(_, r)| r.true_confidence).collect(),
                ace,
            },
            PassKind::CueConflict | PassKind::Sketch => {
                Outcomes::Decided(records.iter().map(|(_, r)| r.decided % GROUPS).collect())
            }
            _ => Outcomes::Correct(records.iter().map(|(_, r)| r.decided == r.label).collect()),
        },
        skipped: skipped
            .iter()
            .map(|&index| SkippedImage {
                index,
                path: format!("n01/{index}.JPEG"),
                reason: "truncated".into(),
            })
            .collect(),
    });
    let grouped = matches!(
        kind,
        PassKind::CueConflict | PassKind::Sketch | PassKind::Edge
    );
    let label = |r: &Record| if grouped { r.label % GROUPS } else { r.label };
    evaluation.lists.push(ImageList {
        identity: [3; 32],
        population,
        indices: records.iter().map(|&(index, _)| index).collect(),
        labels: records.iter().map(|(_, r)| label(r)).collect(),
        textures: match kind {
            PassKind::CueConflict => column(|r| r.decided).iter().map(|d| d % GROUPS).collect(),
            _ => vec![],
        },
    });
    evaluation.dataset.counts.push((kind, population));
}

pub(super) fn record(seed: u32) -> Record {
    Record {
        label: seed % CLASSES,
        decided: (seed / 2) % CLASSES,
        confidence: 1.0 / (1 + seed % 5) as f32,
        true_confidence: 1.0 / (2 + seed % 5) as f32,
    }
}

/// Three passes over some images, one image skipped; canonical and valid.
pub(crate) fn small_evaluation() -> Evaluation {
    let mut evaluation = empty_evaluation();
    let records: Vec<(u32, Record)> = [0, 1, 2, 5, 7].map(|i| (i, record(i))).into();
    let noise = PassKind::Corruption(Corruption::GaussianNoise, Severity::ALL[2]);
    add_pass(
        &mut evaluation,
        PassKind::Clean,
        8,
        &records,
        &[3, 6],
        Some(0.125),
    );
    add_pass(&mut evaluation, noise, 8, &records, &[], None);
    add_pass(
        &mut evaluation,
        PassKind::CueConflict,
        8,
        &records[1..4],
        &[],
        None,
    );
    finish(&mut evaluation);
    evaluation
}

/// Counted warnings and canonical order, as the writer of a file leaves them.
pub(super) fn finish(evaluation: &mut Evaluation) {
    let counted = evaluation.counted_warnings();
    evaluation.warnings.extend(counted);
    evaluation.canonicalise();
}

fn kinds() -> Vec<PassKind> {
    let fog = |s: usize| PassKind::Corruption(Corruption::Fog, Severity::ALL[s]);
    vec![
        PassKind::Clean,
        fog(0),
        fog(4),
        PassKind::Rendition,
        PassKind::Edge,
        PassKind::Sketch,
        PassKind::CueConflict,
        PassKind::MixedSame,
        PassKind::MixedRand,
    ]
}

fn any_record() -> impl Strategy<Value = Record> {
    (0..CLASSES, 0..CLASSES, 0.0f32..=1.0, 0.0f32..=1.0).prop_map(
        |(label, decided, confidence, true_confidence)| Record {
            label,
            decided,
            confidence,
            true_confidence,
        },
    )
}

type AnyPass = (Vec<(u32, Record)>, Vec<u32>, Option<f64>, u32);

/// A pass with gaps in its list and some of the gaps skipped.
fn any_pass() -> impl Strategy<Value = AnyPass> {
    let images = btree_map(0u32..40, (any_record(), 0..4u8), 0..24);
    (images, option::of(0.0f64..0.1), 40u32..45).prop_map(|(images, ace, population)| {
        let (skipped, evaluated): (Vec<_>, Vec<_>) =
            images.into_iter().partition(|(_, (_, fate))| *fate == 0);
        (
            evaluated.into_iter().map(|(i, (r, _))| (i, r)).collect(),
            skipped.into_iter().map(|(i, _)| i).collect(),
            ace,
            population,
        )
    })
}

/// Any valid evaluation of the sizes that tests can afford; all variants of all enums occur.
pub(super) fn any_evaluation() -> impl Strategy<Value = Evaluation> {
    let passes = (btree_set(select(kinds()), 0..6), vec(any_pass(), 6));
    let header = (
        any::<u64>(),
        option::of(1u32..600),
        btree_set(0u64..50, 0..3),
        ".{0,12}",
        any_feeding(),
        any_costs(),
    );
    (passes, header).prop_map(
        |((kinds, parts), (seed, subset, starts, name, model, costs))| {
            let mut evaluation = empty_evaluation();
            evaluation.costs = costs;
            evaluation.model = Model { name, ..model };
            evaluation.seed = seed;
            evaluation.subset = subset.map(|images_per_set| Subset { images_per_set });
            evaluation.runs = starts.into_iter().map(run).collect();
            for (kind, (records, skipped, ace, population)) in kinds.into_iter().zip(parts) {
                add_pass(&mut evaluation, kind, population, &records, &skipped, ace);
                evaluation.warnings.push(Warning::NonFiniteOutputs {
                    pass: kind,
                    count: population,
                });
            }
            evaluation.warnings.extend([
                Warning::NearChance,
                Warning::ParametersFromInitializers,
                Warning::AceLostByMerge,
            ]);
            finish(&mut evaluation);
            evaluation
        },
    )
}

fn any_feeding() -> impl Strategy<Value = Model> {
    let resize = select(vec![
        Resize::None,
        Resize::ShorterSide(256),
        Resize::Exact(224, 192),
    ]);
    let filter = select(vec![
        Interpolation::Nearest,
        Interpolation::Bilinear,
        Interpolation::Bicubic,
        Interpolation::Lanczos,
    ]);
    let kind = select(vec![
        OutputKind::Logits,
        OutputKind::Probabilities,
        OutputKind::DoubleSoftmax,
    ]);
    (
        resize,
        filter,
        kind,
        option::of(any::<u64>()),
        any::<[f32; 3]>(),
    )
        .prop_map(|(resize, interpolation, output_kind, macs, mean)| {
            let mut model = model();
            model.preprocessing.resize = resize;
            model.preprocessing.interpolation = interpolation;
            model.preprocessing.channels = ChannelOrder::Bgr;
            model.preprocessing.mean = mean;
            model.output_kind = output_kind;
            model.macs = macs;
            model
        })
}
