//! The application: state and views, with the disk and the dialogs they ask for.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use eframe::egui;
use egui::{Context, ThemePreference, Ui};

use crate::dialogs::{Answer, Dialogs};
use crate::loading::{Event, Loader, expand, read};
use crate::resampling::Resampler;
use crate::state::AppState;
use crate::state::request::{Notice, PathEntry, Request};
use crate::state::session::{Session, ThemeChoice};
use crate::views::Views;
use crate::{demo, export, theme};

/// Under which the session of the last run is kept.
const STORED: &str = "session";

/// The application.
pub struct DesktopApp {
    /// Everything it knows.
    pub state: AppState,
    views: Views,
    loader: Loader,
    resampler: Resampler,
    dialogs: Dialogs,
}

impl DesktopApp {
    /// An application without files.
    ///
    /// # Errors
    /// The system starts no thread.
    pub fn new(ctx: &Context) -> Result<Self> {
        theme::install(ctx);
        let wake = || {
            let ctx = ctx.clone();
            move || ctx.request_repaint()
        };
        let loader = Loader::start(wake()).context("cannot start the thread that reads files")?;
        let resampler =
            Resampler::start(wake()).context("cannot start the thread that computes intervals")?;
        Ok(Self {
            state: AppState::default(),
            views: Views::default(),
            loader,
            resampler,
            dialogs: Dialogs::default(),
        })
    }

    /// Opens what was named on the command line, else what was open at the end of the last run,
    /// else the demo results.
    pub fn start(&mut self, files: Vec<PathBuf>, storage: Option<&dyn eframe::Storage>) {
        let stored = storage.and_then(|storage| storage.get_string(STORED));
        // A session that a newer version stored is no reason not to start.
        let session = stored.and_then(|text| Session::from_json(&text, Path::new("")).ok());
        if let Some(session) = session {
            self.state.recent = session.recent.clone();
            self.state.theme = session.theme;
            self.state.apply(session);
        }
        let (sessions, results): (Vec<PathBuf>, Vec<PathBuf>) = files
            .into_iter()
            .partition(|path| Session::is_named_like(path));
        if !sessions.is_empty() || !results.is_empty() {
            self.state.take_requests();
        }
        if let Some(session) = sessions.into_iter().next_back() {
            self.state.request(Request::OpenSession(session));
        }
        if !results.is_empty() {
            self.state.request(Request::Open(results));
        }
        if !self.state.has_requests() {
            self.state.request(Request::OpenDemo);
        }
    }

    /// Reads at once what was asked for, instead of beside the user interface: for pictures.
    pub fn read_now(&mut self) {
        for request in self.state.take_requests() {
            match request {
                Request::Open(paths) => {
                    let files = expand(&paths).iter().map(|path| read(path)).collect();
                    self.state.add_files(files);
                }
                Request::OpenDemo => self.state.add_files(demo::files()),
                Request::OpenSession(path) => match self.open_session(&path) {
                    Ok(()) => self.read_now(),
                    Err(error) => self.state.notice = Some(Notice::error(format!("{error:#}"))),
                },
                // What only a person asks for.
                Request::Close(_)
                | Request::CloseAll
                | Request::Dialog(_)
                | Request::SaveSession(_)
                | Request::Export(..) => {}
            }
        }
        self.state.library.resample();
    }

    /// Draws a frame.
    pub fn ui(&mut self, ui: &mut Ui) {
        self.receive();
        ui.ctx().set_theme(match self.state.theme {
            ThemeChoice::System => ThemePreference::System,
            ThemeChoice::Light => ThemePreference::Light,
            ThemeChoice::Dark => ThemePreference::Dark,
        });
        self.dropped(ui.ctx());
        self.resampler.update(&mut self.state.library);
        self.views.keys(ui.ctx(), &mut self.state);
        self.state.refresh();
        self.views.ui(ui, &mut self.state);
        // A drag is one step to undo, and so is a word that is being typed.
        let changing = ui.ctx().egui_is_using_pointer() || ui.ctx().text_edit_focused();
        if !changing {
            self.state.settle();
        }
        for request in self.state.take_requests() {
            self.perform(request, ui.ctx());
        }
    }

