//! How large the result file of a full ImageNet run is, and how long it takes to write and read.

use std::time::Instant;

use shared::metrics::calibration::{ace_from_classes, ace_keys, ace_of_class};
use shared::outcome::{Corruption, ImageList, Origin, Outcomes, Pass, PassKind, Severity};
use shared::result::{Evaluation, Probabilities, Shard, decode, encode, merge, merge_all};

const MIB: usize = 1 << 20;

/// Pseudo-random numbers, so that nothing in the file is cheaper to write than real records.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u32 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (self.0 >> 33) as u32
    }

    fn below(&mut self, bound: u32, count: u32) -> Vec<u32> {
        (0..count).map(|_| self.next() % bound).collect()
    }

    fn shares(&mut self, count: u32) -> Vec<f32> {
        (0..count)
            .map(|_| (self.next() >> 7) as f32 / (1 << 24) as f32)
            .collect()
    }
}

/// One set with its images sorted by label and a list of its own.
fn add_set(
    evaluation: &mut Evaluation,
    kind: PassKind,
    images: u32,
    labels: u32,
    outcomes: Outcomes,
) {
    let list = evaluation.lists.len() as u32;
    let per_label = images.div_ceil(labels);
    evaluation.lists.push(ImageList {
        identity: [list as u8; 32],
        population: images,
        indices: (0..images).collect(),
        labels: (0..images).map(|i| i / per_label).collect(),
        textures: match kind {
            PassKind::CueConflict => (0..images).map(|i| i % labels).collect(),
            _ => vec![],
        },
    });
    add_pass(evaluation, kind, list, outcomes);
}

fn add_pass(evaluation: &mut Evaluation, kind: PassKind, list: u32, outcomes: Outcomes) {
    evaluation.passes.push(Pass {
        kind,
        origin: Origin::Stored,
        fingerprint: [list as u8; 32],
        list,
        outcomes,
        skipped: vec![],
    });
    evaluation.dataset.counts.push((kind, 0));
}

/// The passes of a full run with records of the full size, under the golden file's heading.
fn full_run() -> Evaluation {
    let golden = include_bytes!("golden/v1.quba");
    #[expect(clippy::unwrap_used, reason = "the golden file has a test of its own")]
    let mut evaluation = decode(golden).unwrap();
    evaluation.label_set.classes = 1000;
    evaluation.label_set.shape_groups = (0..16).map(|i| format!("group {i}")).collect();
    evaluation.passes.clear();
    evaluation.lists.clear();
    evaluation.dataset.counts.clear();
    let mut random = Random(1);
    let clean = Outcomes::Classified {
        predictions: random.below(1000, 50_000),
        confidences: random.shares(50_000),
        true_confidences: random.shares(50_000),
        ace: Some(0.01),
    };
    add_set(&mut evaluation, PassKind::Clean, 50_000, 1000, clean);
    let mut answers =
        |n| Outcomes::Correct((0..n).map(|_| random.next().is_multiple_of(2)).collect());
    for corruption in Corruption::SCORED {
        for severity in Severity::ALL {
            let kind = PassKind::Corruption(corruption, severity);
            add_pass(&mut evaluation, kind, 0, answers(50_000));
        }
    }
    add_set(
        &mut evaluation,
        PassKind::Rendition,
        30_000,
        200,
        answers(30_000),
    );
    for (kind, images) in [
        (PassKind::Edge, 160),
        (PassKind::Silhouette, 160),
        (PassKind::Sketch, 800),
        (PassKind::Stylized, 800),
        (PassKind::CueConflict, 1280),
    ] {
        let decisions = Outcomes::Decided(random.below(16, images));
        add_set(&mut evaluation, kind, images, 16, decisions);
    }
    for kind in [PassKind::MixedSame, PassKind::MixedRand] {
        let decisions = Outcomes::Decided(random.below(9, 4050));
        add_set(&mut evaluation, kind, 4050, 9, decisions);
    }
    evaluation.canonicalise();
    evaluation
}

