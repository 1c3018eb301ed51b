//! The window operated as a person or a screen reader would: by role and label. A file for each
//! part of it.

#![expect(clippy::unwrap_used, reason = "a test fails where a step fails")]

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use desktop::app::DesktopApp;
use desktop::demo;
use desktop::state::filter::PublishedLayer;
use eframe::egui;
use eframe::egui::accesskit::Role;
use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT, Queryable};

mod defects;
mod files;
mod pages;
mod plots;
mod ranking;

type Window = Harness<'static, DesktopApp>;

/// A window with the demo results, the published models hidden so that all lines fit.
fn window() -> Window {
    let mut window = empty();
    window.state_mut().state.add_files(demo::files());
    // Beside the window it would end in the middle of a test.
    window.state_mut().state.library.resample();
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