    fn receive(&mut self) {
        let events: Vec<Event> = self.loader.events().collect();
        for event in events {
            match event {
                Event::Started(files) => self.state.loading += files,
                Event::Read(files) => {
                    self.state.loading = self.state.loading.saturating_sub(files.len());
                    self.state.add_files(files);
                }
                Event::Removed(paths) => {
                    for path in paths {
                        self.state.close_file(&path);
                        let gone = format!("no longer on disk: {}", path.display());
                        self.state.notice = Some(Notice::error(gone));
                    }
                }
            }
        }
        let answers: Vec<Answer> = self.dialogs.answers().collect();
        for answer in answers {
            match answer {
                Answer::Chosen(request) => self.state.request(request),
                Answer::Missing(dialog) => {
                    self.state.path_entry = Some(PathEntry::instead_of(dialog));
                }
            }
        }
    }

    fn dropped(&mut self, ctx: &Context) {
        let dropped = ctx.input_mut(|input| std::mem::take(&mut input.raw.dropped_files));
        let paths: Vec<PathBuf> = dropped.iter().map(|file| file.path().to_owned()).collect();
        if !paths.is_empty() {
            self.state.request(Request::Open(paths));
        }
    }

    fn perform(&mut self, request: Request, ctx: &Context) {
        let done = match request {
            Request::Open(paths) => {
                self.loader.open(paths);
                Ok(())
            }
            Request::Close(path) => {
                self.state.close_file(&path);
                self.loader.forget(path);
                Ok(())
            }
            Request::CloseAll => {
                self.loader.forget_all();
                self.state.close_all();
                Ok(())
            }
            Request::OpenDemo => {
                self.loader.forget_all();
                self.state.close_all();
                self.state.add_files(demo::files());
                Ok(())
            }
            Request::Dialog(dialog) => {
                let wake = ctx.clone();
                let opened = self.dialogs.open(dialog, move || wake.request_repaint());
                opened.context("cannot open a dialog")
            }
            Request::OpenSession(path) => self.open_session(&path),
            Request::SaveSession(path) => self.save_session(&path),
            Request::Export(kind, path) => {
                let written = export::write(&self.state, kind, &path);
                if written.is_ok() {
                    let told = format!("exported: {}", path.display());
                    self.state.notice = Some(Notice::done(told));
                }
                written
            }
        };
        if let Err(error) = done {
            self.state.notice = Some(Notice::error(format!("{error:#}")));
        }
        ctx.request_repaint();
    }

    fn open_session(&mut self, path: &Path) -> Result<()> {
        let cannot = || format!("cannot open session {}", path.display());
        let text = fs::read_to_string(path).with_context(cannot)?;
        let session = Session::from_json(&text, folder(path)).with_context(cannot)?;
        self.loader.forget_all();
        self.state.apply(session);
        Ok(())
    }

    fn save_session(&mut self, path: &Path) -> Result<()> {
        let cannot = || format!("cannot save session {}", path.display());
        let text = self
            .state
            .session()
            .to_share()
            .to_json(folder(path))
            .with_context(cannot)?;
        shared::result::replace(path, text.as_bytes()).with_context(cannot)?;
        self.state.notice = Some(Notice::done(format!("session saved: {}", path.display())));
        Ok(())
    }
}

fn folder(path: &Path) -> &Path {
    path.parent().unwrap_or(Path::new(""))
}

impl eframe::App for DesktopApp {
    fn ui(&mut self, ui: &mut Ui, _frame: &mut eframe::Frame) {
        Self::ui(self, ui);
    }

    fn save(&mut self, storage: &mut dyn eframe::Storage) {
        // Only a path that is not Unicode prevents this; the next run then starts as at first.
        if let Ok(text) = self.state.session().to_json(Path::new("")) {
            storage.set_string(STORED, text);
        }
    }
}
