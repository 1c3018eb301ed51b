//! The files of the dataset: pictures, their corrupted copies, and `data.toml`.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context, ensure};
use image::RgbImage;
use rayon::prelude::*;
use shared::outcome::{Corruption, Severity};

use super::class::Class;
use super::picture::{Picture, pictures};
use super::rng::Rng;
use crate::dataset::config::{self, Config, GroupConfig, LabelsConfig};
use crate::perturb::corruption::{self, Frost};

/// Name of the label set, as in `data.toml` and in the cards of the bundled models.
pub const LABEL_SET: &str = "edge-demo";

/// How much to render.
#[derive(Clone, Debug)]
pub struct DemoOptions {
    /// Changes every picture.
    pub seed: u64,
    /// Clean validation images per class; each also appears in all 75 corruption folders.
    pub clean: usize,
    /// Images per class of each out-of-distribution set.
    pub shifted: usize,
    /// Cue-conflict images per ordered pair of different classes.
    pub conflict: usize,
    /// Images per class of each background-challenge set.
    pub mixed: usize,
    /// Whether to write the corruption folders.
    pub corruptions: bool,
    /// Images per class of the folders `train` and `train-randomised`, which only training reads.
    pub train: Option<usize>,
}

impl Default for DemoOptions {
    fn default() -> Self {
        Self {
            seed: 0,
            clean: 16,
            shifted: 10,
            conflict: 1,
            mixed: 12,
            corruptions: true,
            train: None,
        }
    }
}

/// Renders the dataset into `dir`, on all threads of the current pool, and reports after every
/// file how many of how many are done. `data.toml` is written last: where it lies, the dataset is
/// complete.
///
/// # Errors
/// When `dir` exists and is not empty, or a file cannot be written.
pub fn write(
    dir: &Path,
    options: &DemoOptions,
    progress: &(dyn Fn(usize, usize) + Sync),
) -> anyhow::Result<()> {
    let occupied = fs::read_dir(dir).is_ok_and(|mut entries| entries.next().is_some());
    ensure!(
        !occupied,
        "expected an empty or new folder, found files in {}",
        dir.display()
    );
    let pictures = pictures(options);
    let total = pictures.iter().map(|picture| picture.files(options)).sum();
    let done = AtomicUsize::new(0);
    let save = |image: &RgbImage, path: &Path| {
        save(image, &dir.join(path))?;
        progress(done.fetch_add(1, Ordering::Relaxed) + 1, total);
        anyhow::Ok(())
    };
    pictures.par_iter().try_for_each(|picture| {
        let image = picture.render(options.seed);
        save(&image, &picture.path())?;
        if picture.files(options) == 1 {
            return Ok(());
        }
        corrupted(&image, picture, options.seed).try_for_each(|(path, image)| save(&image, &path))
    })?;
    let path = dir.join(config::FILE_NAME);
    fs::write(&path, description()?).with_context(|| format!("cannot write {}", path.display()))
}

/// The corrupted copies of a clean picture, with their paths below the root.
fn corrupted(
    image: &RgbImage,
    picture: &Picture,
    seed: u64,
) -> impl Iterator<Item = (PathBuf, RgbImage)> {
    let cells = Corruption::SCORED
        .into_iter()
        .flat_map(|c| Severity::ALL.map(|s| (c, s)));
    cells.map(move |(corruption, severity)| {
        let number = picture.number.to_string();
        let level = severity.get().to_string();
        let words = [corruption.name(), &level, picture.class.name(), &number];
        let mut rng = Rng::named(seed, &words).into_source();
        let folder = Path::new("imagenet-c").join(corruption.name()).join(&level);
        let path = folder.join(picture.class.name()).join(picture.file_name());
        (
            path,
            corruption::apply(image, corruption, severity, &Frost::synthetic(), &mut rng),
        )
    })
}

fn save(image: &RgbImage, path: &Path) -> anyhow::Result<()> {
    let folder = path.parent().context("a picture lies in a folder")?;
    fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    image
        .save(path)
        .with_context(|| format!("cannot write {}", path.display()))
}

/// `data.toml`: the label set, with every class a group of its own.
fn description() -> anyhow::Result<String> {
    let names = |classes: &[Class]| classes.iter().map(Class::to_string).collect::<Vec<_>>();
    let groups: Vec<GroupConfig> = names(&Class::ALL)
        .into_iter()
        .map(|name| GroupConfig {
            classes: vec![name.clone()],
            name,
        })
        .collect();
    let labels = LabelsConfig {
        name: LABEL_SET.to_owned(),
        classes: names(&Class::ALL),
        rendition_classes: Some(names(Class::RENDITIONS)),
        shape_groups: groups.clone(),
        foreground_groups: groups,
        ..LabelsConfig::default()
    };
    let config = Config {
        name: Some("demo".to_owned()),
        labels: Some(labels),
        ..Config::default()
    };
    Ok(toml::to_string(&config)?)
}
