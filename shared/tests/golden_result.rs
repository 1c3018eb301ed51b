//! Result files of every format version stay readable, field by field and byte by byte.

use std::path::PathBuf;

use shared::dimension::PerDimension;
use shared::outcome::{
    Attack, AttackMethod, AttackSpace, Corruption, FrostSource, Generation, ImageList, Norm,
    Origin, Outcomes, Pass, PassKind, Severity, SkippedImage, Start, Strength,
};
use shared::protocol::Protocol;
use shared::result::{
    ChannelOrder, Cost, Dataset, Device, Energy, Engine, Evaluation, Grouping, HEADER_LEN,
    Interpolation, LabelSetRecord, Latency, Model, OutputKind, ParameterSource, Parameters,
    Preprocessing, PreprocessingSource, Probabilities, Resize, Run, Shard, Subset, Throughput,
    Warning, encode, read, write_atomic,
};

fn path(version: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("tests/golden/{version}.quba"))
}

/// Reads a golden file of format 1, which lacks what version 2 adds at the end: costs and shards, none
/// here.
#[expect(clippy::unwrap_used, reason = "a test fails by panicking")]
fn assert_reads_as_written(version: &str, expected: &Evaluation) {
    let stored = read(&path(version)).unwrap();
    assert_eq!(stored, *expected);
    let body = std::fs::read(path(version)).unwrap().split_off(HEADER_LEN);
    assert_eq!(
        encode(&stored).unwrap()[HEADER_LEN..],
        [&body[..], &[0, 0]].concat(),
        "the encoding changed: that needs a new format version and a golden file of its own"
    );
}

#[test]
fn version_1_reads_as_it_was_written() {
    assert_reads_as_written("v1", &version_1());
}

#[test]
fn version_1_1_reads_as_it_was_written() {
    assert_reads_as_written("v1.1", &version_1_1());
}

#[test]
fn version_1_2_reads_as_it_was_written() {
    assert_reads_as_written("v1.2", &version_1_2());
}

#[test]
fn version_1_3_reads_as_it_was_written() {
    assert_reads_as_written("v1.3", &version_1_3());
}

#[test]
fn version_2_reads_as_it_was_written() {
    let stored = read(&path("v2")).unwrap();
    assert_eq!(stored, version_2());
    assert_eq!(
        encode(&stored).unwrap(),
        std::fs::read(path("v2")).unwrap(),
        "the encoding changed: that needs a new format version and a golden file of its own"
    );
}

/// Made once; a committed golden file is never written again.
#[test]
#[ignore = "writes the golden file of a new format version"]
fn write_version_2() {
    assert!(!path("v2").exists(), "golden files are not replaced");
    write_atomic(&path("v2"), &version_2()).unwrap();
}

/// What format 2.0 added to 1.3: costs and shards.
fn version_2() -> Evaluation {
    let mut evaluation = version_1_3();
    let Run {
        engine,
        device,
        tool_version,
        ..
    } = run("linux", 0);
    let bare = Cost {
        engine,
        device,
        tool_version,
        measured: 1_767_225_601,
        threads: 1,
        latency: Latency {
            p50_ms: 81.25,
            p90_ms: 82.5,
            p99_ms: 99.875,
            queries: 64,
            duration_ms: 5_210,
        },
        throughput: None,
        load_ms: 210.5,
        peak_memory: None,
        machine_macs_per_s: None,
        governor: String::new(),
        thermal: String::new(),
        energy: None,
        weight_bytes: vec![],
    };
    let full = Cost {
        threads: 4,
        throughput: Some(Throughput {
            images_per_s: 44.5,
            batch: 1,
            images: 134,
        }),
        peak_memory: Some(130_023_424),
        machine_macs_per_s: Some(3.25e10),
        governor: "performance".into(),
        thermal: "71.5 °C".into(),
        energy: Some(Energy {
            joules_per_image: 0.125,
            source: "INA3221 VDD_IN".into(),
        }),
        weight_bytes: vec![("float32".into(), 18_000_000), ("int64".into(), 8)],
        ..bare.clone()
    };
    evaluation.costs = vec![bare, full];
    let mut keys = vec![vec![]; 300];
    keys[0] = vec![2, 2, 0x7e00_0000];
    keys[299] = vec![0x7f00_0001];
    let bare = Shard {
        count: 4,
        images_per_set: None,
        index: 2,
        passes: vec![(PassKind::Clean, 0), (fog(), 1)],
        probabilities: None,
    };
    let full = Shard {
        images_per_set: Some(12),
        passes: vec![],
        probabilities: Some(Probabilities::new(
            [0, 130, 399].into_iter().collect(),
            keys,
        )),
        ..bare.clone()
    };
    evaluation.shards = vec![bare, full];
    evaluation
}

