//! What a recorded evaluation would have been with `--images N --seed S`.

use crate::dimension::Values;
use crate::metrics::{measure, values};
use crate::outcome::{ImageList, Outcomes, Pass};
use crate::quba::{Reference, Weights, score};
use crate::random::mix;
use crate::result::{Evaluation, Subset};

/// QUBA under the study's weights; all dimensions must be there.
pub(super) fn quba(values: &Values, reference: &Reference) -> f64 {
    let score = score(values, reference, &Weights::default()).unwrap();
    assert_eq!(score.missing, []);
    score.value
}

/// Values of each model on the first images of each set: by size, then model. All models must have
/// been shown the same images.
///
/// The adaptive calibration error stays that of all images, since it cannot be recomputed.
pub(super) fn sampled(models: &[Evaluation], sizes: &[u32], seed: u64) -> Vec<Vec<Values>> {
    assert!(models.iter().all(|model| model.lists == models[0].lists));
    let orders: Vec<Vec<usize>> = models[0].lists.iter().map(|l| order(l, seed)).collect();
    let of = |size: u32| {
        let chosen: Vec<Vec<usize>> = orders.iter().map(|o| first(o, size)).collect();
        let values_of = |model| values(&measure(&restricted(model, &chosen, size)));
        models.iter().map(values_of).collect()
    };
    sizes.iter().map(|&size| of(size)).collect()
}

/// The positions of a list's images as a sample takes them: rank by rank within the classes, within
/// a rank by hash. Only the hash differs from that of `edge`, which takes names, that lists lack.
fn order(list: &ImageList, seed: u64) -> Vec<usize> {
    let seed = list
        .identity
        .iter()
        .fold(mix(seed), |seed, &byte| mix(seed ^ u64::from(byte)));
    let hashes = list
        .indices
        .iter()
        .map(|index| mix(seed ^ u64::from(index)));
    let mut images: Vec<(u32, u64, usize)> = (0..)
        .zip(list.labels.iter().zip(hashes))
        .map(|(position, (&label, hash))| (label, hash, position))
        .collect();
    images.sort_unstable();
    let mut ranked: Vec<(usize, u64, usize)> = images
        .chunk_by(|a, b| a.0 == b.0)
        .flat_map(|class| {
            (0..)
                .zip(class)
                .map(|(rank, &(_, hash, position))| (rank, hash, position))
        })
        .collect();
    ranked.sort_unstable();
    ranked.into_iter().map(|(.., position)| position).collect()
}

/// The first positions of an order, ascending.
fn first(order: &[usize], size: u32) -> Vec<usize> {
    let mut chosen: Vec<usize> = order.iter().copied().take(size as usize).collect();
    chosen.sort_unstable();
    chosen
}

/// The records at the chosen positions of each list.
fn restricted(evaluation: &Evaluation, chosen: &[Vec<usize>], size: u32) -> Evaluation {
    let list = |(list, chosen): (&ImageList, &Vec<usize>)| {
        let indices: Vec<u32> = list.indices.iter().collect();
        ImageList {
            identity: list.identity,
            population: list.population,
            indices: chosen.iter().map(|&i| indices[i]).collect(),
            labels: picked(&list.labels, chosen),
            textures: match list.textures.as_slice() {
                [] => Vec::new(),
                textures => picked(textures, chosen),
            },
        }
    };
    let pass = |pass: &Pass| Pass {
        kind: pass.kind,
        origin: pass.origin,
        fingerprint: pass.fingerprint,
        list: pass.list,
        outcomes: outcomes(&pass.outcomes, &chosen[pass.list as usize]),
        skipped: Vec::new(),
    };
    let lists = evaluation.lists.iter().zip(chosen).map(list).collect();
    let passes = evaluation.passes.iter().map(pass).collect();
    Evaluation {
        label_set: evaluation.label_set.clone(),
        protocols: evaluation.protocols,
        subset: Some(Subset {
            images_per_set: size,
        }),
        lists,
        passes,
        ..Evaluation::of_costs(evaluation.model.clone(), Vec::new())
    }
}

fn outcomes(all: &Outcomes, chosen: &[usize]) -> Outcomes {
    match all {
        Outcomes::Classified {
            predictions,
            confidences,
            true_confidences,
            ace,
        } => Outcomes::Classified {
            predictions: picked(predictions, chosen),
            confidences: picked(confidences, chosen),
            true_confidences: picked(true_confidences, chosen),
            ace: *ace,
        },
        Outcomes::Correct(bits) => {
            Outcomes::Correct(chosen.iter().filter_map(|&i| bits.get(i)).collect())
        }
        Outcomes::Decided(decisions) => Outcomes::Decided(picked(decisions, chosen)),
    }
}

fn picked<T: Copy>(all: &[T], chosen: &[usize]) -> Vec<T> {
    chosen.iter().map(|&i| all[i]).collect()
}

#[test]
fn samples_are_nested_and_even_over_the_classes() {
    let list = ImageList {
        identity: [3; 32],
        population: 40,
        indices: (10..25).collect(),
        labels: (0..15).map(|i| i / 5).collect(),
        textures: Vec::new(),
    };
    let order_of = |seed| order(&list, seed);
    assert_ne!(order_of(1), order_of(2));
    for size in 0..=15 {
        let chosen = first(&order_of(1), size);
        let larger = first(&order_of(1), size + 1);
        assert!(chosen.iter().all(|position| larger.contains(position)));
        for label in 0..3 {
            let of_class = chosen.iter().filter(|&&p| list.labels[p] == label).count() as u32;
            assert!(of_class.abs_diff(size / 3) <= 1, "{size}: {chosen:?}");
        }
    }
    assert_eq!(first(&order_of(1), 99), (0..15).collect::<Vec<_>>());
}
