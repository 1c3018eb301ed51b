//! The window operated as a person or a screen reader would: by role and label.

#![expect(clippy::unwrap_used, reason = "a test fails where a step fails")]

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use desktop::app::DesktopApp;
use desktop::demo;
use desktop::state::filter::PublishedLayer;
use desktop::state::view::View;
use eframe::egui::{self, Key, Modifiers, accesskit::Role};
use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT, Queryable};
use shared::Dimension;

type Window = Harness<'static, DesktopApp>;

/// A window with the demo results, the published models hidden so that all lines fit.
fn window() -> Window {
    let mut window = empty();
    window.state_mut().state.add_files(demo::files());
    window.state_mut().state.choices.filter.published = PublishedLayer::Hidden;
    window.run();
    window
}

fn empty() -> Window {
    let ctx = egui::Context::default();
    let app = DesktopApp::new(&ctx).unwrap();
    let mut window = Harness::builder()
        .with_size([1500.0, 900.0])
        .with_context_setup(desktop::theme::install)
        .build_ui_state(|ui, app: &mut DesktopApp| app.ui(ui), app);
    window.run();
    window
}

/// Names of the models in the table, from top to bottom.
fn lines(window: &Window) -> Vec<String> {
    let mut names: Vec<(f32, String)> = window
        .query_all_by_role(Role::ListBoxOption)
        .filter_map(|node| Some((node.rect().top(), node.accesskit_node().label()?)))
        .collect();
    names.sort_by(|a, b| a.0.total_cmp(&b.0));
    names.into_iter().map(|(_, name)| name).collect()
}

/// Runs frames until something holds, ten seconds at most.
fn wait(window: &mut Window, holds: impl Fn(&Window) -> bool) {
    let end = Instant::now() + Duration::from_secs(10);
    while !holds(window) {
        assert!(Instant::now() < end, "it did not happen within ten seconds");
        std::thread::sleep(Duration::from_millis(20));
        window.step();
    }
    window.run_ok();
}

fn results(folder: &Path, names: &[&str]) -> Vec<PathBuf> {
    let files = demo::files();
    let write = |name: &&str| {
        let file = files.iter().find(|file| file.path.ends_with(name)).unwrap();
        let evaluation = &file.content.as_ref().unwrap().evaluation;
        let path = folder.join(name);
        shared::result::write_atomic(&path, evaluation).unwrap();
        path
    };
    names.iter().map(write).collect()
}

#[test]
fn a_typed_path_opens_a_folder_and_a_broken_file_is_listed_with_its_error() {
    let folder = tempfile::tempdir().unwrap();
    results(folder.path(), &["residual.quba", "plain-wide.quba"]);
    fs::write(folder.path().join("broken.quba"), b"QUBA? no").unwrap();
    let mut window = empty();
    window.get_by_role_and_label(Role::Button, "Files").click();
    window.run();
    window
        .get_by_role_and_label(Role::TextInput, "Path")
        .focus();
    window.run();
    window
        .get_by_role_and_label(Role::TextInput, "Path")
        .type_text(&folder.path().display().to_string());
    window.run();
    window
        .get_by_role_and_label(Role::Button, "Open path")
        .click();
    wait(&mut window, |window| {
        window.query_by_label("broken.quba").is_some()
    });
    window.get_by_label("residual.quba");
    window.get_by_label_contains("Error: not a result file");
    window.get_by_label("1 file cannot be read");
    window.get_by_label("2 models from 3 result files");
    window.get_by_role_and_label(Role::Button, "Rank").click();
    window.run();
    assert_eq!(window.state().state.library.models().len(), 328);
}

#[test]
fn closing_a_file_takes_its_model_away() {
    let mut window = window();
    window.get_by_role_and_label(Role::Button, "Files").click();
    window.run();
    let closes: Vec<_> = window
        .get_all_by_role_and_label(Role::Button, "Close")
        .collect();
    assert_eq!(closes.len(), 8);
    closes[0].click();
    window.run();
    window.get_by_label("demo results: 7 models from 7 result files");
}

#[test]
fn a_weight_moves_ranks_and_undo_brings_them_back() {
    let mut window = window();
    assert_eq!(lines(&window)[0], "Depthwise CNN");
    let label = "Adversarial robustness";
    window
        .get_by_role_and_label(Role::Slider, label)
        .set_value_accesskit(5.0);
    window.run();
    assert_eq!(
        window.state().state.choices.weights[Dimension::AdversarialRobustness],
        5.0
    );
    assert_eq!(lines(&window)[0], "Wide CNN, adversarially trained");
    assert_eq!(window.query_all_by_label_contains("up ").count(), 1);
    window.get_by_label("up 6 ranks");
    window.get_by_role_and_label(Role::Button, "Undo").click();
    window.run();
    assert_eq!(lines(&window)[0], "Depthwise CNN");
    window.key_press_modifiers(Modifiers::COMMAND, Key::Y);
    window.run();
    assert_eq!(lines(&window)[0], "Wide CNN, adversarially trained");
}

#[test]
fn presets_are_chosen_saved_and_removed() {
    let mut window = window();
    window
        .get_by_role_and_label(Role::ComboBox, "Preset")
        .click();
    window.run();
    window.get_by_label("Small device").click();
    window.run();
    assert_eq!(
        window.state().state.choices.weights[Dimension::Parameters],
        5.0
    );
    window
        .get_by_role_and_label(Role::Slider, "Shape bias")
        .set_value_accesskit(3.0);
    window.run();
    window
        .get_by_role_and_label(Role::TextInput, "Save preset")
        .focus();
    window.run();
    window
        .get_by_role_and_label(Role::TextInput, "Save preset")
        .type_text("mine");
    window.run();
    window
        .get_by_role_and_label(Role::Button, "Save preset")
        .click();
    window.run();
    let presets = &window.state().state.presets;
    assert_eq!((presets.len(), presets[0].name.as_str()), (1, "mine"));
    assert_eq!(presets[0].weights[Dimension::ShapeBias], 3.0);
}

