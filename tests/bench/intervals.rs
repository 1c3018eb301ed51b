//! Time of the intervals of a complete ImageNet-sized result: `cargo bench --workspace --profile dev
//! --bench intervals -- [RUNS]` prints seconds.

use std::time::Instant;

use shared::outcome::{
    Attack, AttackSpace, Corruption, ImageList, Origin, Outcomes, Pass, PassKind, Severity,
};
use shared::quba::{Reference, Weights};
use shared::result::Evaluation;
use shared::uncertainty::{Options, resample};
use tests::synthetic;

fn main() {
    // Cargo adds `--bench`.
    let mut arguments = std::env::args().skip(1).filter(|word| word != "--bench");
    let runs: usize = arguments
        .next()
        .and_then(|word| word.parse().ok())
        .unwrap_or(3);
    let evaluation = imagenet();
    let (weights, reference) = (Weights::default(), Reference::published());
    for _ in 0..runs {
        let start = Instant::now();
        let resampled = resample(&evaluation, Options::default());
        let slow = start.elapsed();
        let start = Instant::now();
        let quba = resampled.quba_interval(&weights, &reference);
        let fast = start.elapsed();
        println!(
            "{} passes, 1000 resamples: {:.2} s; then QUBA under any weights: {:.3} ms ({quba:?})",
            evaluation.passes.len(),
            slow.as_secs_f64(),
            1e3 * fast.as_secs_f64()
        );
    }
}

/// 50,000 clean images of 1000 classes, all 75 corruptions and both attacks of them, and the other
/// sets at their sizes.
fn imagenet() -> Evaluation {
    let mut evaluation = synthetic::evaluation("ImageNet-sized", 8, false);
    evaluation.lists.clear();
    evaluation.passes.clear();
    evaluation.label_set.classes = 1000;
    evaluation.label_set.shape_groups = (0..16).map(|g| g.to_string()).collect();
    let clean = list(&mut evaluation, 50_000, 1000);
    let mut noise = 1;
    let (labels, right) = (
        evaluation.lists[clean as usize].labels.clone(),
        answers(50_000, 0.76, &mut noise),
    );
    let outcomes = Outcomes::Classified {
        predictions: labels
            .iter()
            .zip(&right)
            .map(|(l, r)| if *r { *l } else { 1000 })
            .collect(),
        confidences: vec![0.75; 50_000],
        true_confidences: (0..50_000).map(|_| draw(&mut noise) as f32).collect(),
        ace: Some(0.001),
    };
    push(&mut evaluation, PassKind::Clean, clean, outcomes);
    let mut shifted: Vec<(PassKind, f64)> = Corruption::SCORED
        .into_iter()
        .flat_map(|c| {
            Severity::ALL.map(|s| (PassKind::Corruption(c, s), 0.7 - 0.1 * f64::from(s.get())))
        })
        .collect();
    shifted.extend(Attack::scored(AttackSpace::Pixels).map(|a| (PassKind::Attack(a), 0.1)));
    for (kind, share) in shifted {
        let bits = answers(50_000, share, &mut noise).into_iter().collect();
        push(&mut evaluation, kind, clean, Outcomes::Correct(bits));
    }
    for (kind, images, labels) in [
        (PassKind::Rendition, 30_000, 200),
        (PassKind::Edge, 160, 16),
        (PassKind::Silhouette, 160, 16),
        (PassKind::Sketch, 800, 16),
        (PassKind::Stylized, 800, 16),
        (PassKind::MixedSame, 4050, 9),
        (PassKind::MixedRand, 4050, 9),
    ] {
        let list = list(&mut evaluation, images, labels);
        let bits = answers(images, 0.5, &mut noise).into_iter().collect();
        push(&mut evaluation, kind, list, Outcomes::Correct(bits));
    }
    let cues = list(&mut evaluation, 1280, 16);
    evaluation.lists[cues as usize].textures = (0..1280).map(|i| (i * 7) % 16).collect();
    let decisions = (0..1280)
        .map(|_| (draw(&mut noise) * 16.0) as u32)
        .collect();
    push(
        &mut evaluation,
        PassKind::CueConflict,
        cues,
        Outcomes::Decided(decisions),
    );
    evaluation
}

fn list(evaluation: &mut Evaluation, images: u32, labels: u32) -> u32 {
    let number = evaluation.lists.len() as u32;
    evaluation.lists.push(ImageList {
        identity: [number as u8; 32],
        population: images,
        indices: (0..images).collect(),
        labels: (0..images).map(|i| i * labels / images).collect(),
        textures: Vec::new(),
    });
    number
}

fn push(evaluation: &mut Evaluation, kind: PassKind, list: u32, outcomes: Outcomes) {
    evaluation.passes.push(Pass {
        kind,
        origin: Origin::Stored,
        fingerprint: [0; 32],
        list,
        outcomes,
        skipped: Vec::new(),
    });
}

/// Right answers with a probability.
fn answers(images: u32, share: f64, state: &mut u64) -> Vec<bool> {
    (0..images).map(|_| draw(state) < share).collect()
}

/// Uniform in [0, 1).
fn draw(state: &mut u64) -> f64 {
    let mut generator = shared::random::SplitMix64::new(*state);
    *state = generator.next_u64();
    generator.uniform()
}
