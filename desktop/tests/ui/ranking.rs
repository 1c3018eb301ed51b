//! Weights, filters, order and selection.

use desktop::state::view::View;
use eframe::egui::accesskit::Role;
use eframe::egui::{Key, Modifiers};
use egui_kittest::kittest::Queryable;
use shared::Dimension;

use super::{Window, lines, window};

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
fn columns_are_chosen_and_cells_become_z_scores_and_percentiles() {
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
    window
        .get_by_role_and_label(Role::RadioButton, "Cells: Percentiles")
        .click();
    window.run();
    // 0.9375 is above every published accuracy.
    assert!(window.query_all_by_label("100.0").count() > 3);
    assert!(window.query_all_by_label_contains("+1.").count() == 0);
}

#[test]
fn views_help_and_panels_are_reached_by_keys_and_buttons() {
    let mut window = window();
    window.key_press_modifiers(Modifiers::COMMAND, Key::Num2);
    window.run();
    assert_eq!(window.state().state.view, View::ALL[1]);
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
