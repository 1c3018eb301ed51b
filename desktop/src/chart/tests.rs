use eframe::egui::{Pos2, vec2};
use shared::Dimension;

use super::scene::{Item, Layout, Scene, estimated_width};
use super::*;
use crate::demo;
use crate::theme::Palette;

const ACCURACY: Quantity = Quantity::Value(Dimension::Accuracy);
const PARAMETERS: Quantity = Quantity::Value(Dimension::Parameters);

fn state(published: PublishedLayer) -> AppState {
    let mut state = AppState::default();
    state.add_files(demo::files());
    state.choices.filter.published = published;
    state.refresh();
    state
}

fn size_against_accuracy(state: &AppState) -> Chart {
    let axes = Axes {
        x: PARAMETERS,
        y: ACCURACY,
    };
    Chart::of(state, axes, true)
}

fn scene(chart: &Chart, size: (f32, f32)) -> Scene {
    let layout = Layout {
        size,
        palette: Palette::new(false),
        standalone: true,
    };
    Scene::new(chart, layout, &estimated_width)
}

#[test]
fn every_shown_model_lies_in_the_plot_the_largest_too() {
    let state = state(PublishedLayer::Dimmed);
    for quantity in offered(&state) {
        let axes = Axes {
            x: PARAMETERS,
            y: quantity,
        };
        let chart = Chart::of(&state, axes, true);
        let shown = state.shown();
        let with = shown.filter(|(model, row)| {
            quantity.of(model, row).is_some() && !is_incomparable(&state, axes, model)
        });
        assert_eq!(chart.points.len(), with.count(), "{quantity:?}");
        let scene = scene(&chart, (640.0, 420.0));
        for (point, spot) in chart.points.iter().zip(&scene.spots) {
            assert!(scene.plot.shrink(4.0).contains(*spot), "{}", point.name);
        }
    }
}

#[test]
fn scores_with_different_references_share_no_axis() {
    let dimmed = state(PublishedLayer::Dimmed);
    assert!(!dimmed.derived().comparable);
    let axes = Axes {
        x: PARAMETERS,
        y: Quantity::Quba,
    };
    let chart = Chart::of(&dimmed, axes, true);
    assert_eq!(chart.points.len(), 8);
    assert!(chart.notes[0].starts_with("326 published models left out"));
    let mut alone = AppState::default();
    alone.refresh();
    assert_eq!(Chart::of(&alone, axes, true).points.len(), 326);
}

#[test]
fn bytes_are_offered_where_a_shown_model_has_them() {
    assert!(offered(&state(PublishedLayer::Dimmed)).contains(&Quantity::Bytes));
    let mut alone = AppState::default();
    alone.refresh();
    let offered = offered(&alone);
    assert!(!offered.contains(&Quantity::Bytes) && offered.contains(&Quantity::Quba));
    assert_eq!(offered.len(), 10);
}

#[test]
fn the_front_is_that_of_models_ahead() {
    let dimmed = size_against_accuracy(&state(PublishedLayer::Dimmed));
    assert!(!dimmed.front.is_empty());
    assert!(dimmed.front.iter().all(|&index| dimmed.points[index].own));
    let trades = dimmed.trades();
    assert_eq!(trades.len() + 1, dimmed.front.len());
    assert_eq!(dimmed.points[trades[0].from].name, "Depthwise CNN");
    assert_eq!(dimmed.points[trades[0].to].name, "Residual CNN");
    let mut alone = AppState::default();
    alone.refresh();
    // The study's only models are ahead of nothing, so theirs is the front.
    let published = size_against_accuracy(&alone);
    assert!(published.front.len() > 5);
}

#[test]
fn accuracy_has_error_bars_that_lie_in_the_plot() {
    let chart = size_against_accuracy(&state(PublishedLayer::Hidden));
    for point in &chart.points {
        let (low, high) = point.y_interval.unwrap();
        assert!(low < point.y && point.y < high);
        assert!(chart.y.position(low) > 0.0 && chart.y.position(high) < 1.0);
        assert_eq!(point.x_interval, None);
    }
}

#[test]
fn the_nearest_point_is_found_within_reach() {
    let chart = size_against_accuracy(&state(PublishedLayer::Hidden));
    let scene = scene(&chart, (640.0, 420.0));
    let spot = scene.spots[0];
    let near = scene.nearest(spot + eframe::egui::vec2(2.0, 1.0), 12.0);
    assert_eq!(near.map(|index| scene.spots[index]), Some(spot));
    assert_eq!(scene.nearest(Pos2::ZERO, 12.0), None);
}

#[test]
fn selected_models_are_ringed_and_named_though_names_are_off() {
    let mut state = state(PublishedLayer::Dimmed);
    state.charts.labels = false;
    let id = state.library.models().last().unwrap().id.clone();
    state.selection.select_only(&id);
    let chart = size_against_accuracy(&state);
    let scene = scene(&chart, (640.0, 420.0));
    let rings = scene
        .data
        .iter()
        .filter(|item| matches!(item, Item::Ring { .. }));
    assert_eq!(rings.count(), 1);
    let names: Vec<&str> = scene
        .data
        .iter()
        .filter_map(|item| match item {
            Item::Text(text) => Some(text.text.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(names.len(), 1);
    assert_eq!(chart.points.last().unwrap().id, id);
}

#[test]
fn tiny_places_do_no_harm() {
    let chart = size_against_accuracy(&state(PublishedLayer::Dimmed));
    for size in [(0.0, 0.0), (10.0, 300.0), (300.0, 10.0)] {
        assert_eq!(scene(&chart, size).spots.len(), chart.points.len());
    }
}

/// Points at one place are one for the keys: the table tells them apart.
#[test]
fn keys_reach_every_place() {
    let state = state(PublishedLayer::Shown);
    for y in offered(&state) {
        let axes = Axes { x: ACCURACY, y };
        let scene = scene(&Chart::of(&state, axes, false), (900.0, 600.0));
        let mut reached = vec![false; scene.spots.len()];
        let mut waiting = vec![scene.foremost().unwrap()];
        while let Some(index) = waiting.pop() {
            if std::mem::replace(&mut reached[index], true) {
                continue;
            }
            let ways = [
                vec2(1.0, 0.0),
                vec2(-1.0, 0.0),
                vec2(0.0, 1.0),
                vec2(0.0, -1.0),
            ];
            let from = scene.spots[index];
            waiting.extend(ways.into_iter().filter_map(|way| scene.towards(from, way)));
        }
        let places = scene.spots.iter().zip(&reached);
        let places: Vec<&Pos2> = places.filter(|(_, r)| **r).map(|(s, _)| s).collect();
        assert!(
            scene.spots.iter().all(|spot| places.contains(&spot)),
            "{y:?}"
        );
    }
}
