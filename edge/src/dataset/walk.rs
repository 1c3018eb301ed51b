//! Which files lie in a folder.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;

use super::config::SetName;
use super::note::{Finding, Note, Notes};
use super::origin;

/// A file that may be an image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Found {
    /// Path relative to the walk's root, with `/` between names.
    pub(super) path: String,
    /// Size in bytes.
    pub(super) bytes: u64,
}

/// All images below `root`, as listing a set of clean images finds them: paths relative to it with
/// `/` between names, and what was come across.
///
/// # Errors
/// When a folder cannot be read.
pub(crate) fn images_below(root: &Path) -> anyhow::Result<(Vec<String>, Vec<Note>)> {
    let shown = root.display().to_string();
    let mut walker = Walker::new(root, &shown);
    let files = walker.files("")?;
    let paths = files.into_iter().map(|found| found.path).collect();
    Ok((paths, walker.notes.on(SetName::Clean).collect()))
}

/// The folders and files directly in a folder, each sorted by name.
#[derive(Default)]
pub(super) struct Entries {
    pub(super) folders: Vec<(String, bool)>,
    pub(super) files: Vec<(String, u64)>,
}

/// A walk through one image set: where it started, and what it came across.
pub(super) struct Walker<'a> {
    root: &'a Path,
    /// `root` as it is shown to people.
    shown: &'a str,
    pub(super) notes: Notes,
}

impl<'a> Walker<'a> {
    pub(super) fn new(root: &'a Path, shown: &'a str) -> Self {
        let notes = Notes::default();
        Self { root, shown, notes }
    }

    /// All files under `folder` (relative to the root, empty for the root itself).
    ///
    /// # Errors
    /// When a folder cannot be read.
    pub(super) fn files(&mut self, folder: &str) -> anyhow::Result<Vec<Found>> {
        let mut found = Vec::new();
        let mut above = Vec::new();
        self.collect(folder, &mut above, &mut found)?;
        Ok(found)
    }

    /// `above` holds the real places of the folders from which links were followed: only a link
    /// can lead back, so plain folders need no look-up.
    fn collect(
        &mut self,
        folder: &str,
        above: &mut Vec<PathBuf>,
        found: &mut Vec<Found>,
    ) -> anyhow::Result<()> {
        let entries = self.entries(folder)?;
        for (name, bytes) in entries.files {
            found.push(Found {
                path: join(folder, &name),
                bytes,
            });
        }
        for (name, is_link) in entries.folders {
            let path = join(folder, &name);
            let depth = above.len();
            if is_link {
                let (here, there) = (self.real(folder)?, self.real(&path)?);
                above.push(here);
                if above.iter().any(|place| place.starts_with(&there)) {
                    self.note(Finding::LinkCycle, &path);
                    above.truncate(depth);
                    continue;
                }
            }
            self.collect(&path, above, found)?;
            above.truncate(depth);
        }
        Ok(())
    }

    fn real(&self, path: &str) -> anyhow::Result<PathBuf> {
        let path = self.root.join(path);
        path.canonicalize()
            .with_context(|| format!("cannot follow {}", path.display()))
    }

    /// Reads one folder; hidden files, known junk, broken links and special files are left out.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub(super) fn entries(&mut self, folder: &str) -> anyhow::Result<Entries> {
        let path = self.root.join(folder);
        let context = || format!("cannot read folder {}", path.display());
        let mut entries = Entries::default();
        for entry in fs::read_dir(&path).with_context(context)? {
            let entry = entry.with_context(context)?;
            let Ok(name) = entry.file_name().into_string() else {
                let name = entry.file_name().to_string_lossy().into_owned();
                self.note(Finding::NotUtf8, &join(folder, &name));
                continue;
            };
            let is_link = entry.file_type().with_context(context)?.is_symlink();
            let metadata = if is_link {
                fs::metadata(entry.path())
            } else {
                entry.metadata()
            };
            let Ok(metadata) = metadata else {
                self.note(Finding::BrokenLink, &join(folder, &name));
                continue;
            };
            if metadata.is_dir() && !is_ignored_folder(&name) {
                entries.folders.push((name, is_link));
            } else if metadata.is_file() && !is_ignored_file(&name) {
                entries.files.push((name, metadata.len()));
            } else if name != origin::FILE_NAME {
                self.note(Finding::IgnoredFile, &join(folder, &name));
            }
        }
        entries.folders.sort_unstable();
        entries.files.sort_unstable();
        Ok(entries)
    }

    pub(super) fn note(&mut self, finding: Finding, path: &str) {
        self.notes.add(finding, join(self.shown, path));
    }
}