#[test]
fn headings_sort_best_first_and_then_turn_round() {
    let mut window = window();
    window
        .get_by_role_and_label(Role::Button, "Sort by acc")
        .click();
    window.run();
    assert_eq!(lines(&window)[0], "Residual CNN");
    window
        .get_by_role_and_label(Role::Button, "Sort by acc, sorted descending")
        .click();
    window.run();
    assert_eq!(lines(&window)[0], "Patch transformer");
    window
        .get_by_role_and_label(Role::Button, "Sort by cal")
        .click();
    window.run();
    assert_eq!(lines(&window)[0], "Residual CNN");
}

#[test]
fn search_and_groups_filter_without_losing_the_order() {
    let mut window = window();
    window
        .get_by_role_and_label(Role::Button, "Sort by acc")
        .click();
    window.run();
    window.key_press_modifiers(Modifiers::COMMAND, Key::F);
    window.run();
    window
        .get_by_role_and_label(Role::TextInput, "Search")
        .type_text("plain");
    window.run();
    assert_eq!(lines(&window), ["Plain CNN, wide", "Plain CNN, small"]);
    window.get_by_label("2 of 8 own models");
    window
        .get_by_role_and_label(Role::TextInput, "Search")
        .type_text("xyz");
    window.run();
    window.get_by_label("No model passes the filters.");
    window
        .get_by_role_and_label(Role::Button, "Show all models")
        .click();
    window.run();
    assert_eq!(lines(&window).len(), 8);
    window
        .get_by_role_and_label(Role::CheckBox, "convolutional (177)")
        .click();
    window.run();
    assert_eq!(lines(&window), ["Patch transformer"]);
}

#[test]
fn clicks_and_arrow_keys_select() {
    let mut window = window();
    window
        .get_by_role_and_label(Role::ListBoxOption, "Residual CNN")
        .click();
    window.run();
    let selected = |window: &Window| -> Vec<String> {
        window
            .state()
            .state
            .selected()
            .map(|(model, _)| model.name.clone())
            .collect()
    };
    assert_eq!(selected(&window), ["Residual CNN"]);
    window
        .get_by_role_and_label(Role::ListBoxOption, "Patch transformer")
        .click_modifiers(Modifiers::COMMAND);
    window.run();
    assert_eq!(selected(&window), ["Residual CNN", "Patch transformer"]);
    window.key_press(Key::ArrowUp);
    window.run();
    assert_eq!(selected(&window), ["Wide CNN, adversarially trained"]);
    window.key_press(Key::Escape);
    window.run();
    assert!(selected(&window).is_empty());
}

#[test]
fn columns_are_chosen_and_cells_become_z_scores() {
    let mut window = window();
    assert!(window.query_by_label("Sort by device").is_none());
    window
        .get_by_role_and_label(Role::Button, "Columns")
        .click();
    window.run();
    window
        .get_by_role_and_label(Role::CheckBox, "device")
        .click();
    window.run();
    window.get_by_label("Sort by device");
    window
        .get_by_role_and_label(Role::RadioButton, "Cells: z-scores")
        .click();
    window.run();
    assert!(window.query_all_by_label_contains("+1.").count() > 3);
}

#[test]
fn views_help_and_panels_are_reached_by_keys_and_buttons() {
    let mut window = window();
    window.key_press_modifiers(Modifiers::COMMAND, Key::Num2);
    window.run();
    assert_eq!(window.state().state.view, View::Files);
    window.key_press_modifiers(Modifiers::COMMAND, Key::Num1);
    window.key_press(Key::F1);
    window.run();
    window.get_by_label("Select several models");
    window.key_press(Key::F1);
    window.run();
    window
        .get_by_role_and_label(Role::Button, "Weights")
        .click();
    window.run();
    assert!(
        window
            .query_by_role_and_label(Role::Slider, "Accuracy")
            .is_none()
    );
}

#[test]
fn invalid_weights_are_told() {
    let mut window = window();
    for dimension in Dimension::ALL {
        window.state_mut().state.choices.weights[dimension] = 0.0;
    }
    window.run();
    window.get_by_label("No scores: all weights are zero, expected at least one above zero");
}

#[test]
fn a_dropped_session_like_file_and_saved_sessions_come_back() {
    let folder = tempfile::tempdir().unwrap();
    let files = results(folder.path(), &["residual.quba", "depthwise.quba"]);
    let mut window = empty();
    window.state_mut().start(files, None);
    wait(&mut window, |window| {
        window.state().state.library.models().len() == 328
    });
    window
        .get_by_role_and_label(Role::Slider, "Accuracy")
        .set_value_accesskit(4.0);
    window.run();
    let path = folder.path().join("mine.json");
    use desktop::state::request::Request;
    window
        .state_mut()
        .state
        .request(Request::SaveSession(path.clone()));
    window.run();
    window.get_by_label_contains("session saved");
    let mut other = empty();
    other.state_mut().start(vec![path], None);
    wait(&mut other, |window| {
        window.state().state.library.models().len() == 328
    });
    assert_eq!(
        other.state().state.choices.weights[Dimension::Accuracy],
        4.0
    );
}
