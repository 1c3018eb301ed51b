//! One image: reading it as evaluation does, and writing what was made of it.

use std::collections::BTreeSet;
use std::fs;
use std::io::{Cursor, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use image::{ImageFormat, RgbImage};
use shared::outcome::{Corruption, Severity};

use crate::perturb::generate::{Generator, Identity, Method, Source};

/// The picture that an image is corrupted as.
pub(super) struct Base {
    pub(super) picture: RgbImage,
    identity: Identity,
}

impl Base {
    /// Reads an image file, or says why that cannot be done; the path comes last.
    pub(super) fn read(path: &Path, generator: &mut Generator) -> Result<Self, String> {
        let source =
            Source::read(path).map_err(|reason| format!("{reason}: {}", path.display()))?;
        Ok(Self {
            picture: generator.base(&source.image),
            identity: source.identity,
        })
    }

    pub(super) fn corrupt(
        &self,
        method: &Method,
        corruption: Corruption,
        severity: Severity,
    ) -> RgbImage {
        method.corrupt(&self.picture, &self.identity, corruption, severity)
    }
}

/// Writes pictures, but never in the place of an image that was read.
pub(super) struct Writer {
    sources: BTreeSet<PathBuf>,
}

impl Writer {
    /// # Errors
    /// When one of the `sources` is not there.
    pub(super) fn sparing<P: AsRef<Path>>(sources: impl IntoIterator<Item = P>) -> Result<Self> {
        let real = |path: P| {
            let path = path.as_ref();
            path.canonicalize()
                .with_context(|| format!("cannot follow {}", path.display()))
        };
        let sources = sources.into_iter().map(real).collect::<Result<_>>()?;
        Ok(Self { sources })
    }

    /// # Errors
    /// When `path` is one of the sources, directly or through links.
    pub(super) fn ensure_spared(&self, path: &Path) -> Result<()> {
        let source = path
            .canonicalize()
            .is_ok_and(|real| self.sources.contains(&real));
        ensure!(
            !source,
            "would overwrite an image that is to be corrupted; choose another --out: {}",
            path.display()
        );
        Ok(())
    }

    /// Writes a PNG, creating the folders above it. A temporary file is renamed at the end, so
    /// that an interrupted call leaves no half picture.
    ///
    /// # Errors
    /// When it would overwrite a source or the system refuses.
    pub(super) fn save(&self, picture: &RgbImage, path: &Path) -> Result<()> {
        self.ensure_spared(path)?;
        let context = || format!("cannot write the picture: {}", path.display());
        let mut bytes = Vec::new();
        picture
            .write_to(&mut Cursor::new(&mut bytes), ImageFormat::Png)
            .with_context(context)?;
        let folder = match path.parent() {
            Some(parent) if parent != Path::new("") => parent,
            _ => Path::new("."),
        };
        fs::create_dir_all(folder)
            .with_context(|| format!("cannot create the folder: {}", folder.display()))?;
        replace(folder, path, &bytes).with_context(context)
    }
}

/// Not flushed to the disk, unlike result files: there may be millions, all easily made again.
fn replace(folder: &Path, path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".corrupt-").suffix(".tmp");
    // Temporary files are private by default; a picture is an ordinary file (the umask applies).
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut temporary = builder.tempfile_in(folder)?;
    temporary.write_all(bytes)?;
    temporary.persist(path).map_err(|e| e.error)?;
    Ok(())
}
