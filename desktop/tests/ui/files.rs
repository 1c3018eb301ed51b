//! Opening files, and what is kept of them.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use desktop::state::request::{Dialog, PathEntry};
use eframe::egui;
use eframe::egui::Key;
use eframe::egui::accesskit::Role;
use egui_kittest::kittest::Queryable;
use shared::Dimension;

use super::{empty, lines, results, wait, window};

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

#[derive(Debug)]
struct Dropped(PathBuf);

impl egui::DroppedFile for Dropped {
    fn path(&self) -> &Path {
        &self.0
    }

    fn bytes(&self) -> Result<Vec<u8>, String> {
        fs::read(&self.0).map_err(|error| error.to_string())
    }
}

#[test]
fn dropped_files_are_opened_and_read_again_when_they_change() {
    let folder = tempfile::tempdir().unwrap();
    let path = results(folder.path(), &["residual.quba"]).remove(0);
    let mut window = window();
    let dropped = Arc::new(Dropped(path.clone()));
    window.input_mut().dropped_files.push(dropped);
    wait(&mut window, |window| lines(window) == ["Residual CNN"]);
    let mut changed = shared::result::read(&path).unwrap();
    changed.model.name = "Changed CNN".to_owned();
    shared::result::write_atomic(&path, &changed).unwrap();
    wait(&mut window, |window| lines(window) == ["Changed CNN"]);
    fs::remove_file(&path).unwrap();
    wait(&mut window, |window| {
        window
            .query_by_label_contains("no longer on disk")
            .is_some()
    });
    assert!(window.state().state.library.is_empty());
}

/// Keeps strings as the window's storage does on disk.
#[derive(Default)]
struct Memory(BTreeMap<String, String>);

impl eframe::Storage for Memory {
    fn get_string(&self, key: &str) -> Option<String> {
        self.0.get(key).cloned()
    }

    fn set_string(&mut self, key: &str, value: String) {
        self.0.insert(key.to_owned(), value);
    }

    fn remove_string(&mut self, key: &str) {
        self.0.remove(key);
    }

    fn flush(&mut self) {}
}

#[test]
fn state_is_kept_between_runs() {
    let mut memory = Memory::default();
    let mut first = window();
    first
        .get_by_role_and_label(Role::Slider, "Accuracy")
        .set_value_accesskit(3.0);
    first
        .get_by_role_and_label(Role::Button, "Sort by acc")
        .click();
    first.run();
    eframe::App::save(first.state_mut(), &mut memory);
    let mut second = empty();
    second.state_mut().start(Vec::new(), Some(&memory));
    second.run();
    assert_eq!(second.state().state.choices, first.state().state.choices);
    assert_eq!(lines(&second), lines(&first));
}

#[test]
fn a_saved_session_opens_elsewhere() {
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

#[test]
fn where_no_dialog_appears_a_path_can_be_typed() {
    let mut window = window();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mine.json");
    window.state_mut().state.path_entry = Some(PathEntry {
        dialog: Dialog::SaveSession,
        path: path.display().to_string(),
    });
    window.run();
    window.get_by_label("Save the session");
    window.get_by_role_and_label(Role::TextInput, "Path");
    window.get_by_label("OK").click();
    window.run();
    assert!(path.is_file() && window.state().state.path_entry.is_none());
    window.state_mut().state.path_entry = Some(PathEntry {
        dialog: Dialog::SaveSession,
        path: path.display().to_string(),
    });
    window.run();
    window.get_by_label("Replace");
    // Escape does nothing but close the question.
    let selected = window.state().state.library.models()[0].id.clone();
    window.state_mut().state.selection.select_only(&selected);
    window.state_mut().state.path_entry = Some(PathEntry::instead_of(Dialog::Files));
    window.run();
    window.key_press(Key::Escape);
    window.run();
    assert!(window.state().state.path_entry.is_none());
    assert!(window.state().state.selection.contains(&selected));
}

#[test]
fn escape_closes_the_help_first() {
    let mut window = window();
    window.get_by_label("Help").click();
    window.run();
    window.get_by_label("Keyboard shortcuts");
    window.key_press(Key::Escape);
    window.run();
    assert!(window.query_by_label("Keyboard shortcuts").is_none());
}
