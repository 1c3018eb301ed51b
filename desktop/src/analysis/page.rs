//! Everything that the page of one model shows.

use std::sync::Arc;

use shared::PerDimension;
use shared::labels::LabelSet;
use shared::metrics::accuracy::{self, ClassTally};
use shared::metrics::adversarial::{AttackTally, by_attack};
use shared::metrics::agreement::{Agreement, agreement};
use shared::metrics::calibration::{ReliabilityBin, reliability};
use shared::metrics::corruption;
use shared::metrics::ood::{SetTally, by_set};
use shared::metrics::shape_bias::{CueDecisions, by_shape};
use shared::outcome::{Corruption, Pass, PassKind};
use shared::quba::rank;
use shared::result::Evaluation;

use crate::state::merging::Measurements;
use crate::state::model::Model;

/// Classes listed as the worst.
const WORST: usize = 8;

/// Bins of the histogram of class accuracies.
pub const CLASS_BINS: usize = 10;

/// What was computed for one model.
#[derive(Clone, Debug)]
pub struct Page {
    /// Rank in each dimension among the models of its layer, and how many have one.
    pub ranks: PerDimension<Option<(u32, usize)>>,
    /// What per-image records give; `None` for published models.
    pub details: Option<Details>,
}

/// What the per-image records of an own result give.
#[derive(Clone, Debug)]
pub struct Details {
    /// Clean images by confidence, or why there are none.
    pub reliability: Result<Vec<ReliabilityBin>, String>,
    /// Accuracies of the classes, or why there are none.
    pub classes: Result<Classes, String>,
    /// Names of the corruptions, which say where frost was not made of pictures.
    pub corruption_names: [String; 15],
    /// Relative accuracy by corruption and severity.
    pub corruptions: [[Option<f64>; 5]; 15],
    /// Out-of-distribution sets that were evaluated.
    pub sets: Vec<SetTally>,
    /// Decisions by the category of the shape, with its name, or why there are none.
    pub categories: Result<Vec<(String, CueDecisions)>, String>,
    /// Attacks that were run.
    pub attacks: Vec<AttackTally>,
    /// Other results of the same model file.
    pub siblings: Vec<Sibling>,
}

/// How the classes differ in accuracy.
#[derive(Clone, Debug, PartialEq)]
pub struct Classes {
    /// Number of classes that have images.
    pub count: usize,
    /// Classes by accuracy: tenths from 0, 1 in the last.
    pub histogram: [u32; CLASS_BINS],
    /// The worst classes with their names, the worst first.
    pub worst: Vec<(String, ClassTally)>,
}

/// Another result of the same model file.
#[derive(Clone, Debug)]
pub struct Sibling {
    /// What tells it from the others.
    pub name: String,
    /// Its result.
    pub measurements: Arc<Measurements>,
    /// How far its outputs are the same on clean images; `None` without common images.
    pub agreement: Option<Agreement>,
}

impl Page {
    /// Computes the page of the model at `index`, which must be one of `models`.
    pub fn of(models: &[Model], index: usize) -> Option<Self> {
        let model = models.get(index)?;
        Some(Self {
            ranks: ranks(models, index),
            details: model
                .measurements()
                .map(|own| Details::of(models, index, own)),
        })
    }
}

fn ranks(models: &[Model], index: usize) -> PerDimension<Option<(u32, usize)>> {
    let published = models[index].is_published();
    let layer: Vec<usize> = (0..models.len())
        .filter(|&i| models[i].is_published() == published)
        .collect();
    let place = layer.iter().position(|&i| i == index);
    PerDimension::from_fn(|d| {
        let signed = |&i: &usize| models[i].values[d].map(|value| d.direction().sign() * value);
        let values: Vec<Option<f64>> = layer.iter().map(signed).collect();
        let measured = values.iter().flatten().count();
        Some((rank(&values).get(place?).copied().flatten()?, measured))
    })
}

impl Details {
    fn of(models: &[Model], index: usize, own: &Measurements) -> Self {
        let evaluation = &own.evaluation;
        let groups = &evaluation.label_set.shape_groups;
        Self {
            reliability: reliability(evaluation)
                .map(Vec::from)
                .map_err(|e| e.to_string()),
            classes: accuracy::by_class(evaluation)
                .map(|tallies| Classes::of(tallies, &evaluation.label_set.hash))
                .map_err(|e| e.to_string()),
            corruption_names: corruption_names(evaluation),
            corruptions: corruption::cells(evaluation),
            sets: by_set(evaluation),
            categories: by_shape(evaluation)
                .map(|decisions| groups.iter().cloned().zip(decisions).collect())
                .map_err(|e| e.to_string()),
            attacks: by_attack(evaluation),
            siblings: siblings(models, index, own),
        }
    }
}

fn corruption_names(evaluation: &Evaluation) -> [String; 15] {
    Corruption::SCORED.map(|corruption| {
        let is_of =
            |pass: &&Pass| matches!(pass.kind, PassKind::Corruption(c, _) if c == corruption);
        let name = corruption.name().replace('_', " ");
        match evaluation.passes.iter().find(is_of) {
            Some(pass) => pass.origin.label(name),
            None => name,
        }
    })
}