/// Joins with `/`; an empty part adds nothing.
pub(super) fn join(folder: &str, name: &str) -> String {
    match (folder, name) {
        ("", name) => name.to_owned(),
        (folder, "") => folder.to_owned(),
        // Exact: there may be millions of them.
        (folder, name) => [folder, "/", name].concat(),
    }
}

fn is_ignored_folder(name: &str) -> bool {
    name.starts_with('.') || matches!(name, "__MACOSX" | "@eaDir" | "lost+found")
}

/// Companions of images that are no images; everything else counts as one, so that a file that
/// cannot be decoded is reported and not lost.
fn is_ignored_file(name: &str) -> bool {
    const EXTENSIONS: [&str; 29] = [
        "7z", "bin", "bz2", "csv", "db", "gz", "h5", "html", "ini", "json", "log", "mat", "md",
        "md5", "npy", "npz", "pdf", "pkl", "pt", "py", "sha256", "tar", "tgz", "toml", "txt",
        "xml", "xz", "yaml", "zip",
    ];
    const NAMES: [&str; 5] = ["checksums", "license", "md5sums", "readme", "sha256sums"];
    let lower = name.to_lowercase();
    let extension = lower.rsplit_once('.').map(|(_, extension)| extension);
    lower.starts_with('.')
        || extension.is_some_and(|extension| EXTENSIONS.contains(&extension))
        || NAMES.contains(&lower.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(files: &[&str]) -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        for file in files {
            let path = root.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, file).unwrap();
        }
        root
    }

    fn walk(root: &Path) -> (Vec<String>, Vec<String>) {
        let mut walker = Walker::new(root, "set");
        let files = walker.files("").unwrap();
        let notes = walker.notes.on(SetName::Edge).map(|note| note.to_string());
        (
            files.into_iter().map(|found| found.path).collect(),
            notes.collect(),
        )
    }

    #[test]
    fn finds_images_at_any_depth_and_ignores_junk() {
        let root = tree(&[
            "b.JPEG",
            "a/x.png",
            "a/deep/größe 1.jpg",
            "noextension",
            ".DS_Store",
            "Thumbs.db",
            "checksums",
            "a/list.TXT",
            ".git/y.png",
            "__MACOSX/z.png",
            "a/.hidden.png",
        ]);
        let (files, notes) = walk(root.path());
        assert_eq!(
            files,
            ["b.JPEG", "noextension", "a/x.png", "a/deep/größe 1.jpg"]
        );
        assert_eq!(
            notes,
            ["edge: no image by its name, ignored: 7, first set/.DS_Store"]
        );
    }

    #[cfg(unix)]
    #[test]
    fn follows_links_once_and_reports_the_others() {
        use std::os::unix::fs::symlink;
        let root = tree(&["a/x.png", "b/y.png"]);
        let at = |path: &str| root.path().join(path);
        symlink(at("b"), at("a/to_b")).unwrap();
        symlink(at("a"), at("b/to_a")).unwrap();
        symlink(at(""), at("a/up")).unwrap();
        symlink(at("b/y.png"), at("a/file.png")).unwrap();
        symlink(at("nothing"), at("a/broken.png")).unwrap();
        let (files, notes) = walk(root.path());
        // Each way around the circle ends where it would enter a folder again.
        assert_eq!(
            files,
            [
                "a/file.png",
                "a/x.png",
                "a/to_b/y.png",
                "b/y.png",
                "b/to_a/file.png",
                "b/to_a/x.png"
            ]
        );
        insta::assert_snapshot!(notes.join("\n"), @r"
        edge: link to nothing, left out: 2, first set/a/broken.png
        edge: link back to a folder above, not followed: 4, first set/a/to_b/to_a
        ");
    }

    #[cfg(unix)]
    #[test]
    fn names_that_are_no_text_are_reported() {
        use std::os::unix::ffi::OsStrExt;
        let root = tree(&["x.png"]);
        let name = std::ffi::OsStr::from_bytes(b"bad\xff.png");
        if fs::write(root.path().join(name), "").is_err() {
            println!("skipped: this file system takes UTF-8 names only");
            return;
        }
        let (files, notes) = walk(root.path());
        assert_eq!(files, ["x.png"]);
        assert_eq!(
            notes,
            ["edge: name is not UTF-8, left out: set/bad\u{fffd}.png"]
        );
    }
}
