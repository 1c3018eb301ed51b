//! The defects of the study's page, each shown to be absent.

use desktop::chart::scene::{Layout, Scene, estimated_width};
use desktop::chart::{Chart, Quantity};
use desktop::demo;
use desktop::state::filter::PublishedLayer;
use desktop::state::view::View;
use desktop::theme::Palette;
use eframe::egui::accesskit::Role;
use eframe::egui::{Key, Theme};
use egui_kittest::kittest::{By, NodeT, Queryable};
use shared::{Dimension, PerDimension};

use super::{Window, empty, lines, window};

fn search(window: &mut Window, text: &str) {
    window
        .get_by_role_and_label(Role::TextInput, "Search")
        .focus();
    window.run();
    window
        .get_by_role_and_label(Role::TextInput, "Search")
        .type_text(text);
    window.run();
}

/// A window with the published models among the demo results.
fn published() -> Window {
    let mut window = window();
    window.state_mut().state.choices.filter.published = PublishedLayer::Shown;
    window.run();
    window
}

fn press(window: &mut Window, button: &str) {
    window.get_by_role_and_label(Role::Button, button).click();
    window.run();
}

/// The page scored 22 rows as NaN, as they stood under another key.
#[test]
fn every_published_row_has_a_score_and_a_rank() {
    let mut window = empty();
    window.get_by_label("0 of 0 own models, 326 of 326 published");
    let state = &window.state().state;
    let scored = state.shown().filter(|(_, row)| {
        let finite = row.score.as_ref().is_some_and(|s| s.value.is_finite());
        finite && row.rank.is_some() && row.z.0.iter().all(Option::is_some)
    });
    assert_eq!(scored.count(), 326);
    // One of those rows, by its name: a score with four decimals stands in its line.
    let (name, score) = {
        let (model, row) = state.shown().last().unwrap();
        (model.name.clone(), row.score.as_ref().unwrap().value)
    };
    window.state_mut().state.choices.filter.search = name;
    window.run();
    window.get_by_label(&format!("{score:.4}"));
}

/// The page's hint listed the weights in another order than its code read them.
#[test]
fn every_slider_moves_the_weight_of_the_dimension_beside_it() {
    let mut window = window();
    for dimension in Dimension::ALL {
        let before = window.state().state.choices.weights;
        let name = dimension.name();
        let label = name[..1].to_uppercase() + &name[1..];
        window
            .get_by_role_and_label(Role::Slider, &label)
            .set_value_accesskit(4.5);
        window.run();
        let after = window.state().state.choices.weights;
        let expected = PerDimension::from_fn(|d| if d == dimension { 4.5 } else { before[d] });
        assert_eq!(after, expected, "{label}");
    }
}

/// The plot with published models shown, with its place in the window.
fn scene(window: &mut Window, view: View) -> (Chart, Scene) {
    press(window, view.label());
    let chart = Chart::of_view(&window.state().state, view).unwrap();
    let label = format!("{}: plot of {} models", chart.title(), chart.points.len());
    let plot = window.get_by_label(&label).rect();
    let layout = Layout {
        size: (plot.width(), plot.height()),
        palette: Palette::new(false),
        standalone: false,
    };
    let scene = Scene::new(&chart, layout, &estimated_width);
    (chart, scene)
}

/// The page's axis ended at 500 million parameters.
#[test]
fn the_largest_models_are_within_the_plot() {
    let mut window = published();
    window.state_mut().state.charts.scatter.x = Quantity::Value(Dimension::Parameters);
    let (chart, scene) = scene(&mut window, View::Scatter);
    assert_eq!(chart.points.len(), 334);
    let largest = chart.points.iter().zip(&scene.spots);
    let largest = largest.max_by(|a, b| a.0.x.total_cmp(&b.0.x)).unwrap();
    assert!(largest.0.x > 500.0, "{}", largest.0.x);
    assert!(scene.plot.shrink(4.0).contains(*largest.1));
}

/// The page's axis began above the lowest point.
#[test]
fn the_lowest_point_is_within_every_plot() {
    let mut window = published();
    for quantity in Dimension::ALL.map(Quantity::Value) {
        window.state_mut().state.charts.scatter.y = quantity;
        let (chart, scene) = scene(&mut window, View::Scatter);
        assert_eq!(chart.points.len(), 334);
        for (point, spot) in chart.points.iter().zip(&scene.spots) {
            assert!(scene.plot.shrink(4.0).contains(*spot), "{}", point.name);
        }
    }
}

fn type_weight(window: &mut Window, text: &str) {
    window
        .get_by_role_and_label(Role::SpinButton, "Accuracy")
        .focus();
    window.run();
    let focused = By::new().predicate(|node| node.is_focused());
    window.get(focused).type_text(text);
    window.run();
    window.key_press(Key::Enter);
    window.run();
}

/// The page went on with the former weights without a word.
#[test]
fn weights_that_are_none_are_answered_in_words() {
    let mut window = window();
    for wrong in ["-1", "7", "many"] {
        type_weight(&mut window, wrong);
        window.get_by_label(&format!(
            "The weight stays at 1.00: expected a number from 0 to 5, found '{wrong}'"
        ));
        assert_eq!(
            window.state().state.choices.weights[Dimension::Accuracy],
            1.0
        );
    }
    type_weight(&mut window, "2.5");
    assert!(
        window
            .query_by_label_contains("The weight stays at")
            .is_none()
    );
    assert_eq!(
        window.state().state.choices.weights[Dimension::Accuracy],
        2.5
    );
    for dimension in Dimension::ALL {
        window.state_mut().state.choices.weights[dimension] = 0.0;
    }
    window.run();
    window.get_by_label("No scores: all weights are zero, expected at least one above zero");
}

