//! The model card: a TOML file beside the ONNX file, with the same stem.
//!
//! ```toml
//! name = "EfficientNet-Lite0"
//! label_set = "imagenet-1k"
//! parameters = 4652008
//! output = "logits"               # or "probabilities"; detected when not stated
//! output_name = "logits"          # only for graphs with several outputs
//! background_class = false        # true: the first output is no class of the label set
//! double_softmax = false          # the published numbers applied softmax to probabilities
//!
//! [preprocessing]
//! resize = 256                    # shorter side; or [width, height]; or "none"
//! crop = 224                      # or [width, height]
//! interpolation = "bilinear"      # bilinear, bicubic, nearest, lanczos
//! mean = [0.485, 0.456, 0.406]
//! std = [0.229, 0.224, 0.225]
//! channels = "rgb"                # or "bgr"
//! layout = "nchw"                 # or "nhwc"; read from the graph when not stated
//!
//! [grouping]
//! architecture = "cnn"
//! pretraining_data = "in1k"
//! training = "sl"
//! paper = "EfficientNet, 2019"
//! ```
//!
//! Every field is optional. A field that is left out of `[preprocessing]` has its ImageNet value
//! (as above; the crop is the graph's input size, the resize is `round(crop / 0.875)`).

mod fields;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};
use shared::result::{ChannelOrder, Grouping, Interpolation, OutputKind, Resize};

pub(crate) use fields::INTERPOLATIONS;
pub use fields::Layout;

/// Largest accepted side of a resize or crop, in pixels.
pub const MAX_SIDE: u32 = 4096;

/// A parsed and validated model card.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Card {
    /// Display name; the file stem when absent.
    pub name: Option<String>,
    /// Name of the label set that the outputs follow.
    pub label_set: Option<String>,
    /// Number of trained parameters, at least 1; counted from the file when absent.
    pub parameters: Option<u64>,
    /// What the outputs are; detected when absent. Never [`OutputKind::DoubleSoftmax`].
    #[serde(deserialize_with = "fields::output_kind")]
    pub output: Option<OutputKind>,
    /// Which graph output holds the class scores.
    pub output_name: Option<String>,
    /// Whether the first output is a background class; found by counting when absent.
    pub background_class: Option<bool>,
    /// Whether the published protocol applies softmax to this model's probabilities (quirk S1).
    pub double_softmax: bool,
    /// How images become tensors.
    pub preprocessing: Option<CardPreprocessing>,
    /// Groups to filter and colour by.
    pub grouping: CardGrouping,
}

/// The `[preprocessing]` table of a card.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct CardPreprocessing {
    /// First step.
    #[serde(deserialize_with = "fields::resize")]
    pub resize: Option<Resize>,
    /// Centre crop, `(width, height)`, each 1 to [`MAX_SIDE`].
    #[serde(deserialize_with = "fields::crop")]
    pub crop: Option<(u32, u32)>,
    /// Filter of the resize.
    #[serde(deserialize_with = "fields::interpolation")]
    pub interpolation: Option<Interpolation>,
    /// Per-channel mean of the [0,1] image, in the model's channel order; finite.
    pub mean: Option<[f32; 3]>,
    /// Per-channel deviation of the [0,1] image, in the model's channel order; finite, above 0.
    pub std: Option<[f32; 3]>,
    /// Order of the colour channels.
    #[serde(deserialize_with = "fields::channels")]
    pub channels: Option<ChannelOrder>,
    /// Order of the axes of the graph's input.
    #[serde(deserialize_with = "fields::layout")]
    pub layout: Option<Layout>,
}

/// The `[grouping]` table of a card.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct CardGrouping {
    /// Architecture family.
    pub architecture: String,
    /// Pre-training data.
    pub pretraining_data: String,
    /// Training regime.
    pub training: String,
    /// Paper or report title.
    pub paper: String,
}

impl From<CardGrouping> for Grouping {
    fn from(card: CardGrouping) -> Self {
        Self {
            architecture: card.architecture,
            pretraining_data: card.pretraining_data,
            training: card.training,
            paper: card.paper,
        }
    }
}

/// Why a card cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CardError {
    /// Not TOML, an unknown field, or a value of the wrong type.
    #[error("line {line}, `{text}`: {message}")]
    Syntax {
        /// Line, counted from 1.
        line: usize,
        /// The beginning of that line, which names the field.
        text: String,
        /// What is wrong, in words.
        message: String,
    },
    /// A value outside its range.
    #[error("field '{field}' is {found}, expected {expected}")]
    Range {
        /// Field, with its table.
        field: &'static str,
        /// The value found.
        found: String,
        /// What would be accepted.
        expected: &'static str,
    },
}

impl Card {
    /// Parses and validates a card. Never panics, whatever the text.
    ///
    /// # Errors
    /// [`CardError::Syntax`] for text that is not a card, [`CardError::Range`] for impossible
    /// values.
    pub fn parse(text: &str) -> Result<Self, CardError> {
        let card: Self = toml::from_str(text).map_err(|error| syntax(text, &error))?;
        card.validate()?;
        Ok(card)
    }

    fn validate(&self) -> Result<(), CardError> {
        if self.parameters == Some(0) {
            return Err(range("parameters", 0, "at least 1"));
        }
        self.preprocessing
            .as_ref()
            .map_or(Ok(()), CardPreprocessing::validate)
    }
}

impl CardPreprocessing {
    fn validate(&self) -> Result<(), CardError> {
        let sides = match self.resize {
            Some(Resize::ShorterSide(side)) => [side, side],
            Some(Resize::Exact(width, height)) => [width, height],
            Some(Resize::None) | None => [1, 1],
        };
        check_sides("preprocessing.resize", sides)?;
        let (width, height) = self.crop.unwrap_or((1, 1));
        check_sides("preprocessing.crop", [width, height])?;
        if let Some(mean) = self.mean.filter(|mean| !mean.iter().all(|v| v.is_finite())) {
            return Err(range(
                "preprocessing.mean",
                format!("{mean:?}"),
                "finite numbers",
            ));
        }
        let good_std = |std: &[f32; 3]| std.iter().all(|v| v.is_finite() && *v > 0.0);
        if let Some(std) = self.std.filter(|std| !good_std(std)) {
            return Err(range(
                "preprocessing.std",
                format!("{std:?}"),
                "numbers above 0",
            ));
        }
        Ok(())
    }
}

fn syntax(text: &str, error: &toml::de::Error) -> CardError {
    let offset = error.span().map_or(0, |span| span.start);
    let before = text.as_bytes().iter().take(offset);
    let line = before.filter(|&&byte| byte == b'\n').count();
    let source = text.split('\n').nth(line).unwrap_or_default().trim();
    CardError::Syntax {
        line: line + 1,
        text: source.chars().take(60).collect(),
        message: error.message().replace('\n', ", "),
    }
}

fn check_sides(field: &'static str, sides: [u32; 2]) -> Result<(), CardError> {
    match sides
        .into_iter()
        .find(|side| !(1..=MAX_SIDE).contains(side))
    {
        Some(side) => Err(range(field, side, "1 to 4096 pixels")),
        None => Ok(()),
    }
}

fn range(field: &'static str, found: impl ToString, expected: &'static str) -> CardError {
    CardError::Range {
        field,
        found: found.to_string(),
        expected,
    }
}
