//! A folder of images to a stored data set in the layout of ImageNet-C.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf, absolute};

use anyhow::{Context, Result, ensure};
use rayon::prelude::*;
use shared::outcome::{Corruption, Severity};

use super::picture::{Base, Writer};
use super::{Counter, Job};
use crate::cli::{Exit, words};
use crate::dataset::{images_below, origin};
use crate::perturb::generate::Generator;

/// Writes `out/<corruption>/<severity>/<path below root>` for every image; unreadable ones are
/// named and passed over. Each thread holds one image at a time.
pub(super) fn write(job: &Job, root: &Path, out: &Path) -> Result<Exit> {
    ensure_apart(job, root, out)?;
    let (images, notes) = images_below(root)?;
    for note in notes {
        eprintln!("note: {note}");
    }
    ensure!(
        !images.is_empty(),
        "no image below the folder: {}",
        root.display()
    );
    ensure_distinct(root, &images)?;
    let writer = Writer::sparing(images.iter().map(|image| root.join(image)))?;
    // First, so that pictures of an interrupted call are described too, but not where none can be
    // made.
    let readable = |image| Base::read(&root.join(image), &mut job.generator.clone()).is_ok();
    if images.iter().any(readable) {
        describe_cells(job, out)?;
    }
    let counter = Counter::start(images.len());
    let failures = images
        .par_iter()
        .map_init(
            || job.generator.clone(),
            |generator, image| {
                let failure = write_cells(job, generator, &writer, root, image, out)?;
                counter.advance();
                Ok(failure)
            },
        )
        .collect::<Result<Vec<Option<String>>>>();
    counter.finish();
    report(job, &failures?, root, out)
}

/// Writes all corrupted copies of one image; `Some(reason)` where it cannot be read.
fn write_cells(
    job: &Job,
    generator: &mut Generator,
    writer: &Writer,
    root: &Path,
    image: &str,
    out: &Path,
) -> Result<Option<String>> {
    let base = match Base::read(&root.join(image), generator) {
        Ok(base) => base,
        Err(reason) => return Ok(Some(reason)),
    };
    for (corruption, severity) in job.cells() {
        let path = cell(out, corruption, severity).join(file_name(image));
        writer.save(&base.corrupt(&job.method, corruption, severity), &path)?;
    }
    Ok(None)
}

/// Says in every cell how its pictures are made.
fn describe_cells(job: &Job, out: &Path) -> Result<()> {
    for (corruption, severity) in job.cells() {
        let folder = cell(out, corruption, severity);
        fs::create_dir_all(&folder)
            .with_context(|| format!("cannot create the folder: {}", folder.display()))?;
        origin::write(&folder, job.method.origin(corruption))?;
    }
    Ok(())
}

fn report(job: &Job, failures: &[Option<String>], root: &Path, out: &Path) -> Result<Exit> {
    let reasons: Vec<&String> = failures.iter().flatten().collect();
    for reason in &reasons {
        eprintln!("error: {reason}");
    }
    let good = failures.len() - reasons.len();
    ensure!(
        good > 0,
        "none of the images could be read: {}",
        root.display()
    );
    job.note_synthetic_frost();
    if !reasons.is_empty() {
        let skipped = words::plural(reasons.len() as u64, "image");
        eprintln!("{skipped} left out: unreadable");
    }
    let written = words::plural((good * job.cells().len()) as u64, "picture");
    let read = words::plural(good as u64, "image");
    eprintln!("{written} of {read}: {}", out.display());
    Ok(Exit::of(!reasons.is_empty()))
}

fn cell(out: &Path, corruption: Corruption, severity: Severity) -> PathBuf {
    out.join(corruption.name()).join(severity.get().to_string())
}

fn file_name(image: &str) -> PathBuf {
    Path::new(image).with_extension("png")
}

/// Refuses to write among the images: the next call would corrupt what this one wrote.
fn ensure_apart(job: &Job, root: &Path, out: &Path) -> Result<()> {
    let images = real(root)?;
    for (corruption, severity) in job.cells() {
        let folder = real(&cell(out, corruption, severity))?;
        ensure!(
            !folder.starts_with(&images) && !images.starts_with(&folder),
            "the pictures would lie among the images; choose another --out: {}",
            out.display()
        );
    }
    Ok(())
}

/// The place that links lead to; what is not there yet is no link.
fn real(path: &Path) -> Result<PathBuf> {
    let path =
        absolute(path).with_context(|| format!("cannot follow the path: {}", path.display()))?;
    let known = path.ancestors().find_map(|ancestor| {
        let rest = path.strip_prefix(ancestor).ok()?;
        Some(ancestor.canonicalize().ok()?.join(rest))
    });
    Ok(known.unwrap_or(path))
}

/// Refuses images that differ in their extension only, because one picture would replace the other.
fn ensure_distinct(root: &Path, images: &[String]) -> Result<()> {
    let mut sources = BTreeMap::new();
    for image in images {
        let other = sources.insert(file_name(image), image);
        ensure!(
            other.is_none(),
            "two images would become the same picture, rename one: {} and {}",
            root.join(other.unwrap_or(image)).display(),
            root.join(image).display()
        );
    }
    Ok(())
}
