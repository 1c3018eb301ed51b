//! The pages of models, comparisons, correlations and parallel coordinates.

use std::sync::Arc;

use desktop::analysis::correlations::Layer;
use desktop::demo;
use desktop::state::merging::Measurements;
use desktop::state::model::ModelId;
use desktop::state::view::View;
use eframe::egui::accesskit::Role;
use eframe::egui::{Modifiers, pos2, vec2};
use egui_kittest::kittest::Queryable;
use shared::Dimension;
use shared::outcome::Outcomes;
use shared::result::Evaluation;

use super::{Window, window};

fn open(window: &mut Window, view: &str) {
    window.get_by_role_and_label(Role::Button, view).click();
    window.run();
}

fn select(window: &mut Window, names: &[&str]) {
    for name in names {
        window
            .get_by_role_and_label(Role::ListBoxOption, name)
            .click_modifiers(Modifiers::COMMAND);
        window.run();
    }
}

#[test]
fn pages_that_need_a_selection_lead_to_the_table() {
    let mut window = window();
    for (view, title) in [
        ("Model", "No model is selected"),
        ("Compare", "Fewer than two models are selected"),
    ] {
        open(&mut window, view);
        window.get_by_label(title);
        window
            .get_by_role_and_label(Role::Button, "Show the rank table")
            .click();
        window.run();
        assert_eq!(window.state().state.view, View::Rank);
    }
}

#[test]
fn the_page_of_an_own_result_shows_what_its_file_holds() {
    let mut window = window();
    select(&mut window, &["Residual CNN"]);
    open(&mut window, "Model");
    window.get_by_label("QUBA 0.7721");
    window.get_by_label("rank 2 among own results");
    window.get_by_label("Percentile: share of the published models that a figure beats.");
    window.get_by_label("139,952, from the model card");
    window.get_by_label_contains("no resize, crop 64×64, RGB");
    window.get_by_label("Reliability diagram");
    window.get_by_label_contains("snow at severity 3: 0.");
    window.get_by_label("pgd 8/255 (10 steps of 2/255)");
    window.get_by_label("16 classes by accuracy. The worst:");
    window.get_by_label("silhouette");
    window.get_by_label("crescent");
    window.get_by_label("Reliability as a table").click();
    window.run();
    window.get_by_label("confidence 0.93 to 1.00");
}

#[test]
fn the_weight_that_changes_the_leader_does_so() {
    let mut window = window();
    select(&mut window, &["Residual CNN"]);
    open(&mut window, "Model");
    window.get_by_label_contains("Depthwise CNN leads the own results");
    // Two digits are shown; beyond them another model leads.
    window.get_by_label("2.16");
    let slider = |window: &mut Window, weight: f64| {
        window
            .get_by_role_and_label(Role::Slider, "Accuracy")
            .set_value_accesskit(weight);
        window.run();
    };
    slider(&mut window, 2.15);
    window.get_by_label_contains("Depthwise CNN leads the own results");
    slider(&mut window, 2.17);
    window.get_by_label_contains("Residual CNN leads the own results");
}

#[test]
fn the_page_of_a_published_model_says_its_flags_in_words() {
    let mut window = window();
    window
        .state_mut()
        .state
        .selection
        .select_only(&ModelId::published("hiera-b-plus"));
    open(&mut window, "Model");
    window.get_by_label("rank 2 among published models");
    // 324 are beaten, one is equal: itself.
    window.get_by_label_contains("The score beats 99.5 %.");
    window.get_by_label_contains("evaluated with a second softmax");
    window.get_by_label_contains("no outcomes per image");
    assert!(window.query_by_label("Reliability diagram").is_none());
}

#[test]
fn selected_models_are_compared_with_the_first() {
    let mut window = window();
    select(&mut window, &["Residual CNN", "Depthwise CNN"]);
    let published = ModelId::published("resnet50");
    window.state_mut().state.selection.toggle(&published);
    open(&mut window, "Compare");
    // Among the lines, and with its interval.
    assert_eq!(window.query_all_by_label("-0.0352").count(), 2);
    window.get_by_label(
        "accuracy: Residual CNN 0.9375 (95 %: 0.9009 to 0.9612), Depthwise CNN 0.9023 (95 %: \
         0.8598 to 0.9330), ResNet50 0.7613",
    );
    window.get_by_label("95 % interval");
    // The score and eight dimensions; calibration error has no interval.
    window.get_by_label("the adaptive calibration error cannot be recomputed from the records");
    assert!(
        window
            .query_all_by_label_contains(", may be chance")
            .count()
            > 3
    );
    window.get_by_label("the study published no outcomes per image");
}

