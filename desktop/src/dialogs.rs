//! File dialogs, waited for beside the user interface.

use std::io;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use rfd::AsyncFileDialog;

use crate::state::request::{Dialog, Notice, Request};

/// Nobody cancels a dialog within this time: none appeared.
const INSTANTLY: Duration = Duration::from_millis(300);

/// What a dialog led to.
pub enum Answer {
    /// Something was chosen.
    Chosen(Request),
    /// Something to tell.
    Told(Notice),
}

/// Dialogs and their answers.
pub struct Dialogs {
    answer: Sender<Answer>,
    answers: Receiver<Answer>,
}

impl Default for Dialogs {
    fn default() -> Self {
        let (answer, answers) = channel();
        Self { answer, answers }
    }
}

impl Dialogs {
    /// Opens a dialog; `wake` is called once there is an answer.
    ///
    /// # Errors
    /// The system starts no thread.
    pub fn open(&self, dialog: Dialog, wake: impl Fn() + Send + 'static) -> io::Result<()> {
        let answer = self.answer.clone();
        let asked = Instant::now();
        // Some systems want dialogs made on the thread of the window, and waited for elsewhere.
        let choice = choice(dialog);
        thread::Builder::new()
            .name("dialog".to_owned())
            .spawn(move || {
                let told = match pollster::block_on(choice) {
                    Some(request) => Some(Answer::Chosen(request)),
                    None if asked.elapsed() < INSTANTLY => Some(Answer::Told(no_dialog())),
                    None => None,
                };
                if let Some(told) = told {
                    // Nobody listens once the window is closed.
                    let _ = answer.send(told);
                    wake();
                }
            })?;
        Ok(())
    }

    /// Answers since the last call.
    pub fn answers(&self) -> impl Iterator<Item = Answer> {
        self.answers.try_iter()
    }
}

fn no_dialog() -> Notice {
    Notice::error(
        "no file dialog could be shown here: type a path in the Files view, or drop files",
    )
}

type Choice = std::pin::Pin<Box<dyn Future<Output = Option<Request>> + Send>>;

fn choice(dialog: Dialog) -> Choice {
    let results = AsyncFileDialog::new().add_filter("Result files", &["quba"]);
    let sessions = AsyncFileDialog::new().add_filter("Sessions", &["json"]);
    match dialog {
        Dialog::Files => {
            let chosen = results.set_title("Open result files").pick_files();
            Box::pin(async {
                let files: Vec<PathBuf> = chosen.await?.iter().map(|f| f.path().into()).collect();
                Some(Request::Open(files))
            })
        }
        Dialog::Folder => {
            let chosen = AsyncFileDialog::new()
                .set_title("Open a folder")
                .pick_folders();
            Box::pin(async {
                let folders: Vec<PathBuf> = chosen.await?.iter().map(|f| f.path().into()).collect();
                Some(Request::Open(folders))
            })
        }
        Dialog::OpenSession => {
            let chosen = sessions.set_title("Open a session").pick_file();
            Box::pin(async { Some(Request::OpenSession(chosen.await?.path().into())) })
        }
        Dialog::SaveSession => {
            let chosen = sessions
                .set_title("Save the session")
                .set_file_name("session.json")
                .save_file();
            Box::pin(async { Some(Request::SaveSession(chosen.await?.path().into())) })
        }
        Dialog::Export(kind) => {
            let chosen = AsyncFileDialog::new()
                .set_title("Export")
                .add_filter(kind.extension(), &[kind.extension()])
                .set_file_name(kind.file_name())
                .save_file();
            Box::pin(async move { Some(Request::Export(kind, chosen.await?.path().into())) })
        }
    }
}
