//! `edge show`: everything a result file holds.

mod json;
mod text;

use anyhow::Result;
use shared::metrics::measure;
use shared::result::Warning;

use super::args::ShowArguments;
use super::{Exit, words};

pub(super) use json::report as json_report;

pub(super) fn run(arguments: &ShowArguments) -> Result<Exit> {
    let evaluation = shared::result::read(&arguments.file)?;
    let measured = measure(&evaluation);
    let text = if arguments.json {
        serde_json::to_string_pretty(&json_report(&evaluation, &measured))? + "\n"
    } else {
        text::report(&evaluation, &measured)
    };
    words::print(&text)?;
    Ok(Exit::SUCCESS)
}

/// A warning in words: what it means for the numbers, and what to do.
pub(super) fn warning(warning: &Warning) -> String {
    use words::{count, plural};
    match warning {
        Warning::DefaultPreprocessing => "no model card and no timm configuration beside the \
            model: ImageNet preprocessing was assumed; write a card to be sure"
            .to_owned(),
        Warning::SkippedImages { pass, count } => format!(
            "{pass}: {} could not be read and are left out; `edge show` names them",
            plural((*count).into(), "image")
        ),
        Warning::Sampled { pass, images, population } => format!(
            "{pass}: a sample of {} of {}",
            count((*images).into()),
            plural((*population).into(), "image")
        ),
        Warning::NearChance => "accuracy is near chance: check class order, label set and \
            preprocessing"
            .to_owned(),
        Warning::EmptyClasses { count } => format!(
            "{} without an image: class balance is over the others",
            plural((*count).into(), "class").replace("classs", "classes")
        ),
        Warning::ParametersFromInitializers => "parameters were counted in the ONNX file, where \
            folded normalisation hides some; a card can state the number"
            .to_owned(),
        Warning::NonFiniteOutputs { pass, count } => format!(
            "{pass}: outputs of {} are not finite and count as wrong",
            plural((*count).into(), "image")
        ),
        Warning::AceLostByMerge => "the adaptive calibration error cannot be computed from \
            joined parts; evaluate the clean set in one run to measure calibration"
            .to_owned(),
    }
}
