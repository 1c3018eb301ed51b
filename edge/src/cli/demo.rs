//! `edge demo`: the main job on embedded defaults.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use indicatif::ProgressBar;

use super::args::DemoArguments;
use super::{Exit, eval};
use crate::dataset::Dataset;
use crate::demo::{self, DemoOptions};

/// Says which tool and options a rendered data set comes from.
const STAMP: &str = ".rendered-by";

pub(super) fn run(arguments: &DemoArguments) -> Result<Exit> {
    if let Some(folder) = &arguments.write {
        let train = arguments.train.map(|n| n.get() as usize);
        render(
            folder,
            &DemoOptions {
                train,
                ..DemoOptions::default()
            },
        )?;
        demo::write_models(&folder.join("models"))?;
        eprintln!("data set and models: {}", folder.display());
        return Ok(Exit::SUCCESS);
    }
    let choice = eval::settled(&arguments.run)?;
    let out = &arguments.run.out;
    let data = out.join("demo-data");
    render_once(&data)?;
    let models = demo::write_models(&out.join("demo-models"))?;
    eprintln!(
        "evaluating {} models on the built-in data set",
        models.len()
    );
    let dataset = Dataset::open(&data)?;
    let settings = eval::settings(&arguments.run)?;
    eval::evaluate_models(&models, &dataset, &arguments.run, settings, choice)
}

/// Renders the data set unless a complete copy of it is there already.
fn render_once(folder: &Path) -> Result<()> {
    let options = DemoOptions::default();
    let wanted = format!("edge {} {options:?}\n", env!("CARGO_PKG_VERSION"));
    if fs::read_to_string(folder.join(STAMP)).is_ok_and(|found| found == wanted) {
        return Ok(());
    }
    // Rendered aside and renamed, so that an interrupted rendering is never taken for a whole one.
    let aside = folder.with_extension("partial");
    for old in [folder, &aside] {
        if old.exists() {
            fs::remove_dir_all(old)
                .with_context(|| format!("cannot remove the old data set: {}", old.display()))?;
        }
    }
    render(&aside, &options)?;
    fs::write(aside.join(STAMP), wanted)
        .and_then(|()| fs::rename(&aside, folder))
        .with_context(|| format!("cannot write the data set: {}", folder.display()))
}

fn render(folder: &Path, options: &DemoOptions) -> Result<()> {
    eprintln!("rendering the built-in data set");
    let bar = ProgressBar::new(0);
    let shown = demo::write(folder, options, &|done, total| {
        bar.set_length(total as u64);
        bar.set_position(done as u64);
    });
    bar.finish_and_clear();
    shown
}
