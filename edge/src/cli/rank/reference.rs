//! Which means and deviations scores are computed with.

use std::path::PathBuf;

use anyhow::{Context, Result};
use shared::comparison::{Entry, default_reference};
use shared::dimension::Values;
use shared::metrics::{measure, values};
use shared::quba::Reference;

use crate::cli::{inputs, words};

/// The reference asked for, and how many of its files could not be read.
pub(in crate::cli) fn choose(asked: &[PathBuf], entries: &[Entry]) -> Result<(Reference, u32)> {
    match asked {
        [] => Ok((default_reference(entries), 0)),
        [word] if word.as_os_str() == "published" => Ok((Reference::published(), 0)),
        files => {
            let inputs = inputs::read_all(files).context("bad --reference")?;
            let evaluated = inputs
                .evaluations
                .iter()
                .filter(|(_, e)| !e.is_costs_only());
            let measured: Vec<Values> = evaluated.map(|(_, e)| values(&measure(e))).collect();
            let count = words::plural(measured.len() as u64, "result file");
            let reference = Reference::fit(format!("fitted on {count}"), &measured)
                .context("cannot fit the reference")?;
            Ok((reference, inputs.failed))
        }
    }
}
