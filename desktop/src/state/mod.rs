//! The model of the application: plain data without a window, tested as such.
//!
//! Views read it and change its public fields; [`AppState::refresh`] then recomputes what depends
//! on them, and only that. Whatever touches disk or dialogs is a [`Request`] to the application.

pub mod charts;
pub mod choices;
pub mod derived;
pub mod filter;
pub mod groups;
pub mod history;
pub mod library;
pub mod merging;
pub mod model;
pub mod pages;
pub mod percentiles;
pub mod request;
pub mod row;
pub mod selection;
pub mod session;
pub mod sort;
pub mod table;
#[cfg(test)]
pub(crate) mod testing;
pub mod view;
pub mod words;

use std::path::{Path, PathBuf};

use charts::ChartChoices;
use choices::{Choices, OwnPreset};
use derived::Derived;
use history::History;
use library::{Library, LoadedFile};
use model::Model;
use pages::Pages;
use request::{Notice, PathEntry, Request};
use row::Row;
use selection::Selection;
use session::{Panels, Session, ThemeChoice};
use sort::Sort;
use table::TableChoices;
use view::View;

use crate::analysis::axes::Brushes;
use crate::demo;

/// Recent files kept.
const RECENT: usize = 12;

/// Everything that the application knows.
pub struct AppState {
    /// Opened files and the models they make.
    pub library: Library,
    /// Weights and filters; changes can be undone.
    pub choices: Choices,
    /// Columns and order of the rank table.
    pub table: TableChoices,
    /// Axes and layers of the plots.
    pub charts: ChartChoices,
    /// Saved weights.
    pub presets: Vec<OwnPreset>,
    /// Selected models.
    pub selection: Selection,
    /// What fills the window.
    pub view: View,
    /// Files opened before, the latest first.
    pub recent: Vec<PathBuf>,
    /// Colours.
    pub theme: ThemeChoice,
    /// Panels beside the views.
    pub panels: Panels,
    /// Choices of single views.
    pub pages: Pages,
    /// Files that are still being read.
    pub loading: usize,
    /// What to tell of the last action, until it is dismissed.
    pub notice: Option<Notice>,
    /// A path that is being typed, as the system shows no dialog.
    pub path_entry: Option<PathEntry>,
    history: History<(Choices, Brushes)>,
    requests: Vec<Request>,
    derived: Derived,
    revision: u64,
    computed: (u64, Choices, Sort),
}

impl Default for AppState {
    fn default() -> Self {
        let library = Library::default();
        let choices = Choices::default();
        let table = TableChoices::default();
        let derived = Derived::of(library.models(), &choices, table.sort);
        Self {
            computed: (library.revision(), choices.clone(), table.sort),
            history: History::new((choices.clone(), Brushes::default())),
            library,
            choices,
            table,
            charts: ChartChoices::default(),
            presets: Vec::new(),
            selection: Selection::default(),
            view: View::default(),
            recent: Vec::new(),
            theme: ThemeChoice::default(),
            panels: Panels::default(),
            pages: Pages::default(),
            loading: 0,
            notice: None,
            path_entry: None,
            requests: Vec::new(),
            derived,
            revision: 0,
        }
    }
}

impl AppState {
    /// Recomputes scores, ranks and order where files, choices or sorting changed.
    pub fn refresh(&mut self) {
        let (revision, choices, sort) = &self.computed;
        let current = *revision == self.library.revision()
            && *choices == self.choices
            && *sort == self.table.sort;
        if !current {
            self.derived = Derived::of(self.library.models(), &self.choices, self.table.sort);
            self.revision += 1;
            self.computed = (
                self.library.revision(),
                self.choices.clone(),
                self.table.sort,
            );
        }
    }

    /// What was computed at the last [`AppState::refresh`].
    pub fn derived(&self) -> &Derived {
        &self.derived
    }

    /// Grows whenever [`AppState::derived`] changes.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// The shown models with what was computed for them, in the order of the table.
    pub fn shown(&self) -> impl Iterator<Item = (&Model, &Row)> {
        let models = self.library.models();
        self.derived
            .shown
            .iter()
            .filter_map(|&index| Some((models.get(index)?, self.derived.rows.get(index)?)))
    }

    /// The selected models that are there, first selected first.
    pub fn selected(&self) -> impl Iterator<Item = (&Model, &Row)> {
        self.selection.ids().iter().filter_map(|id| {
            let (index, model) = self.library.find(id)?;
            Some((model, self.derived.rows.get(index)?))
        })
    }

