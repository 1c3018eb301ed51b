//! Reading result files beside the user interface, and watching what was opened for changes.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, SystemTime};

use crate::state::library::LoadedFile;
use crate::state::merging::Measurements;

/// How often opened files are looked at. Polling also works on network folders, and files appear
/// at once, as they are renamed into place.
const POLL: Duration = Duration::from_secs(1);

/// Files handed over at once, so that a folder appears bit by bit.
const BATCH: usize = 32;

/// What the thread tells.
#[derive(Debug)]
pub enum Event {
    /// So many files are about to be read.
    Started(usize),
    /// Files were read, for the first time or because they changed.
    Read(Vec<LoadedFile>),
    /// Files are gone from disk.
    Removed(Vec<PathBuf>),
}

enum Command {
    Open(Vec<PathBuf>),
    Forget(PathBuf),
    ForgetAll,
}

/// A thread that reads and watches files.
pub struct Loader {
    commands: Sender<Command>,
    events: Receiver<Event>,
}

impl Loader {
    /// Starts the thread; `wake` is called after every event. It ends with the loader.
    ///
    /// # Errors
    /// The system starts no thread.
    pub fn start(wake: impl Fn() + Send + 'static) -> io::Result<Self> {
        let (commands, orders) = channel();
        let (reports, events) = channel();
        let worker = Worker {
            reports,
            wake: Box::new(wake),
            seen: BTreeMap::new(),
        };
        thread::Builder::new()
            .name("loader".to_owned())
            .spawn(move || worker.run(&orders))?;
        Ok(Self { commands, events })
    }

    /// Reads files, and the result files in folders, then watches them.
    pub fn open(&self, paths: Vec<PathBuf>) {
        self.send(Command::Open(paths));
    }

    /// Stops watching a file.
    pub fn forget(&self, path: PathBuf) {
        self.send(Command::Forget(path));
    }

    /// Stops watching all files.
    pub fn forget_all(&self) {
        self.send(Command::ForgetAll);
    }

    /// What happened since the last call.
    pub fn events(&self) -> impl Iterator<Item = Event> {
        self.events.try_iter()
    }

    fn send(&self, command: Command) {
        // The thread lives as long as this end; were it gone, nothing could be read anyway.
        let _ = self.commands.send(command);
    }
}

/// What tells whether a file changed.
type Stamp = (Option<SystemTime>, u64);

struct Worker {
    reports: Sender<Event>,
    wake: Box<dyn Fn() + Send>,
    seen: BTreeMap<PathBuf, Stamp>,
}

impl Worker {
    fn run(mut self, orders: &Receiver<Command>) {
        loop {
            match orders.recv_timeout(POLL) {
                Ok(Command::Open(paths)) => self.open(&paths),
                Ok(Command::Forget(path)) => drop(self.seen.remove(&path)),
                Ok(Command::ForgetAll) => self.seen.clear(),
                Err(RecvTimeoutError::Timeout) => self.look(),
                Err(RecvTimeoutError::Disconnected) => return,
            }
        }
    }

    fn open(&mut self, paths: &[PathBuf]) {
        let files = expand(paths);
        self.report(Event::Started(files.len()));
        for batch in files.chunks(BATCH) {
            let read: Vec<LoadedFile> = batch.iter().map(|path| read(path)).collect();
            for file in &read {
                self.seen
                    .insert(file.path.clone(), (file.modified, file.bytes));
            }
            self.report(Event::Read(read));
        }
    }

