//! The state as a whole, without a window.

use shared::Dimension;
use shared::comparison::costs::{DeviceError, device_label};
use shared::comparison::default_reference;
use shared::quba::{Preset, Weights, ranking};

use super::choices::{MissingPolicy, ReferenceChoice};
use super::filter::PublishedLayer;
use super::model::ModelId;
use super::table::Column;
use super::*;
use crate::state::testing;

fn demo_state() -> AppState {
    let mut state = AppState::default();
    state.add_files(testing::demo());
    state.refresh();
    state
}

fn own(state: &AppState) -> Vec<(&Model, &Row)> {
    state
        .shown()
        .filter(|(model, _)| !model.is_published())
        .collect()
}

/// What `edge rank` prints for the demo: entries in file order, default reference and weights.
#[test]
fn ranks_and_scores_are_those_of_the_command_line() {
    let state = demo_state();
    let files = testing::demo();
    let entries: Vec<_> = files
        .iter()
        .map(|f| f.content.as_ref().unwrap().entry.clone())
        .collect();
    let values: Vec<_> = entries.iter().map(|e| e.values).collect();
    let expected = ranking(&values, &default_reference(&entries), &Weights::default());
    let shown = own(&state);
    assert_eq!(shown.len(), 8);
    for (line, ranked) in shown.iter().zip(&expected.models) {
        assert_eq!(line.0.name, entries[ranked.index].name);
        assert_eq!(line.1.rank, ranked.rank);
        let score = ranked.score.as_ref().unwrap().value;
        assert_eq!(
            line.1.score.as_ref().unwrap().value.to_bits(),
            score.to_bits()
        );
    }
}

/// Ranks of the study: SPEC §9, claims 2 to 4.
#[test]
fn published_ranks_are_those_of_the_study() {
    let state = AppState::default();
    let rank = |id: &str| {
        let (index, _) = state.library.find(&ModelId::published(id)).unwrap();
        state.derived().rows[index].rank
    };
    assert_eq!(rank("eva02-b-21k"), Some(1));
    let leader = state.shown().next().unwrap();
    assert_eq!(leader.0.name, "EVA02-b");
    assert_eq!(
        format!("{:.4}", leader.1.score.as_ref().unwrap().value),
        "1.0738"
    );
}

#[test]
fn other_references_do_not_mix_and_the_study_s_interleaves() {
    let mut state = demo_state();
    assert!(!state.derived().comparable);
    let first_published = state.shown().position(|(m, _)| m.is_published());
    assert_eq!(first_published, Some(8));
    assert!(
        state
            .derived()
            .notes
            .iter()
            .any(|n| n.contains("one after the other"))
    );
    state.choices.reference = ReferenceChoice::Published;
    state.refresh();
    assert!(state.derived().comparable && state.derived().apart);
    assert_eq!(state.shown().position(|(m, _)| m.is_published()), Some(8));
    state.choices.filter.published = PublishedLayer::Shown;
    state.refresh();
    assert!(own(&state).iter().all(|(_, row)| row.place.is_some()));
    let positions: Vec<_> = state
        .shown()
        .map(|(_, row)| row.position.unwrap())
        .collect();
    assert!(positions.is_sorted(), "one numbering over both layers");
}

/// Counted one by one over the study's table.
#[test]
fn percentiles_are_shares_of_the_published_models_that_count() {
    let mut state = demo_state();
    state.choices.reference = ReferenceChoice::Published;
    for clean_only in [false, true] {
        state.choices.filter.clean_only = clean_only;
        state.refresh();
        let others: Vec<_> = shared::published::models()
            .iter()
            .filter(|model| !clean_only || model.is_clean())
            .collect();
        assert_eq!(others.len(), if clean_only { 219 } else { 326 });
        for (model, row) in state.shown() {
            for dimension in Dimension::ALL {
                let value = model.values[dimension].unwrap();
                let halves = others.iter().map(|other| {
                    let gain = value - other.values[dimension].unwrap();
                    match gain * dimension.direction().sign() {
                        gain if gain > 0.0 => 2,
                        gain if gain < 0.0 => 0,
                        _ => 1,
                    }
                });
                let share = f64::from(halves.sum::<u32>()) / (2.0 * others.len() as f64);
                let found = row.percentiles[dimension].unwrap();
                assert!((found - share).abs() < 1e-12, "{} {dimension}", model.name);
            }
            // No score equals one of another layer.
            if let Some(place) = row.place {
                let beaten = place.others + 1 - place.rank;
                let share = f64::from(beaten) / f64::from(place.others);
                assert!((row.score_percentile.unwrap() - share).abs() < 1e-12);
            }
        }
    }
    let (index, _) = state
        .library
        .find(&ModelId::published("eva02-b-21k"))
        .unwrap();
    // It beats all others and equals itself.
    assert_eq!(
        state.derived().rows[index].score_percentile,
        Some(218.5 / 219.0)
    );
}