#[test]
fn correlations_of_each_layer() {
    let mut window = window();
    open(&mut window, "Correlations");
    let pair = "corruption robustness and adversarial robustness: rho";
    window.get_by_label_contains(&format!("{pair} +0.65"));
    window
        .get_by_role_and_label(Role::RadioButton, "Models: Published, all rows")
        .click();
    window.run();
    // SPEC 9: +.0115, p .84.
    window.get_by_label_contains(&format!("{pair} +0.0115, n 326, p 0.8"));
    window
        .get_by_role_and_label(Role::RadioButton, "Models: Own results")
        .click();
    window.run();
    window.get_by_label_contains(&format!("{pair} "));
    assert!(window.query_all_by_label_contains(", n 8, p ").count() > 60);
    assert_eq!(window.state().state.pages.correlations, Layer::Own);
}

#[test]
fn dragging_on_an_axis_picks_and_a_click_stops() {
    let mut window = window();
    open(&mut window, "Parallel");
    window.get_by_label("8 of 8 models");
    let axis = window
        .get_by_role_and_label(Role::Button, "Pick by accuracy")
        .rect();
    let at = |share: f32| pos2(axis.center().x, axis.top() + axis.height() * share);
    window.drag_at(at(0.0));
    window.hover_at(at(0.1));
    window.hover_at(at(0.3));
    window.run();
    window.drop_at(at(0.3));
    window.run();
    let state = &window.state().state;
    let (low, high) = state.pages.brushes.0[0].unwrap();
    let picked = state
        .library
        .models()
        .iter()
        .filter(|m| !m.is_published())
        .filter(|m| (low..=high).contains(&m.values[Dimension::Accuracy].unwrap()))
        .count();
    assert!((1..8).contains(&picked), "{picked}");
    window.get_by_label(&format!("{picked} of 8 models"));
    window
        .get_by_role_and_label(Role::Button, "Pick by accuracy")
        .click();
    window.run();
    window.get_by_label("8 of 8 models");
}

#[test]
fn picks_are_set_without_a_pointer_and_lines_select() {
    let mut window = window();
    open(&mut window, "Parallel");
    window
        .get_by_role_and_label(Role::Button, "Pick by")
        .click();
    window.run();
    window
        .get_by_role_and_label(Role::Button, "shape bias")
        .click();
    window.run();
    assert!(window.state().state.pages.brushes.0[7].is_some());
    window.get_by_role_and_label(Role::Button, "Remove").click();
    window.run();
    assert!(!window.state().state.pages.brushes.any());
    let first = window
        .get_by_role_and_label(Role::Button, "Pick by accuracy")
        .rect();
    let next = window
        .get_by_role_and_label(Role::Button, "Pick by adversarial robustness")
        .rect();
    // Most demo models are at the lower end of the second axis: a click near it meets a line.
    let at = pos2(next.center().x, next.bottom() - 4.0)
        - vec2((next.center().x - first.center().x) * 0.2, 0.0);
    let meets = (0..120).any(|step| {
        let at = at - vec2(0.0, step as f32);
        window.hover_at(at);
        window.run_ok();
        window.drag_at(at);
        window.drop_at(at);
        window.run_ok();
        window.state().state.selection.last().is_some()
    });
    assert!(meets);
}

#[test]
fn results_of_one_model_that_differ_between_devices_stand_side_by_side() {
    let mut window = window();
    let file = demo::files()
        .into_iter()
        .find(|f| f.path.ends_with("residual.quba"))
        .unwrap();
    let mut other = Evaluation::clone(&file.content.as_ref().unwrap().evaluation);
    other.runs[0].device.host = "elsewhere".to_owned();
    for pass in &mut other.passes {
        if let Outcomes::Classified { predictions, .. } = &mut pass.outcomes {
            predictions[0] = (predictions[0] + 1) % other.label_set.classes;
        }
    }
    let content = Ok(Arc::new(Measurements::of(other)));
    let path = "other.quba".into();
    let original = file.clone();
    let state = &mut window.state_mut().state;
    state.add_files(vec![
        original,
        desktop::state::library::LoadedFile {
            path,
            content,
            ..file
        },
    ]);
    let id = state.library.models()[0].id.clone();
    state.selection.select_only(&id);
    open(&mut window, "Model");
    window.get_by_label("The same model elsewhere");
    window.get_by_label(
        "same top class on 255 of 256 clean images; confidences differ by at most 0.0e0",
    );
}
