//! Facts of a model as aligned lines, for `edge inspect` and `edge show`.

use std::fmt::{Display, Write as _};

use shared::result::{
    ChannelOrder, Grouping, Interpolation, OutputKind, ParameterSource, Preprocessing, Resize,
};

/// Width of the column of names.
const NAMES: usize = 15;

/// One fact.
pub(super) fn line(text: &mut String, name: &str, value: impl Display) {
    // Writing to a string cannot fail.
    let _ = writeln!(text, "{name:<NAMES$} {value}");
}

/// What the outputs are.
pub(super) fn output_kind(kind: OutputKind) -> &'static str {
    match kind {
        OutputKind::Logits => "logits",
        OutputKind::Probabilities => "probabilities",
        OutputKind::DoubleSoftmax => "probabilities, softmax applied again",
    }
}

/// Where a parameter count comes from.
pub(super) fn parameter_source(source: ParameterSource) -> &'static str {
    match source {
        ParameterSource::Card => "from the card",
        ParameterSource::Initializers => "counted in the file",
    }
}

/// What the card says of groups, where it does.
pub(super) fn grouping(text: &mut String, grouping: &Grouping) {
    for (name, value) in [
        ("architecture", &grouping.architecture),
        ("pre-training", &grouping.pretraining_data),
        ("training", &grouping.training),
        ("paper", &grouping.paper),
    ] {
        if !value.is_empty() {
            line(text, name, value);
        }
    }
}

/// How images become tensors.
pub(super) fn preprocessing(text: &mut String, steps: &Preprocessing) {
    let filter = match steps.interpolation {
        Interpolation::Nearest => "nearest",
        Interpolation::Bilinear => "bilinear",
        Interpolation::Bicubic => "bicubic",
        Interpolation::Lanczos => "Lanczos",
    };
    match steps.resize {
        Resize::None => line(text, "resize", "none"),
        Resize::ShorterSide(side) => line(text, "resize", format!("shorter side {side}, {filter}")),
        Resize::Exact(width, height) => line(text, "resize", format!("{width}x{height}, {filter}")),
    }
    let (width, height) = steps.crop;
    line(text, "centre crop", format!("{width}x{height}"));
    let channels = match steps.channels {
        ChannelOrder::Rgb => "RGB",
        ChannelOrder::Bgr => "BGR",
    };
    line(text, "channels", channels);
    line(text, "mean", format!("{:?}", steps.mean));
    line(text, "std", format!("{:?}", steps.std));
}
