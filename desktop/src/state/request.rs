//! What views ask the application to do, as they do no I/O themselves.

use std::path::{Path, PathBuf};

use crate::export::Export;

/// Something that touches disk or opens a dialog.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    /// Read files, and the result files in folders.
    Open(Vec<PathBuf>),
    /// Forget an opened file.
    Close(PathBuf),
    /// Forget all opened files.
    CloseAll,
    /// Show the results that come with the program.
    OpenDemo,
    /// Let a person choose.
    Dialog(Dialog),
    /// Read a session file and all that it names.
    OpenSession(PathBuf),
    /// Write a session file.
    SaveSession(PathBuf),
    /// Write what is shown.
    Export(Export, PathBuf),
}

/// What a dialog is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialog {
    /// Result files to open.
    Files,
    /// A folder of result files to open.
    Folder,
    /// A session to open.
    OpenSession,
    /// Where to save the session.
    SaveSession,
    /// Where to write what is shown.
    Export(Export),
}

impl Dialog {
    /// The heading a person reads.
    pub fn title(self) -> &'static str {
        match self {
            Self::Files => "Open result files",
            Self::Folder => "Open a folder",
            Self::OpenSession => "Open a session",
            Self::SaveSession => "Save the session",
            Self::Export(_) => "Export",
        }
    }

    /// What a file is called unless a person names it; empty where a file must exist.
    pub fn file_name(self) -> String {
        match self {
            Self::Files | Self::Folder | Self::OpenSession => String::new(),
            Self::SaveSession => "session.json".to_owned(),
            Self::Export(kind) => kind.file_name(),
        }
    }

    /// What is asked for once a path is chosen.
    pub fn chosen(self, path: PathBuf) -> Request {
        match self {
            Self::Files | Self::Folder => Request::Open(vec![path]),
            Self::OpenSession => Request::OpenSession(path),
            Self::SaveSession => Request::SaveSession(path),
            Self::Export(kind) => Request::Export(kind, path),
        }
    }
}

/// A path to type, where the system shows no dialog.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathEntry {
    /// What the path is for.
    pub dialog: Dialog,
    /// What is typed so far.
    pub path: String,
}

impl PathEntry {
    /// For a dialog that did not appear: a new file is offered in the working folder.
    pub fn instead_of(dialog: Dialog) -> Self {
        let name = dialog.file_name();
        let folder = std::env::current_dir().ok().filter(|_| !name.is_empty());
        let path = folder.unwrap_or_default().join(name);
        Self {
            dialog,
            path: path.display().to_string(),
        }
    }

    /// Whether a file would be replaced.
    pub fn replaces(&self) -> bool {
        !self.dialog.file_name().is_empty() && Path::new(self.path.trim()).exists()
    }
}

/// What to tell a person of an action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// A sentence.
    pub text: String,
    /// Whether the action failed.
    pub is_error: bool,
}

impl Notice {
    /// Something was done.
    pub fn done(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            is_error: false,
        }
    }

    /// Something failed.
    pub fn error(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            is_error: true,
        }
    }
}
