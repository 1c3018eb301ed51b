//! `edge show`: everything a result file holds.

mod json;
mod text;

use anyhow::Result;
use shared::metrics::measure;
use shared::uncertainty::{Options, resample};

use super::args::ShowArguments;
use super::{Exit, words};

pub(super) use json::report as json_report;

pub(super) fn run(arguments: &ShowArguments) -> Result<Exit> {
    let evaluation = shared::result::read(&arguments.file)?;
    let measured = measure(&evaluation);
    let resampled = resample(&evaluation, Options::default());
    let text = if arguments.json {
        serde_json::to_string_pretty(&json_report(&evaluation, &measured, &resampled))? + "\n"
    } else {
        text::report(&evaluation, &measured, &resampled)
    };
    words::print(&text)?;
    Ok(Exit::SUCCESS)
}
