//! How single card fields are written: words, and numbers that may be pairs.

use std::fmt;

use serde::de::{self, Deserializer, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};
use shared::result::{ChannelOrder, Interpolation, OutputKind, Resize};

/// Order of the axes of an image tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Layout {
    /// Batch, channels, height, width.
    Nchw,
    /// Batch, height, width, channels.
    Nhwc,
}

impl fmt::Display for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Nchw => "nchw",
            Self::Nhwc => "nhwc",
        })
    }
}

/// The words that `interpolation` accepts, in cards and timm configurations alike.
pub(crate) const INTERPOLATIONS: [(&str, Interpolation); 4] = [
    ("bilinear", Interpolation::Bilinear),
    ("bicubic", Interpolation::Bicubic),
    ("nearest", Interpolation::Nearest),
    ("lanczos", Interpolation::Lanczos),
];

pub(super) fn interpolation<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Interpolation>, D::Error> {
    word("interpolation", deserializer, &INTERPOLATIONS)
}

pub(super) fn channels<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<ChannelOrder>, D::Error> {
    let words = [("rgb", ChannelOrder::Rgb), ("bgr", ChannelOrder::Bgr)];
    word("channels", deserializer, &words)
}

pub(super) fn layout<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Layout>, D::Error> {
    word(
        "layout",
        deserializer,
        &[("nchw", Layout::Nchw), ("nhwc", Layout::Nhwc)],
    )
}

pub(super) fn output_kind<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<OutputKind>, D::Error> {
    let words = [
        ("logits", OutputKind::Logits),
        ("probabilities", OutputKind::Probabilities),
    ];
    word("output", deserializer, &words)
}

fn word<'de, D: Deserializer<'de>, T: Copy>(
    field: &str,
    deserializer: D,
    words: &[(&str, T)],
) -> Result<Option<T>, D::Error> {
    let found = String::deserialize(deserializer)?;
    match words.iter().find(|(word, _)| *word == found) {
        Some((_, value)) => Ok(Some(*value)),
        None => {
            let known: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
            let known = known.join(", ");
            Err(de::Error::custom(format!(
                "unknown {field} '{found}', expected one of {known}"
            )))
        }
    }
}

/// A size as written: one side, a pair, or the word for no resize.
enum Size {
    Side(u32),
    Pair(u32, u32),
    None,
}

pub(super) fn resize<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Resize>, D::Error> {
    Ok(Some(
        match deserializer.deserialize_any(SizeVisitor("resize"))? {
            Size::Side(0) | Size::None => Resize::None,
            Size::Side(side) => Resize::ShorterSide(side),
            Size::Pair(width, height) => Resize::Exact(width, height),
        },
    ))
}

pub(super) fn crop<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<(u32, u32)>, D::Error> {
    match deserializer.deserialize_any(SizeVisitor("crop"))? {
        Size::Side(side) => Ok(Some((side, side))),
        Size::Pair(width, height) => Ok(Some((width, height))),
        Size::None => Err(de::Error::custom("field 'crop' must be a size in pixels")),
    }
}

struct SizeVisitor(&'static str);

impl<'de> Visitor<'de> for SizeVisitor {
    type Value = Size;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "for field '{}' a side in pixels or [width, height]",
            self.0
        )?;
        if self.0 == "resize" {
            f.write_str(" or \"none\"")?;
        }
        Ok(())
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Size, E> {
        u32::try_from(value)
            .map(Size::Side)
            .map_err(|_out_of_range| E::invalid_value(de::Unexpected::Signed(value), &self))
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Size, E> {
        u32::try_from(value)
            .map(Size::Side)
            .map_err(|_out_of_range| E::invalid_value(de::Unexpected::Unsigned(value), &self))
    }

    fn visit_str<E: de::Error>(self, value: &str) -> Result<Size, E> {
        match value {
            "none" => Ok(Size::None),
            _ => Err(E::invalid_value(de::Unexpected::Str(value), &self)),
        }
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sides: A) -> Result<Size, A::Error> {
        let pair = (sides.next_element()?, sides.next_element()?);
        match (pair, sides.next_element::<u32>()?) {
            ((Some(width), Some(height)), None) => Ok(Size::Pair(width, height)),
            _ => Err(de::Error::custom(format!(
                "field '{}' must be one side or exactly [width, height]",
                self.0
            ))),
        }
    }
}
