//! `edge corrupt`: the corrupted pictures that an evaluation shows to the models, as files.

mod folder;
mod picture;
mod sheet;
mod text;

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use anyhow::{Context, Result, anyhow, ensure};
use rayon::prelude::*;
use shared::outcome::{Corruption, Severity};

use super::args::CorruptArguments;
use super::{Exit, words};
use crate::evaluate::{Pass, Progress};
use crate::perturb::generate::{Generator, Method};
use picture::{Base, Writer};

pub(super) fn run(arguments: &CorruptArguments) -> Result<Exit> {
    let job = Job::new(arguments)?;
    let (images, out) = (&arguments.images, &arguments.out);
    ensure!(
        images.exists(),
        "no such image or folder: {}",
        images.display()
    );
    if images.is_dir() {
        ensure!(
            !arguments.sheet,
            "--sheet shows one image, this is a folder; name an image in it: {}",
            images.display()
        );
        return folder::write(&job, images, out);
    }
    let base = Base::read(images, &mut job.generator.clone()).map_err(|e| anyhow!(e))?;
    let written = if arguments.sheet {
        write_sheet(&job, &base, images, &out.join("sheet.png"))?
    } else {
        write_pictures(&job, &base, images, out)?
    };
    job.note_synthetic_frost();
    eprintln!("{written}");
    Ok(Exit::SUCCESS)
}

/// What to make, whatever the image.
struct Job {
    method: Method,
    /// Every worker clones it.
    generator: Generator,
    corruptions: Vec<Corruption>,
    severities: Vec<Severity>,
}

impl Job {
    fn new(arguments: &CorruptArguments) -> Result<Self> {
        let side = arguments.generation.corruption_size;
        let generator = Generator::new(side)
            .with_context(|| format!("cannot corrupt at --corruption-size {side}"))?;
        let corruptions = match arguments.corruption.as_slice() {
            [] if arguments.extra_corruptions => Corruption::ALL.to_vec(),
            [] => Corruption::SCORED.to_vec(),
            chosen => in_order(chosen),
        };
        let severities = match arguments.severity.as_slice() {
            [] => Severity::ALL.to_vec(),
            chosen => in_order(chosen),
        };
        Ok(Self {
            method: method(arguments)?,
            generator,
            corruptions,
            severities,
        })
    }

    /// Every corruption with every severity, in the order of evaluation.
    fn cells(&self) -> Vec<(Corruption, Severity)> {
        let with_severities = |&corruption| self.severities.iter().map(move |&s| (corruption, s));
        self.corruptions.iter().flat_map(with_severities).collect()
    }

    /// Synthetic frost is labelled wherever it shows.
    fn note_synthetic_frost(&self) {
        let synthetic = |&c| self.method.origin(c).has_synthetic_frost();
        if self.corruptions.iter().any(synthetic) {
            eprintln!("note: frost is made with synthetic textures, not the published ones");
        }
    }
}

fn method(arguments: &CorruptArguments) -> Result<Method> {
    Ok(Method {
        side: arguments.generation.corruption_size,
        jpeg85: arguments.generation.jpeg85.unwrap_or(false),
        frost: arguments.generation.read_frost()?,
        seed: arguments.seed,
    })
}

fn in_order<T: Copy + Ord>(chosen: &[T]) -> Vec<T> {
    let once: BTreeSet<T> = chosen.iter().copied().collect();
    once.into_iter().collect()
}

/// Writes the clean picture and one picture per cell; says what was written.
fn write_pictures(job: &Job, base: &Base, image: &Path, out: &Path) -> Result<String> {
    let writer = Writer::sparing([image])?;
    let named = |(corruption, severity): (Corruption, Severity)| {
        let path = out.join(format!("{corruption}-{}.png", severity.get()));
        (corruption, severity, path)
    };
    let clean = out.join("clean.png");
    let pictures: Vec<_> = job.cells().into_iter().map(named).collect();
    writer.ensure_spared(&clean)?;
    pictures
        .iter()
        .try_for_each(|(_, _, path)| writer.ensure_spared(path))?;
    writer.save(&base.picture, &clean)?;
    let counter = Counter::start(pictures.len());
    let written = pictures
        .par_iter()
        .try_for_each(|(corruption, severity, path)| {
            let corrupted = base.corrupt(&job.method, *corruption, *severity);
            let saved = writer.save(&corrupted, path);
            counter.advance();
            saved
        });
    counter.finish();
    written?;
    let number = words::plural(pictures.len() as u64 + 1, "picture");
    Ok(format!("{number}: {}", out.display()))
}

/// Writes the contact sheet; says what was written.
fn write_sheet(job: &Job, base: &Base, image: &Path, path: &Path) -> Result<String> {
    let writer = Writer::sparing([image])?;
    writer.ensure_spared(path)?;
    let counter = Counter::start(job.cells().len());
    let sheet = sheet::draw(job, base, || counter.advance());
    counter.finish();
    writer.save(&sheet?, path)?;
    Ok(format!("contact sheet: {}", path.display()))
}

/// Progress that all threads count on.
struct Counter(Mutex<Progress>);

impl Counter {
    fn start(total: usize) -> Self {
        let mut progress = Progress::on_stderr();
        progress.start(vec![Pass {
            name: "corrupting".to_owned(),
            images: total as u64,
            cost: total as u64,
            group: 0,
        }]);
        Self(Mutex::new(progress))
    }

    fn advance(&self) {
        self.progress(|progress| {
            progress.advance(0);
            progress.show(progress.done());
        });
    }

    fn finish(self) {
        self.progress(Progress::finish);
    }

    fn progress(&self, act: impl FnOnce(&mut Progress)) {
        // Counting has no invariant that a panic elsewhere could break.
        act(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner));
    }
}
