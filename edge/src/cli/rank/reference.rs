//! Which means and deviations scores are computed with.

use std::path::PathBuf;

use anyhow::{Context, Result};
use shared::dimension::Values;
use shared::metrics::{measure, values};
use shared::quba::Reference;

use super::Entry;
use crate::cli::{inputs, words};

/// Fewest models that a reference is fitted on unasked: two always stand one deviation apart.
const FEWEST: usize = 3;

/// The reference asked for, and how many of its files could not be read.
pub(super) fn choose(asked: &[PathBuf], entries: &[Entry]) -> Result<(Reference, u32)> {
    match asked {
        [] => Ok((default_for(entries), 0)),
        [word] if word.as_os_str() == "published" => Ok((Reference::published(), 0)),
        files => {
            let inputs = inputs::read_all(files).context("bad --reference")?;
            let of = |(_, e): &(PathBuf, _)| values(&measure(e));
            let measured: Vec<Values> = inputs.evaluations.iter().map(of).collect();
            let count = words::plural(measured.len() as u64, "result file");
            let reference = Reference::fit(format!("fitted on {count}"), &measured)
                .context("cannot fit the reference")?;
            Ok((reference, inputs.failed))
        }
    }
}

/// The study's reference for models measured on its label set. On other data its means say little
/// (calibration error depends on the number of classes), so the models are their own reference.
pub(super) fn default_for(entries: &[Entry]) -> Reference {
    if entries.iter().all(|e| e.is_imagenet) || entries.len() < FEWEST {
        return Reference::published();
    }
    let measured: Vec<Values> = entries.iter().map(|e| e.values).collect();
    let name = format!(
        "these {} models, as the data is not ImageNet-1k",
        entries.len()
    );
    Reference::fit(name, &measured).unwrap_or_else(|_| Reference::published())
}