/// What format 1.3 added to 1.2: GPUs.
fn version_1_3() -> Evaluation {
    let mut evaluation = version_1_2();
    evaluation.runs.push(Run {
        engine: Engine::Wonnx {
            version: "0.5.1".into(),
            adapter: "V3D 4.2".into(),
            api: "Vulkan".into(),
            driver: "V3DV Mesa 23.2.1".into(),
        },
        ..run("linux", 1_767_225_600)
    });
    evaluation.runs.sort();
    evaluation.warnings.push(Warning::GpuFallback {
        reason: "running a batch on the GPU failed: out of memory (–)".into(),
    });
    evaluation
}

/// What format 1.2 added to 1.1: attacks.
fn version_1_2() -> Evaluation {
    let mut evaluation = version_1_1();
    let attacked = |attack: Attack| Pass {
        kind: PassKind::Attack(attack),
        origin: Origin::Stored,
        fingerprint: [11; 32],
        list: 0,
        outcomes: Outcomes::Correct([false, true, false, false, true].into_iter().collect()),
        skipped: vec![],
    };
    let step = Strength::whole(1);
    let more = [
        AttackMethod::Pgd {
            step,
            steps: 0,
            start: Start::Image,
        },
        AttackMethod::WorstPgd {
            step,
            steps: 40,
            restarts: 3,
        },
        AttackMethod::Square { queries: 1000 },
    ];
    let more = more.map(|method| Attack {
        method,
        norm: Norm::L2,
        space: AttackSpace::Normalized,
        epsilon: Strength::whole(128),
    });
    evaluation
        .passes
        .extend(Attack::scored(AttackSpace::Pixels).map(attacked));
    evaluation.passes.extend(more.map(attacked));
    evaluation.passes.sort_by_key(|pass| pass.kind);
    evaluation.warnings.push(Warning::BlackBoxAttack);
    evaluation
}

/// What format 1.1 added to 1.0: generated corruptions.
fn version_1_1() -> Evaluation {
    let mut evaluation = version_1();
    let generated = |kind: PassKind, jpeg85: bool, frost: Option<FrostSource>| Pass {
        kind,
        origin: Origin::Generated(Generation {
            side: 224,
            jpeg85,
            frost,
        }),
        fingerprint: [11; 32],
        list: 0,
        outcomes: Outcomes::Correct([true, false, false, true, true].into_iter().collect()),
        skipped: vec![],
    };
    let frost = |s: usize| PassKind::Corruption(Corruption::Frost, Severity::ALL[s]);
    let noise = PassKind::Corruption(Corruption::GaussianNoise, Severity::ALL[4]);
    evaluation.passes.extend([
        generated(noise, true, None),
        generated(frost(0), false, Some(FrostSource::Synthetic)),
        generated(frost(3), false, Some(FrostSource::Pictures([0xf5; 32]))),
    ]);
    evaluation.passes.sort_by_key(|pass| pass.kind);
    evaluation
}

/// Every variant and every optional field of format 1.0 that one file can hold.
fn version_1() -> Evaluation {
    Evaluation {
        model: model(),
        protocols: PerDimension::from_fn(|dimension| match dimension as usize % 2 {
            0 => Protocol::Correct,
            _ => Protocol::Published,
        }),
        label_set: LabelSetRecord {
            name: "harbour".into(),
            classes: 300,
            shape_groups: vec!["boat".into(), "bird".into(), "car".into()],
            hash: std::array::from_fn(|i| i as u8),
        },
        dataset: Dataset {
            name: "Hafen – été".into(),
            counts: vec![
                (PassKind::Clean, 400),
                (fog(), 400),
                (PassKind::Rendition, 12),
                (PassKind::CueConflict, 5),
                (PassKind::MixedSame, 4050),
            ],
        },
        seed: u64::MAX - 1,
        subset: Some(Subset { images_per_set: 7 }),
        runs: vec![run("linux", 1_767_225_600), run("macos", 1_767_312_000)],
        lists: lists(),
        passes: passes(),
        warnings: warnings(),
        costs: vec![],
        shards: vec![],
    }
}

