//! File dialogs, waited for beside the user interface.

use std::io;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use rfd::{AsyncFileDialog, FileHandle};

use crate::state::request::{Dialog, Request};

/// Nobody cancels a dialog within this time: none appeared.
const INSTANTLY: Duration = Duration::from_millis(300);

/// What a dialog led to.
pub enum Answer {
    /// Something was chosen.
    Chosen(Request),
    /// None appeared.
    Missing(Dialog),
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
                let found = match pollster::block_on(choice) {
                    Some(request) => Some(Answer::Chosen(request)),
                    None if asked.elapsed() < INSTANTLY => Some(Answer::Missing(dialog)),
                    None => None,
                };
                if let Some(found) = found {
                    // Nobody listens once the window is closed.
                    let _ = answer.send(found);
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

type Choice = std::pin::Pin<Box<dyn Future<Output = Option<Request>> + Send>>;

fn choice(dialog: Dialog) -> Choice {
    let titled = AsyncFileDialog::new().set_title(dialog.title());
    let named = |kind: &str, ending: &str| titled.clone().add_filter(kind, &[ending]);
    match dialog {
        Dialog::Files => several(named("Result files", "quba").pick_files()),
        Dialog::Folder => several(titled.pick_folders()),
        Dialog::OpenSession => one(dialog, named("Sessions", "json").pick_file()),
        Dialog::SaveSession => one(dialog, save(dialog, named("Sessions", "json"))),
        Dialog::Export(kind) => {
            let ending = kind.extension();
            one(dialog, save(dialog, named(ending, ending)))
        }
    }
}

fn save(dialog: Dialog, shown: AsyncFileDialog) -> impl Future<Output = Option<FileHandle>> + Send {
    shown.set_file_name(dialog.file_name()).save_file()
}

fn several(chosen: impl Future<Output = Option<Vec<FileHandle>>> + Send + 'static) -> Choice {
    Box::pin(async {
        let paths = chosen
            .await?
            .iter()
            .map(|file| file.path().into())
            .collect();
        Some(Request::Open(paths))
    })
}

fn one(
    dialog: Dialog,
    chosen: impl Future<Output = Option<FileHandle>> + Send + 'static,
) -> Choice {
    Box::pin(async move { Some(dialog.chosen(chosen.await?.path().into())) })
}
