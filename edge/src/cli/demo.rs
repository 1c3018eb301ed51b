//! `edge demo`: the main job on embedded defaults.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::args::DemoArguments;
use super::{Exit, eval};
use crate::dataset::Dataset;
use crate::demo::{self, DemoOptions};

pub(super) fn run(arguments: &DemoArguments) -> Result<Exit> {
    if let Some(folder) = &arguments.write {
        let train = arguments.train.map(|n| n.get());
        render(folder, &DemoOptions { train, ..DemoOptions::default() })?;
        demo::write_models(&folder.join("models"))?;
        eprintln!("data set and models: {}", folder.display());
        return Ok(Exit::SUCCESS);
    }
    let out = &arguments.run.out;
    let data = out.join("demo-data");
    render_once(&data)?;
    let models = demo::write_models(&out.join("demo-models"))?;
    eprintln!("evaluating {} models on the built-in data set", models.len());
    eval::evaluate_models(&models, &Dataset::open(&data)?, &arguments.run)
}

/// Renders the data set unless a complete copy of it is there already.
fn render_once(folder: &Path) -> Result<()> {
    let options = DemoOptions::default();
    let stamp: PathBuf = folder.join(".complete");
    let wanted = format!("edge {} {options:?}\n", env!("CARGO_PKG_VERSION"));
    if std::fs::read_to_string(&stamp).is_ok_and(|found| found == wanted) {
        return Ok(());
    }
    render(folder, &options)?;
    std::fs::write(&stamp, wanted)
        .with_context(|| format!("cannot write the file: {}", stamp.display()))
}

fn render(folder: &Path, options: &DemoOptions) -> Result<()> {
    eprintln!("rendering the built-in data set: {}", folder.display());
    demo::write(folder, options)
}
