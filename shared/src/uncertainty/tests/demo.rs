//! How many of the demo's images it takes to reproduce the order of its models: recorded answers of
//! real models.

use std::path::Path;

use rayon::prelude::*;

use super::super::{Interval, Options, resample};
use super::subsample::{quba, sampled};
use crate::comparison::{Entry, default_reference};
use crate::quba::{Reference, Weights};
use crate::result::{Evaluation, read};

/// The bundled results.
struct Demo {
    models: Vec<Evaluation>,
    /// Fitted on all images, and kept for every sample.
    reference: Reference,
    /// All pairs, the better model first.
    pairs: Vec<(usize, usize)>,
    /// Those whose intervals do not overlap.
    separated: Vec<(usize, usize)>,
}

fn demo() -> Demo {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../desktop/assets/demo");
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|f| f.unwrap().path())
        .collect();
    files.sort();
    let models: Vec<Evaluation> = files.iter().map(|file| read(file).unwrap()).collect();
    let entries: Vec<Entry> = models.iter().map(Entry::of).collect();
    let reference = default_reference(&entries);
    let scores: Vec<f64> = entries
        .iter()
        .map(|e| quba(&e.values, &reference))
        .collect();
    let interval = |model: &Evaluation| {
        let resampled = resample(model, Options::default());
        let interval = resampled.quba_interval(&Weights::default(), &reference);
        interval.unwrap().interval
    };
    let intervals: Vec<Interval> = models.iter().map(interval).collect();
    let pairs = (0..models.len()).flat_map(|a| (0..models.len()).map(move |b| (a, b)));
    let pairs: Vec<_> = pairs.filter(|&(a, b)| scores[a] > scores[b]).collect();
    let apart = |&(a, b): &(usize, usize)| intervals[a].low > intervals[b].high;
    Demo {
        separated: pairs.iter().copied().filter(apart).collect(),
        pairs,
        models,
        reference,
    }
}

impl Demo {
    /// By size: the share of samples with the right order of the separated pairs, and of all.
    fn in_order(&self, sizes: &[u32], samples: u64) -> Vec<[f64; 2]> {
        let of = |seed| -> Vec<[bool; 2]> {
            let right = |values: Vec<_>| {
                let scores: Vec<f64> = values.iter().map(|v| quba(v, &self.reference)).collect();
                let all =
                    |pairs: &[(usize, usize)]| pairs.iter().all(|&(a, b)| scores[a] > scores[b]);
                [all(&self.separated), all(&self.pairs)]
            };
            sampled(&self.models, sizes, seed)
                .into_iter()
                .map(right)
                .collect()
        };
        let right: Vec<_> = (0..samples).into_par_iter().map(of).collect();
        let share = |size: usize, which: usize| {
            right.iter().filter(|r| r[size][which]).count() as f64 / samples as f64
        };
        (0..sizes.len())
            .map(|size| [share(size, 0), share(size, 1)])
            .collect()
    }
}

#[test]
#[ignore = "prints the table of the module's documentation"]
fn table_of_demo_sample_sizes() {
    let demo = demo();
    let sizes = [16, 32, 48, 64, 96, 128, 192, 224, 256];
    println!(
        "{} of {} pairs are separated",
        demo.separated.len(),
        demo.pairs.len()
    );
    for (size, [separated, all]) in sizes.iter().zip(demo.in_order(&sizes, 1000)) {
        println!(
            "{size}: separated {:.1}, all {:.1}",
            100.0 * separated,
            100.0 * all
        );
    }
}

#[test]
fn a_quarter_of_the_images_orders_separated_models_and_all_of_them_the_rest() {
    let demo = demo();
    assert_eq!((demo.separated.len(), demo.pairs.len()), (15, 28));
    let found = demo.in_order(&[64, 256], 60);
    assert!(found[0][0] > 0.95 && found[0][1] < 0.5, "{found:?}");
    assert_eq!(found[1], [1.0, 1.0]);
}