/// The page's weights acted on while nothing showed them.
#[test]
fn weights_that_act_are_told_where_their_panel_is_hidden() {
    let mut window = window();
    window
        .get_by_role_and_label(Role::Slider, "Accuracy")
        .set_value_accesskit(3.0);
    press(&mut window, "Weights");
    assert!(
        window
            .query_by_role_and_label(Role::Slider, "Accuracy")
            .is_none()
    );
    window.get_by_label("weights: Own weights");
    press(&mut window, "Undo");
    window.get_by_label("weights: Study default");
}

/// The page forgot the order with every change of a filter.
#[test]
fn the_order_survives_every_filter() {
    let mut window = published();
    press(&mut window, "Sort by shape");
    let sorted = |window: &Window| {
        window.get_by_role_and_label(Role::Button, "Sort by shape, sorted descending");
        // Scores of the demo are relative to itself: its models come first.
        for layer in [false, true] {
            let models = window.state().state.shown();
            let models = models.filter(|(model, _)| model.is_published() == layer);
            let values: Vec<_> = models
                .map(|(model, _)| model.values[Dimension::ShapeBias].unwrap())
                .collect();
            assert!(values.is_sorted_by(|a, b| a >= b));
        }
    };
    sorted(&window);
    for group in ["Clean rows only", "convolutional (177)"] {
        window.get_by_role_and_label(Role::CheckBox, group).click();
        window.run();
        sorted(&window);
    }
    search(&mut window, "vit");
    sorted(&window);
    press(&mut window, "Clear filters");
    sorted(&window);
}

#[test]
fn there_are_ranks() {
    let mut window = window();
    for heading in ["Sort by #", "Sort by rank", "Sort by ±"] {
        window.get_by_role_and_label(Role::Button, heading);
    }
    press(&mut window, "Sort by rank");
    assert_eq!(lines(&window)[0], "Depthwise CNN");
}

#[test]
fn there_is_a_search() {
    let mut window = window();
    search(&mut window, "patch");
    assert_eq!(lines(&window), ["Patch transformer"]);
}

#[test]
fn there_is_an_export() {
    let mut window = window();
    press(&mut window, "Export");
    for kind in ["Table as CSV…", "Table as JSON…", "Report as HTML…"] {
        let item = window.get_by_role_and_label(Role::Button, kind);
        assert!(!item.accesskit_node().is_disabled(), "{kind}");
    }
}

#[test]
fn own_data_is_opened() {
    let mut window = empty();
    press(&mut window, "Files");
    for way in ["Open files…", "Open folder…"] {
        window.get_by_role_and_label(Role::Button, way);
    }
    window.get_by_role_and_label(Role::TextInput, "Path");
    window.state_mut().state.add_files(demo::files());
    window.run();
    press(&mut window, "Rank");
    window.get_by_label("8 of 8 own models, 326 of 326 published");
}

#[test]
fn uncertainty_is_shown() {
    let mut window = window();
    let (chart, scene) = scene(&mut window, View::Scatter);
    let index = chart.points.iter().position(|p| p.x_interval.is_some());
    let plot = window
        .get_by_label("Corruption robustness against accuracy: plot of 8 models")
        .rect();
    window.hover_at(plot.min + scene.spots[index.unwrap()].to_vec2());
    window.run();
    window.run_steps(4);
    assert_eq!(window.query_all_by_label_contains("(95 %: 0.").count(), 2);
}

#[test]
fn sessions_are_shared() {
    let mut window = window();
    press(&mut window, "Session");
    for item in ["Save…", "Open…"] {
        window.get_by_label_contains(item);
    }
}

#[test]
fn the_keyboard_reaches_every_control() {
    let mut window = window();
    let mut reached = Vec::new();
    for _ in 0..80 {
        window.key_press(Key::Tab);
        window.run();
        let focused = window
            .query_all(By::new().predicate(|node| node.is_focused()))
            .next();
        let node =
            focused.map(|node| (node.accesskit_node().role(), node.accesskit_node().label()));
        reached.extend(node);
    }
    for (role, label) in [
        (Role::Button, "Scatter"),
        (Role::Button, "Export"),
        (Role::TextInput, "Search"),
        (Role::CheckBox, "Clean rows only"),
        (Role::Slider, "Accuracy"),
        (Role::Button, "Sort by acc"),
    ] {
        let found = reached
            .iter()
            .any(|(r, l)| *r == role && l.as_deref() == Some(label));
        assert!(found, "{label} in {reached:?}");
    }
}

#[test]
fn there_is_a_dark_mode() {
    let mut window = window();
    for (choice, theme) in [("Dark", Theme::Dark), ("Light", Theme::Light)] {
        press(&mut window, "Appearance");
        window
            .get_by_role_and_label(Role::RadioButton, choice)
            .click();
        window.run();
        assert_eq!(window.ctx.theme(), theme);
        window.key_press(Key::Escape);
        window.run();
    }
}
