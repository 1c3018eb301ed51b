//! How many images it takes to reproduce the published order of models.

use rayon::prelude::*;

use super::imitation::{Pictures, imitation};
use super::subsample::{quba, sampled};
use crate::Dimension;
use crate::dimension::Values;
use crate::metrics::{measure, values};
use crate::published::{PublishedModel, models};
use crate::quba::Reference;
use crate::result::Evaluation;
use crate::statistics::mean;

/// Images of each set; smaller sets are complete.
const SIZES: [u32; 8] = [50, 100, 200, 500, 1000, 2000, 5000, 10_000];

/// Candidates for a small device.
const SMALL: [&str; 8] = [
    "efficientnet-b0",
    "regnet-y-800mf",
    "deit-t",
    "mobilenetv3-l",
    "mobilenetv2",
    "resnet18",
    "shufflenet-v2-1",
    "squeezenet",
];

/// Models whose class balance no imitation has to within 0.1 deviations.
const UNLIKE: [&str; 10] = [
    "bagnet9",
    "bagnet17",
    "bagnet33",
    "bcos-convnext-base",
    "bcos-convnext-tiny",
    "bcos-simple-vit-b-patch16-224",
    "hiera-s-lp",
    "hiera-t-lp",
    "shufflenet-v2-2",
    "vit-b-16-mae-lp",
];

type Published = &'static PublishedModel;

/// QUBA of a model where some dimensions have the values of a sample.
type Score = fn(&Values, Published) -> f64;

/// All as the sample gives it.
fn as_measured(values: &Values, _: Published) -> f64 {
    quba(values, &Reference::published())
}

/// As if the adaptive calibration error were off by the factor that the expected one is off by.
fn adaptive_error_alike(values: &Values, model: Published) -> f64 {
    let mut values = *values;
    let d = Dimension::CalibrationError;
    values[d] = values[d].map(|error| error * error / model.values[d].unwrap());
    as_measured(&values, model)
}

/// Class balance as published.
fn balance_known(values: &Values, model: Published) -> f64 {
    let mut values = *values;
    let d = Dimension::ClassBalance;
    values[d] = model.values[d];
    as_measured(&values, model)
}

/// The published models that were measured as defined, best first.
fn ranked() -> Vec<Published> {
    let score = |m: &PublishedModel| quba(&m.values, &Reference::published());
    let fit = |m: &Published| m.is_clean() && !UNLIKE.contains(&m.id.as_str());
    let mut ranked: Vec<Published> = models().iter().filter(fit).collect();
    ranked.sort_by(|a, b| score(b).total_cmp(&score(a)));
    ranked
}

/// From the first on, each the best that lies at least `gap` below the one before.
fn apart(gap: f64) -> Vec<Published> {
    let score = |m: &PublishedModel| quba(&m.values, &Reference::published());
    let mut chosen: Vec<Published> = Vec::new();
    for model in ranked() {
        let below = |last: &Published| score(model) <= score(last) - gap;
        if chosen.last().is_none_or(below) {
            chosen.push(model);
        }
    }
    chosen
}

fn small() -> Vec<Published> {
    let chosen = |m: &Published| SMALL.contains(&m.id.as_str());
    ranked().into_iter().filter(chosen).collect()
}

/// Where models meet.
#[derive(Clone, Copy)]
enum Meeting {
    /// On the same images.
    SameImages,
    /// Each on images of its own.
    OwnImages,
}

/// What models are worth on samples of the images.
struct Samples {
    models: Vec<Published>,
    /// By sample, size, model.
    values: Vec<Vec<Vec<Values>>>,
}

impl Samples {
    /// `count` samples of each of some complete sets.
    fn of(
        models: &[Published],
        meeting: Meeting,
        sizes: &[u32],
        complete: u64,
        count: u64,
    ) -> Self {
        let mut models = models.to_vec();
        models.sort_by_key(|m| m.row);
        models.dedup_by_key(|m| m.row);
        let values = (0..complete).flat_map(|seed| {
            let evaluations = imitations(&models, meeting, seed);
            let samples = (0..count).into_par_iter();
            let of = |sample| sampled(&evaluations, sizes, sample);
            samples.map(of).collect::<Vec<_>>()
        });
        Self {
            values: values.collect(),
            models,
        }
    }

    /// By size: the share of samples with the published order of `together` neighbours in a list,
    /// on average over the list.
    fn in_order(&self, list: &[Published], together: usize, score: Score) -> Vec<f64> {
        let place = |m: &Published| self.models.iter().position(|other| other.row == m.row);
        let places: Vec<usize> = list.iter().filter_map(place).collect();
        let right = |models: &[Values], set: &[usize]| {
            let scores = set.iter().map(|&m| score(&models[m], self.models[m]));
            scores.is_sorted_by(|better, worse| better > worse)
        };
        let share = |size: usize| {
            let sets = places.windows(together.min(places.len()));
            let of = |set| {
                let samples = self
                    .values
                    .iter()
                    .filter(|sample| right(&sample[size], set));
                samples.count() as f64 / self.values.len() as f64
            };
            mean(&sets.map(of).collect::<Vec<f64>>())
        };
        (0..self.values[0].len()).map(share).collect()
    }
}