impl Classes {
    fn of(mut tallies: Vec<ClassTally>, label_set: &[u8; 32]) -> Self {
        let mut histogram = [0; CLASS_BINS];
        for tally in &tallies {
            // Exact: 7 of 10 belongs to the bin from 0.7 on.
            let bin = u64::from(tally.correct) * CLASS_BINS as u64 / u64::from(tally.images.max(1));
            histogram[(bin as usize).min(CLASS_BINS - 1)] += 1;
        }
        let count = tallies.len();
        tallies.sort_by(|a, b| {
            (a.accuracy(), a.class)
                .partial_cmp(&(b.accuracy(), b.class))
                .unwrap_or(a.class.cmp(&b.class))
        });
        let imagenet = LabelSet::imagenet();
        let known = imagenet.hash() == *label_set;
        let name = |class: u32| {
            let class_of_set = imagenet.classes.get(class as usize).filter(|_| known);
            class_of_set.map_or_else(|| format!("class {class}"), |class| class.name.clone())
        };
        let worst = tallies
            .iter()
            .take(WORST)
            .map(|&tally| (name(tally.class), tally))
            .collect();
        Self {
            count,
            histogram,
            worst,
        }
    }
}

fn siblings(models: &[Model], index: usize, own: &Measurements) -> Vec<Sibling> {
    let of = |name: String, measurements: &Arc<Measurements>| Sibling {
        name,
        measurements: Arc::clone(measurements),
        agreement: agreement(&own.evaluation, &measurements.evaluation),
    };
    let elsewhere = models[index].elsewhere.iter();
    let elsewhere = elsewhere.map(|other| of(other.devices().join(", "), other));
    let others = models.iter().enumerate().filter(|&(i, _)| i != index);
    let apart = others.filter_map(|(_, model)| {
        let measurements = model.measurements()?;
        let same = measurements.evaluation.model.hash == own.evaluation.model.hash;
        same.then(|| of(model.detail.clone(), measurements))
    });
    elsewhere.chain(apart).collect()
}

#[cfg(test)]
mod tests {
    use shared::Dimension;

    use super::*;
    use crate::state::library::Library;
    use crate::state::testing;

    fn page(library: &Library, name: &str) -> Page {
        let index = library
            .models()
            .iter()
            .position(|m| m.name == name)
            .unwrap();
        Page::of(library.models(), index).unwrap()
    }

    #[test]
    fn the_parts_of_a_demo_result_agree_with_its_figures() {
        let mut library = Library::default();
        library.insert(testing::demo());
        let found = page(&library, "Residual CNN");
        let details = found.details.unwrap();
        let own = library
            .models()
            .iter()
            .find(|m| m.name == "Residual CNN")
            .unwrap();
        let cells: Vec<f64> = details
            .corruptions
            .iter()
            .flatten()
            .flatten()
            .copied()
            .collect();
        let mean = cells.iter().sum::<f64>() / 75.0;
        let figure = |d: Dimension| own.values[d].unwrap();
        assert!((mean - figure(Dimension::CorruptionRobustness)).abs() < 1e-12);
        assert_eq!(details.corruption_names[8], "frost (synthetic)");
        let sets: f64 = details.sets.iter().map(|s| s.relative.unwrap().ln()).sum();
        assert!(((sets / 5.0).exp() - figure(Dimension::OodRobustness)).abs() < 1e-12);
        let categories = details.categories.unwrap();
        let shape: u32 = categories.iter().map(|(_, d)| d.shape).sum();
        let texture: u32 = categories.iter().map(|(_, d)| d.texture).sum();
        let bias = f64::from(shape) / f64::from(shape + texture);
        assert!((bias - figure(Dimension::ShapeBias)).abs() < 1e-12);
        let classes = details.classes.unwrap();
        assert_eq!(
            classes.histogram.iter().sum::<u32>() as usize,
            classes.count
        );
        assert!(
            classes
                .worst
                .windows(2)
                .all(|w| w[0].1.accuracy() <= w[1].1.accuracy())
        );
        let bins = details.reliability.unwrap();
        let (images, right): (u32, u32) = bins
            .iter()
            .fold((0, 0), |(n, r), bin| (n + bin.images, r + bin.correct));
        assert!((f64::from(right) / f64::from(images) - figure(Dimension::Accuracy)).abs() < 1e-12);
        assert_eq!(found.ranks[Dimension::Accuracy], Some((1, 8)));
        assert!(details.siblings.is_empty());
    }

    #[test]
    fn published_models_have_ranks_alone() {
        let library = Library::default();
        let index = library
            .models()
            .iter()
            .position(|m| m.values[Dimension::Accuracy] == Some(0.8826));
        let found = Page::of(library.models(), index.unwrap()).unwrap();
        assert!(found.details.is_none());
        assert_eq!(found.ranks[Dimension::Accuracy], Some((1, 326)));
        assert!(Page::of(library.models(), 9999).is_none());
    }

    #[test]
    fn another_device_that_answers_otherwise_is_compared() {
        let mut other = testing::whole();
        testing::flip_a_prediction(&mut other);
        other.runs[0].device.host = "elsewhere".to_owned();
        let mut library = Library::default();
        library.insert([
            testing::file("a.quba", testing::whole()),
            testing::file("b.quba", other),
        ]);
        let details = page(&library, "Residual CNN").details.unwrap();
        assert_eq!(details.siblings.len(), 1);
        let agreement = details.siblings[0].agreement.unwrap();
        assert_eq!(agreement.same + 1, agreement.images);
        assert_eq!(agreement.largest_difference, 0.0);
        assert!(details.siblings[0].name.contains("elsewhere"));
    }
}