    /// Reads again what changed.
    fn look(&mut self) {
        let (mut changed, mut removed) = (Vec::new(), Vec::new());
        for (path, stamp) in &mut self.seen {
            match fs::metadata(path) {
                Ok(metadata) => {
                    let now = (metadata.modified().ok(), metadata.len());
                    if now != *stamp {
                        *stamp = now;
                        changed.push(read(path));
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::NotFound => removed.push(path.clone()),
                // A folder that is away for a moment is no reason to forget a file.
                Err(_) => {}
            }
        }
        self.seen.retain(|path, _| !removed.contains(path));
        if !changed.is_empty() {
            self.report(Event::Started(changed.len()));
            self.report(Event::Read(changed));
        }
        if !removed.is_empty() {
            self.report(Event::Removed(removed));
        }
    }

    fn report(&self, event: Event) {
        // Nobody listens once the window is closed.
        let _ = self.reports.send(event);
        (self.wake)();
    }
}

/// Files as named; folders as the result files in them, sorted.
pub fn expand(paths: &[PathBuf]) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for path in paths {
        match fs::read_dir(path) {
            Ok(entries) => {
                let mut within: Vec<PathBuf> = entries
                    .filter_map(|entry| Some(entry.ok()?.path()))
                    .filter(|path| path.extension().is_some_and(|e| e == "quba"))
                    .collect();
                within.sort();
                files.extend(within);
            }
            Err(_) => files.push(path.clone()),
        }
    }
    files
}

/// Reads and measures one file.
pub fn read(path: &Path) -> LoadedFile {
    let metadata = fs::metadata(path).ok();
    LoadedFile {
        path: path.to_owned(),
        modified: metadata.as_ref().and_then(|m| m.modified().ok()),
        bytes: metadata.map_or(0, |m| m.len()),
        content: match shared::result::read(path) {
            Ok(evaluation) => Ok(Arc::new(Measurements::of(evaluation))),
            Err(error) => Err(cause(&error)),
        },
    }
}

/// The chain of causes without the first link, which names the path again.
fn cause(error: &dyn std::error::Error) -> String {
    let mut words = Vec::new();
    let mut next = error.source();
    while let Some(error) = next {
        words.push(error.to_string());
        next = error.source();
    }
    if words.is_empty() {
        error.to_string()
    } else {
        words.join(": ")
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;
    use crate::demo;

    fn demo_bytes() -> Vec<u8> {
        let files = demo::files();
        let content = files[0].content.as_ref().unwrap();
        shared::result::encode(&content.evaluation).unwrap()
    }

    /// Waits for the next event, ten seconds at most.
    fn next(loader: &Loader) -> Event {
        loader.events.recv_timeout(Duration::from_secs(10)).unwrap()
    }

    #[test]
    fn folders_are_read_sorted_and_errors_stay_with_their_file() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("b.quba"), demo_bytes()).unwrap();
        fs::write(folder.path().join("a.quba"), b"not a result").unwrap();
        fs::write(folder.path().join("notes.txt"), b"").unwrap();
        let (woken, wakes) = mpsc::channel();
        let loader = Loader::start(move || woken.send(()).unwrap_or_default()).unwrap();
        loader.open(vec![
            folder.path().to_owned(),
            folder.path().join("none.quba"),
        ]);
        assert!(matches!(next(&loader), Event::Started(3)));
        let Event::Read(files) = next(&loader) else {
            panic!("expected files")
        };
        let errors: Vec<Option<&str>> = files
            .iter()
            .map(|f| f.content.as_ref().err().map(String::as_str))
            .collect();
        assert_eq!(
            errors,
            [
                Some("not a result file: expected the signature of a .quba file, found text"),
                None,
                Some("No such file or directory (os error 2)"),
            ]
        );
        assert!(wakes.recv_timeout(Duration::from_secs(10)).is_ok());
    }

    #[test]
    fn changed_and_removed_files_are_told() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.quba");
        fs::write(&path, b"half a").unwrap();
        let loader = Loader::start(|| {}).unwrap();
        loader.open(vec![path.clone()]);
        assert!(matches!(next(&loader), Event::Started(1)));
        assert!(matches!(next(&loader), Event::Read(_)));
        fs::write(&path, demo_bytes()).unwrap();
        assert!(matches!(next(&loader), Event::Started(1)));
        let Event::Read(files) = next(&loader) else {
            panic!("expected a file")
        };
        assert!(files[0].content.is_ok());
        fs::remove_file(&path).unwrap();
        assert!(matches!(next(&loader), Event::Removed(paths) if paths == [path]));
    }
}
