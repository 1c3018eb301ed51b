//! Scores and ranks equal those of `edge rank` to the last digit. The fixtures are what it printed:
//! `edge rank assets/demo --json`, and with `--reference published --against-published --preset
//! safety-critical`.

#![expect(clippy::unwrap_used, reason = "a test fails where a step fails")]

use std::path::Path;

use desktop::loading::{expand, read};
use desktop::state::AppState;
use desktop::state::choices::ReferenceChoice;
use serde_json::Value;
use shared::Dimension;
use shared::quba::Preset;

fn demo() -> AppState {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/demo");
    let files = expand(&[folder]).iter().map(|path| read(path)).collect();
    let mut state = AppState::default();
    state.add_files(files);
    state
}

fn check(mut state: AppState, printed: &str) {
    state.refresh();
    let printed: Value = serde_json::from_str(printed).unwrap();
    assert_eq!(
        printed["reference"],
        state.derived().reference.name.as_str()
    );
    let own: Vec<_> = state
        .shown()
        .filter(|(model, _)| !model.is_published())
        .collect();
    let models = printed["models"].as_array().unwrap();
    assert_eq!(models.len(), own.len());
    for ((model, row), expected) in own.into_iter().zip(models) {
        assert_eq!(expected["name"], model.name.as_str());
        assert_eq!(expected["rank"].as_u64(), row.rank.map(u64::from));
        let score = row.score.as_ref().unwrap();
        assert_eq!(expected["quba"].as_f64(), Some(score.value));
        for dimension in Dimension::ALL {
            let column = dimension.column();
            assert_eq!(expected["values"][column].as_f64(), model.values[dimension]);
            let contribution = score.contributions[dimension];
            assert_eq!(expected["contributions"][column].as_f64(), contribution);
        }
        if let Some(place) = expected["among_published"]["rank"].as_u64() {
            assert_eq!(Some(place), row.place.map(|place| u64::from(place.rank)));
        }
    }
}

#[test]
fn with_the_defaults() {
    check(demo(), include_str!("fixtures/edge_rank.json"));
}

#[test]
fn with_another_reference_and_other_weights() {
    let mut state = demo();
    state.choices.reference = ReferenceChoice::Published;
    state.choices.set_weights(&Preset::SafetyCritical.weights());
    check(state, include_str!("fixtures/edge_rank_published.json"));
}