#[test]
fn a_full_imagenet_run_fits_in_a_few_megabytes() {
    let evaluation = full_run();
    assert_eq!(evaluation.passes.len(), 1 + 75 + 1 + 5 + 2);
    let start = Instant::now();
    let bytes = encode(&evaluation).unwrap();
    let encoded = start.elapsed();
    let decoded = decode(&bytes).unwrap();
    let total = start.elapsed();
    assert_eq!(decoded, evaluation);
    println!(
        "full ImageNet run: {} bytes, written in {encoded:.1?}, read in {:.1?}",
        bytes.len(),
        total - encoded
    );
    assert!(bytes.len() < 4 * MIB, "{} bytes", bytes.len());
    assert_eq!(merge(&evaluation, &decoded).unwrap(), evaluation);
}

/// The clean pass of a shard of the full run.
fn shard_of_full_run(index: u32, keys: Vec<Vec<u32>>) -> Evaluation {
    let mut evaluation = full_run();
    evaluation.passes.clear();
    evaluation.lists.clear();
    let mut random = Random(index.into());
    let clean = Outcomes::Classified {
        predictions: random.below(1000, 12_500),
        confidences: random.shares(12_500),
        true_confidences: random.shares(12_500),
        ace: None,
    };
    add_set(&mut evaluation, PassKind::Clean, 12_500, 1000, clean);
    let list = &mut evaluation.lists[0];
    list.population = 50_000;
    list.indices = (index - 1..50_000).step_by(4).collect();
    evaluation.shards = vec![Shard {
        count: 4,
        images_per_set: None,
        index,
        passes: vec![(PassKind::Clean, 0)],
        probabilities: Some(Probabilities::new(list.indices.clone(), keys)),
    }];
    evaluation.canonicalise();
    evaluation
}

#[test]
#[ignore = "takes some seconds and a gigabyte; prints times and sizes"]
fn shards_of_a_full_imagenet_run_merge_in_seconds() {
    let mut random = Random(7);
    let (mut errors, mut keys) = (Vec::new(), vec![Vec::new(); 4]);
    for class in 0..1000 {
        // Of very different sizes, as softmax makes them.
        let shares = random.shares(50_000).into_iter();
        let column: Vec<f32> = shares.map(|share| (-20.0 * share).exp()).collect();
        let is_class = |image: usize| image / 4 / 13 == class;
        for (shard, keys) in keys.iter_mut().enumerate() {
            let mut part: Vec<f32> = column.iter().copied().skip(shard).step_by(4).collect();
            keys.push(ace_keys(&mut part, |i| is_class(4 * i + shard)));
        }
        errors.push(ace_of_class(&mut column.clone(), is_class));
    }
    let shards: Vec<Evaluation> = (1..)
        .zip(keys)
        .map(|(index, keys)| shard_of_full_run(index, keys))
        .collect();
    let files: Vec<Vec<u8>> = shards.iter().map(|shard| encode(shard).unwrap()).collect();
    drop(shards);
    let start = Instant::now();
    let read: Vec<(String, Evaluation)> = files
        .iter()
        .map(|bytes| (String::new(), decode(bytes).unwrap()))
        .collect();
    let decoded = start.elapsed();
    let merged = merge_all(read).unwrap().remove(0);
    let total = start.elapsed();
    println!(
        "four shards of {} bytes: read in {decoded:.1?}, merged in {:.1?}",
        files[0].len(),
        total - decoded
    );
    assert!(files[0].len() < 36 * MIB, "{} bytes", files[0].len());
    let Outcomes::Classified { ace, .. } = &merged.passes[0].outcomes else {
        panic!("a clean pass")
    };
    assert_eq!(*ace, Some(ace_from_classes(errors, 1000)));
    assert!(merged.shards.is_empty());
}