#[test]
fn scores_relative_to_something_else_have_no_percentile() {
    let state = demo_state();
    for (_, row) in own(&state) {
        assert_eq!(row.score_percentile, None);
        assert!(row.percentiles.0.iter().all(Option::is_some));
    }
}

#[test]
fn weights_move_ranks_and_the_change_is_told() {
    let mut state = demo_state();
    assert!(own(&state).iter().all(|(_, row)| row.change() == Some(0)));
    state.choices.weights = PerDimensionOnly::of(Dimension::AdversarialRobustness);
    state.refresh();
    let (leader, row) = own(&state)[0];
    assert_eq!(leader.name, "Wide CNN, adversarially trained");
    assert_eq!((row.rank, row.change()), (Some(1), Some(6)));
}

/// Weights of one dimension alone.
struct PerDimensionOnly;

impl PerDimensionOnly {
    fn of(dimension: Dimension) -> shared::PerDimension<f64> {
        shared::PerDimension::from_fn(|d| f64::from(d == dimension))
    }
}

#[test]
fn invalid_weights_are_told_and_leave_no_scores() {
    let mut state = demo_state();
    state.choices.weights = shared::PerDimension([0.0; 9]);
    state.refresh();
    let problem = state.derived().problem.clone().unwrap();
    assert!(problem.starts_with("all weights are zero"), "{problem}");
    assert!(
        state
            .shown()
            .all(|(_, row)| row.score.is_none() && row.rank.is_none())
    );
    assert_eq!(state.shown().count(), 334);
}

#[test]
fn filters_keep_the_order_and_the_overall_rank() {
    let mut state = demo_state();
    state.table.sort = state.table.sort.clicked(Column::Value(Dimension::Accuracy));
    state.choices.filter.search = "plain".to_owned();
    state.choices.filter.published = PublishedLayer::Hidden;
    state.refresh();
    let lines: Vec<_> = state
        .shown()
        .map(|(m, r)| (m.name.as_str(), r.rank, r.position))
        .collect();
    assert_eq!(
        lines,
        [
            ("Plain CNN, wide", Some(5), Some(2)),
            ("Plain CNN, small", Some(4), Some(1)),
        ]
    );
}

#[test]
fn partial_scores_are_ranked_or_not_as_chosen() {
    let mut state = demo_state();
    let mut files = testing::demo();
    let part = testing::part(&|pass| pass.kind == shared::outcome::PassKind::Clean);
    files.retain(|file| !file.path.ends_with("residual.quba"));
    files.push(testing::file("part.quba", part));
    state.close_all();
    state.add_files(files);
    state.refresh();
    let residual = |state: &AppState| {
        let found = state
            .shown()
            .find(|(m, _)| m.name == "Residual CNN")
            .unwrap();
        (found.1.rank, found.1.score.as_ref().unwrap().is_partial())
    };
    assert!(matches!(residual(&state), (Some(_), true)));
    assert!(
        state
            .derived()
            .notes
            .iter()
            .any(|n| n.contains("scores are partial"))
    );
    state.choices.missing = MissingPolicy::Exclude;
    state.refresh();
    assert_eq!(residual(&state), (None, true));
}

#[test]
fn undo_takes_weights_and_filters_back_but_not_the_view() {
    let mut state = demo_state();
    state.choices.set_weights(&Preset::Equal.weights());
    state.settle();
    state.choices.filter.clean_only = true;
    state.view = View::Files;
    state.undo();
    assert!(!state.choices.filter.clean_only);
    assert_eq!(state.choices.preset(), Some(Preset::Equal));
    state.undo();
    assert_eq!(state.choices.preset(), Some(Preset::Study));
    assert!(!state.can_undo());
    state.redo();
    assert_eq!(state.choices.preset(), Some(Preset::Equal));
    assert_eq!(state.view, View::Files);
}

