//! Scatter, trade-off and export.

use std::fs;

use desktop::chart::scene::{Layout, Scene, estimated_width};
use desktop::chart::{Chart, Quantity};
use desktop::export::Export;
use desktop::state::filter::PublishedLayer;
use desktop::state::request::Request;
use desktop::state::view::View;
use desktop::theme::Palette;
use eframe::egui::accesskit::Role;
use eframe::egui::{
    Event, Key, Modifiers, MouseWheelSource, MouseWheelUnit, PointerButton, Pos2, Rect, TouchPhase,
    vec2,
};
use egui_kittest::kittest::{NodeT, Queryable};
use shared::Dimension;

use super::{Window, lines, window};

fn plot(view: &str) -> Window {
    let mut window = window();
    window.get_by_label(view).click();
    window.run();
    window
}

fn choose(window: &mut Window, axis: &str, quantity: &str) {
    window.get_by_role_and_label(Role::ComboBox, axis).click();
    window.run();
    let mut options: Vec<_> = window.query_all_by_label(quantity).collect();
    // Beside the list itself, a combo box shows its choice.
    options.sort_by(|a, b| a.rect().top().total_cmp(&b.rect().top()));
    options.last().unwrap().click();
    window.run();
}

fn selected(window: &Window) -> Vec<String> {
    let selected = window.state().state.selected();
    selected.map(|(model, _)| model.name.clone()).collect()
}

#[test]
fn axes_are_chosen_and_swapped() {
    let mut window = plot("Scatter");
    window.get_by_label("Corruption robustness against accuracy: plot of 8 models");
    choose(&mut window, "Horizontal", "file size");
    assert_eq!(window.state().state.charts.scatter.x, Quantity::Bytes);
    window.get_by_role_and_label(Role::Button, "Swap").click();
    window.run();
    let axes = window.state().state.charts.scatter;
    assert_eq!(axes.y, Quantity::Bytes);
    assert_eq!(axes.x, Quantity::Value(Dimension::CorruptionRobustness));
    window.get_by_label("File size against corruption robustness: plot of 8 models");
    window.get_by_label("Pareto front").click();
    window.run();
    assert!(window.state().state.charts.front);
}

fn click(window: &mut Window, at: Pos2) {
    window.event(Event::PointerMoved(at));
    window.run();
    for pressed in [true, false] {
        window.event(Event::PointerButton {
            pos: at,
            button: PointerButton::Primary,
            pressed,
            modifiers: Modifiers::NONE,
        });
        window.run();
    }
}

#[test]
fn clicking_a_point_selects_it_and_the_ground_nothing() {
    let mut window = plot("Scatter");
    let label = "Corruption robustness against accuracy: plot of 8 models";
    let image: Rect = window.get_by_label(label).rect();
    let chart = Chart::of_view(&window.state().state, View::Scatter).unwrap();
    let mut names = chart.points.iter().map(|point| point.name.as_str());
    let best = names.position(|name| name == "Residual CNN").unwrap();
    // Widths of texts are estimated here and measured in the window: the place is a little off.
    let layout = Layout {
        size: (image.width(), image.height()),
        palette: Palette::new(false),
        standalone: false,
    };
    let scene = Scene::new(&chart, layout, &estimated_width);
    let at = image.min + scene.spots[best].to_vec2();
    window.event(Event::PointerMoved(at));
    window.run();
    // Cards wait a moment.
    window.run_steps(4);
    window.get_by_label("0.9375 (95 %: 0.9009 to 0.9612)");
    click(&mut window, at);
    assert_eq!(selected(&window), ["Residual CNN"]);
    // Selected everywhere.
    window.get_by_label("Rank").click();
    window.run();
    assert_eq!(lines(&window).len(), 8);
    window.get_by_label("Scatter").click();
    window.run();
    click(&mut window, image.left_top() + vec2(90.0, 12.0));
    assert!(selected(&window).is_empty());
}

const SCATTER: &str = "Corruption robustness against accuracy: plot of 8 models";

/// Presses Tab until the plot is focused.
fn tab_to_plot(window: &mut Window) {
    let leads = (0..120).any(|_| {
        press(window, Key::Tab);
        window.get_by_label_contains(SCATTER).is_focused()
    });
    assert!(leads, "Tab does not lead to the plot");
}

fn press(window: &mut Window, key: Key) {
    window.key_press(key);
    window.run();
}

/// The model that keys have reached, as a screen reader tells it.
fn reached(window: &Window) -> Option<String> {
    let label = window
        .get_by_label_contains(SCATTER)
        .accesskit_node()
        .label()?;
    let (_, told) = label.split_once("; ")?;
    told.split_once(": ").map(|(name, _)| name.to_owned())
}