fn fog() -> PassKind {
    PassKind::Corruption(Corruption::Fog, Severity::ALL[4])
}

fn model() -> Model {
    Model {
        name: "effnet-lite0".into(),
        hash: [0xa5; 32],
        bytes: 18_570_004,
        opset: 13,
        parameters: Parameters {
            count: 4_652_008,
            source: ParameterSource::Card,
        },
        macs: Some(385_000_000),
        grouping: Grouping {
            architecture: "cnn".into(),
            pretraining_data: "in1k".into(),
            training: "sl".into(),
            paper: String::new(),
        },
        outputs: 301,
        output_kind: OutputKind::DoubleSoftmax,
        preprocessing: Preprocessing {
            resize: Resize::Exact(256, 240),
            crop: (224, 224),
            interpolation: Interpolation::Bicubic,
            mean: [0.485, 0.456, 0.406],
            std: [0.229, 0.224, 0.225],
            channels: ChannelOrder::Bgr,
            source: PreprocessingSource::Timm,
        },
    }
}

fn run(os: &str, started: u64) -> Run {
    Run {
        engine: Engine::Tract {
            version: "0.23.4".into(),
        },
        device: Device {
            host: "quay".into(),
            os: os.into(),
            arch: "aarch64".into(),
            processor: "Cortex-A76".into(),
            cores: 4,
        },
        tool_version: "0.1.0".into(),
        started,
        wall_ms: 86_400_000,
        threads: 4,
    }
}

fn lists() -> Vec<ImageList> {
    let list = |identity: u8, population: u32, indices: &[u32], labels: &[u32]| ImageList {
        identity: [identity; 32],
        population,
        indices: indices.iter().copied().collect(),
        labels: labels.to_vec(),
        textures: vec![],
    };
    vec![
        list(1, 400, &[0, 1, 2, 130, 399], &[0, 0, 1, 128, 299]),
        list(2, 12, &[3, 5], &[7, 8]),
        ImageList {
            textures: vec![1, 2, 0],
            ..list(3, 5, &[0, 2, 4], &[0, 1, 2])
        },
        list(4, 4050, &[], &[]),
    ]
}

fn passes() -> Vec<Pass> {
    let pass = |kind: PassKind, fingerprint: u8, list: u32, outcomes: Outcomes| Pass {
        kind,
        origin: Origin::Stored,
        fingerprint: [fingerprint; 32],
        list,
        outcomes,
        skipped: vec![],
    };
    let answers = [true, false, true, true, false];
    let clean = Outcomes::Classified {
        predictions: vec![0, 299, 1, 128, 5],
        confidences: vec![1.0, 0.3, 0.25, f32::MIN_POSITIVE, 1.000_000_1],
        true_confidences: vec![1.0, 0.0, 0.25, f32::MIN_POSITIVE, 1e-30],
        ace: Some(0.001_25),
    };
    vec![
        Pass {
            skipped: vec![
                SkippedImage {
                    index: 4,
                    path: "n01440764/löschte.JPEG".into(),
                    reason: "the file is empty".into(),
                },
                SkippedImage {
                    index: 131,
                    path: "n01440764/x.JPEG".into(),
                    reason: "not an image".into(),
                },
            ],
            ..pass(PassKind::Clean, 11, 0, clean)
        },
        pass(
            fog(),
            12,
            0,
            Outcomes::Correct(answers.into_iter().collect()),
        ),
        pass(
            PassKind::Rendition,
            13,
            1,
            Outcomes::Correct([false, true].into_iter().collect()),
        ),
        pass(
            PassKind::CueConflict,
            14,
            2,
            Outcomes::Decided(vec![0, 2, 1]),
        ),
        pass(PassKind::MixedSame, 15, 3, Outcomes::Decided(vec![])),
    ]
}

fn warnings() -> Vec<Warning> {
    vec![
        Warning::DefaultPreprocessing,
        Warning::SkippedImages {
            pass: PassKind::Clean,
            count: 2,
        },
        Warning::Sampled {
            pass: PassKind::Clean,
            images: 5,
            population: 400,
        },
        Warning::NearChance,
        Warning::EmptyClasses { count: 296 },
        Warning::ParametersFromInitializers,
        Warning::NonFiniteOutputs {
            pass: fog(),
            count: 1,
        },
        Warning::AceLostByMerge,
    ]
}