    /// Adds the first model of this name to the selection; whether there is one.
    pub fn select_named(&mut self, name: &str) -> bool {
        let models = self.library.models();
        let found = models
            .iter()
            .find(|model| model.name == name && !self.selection.contains(&model.id));
        let id = found.map(|model| model.id.clone());
        if let Some(id) = &id {
            self.selection.toggle(id);
        }
        id.is_some()
    }

    /// Records a finished change of weights, filters and picks as one step to undo; called when no
    /// control is being dragged.
    pub fn settle(&mut self) {
        self.history
            .record(&(self.choices.clone(), self.pages.brushes));
    }

    /// Takes the last change of weights, filters and picks back.
    pub fn undo(&mut self) {
        self.settle();
        if let Some((choices, brushes)) = self.history.undo() {
            self.choices = choices;
            self.pages.brushes = brushes;
        }
    }

    /// Makes the change that was taken back.
    pub fn redo(&mut self) {
        self.settle();
        if let Some((choices, brushes)) = self.history.redo() {
            self.choices = choices;
            self.pages.brushes = brushes;
        }
    }

    /// Whether there is a change to take back.
    pub fn can_undo(&self) -> bool {
        self.history.can_undo()
    }

    /// Whether a change was taken back.
    pub fn can_redo(&self) -> bool {
        self.history.can_redo()
    }

    /// Asks the application for what touches disk or dialogs.
    pub fn request(&mut self, request: Request) {
        self.requests.push(request);
    }

    /// The requests since the last call, in order.
    pub fn take_requests(&mut self) -> Vec<Request> {
        std::mem::take(&mut self.requests)
    }

    /// Whether something was asked for.
    pub fn has_requests(&self) -> bool {
        !self.requests.is_empty()
    }

    /// Takes over files that were read. The demo results leave when own ones come.
    pub fn add_files(&mut self, files: Vec<LoadedFile>) {
        let own = |file: &LoadedFile| file.content.is_ok() && !demo::is_demo(&file.path);
        if files.iter().any(own) {
            self.close_demo();
        }
        for file in files.iter().filter(|file| file.content.is_ok()) {
            self.remember(&file.path);
        }
        self.library.insert(files);
    }

    /// Forgets an opened file.
    pub fn close_file(&mut self, path: &Path) {
        self.library.remove([path]);
        let library = &self.library;
        self.selection.retain(|id| library.find(id).is_some());
    }

    /// Forgets all opened files.
    pub fn close_all(&mut self) {
        self.library.clear();
        let library = &self.library;
        self.selection.retain(|id| library.find(id).is_some());
    }

    /// Whether the demo results are shown.
    pub fn shows_demo(&self) -> bool {
        self.library.files().any(|file| demo::is_demo(&file.path))
    }

    /// What to keep or send.
    pub fn session(&self) -> Session {
        let paths = self.library.files().map(|file| file.path.clone());
        Session {
            files: paths.filter(|path| !demo::is_demo(path)).collect(),
            demo: self.shows_demo(),
            choices: self.choices.clone(),
            table: self.table.clone(),
            charts: self.charts,
            presets: self.presets.clone(),
            selection: self.selection.clone(),
            view: self.view,
            recent: self.recent.clone(),
            theme: self.theme,
            panels: self.panels,
            pages: self.pages,
            ..Session::default()
        }
    }

    /// Takes over a session; its files are requested.
    pub fn apply(&mut self, session: Session) {
        self.library.clear();
        self.choices = session.choices;
        self.table = session.table;
        self.charts = session.charts;
        self.presets = session.presets;
        self.selection = session.selection;
        self.view = session.view;
        self.panels = session.panels;
        self.pages = session.pages;
        if session.demo {
            self.request(Request::OpenDemo);
        }
        if !session.files.is_empty() {
            self.request(Request::Open(session.files));
        }
        self.settle();
    }

    fn close_demo(&mut self) {
        let files = self.library.files().map(|file| file.path.clone());
        let demo: Vec<PathBuf> = files.filter(|path| demo::is_demo(path)).collect();
        self.library.remove(demo.iter().map(PathBuf::as_path));
    }

    fn remember(&mut self, path: &Path) {
        if demo::is_demo(path) {
            return;
        }
        self.recent.retain(|other| other != path);
        self.recent.insert(0, path.to_owned());
        self.recent.truncate(RECENT);
    }
}

#[cfg(test)]
mod tests;