#[test]
fn keys_lead_through_the_points_and_select() {
    let mut window = plot("Scatter");
    tab_to_plot(&mut window);
    assert_eq!(reached(&window), None);
    press(&mut window, Key::ArrowRight);
    assert!(reached(&window).is_some());
    // To the right until the best accuracy, to the left until the worst.
    let mut names = Vec::new();
    for key in [Key::ArrowRight, Key::ArrowLeft] {
        for _ in 0..8 {
            press(&mut window, key);
            names.extend(reached(&window));
        }
    }
    assert_eq!(names[7], "Residual CNN");
    assert_eq!(names[15], "Patch transformer");
    // Its card is shown.
    window.get_by_label("0.7305 (95 %: 0.6730 to 0.7811)");
    press(&mut window, Key::Space);
    assert_eq!(selected(&window), ["Patch transformer"]);
    press(&mut window, Key::ArrowRight);
    let next = reached(&window).unwrap();
    window.key_press_modifiers(Modifiers::COMMAND, Key::Enter);
    window.run();
    assert_eq!(selected(&window), ["Patch transformer", &next]);
    // The selection changes the order of the points, but not which was reached.
    assert_eq!(reached(&window), Some(next));
    press(&mut window, Key::Tab);
    assert_eq!(reached(&window), None);
}

#[test]
fn keys_zoom_a_plot_that_is_focused() {
    let mut window = plot("Scatter");
    // Without focus, nothing happens.
    press(&mut window, Key::Plus);
    assert!(window.query_by_label("Show all").is_none());
    tab_to_plot(&mut window);
    for key in [Key::Plus, Key::Minus] {
        press(&mut window, key);
        window.get_by_role_and_label(Role::Button, "Show all");
        press(&mut window, Key::Num0);
        assert!(window.query_by_label("Show all").is_none());
    }
    window.key_press(Key::F1);
    window.run();
    window.get_by_label("In a plot: go to the next point that way");
}

#[test]
fn the_front_is_listed_as_trades_and_its_lines_select() {
    let mut window = plot("Trade-off");
    choose(&mut window, "Quality", "accuracy");
    assert_eq!(lines(&window), ["Depthwise CNN", "Residual CNN"]);
    window.get_by_label("0.103 M (×3.82)");
    window.get_by_label("0.0352");
    window
        .get_by_role_and_label(Role::ListBoxOption, "Residual CNN")
        .click();
    window.run();
    assert_eq!(selected(&window), ["Residual CNN"]);
    choose(&mut window, "Cost", "MACs per image");
    assert_eq!(window.state().state.charts.trade_off.x, Quantity::Macs);
}

#[test]
fn pointing_alone_does_not_zoom() {
    let mut window = plot("Scatter");
    window.state_mut().state.choices.filter.published = PublishedLayer::Dimmed;
    window.run();
    let label = "Corruption robustness against accuracy: plot of 334 models";
    let centre = window.get_by_label(label).rect().center();
    for step in 0..40u8 {
        let away = vec2(7.3, 4.7) * (f32::from(step) - 20.0);
        window.event(Event::PointerMoved(centre + away));
        window.run();
        assert!(window.query_by_label("Show all").is_none());
    }
}

#[test]
fn the_wheel_zooms_and_a_button_shows_all() {
    let mut window = plot("Scatter");
    let label = "Corruption robustness against accuracy: plot of 8 models";
    let centre = window.get_by_label(label).rect().center();
    assert!(window.query_by_label("Show all").is_none());
    window.event(Event::PointerMoved(centre));
    window.run();
    window.event(Event::MouseWheel {
        source: MouseWheelSource::Unknown,
        unit: MouseWheelUnit::Point,
        delta: vec2(0.0, 100.0),
        phase: TouchPhase::Move,
        modifiers: Modifiers::NONE,
    });
    window.run();
    window
        .get_by_role_and_label(Role::Button, "Show all")
        .click();
    window.run();
    assert!(window.query_by_label("Show all").is_none());
}

#[test]
fn a_plot_without_models_says_so() {
    let mut window = plot("Scatter");
    window.state_mut().state.choices.filter.search = "nothing".to_owned();
    window.run();
    window.get_by_label("No shown model has both accuracy and corruption robustness.");
    window
        .get_by_role_and_label(Role::Button, "Show all models")
        .click();
    window.run();
    window.get_by_label("Corruption robustness against accuracy: plot of 8 models");
}

#[test]
fn everything_is_exported() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = plot("Trade-off");
    for export in Export::ALL {
        let path = folder.path().join(export.file_name());
        let request = Request::Export(export, path.clone());
        window.state_mut().state.request(request);
        window.run();
        window.get_by_label_contains("exported: ");
        assert!(fs::metadata(path).unwrap().len() > 500);
    }
    // Nothing half-written stays.
    assert_eq!(
        fs::read_dir(folder.path()).unwrap().count(),
        Export::ALL.len()
    );
    let gone = folder.path().join("gone").join("plot.svg");
    window
        .state_mut()
        .state
        .request(Request::Export(Export::Svg, gone));
    window.run();
    window.get_by_label_contains("cannot export to ");
}

#[test]
fn the_menu_offers_plots_only_where_there_is_one() {
    let mut window = window();
    let enabled = |window: &mut Window| {
        window.get_by_role_and_label(Role::Button, "Export").click();
        window.run();
        let item = window.get_by_label("Plot as SVG…");
        let enabled = !item.accesskit_node().is_disabled();
        window.key_press(eframe::egui::Key::Escape);
        window.run();
        enabled
    };
    assert!(!enabled(&mut window));
    for (view, has_plot) in [
        ("Scatter", true),
        ("Parallel", true),
        ("Correlations", true),
        // Nothing is selected.
        ("Model", false),
        ("Compare", false),
    ] {
        window.get_by_label(view).click();
        window.run();
        assert_eq!(enabled(&mut window), has_plot, "{view}");
    }
}