#[test]
fn undo_takes_picks_back() {
    let mut state = demo_state();
    state.pages.brushes.0[0] = Some((0.5, 0.9));
    state.settle();
    state.choices.filter.clean_only = true;
    state.undo();
    assert!(state.pages.brushes.any() && !state.choices.filter.clean_only);
    state.undo();
    assert!(!state.pages.brushes.any());
    state.redo();
    assert_eq!(state.pages.brushes.0[0], Some((0.5, 0.9)));
}

#[test]
fn nothing_is_computed_while_nothing_changes() {
    let mut state = demo_state();
    let before = state.derived().rows.as_ptr();
    state.refresh();
    assert_eq!(state.derived().rows.as_ptr(), before);
    state.choices.filter.search = "x".to_owned();
    state.refresh();
    assert_ne!(state.derived().rows.as_ptr(), before);
}

#[test]
fn own_files_replace_the_demo_and_are_remembered() {
    let mut state = demo_state();
    assert!(state.shows_demo());
    state.add_files(vec![
        testing::file("/data/a.quba", testing::whole()),
        testing::broken("/data/b.quba"),
    ]);
    assert!(!state.shows_demo());
    assert_eq!(state.recent, [PathBuf::from("/data/a.quba")]);
    assert_eq!(state.session().files.len(), 2);
}

#[test]
fn a_session_brings_choices_back_and_asks_for_its_files() {
    let mut state = demo_state();
    state.choices.filter.clean_only = true;
    let id = own(&state)[0].0.id.clone();
    state.selection.toggle_only(&id);
    let mut session = state.session();
    assert!(session.demo && session.files.is_empty());
    session.files.push("/data/a.quba".into());
    let mut other = AppState::default();
    other.apply(session);
    assert!(other.choices.filter.clean_only);
    assert_eq!(other.selection.ids(), [id]);
    assert_eq!(
        other.take_requests(),
        [
            Request::OpenDemo,
            Request::Open(vec!["/data/a.quba".into()])
        ]
    );
}

#[test]
fn latencies_are_of_one_device_and_models_without_one_keep_no_limit() {
    let mut state = demo_state();
    assert_eq!(state.derived().device, Err(DeviceError::NoneMeasured));
    let latencies = |state: &AppState| -> Vec<Option<f64>> {
        let own = own(state).into_iter();
        own.map(|(model, row)| row.latency(model)).collect()
    };
    let costs = vec![testing::cost("quick", 5.0), testing::cost("slow", 80.0)];
    let costs_of = testing::costs_only(costs.clone());
    state
        .library
        .insert([testing::file("costs.quba", costs_of)]);
    state.refresh();
    // Of two devices none is taken by chance.
    assert!(matches!(
        state.derived().device,
        Err(DeviceError::Several { .. })
    ));
    assert_eq!(latencies(&state), [None; 8]);
    state.choices.device = Some(device_label(&costs[1]));
    state.refresh();
    let mut found: Vec<f64> = latencies(&state).into_iter().flatten().collect();
    assert_eq!(found, [80.0]);
    state.choices.device = Some(device_label(&costs[0]));
    state.choices.filter.limits.milliseconds = Some(6.0);
    state.refresh();
    found = latencies(&state).into_iter().flatten().collect();
    assert_eq!(found, [5.0]);
    assert_eq!(state.shown().count(), 1);
    state.choices.filter.limits.milliseconds = Some(4.0);
    state.refresh();
    assert_eq!(state.shown().count(), 0);
}

/// Resampling is tested where it is done; here, that its figures arrive.
#[test]
fn scores_have_intervals_once_images_were_resampled() {
    let mut state = demo_state();
    let intervals = |state: &AppState| -> Vec<Option<(f64, f64)>> {
        let of = |(model, row)| {
            let found = state.derived().interval(model, row)?;
            Some((found.interval.low, found.interval.high))
        };
        own(state).into_iter().map(of).collect()
    };
    assert_eq!(intervals(&state), [None; 8]);
    state.library.resample();
    state.refresh();
    assert_eq!(state.library.uncertain().count(), 0);
    let found = intervals(&state);
    for ((_, row), interval) in own(&state).into_iter().zip(&found) {
        let (low, high) = interval.unwrap();
        let score = row.score.as_ref().unwrap().value;
        assert!(low < score && score < high, "{low} {score} {high}");
    }
    // Other weights, other intervals, without resampling again.
    state.choices.set_weights(&Preset::Equal.weights());
    state.refresh();
    assert!(intervals(&state) != found && intervals(&state).iter().all(Option::is_some));
}
