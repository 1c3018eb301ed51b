//! QUBA on the published table against scores and ranks computed independently from it.
//!
//! `fixtures/zoo_scores.csv` (6 decimals) and the expected constants come from a separate
//! computation on the same four-digit figures with the published constants (SPEC §2).

use std::collections::BTreeMap;

use shared::dimension::{Dimension, Values};
use shared::published::models;
use shared::quba::{Coverage, Reference, Weights, placement, ranking, score};

/// Expected score and rank by id.
fn fixture() -> BTreeMap<String, (f64, u32)> {
    csv::Reader::from_reader(include_str!("../fixtures/zoo_scores.csv").as_bytes())
        .deserialize::<(String, f64, u32)>()
        .map(|row| row.unwrap())
        .map(|(id, quba, rank)| (id, (quba, rank)))
        .collect()
}

fn values() -> Vec<Values> {
    models().iter().map(|model| model.values).collect()
}

/// Score and rank by id, with the published reference and weights.
fn scored() -> BTreeMap<&'static str, (f64, u32)> {
    let ranking = ranking(&values(), &Reference::published(), &Weights::default());
    assert_eq!(ranking.coverage, Coverage::Complete);
    let entry = |model: shared::quba::RankedModel| {
        let score = model.score.unwrap().value;
        (
            models()[model.index].id.as_str(),
            (score, model.rank.unwrap()),
        )
    };
    ranking.models.into_iter().map(entry).collect()
}

#[test]
fn all_326_scores_and_ranks_are_reproduced() {
    let (scored, fixture) = (scored(), fixture());
    assert_eq!((scored.len(), fixture.len()), (326, 326));
    for (id, (value, rank)) in scored {
        let (expected, expected_rank) = fixture[id];
        // The fixture is rounded to six decimals.
        assert!(
            (value - expected).abs() <= 5.1e-7,
            "{id}: {value} against {expected}"
        );
        assert_eq!(rank, expected_rank, "{id}");
    }
}

#[test]
fn the_ranking_of_the_study_is_reproduced() {
    let scored = scored();
    for (rank, id, quba) in [
        (1, "eva02-b-21k", 1.0738),
        (2, "hiera-b-plus", 1.0310),
        (3, "convnextv2-b-21k", 0.9639),
        (4, "hiera-b", 0.9478),
        (5, "ns-efficientnet-b6", 0.9372),
        (6, "ns-efficientnet-b7", 0.9288),
        (7, "hiera-s", 0.9249),
        (8, "swinv2-b-win12to16-21k", 0.9027),
        (9, "vit-t21-16-21k", 0.8980),
        (10, "eva02-s-21k", 0.8793),
        (123, "vit-b-16", 0.2007),
        (214, "resnet50", -0.3105),
    ] {
        let (value, found) = scored[id];
        assert!((value - quba).abs() <= 5e-5, "{id}: {value} against {quba}");
        assert_eq!(found, rank, "{id}");
    }
    for (rank, id) in [
        (32, "vit-b-16-21k"),
        (323, "bagnet17"),
        (324, "siglip-l-16"),
        (325, "bagnet9"),
        (326, "vit-l-16-siglip2-256"),
    ] {
        assert_eq!(scored[id].1, rank, "{id}");
    }
}

/// The published constants come from unrounded figures, the table has four digits (one for the
/// parameters, which are exact): hence the tolerances.
#[test]
fn the_trimmed_recipe_gives_the_published_constants() {
    let fitted = Reference::fit("refitted", &values()).unwrap();
    let published = Reference::published();
    for d in Dimension::ALL {
        let (found, expected) = (fitted.scales[d].unwrap(), published.scales[d].unwrap());
        let (mean, std) = match d {
            Dimension::Parameters => (1e-13, 1e-13),
            _ => (3.4e-6, 1.8e-6),
        };
        assert!((found.mean - expected.mean).abs() < mean, "{d}: {found:?}");
        assert!((found.std - expected.std).abs() < std, "{d}: {found:?}");
    }
}

#[test]
fn refitting_moves_scores_by_rounding_only() {
    let refitted = Reference::fit("refitted", &values()).unwrap();
    let (published, weights) = (Reference::published(), Weights::default());
    let difference = models().iter().map(|model| {
        let of = |reference| score(&model.values, reference, &weights).unwrap().value;
        (of(&refitted) - of(&published)).abs()
    });
    let largest = difference.fold(0.0, f64::max);
    assert!((largest - 0.0013).abs() < 5e-5, "{largest}");
    let ranks = |reference| {
        let mut models = ranking(&values(), reference, &weights).models;
        models.sort_by_key(|model| model.index);
        models.into_iter().map(|model| model.rank)
    };
    let moved = ranks(&refitted)
        .zip(ranks(&published))
        .filter(|(a, b)| a != b);
    assert_eq!(moved.count(), 7);
}

/// SPEC §8.1: nearly all of Hiera-B-Plus's score is class balance, an artefact.
#[test]
fn contributions_show_where_a_score_comes_from() {
    let hiera = models().iter().find(|m| m.id == "hiera-b-plus").unwrap();
    let score = score(&hiera.values, &Reference::published(), &Weights::default()).unwrap();
    let balance = score.contributions[Dimension::ClassBalance].unwrap();
    assert!((balance - 1.009).abs() < 5e-4, "{balance}");
}

#[test]
fn a_new_model_is_placed_among_the_published() {
    let others: Vec<f64> = scored().values().map(|(value, _)| *value).collect();
    assert_eq!(placement(0.2007, &others).to_string(), "123rd of 327");
    assert_eq!(placement(9.0, &others).to_string(), "1st of 327");
    assert_eq!(placement(-9.0, &others).to_string(), "327th of 327");
}
