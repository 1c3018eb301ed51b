//! What views ask the application to do, as they do no I/O themselves.

use std::path::PathBuf;

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