fn imitations(models: &[Published], meeting: Meeting, seed: u64) -> Vec<Evaluation> {
    let same = Pictures::new(seed);
    let of = |model: &Published| match meeting {
        Meeting::SameImages => imitation(model, &same, seed),
        Meeting::OwnImages => {
            let own = Pictures::new(seed + 1000 * u64::from(model.row + 1));
            imitation(model, &own, seed)
        }
    };
    models.par_iter().map(of).collect()
}

/// The smallest size from which on 95 % of the samples have the published order.
fn enough(shares: &[f64]) -> String {
    let short = shares.iter().rposition(|&share| share < 0.95);
    let size = SIZES.get(short.map_or(0, |last| last + 1));
    size.map_or("more".to_owned(), u32::to_string)
}

#[test]
#[ignore = "takes minutes; prints the table of the module's documentation"]
fn table_of_sample_sizes() {
    let lists = [0.1, 0.2, 0.5, 1.0].map(|gap| (format!("{gap} apart"), apart(gap), 5));
    let lists = lists
        .into_iter()
        .chain([("small".to_owned(), small(), SMALL.len())]);
    let lists: Vec<(String, Vec<Published>, usize)> = lists.collect();
    let all: Vec<Published> = lists.iter().flat_map(|(_, list, _)| list.clone()).collect();
    let same = Samples::of(&all, Meeting::SameImages, &SIZES, 4, 100);
    let own = Samples::of(&all, Meeting::OwnImages, &SIZES, 4, 100);
    println!("images: {SIZES:?}");
    for (name, list, together) in &lists {
        println!("{name}, {} models", list.len());
        for (what, together) in [("together", *together), ("neighbours", 2)] {
            let of = |samples: &Samples, score| samples.in_order(list, together, score);
            let shares = of(&same, as_measured);
            println!(
                "  {what}: {} | enough {}, with an alike adaptive error {}, with balance known {}, \
                 on own images {}",
                cells(shares.iter().map(|share| 100.0 * share)),
                enough(&shares),
                enough(&of(&same, adaptive_error_alike)),
                enough(&of(&same, balance_known)),
                enough(&of(&own, as_measured)),
            );
        }
        for (how, score) in [
            ("as measured", as_measured as Score),
            ("with balance known", balance_known),
        ] {
            let reversed = reversed(&same, list, score);
            println!("  neighbours mostly reversed, {how}: {}", cells(reversed));
        }
    }
}

/// By size: how many neighbours in a list stand in the wrong order in most samples.
fn reversed(samples: &Samples, list: &[Published], score: Score) -> [f64; SIZES.len()] {
    let mut reversed = [0.0; SIZES.len()];
    for pair in list.windows(2) {
        for (count, share) in reversed.iter_mut().zip(samples.in_order(pair, 2, score)) {
            *count += f64::from(u8::from(share < 0.5));
        }
    }
    reversed
}

fn cells(numbers: impl IntoIterator<Item = f64>) -> String {
    let cell = |number| format!("{number:.0}");
    let cells: Vec<String> = numbers.into_iter().map(cell).collect();
    cells.join(" | ")
}

#[test]
fn imitations_have_the_published_values() {
    let pictures = Pictures::new(1);
    let models = [apart(0.5), small()].concat();
    models.par_iter().for_each(|model| {
        let found = values(&measure(&imitation(model, &pictures, 1)));
        let reference = Reference::published();
        for dimension in Dimension::ALL {
            let z = |values: &Values| reference.z(dimension, values[dimension].unwrap()).unwrap();
            let off = z(&found) - z(&model.values);
            // Class balance is the published one up to what `UNLIKE` says, the rest to rounding.
            let most = if dimension == Dimension::ClassBalance {
                0.1
            } else {
                0.03
            };
            assert!(off.abs() < most, "{} {dimension}: {off}", model.id);
        }
    });
}

#[test]
fn far_models_need_fewer_images_than_close_ones() {
    let (far, close) = (apart(1.0), apart(0.1)[..5].to_vec());
    let models = [far.clone(), close.clone()].concat();
    let samples = Samples::of(&models, Meeting::SameImages, &[50, 500, 10_000], 1, 40);
    let far = samples.in_order(&far, 5, as_measured);
    let close = samples.in_order(&close, 5, as_measured);
    assert!(far[1] > 0.95, "{far:?}");
    assert!(close[0] < 0.2 && close[1] < 0.6, "{close:?}");
    assert!(close[2] > 0.95, "{close:?}");
}
