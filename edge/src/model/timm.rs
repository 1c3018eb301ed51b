//! timm's `config.json` (as published beside weights), read in place of a card.

use serde::Deserialize;
use shared::result::{Interpolation, Resize};

use super::card::{INTERPOLATIONS, MAX_SIDE};

/// What a timm configuration says of a model.
#[derive(Clone, Debug, PartialEq)]
pub struct TimmConfig {
    /// Architecture name, for instance `resnet50`.
    pub architecture: Option<String>,
    /// First step of the evaluation transform.
    pub resize: Resize,
    /// Centre crop, `(width, height)`.
    pub crop: (u32, u32),
    /// Filter of the resize.
    pub interpolation: Interpolation,
    /// Per-channel mean.
    pub mean: [f32; 3],
    /// Per-channel deviation.
    pub std: [f32; 3],
}

#[derive(Deserialize)]
struct Outer {
    architecture: Option<String>,
    pretrained_cfg: Option<Inner>,
}

#[derive(Deserialize)]
struct Inner {
    architecture: Option<String>,
    input_size: Option<[u32; 3]>,
    crop_pct: Option<f64>,
    crop_mode: Option<String>,
    interpolation: Option<String>,
    mean: Option<[f32; 3]>,
    std: Option<[f32; 3]>,
}

impl TimmConfig {
    /// Parses a configuration with a `pretrained_cfg` or a bare one; `Ok(None)` for JSON that is
    /// neither (other tools write a `config.json` too).
    ///
    /// # Errors
    /// A message when the text is not JSON, a field has the wrong form, or the transform is one
    /// that a resize and a centre crop cannot express.
    pub fn parse(text: &str) -> Result<Option<Self>, String> {
        let value: serde_json::Value =
            serde_json::from_str(text).map_err(|error| format!("not JSON: {error}"))?;
        let is_bare = value.get("input_size").is_some();
        if value.get("pretrained_cfg").is_none() && !is_bare {
            return Ok(None);
        }
        let outer: Outer =
            serde_json::from_value(value.clone()).map_err(|error| error.to_string())?;
        let inner = match outer.pretrained_cfg {
            Some(inner) => inner,
            None => serde_json::from_value(value).map_err(|error| error.to_string())?,
        };
        transform(inner, outer.architecture).map(Some)
    }
}

fn transform(inner: Inner, architecture: Option<String>) -> Result<TimmConfig, String> {
    let [channels, height, width] = inner.input_size.unwrap_or([3, 224, 224]);
    if channels != 3 {
        return Err(format!("input_size has {channels} channels, expected 3"));
    }
    if ![height, width]
        .iter()
        .all(|side| (1..=MAX_SIDE).contains(side))
    {
        return Err(format!(
            "input_size is {width}x{height}, expected sides of 1 to {MAX_SIDE}"
        ));
    }
    let crop_pct = inner.crop_pct.unwrap_or(0.875);
    let mode = inner.crop_mode.as_deref().unwrap_or("center");
    let std = inner.std.unwrap_or(super::preprocessing::IMAGENET_STD);
    let mean = inner.mean.unwrap_or(super::preprocessing::IMAGENET_MEAN);
    if !std.iter().all(|v| v.is_finite() && *v > 0.0) || !mean.iter().all(|v| v.is_finite()) {
        return Err(format!(
            "mean {mean:?} or std {std:?} is not usable, expected std above 0"
        ));
    }
    let word = match inner.interpolation.as_deref() {
        // timm's "random" picks a filter in training and means bilinear in evaluation.
        None | Some("random") => "bilinear",
        Some(word) => word,
    };
    Ok(TimmConfig {
        architecture: architecture.or(inner.architecture),
        resize: resize(mode, crop_pct, width, height)?,
        crop: (width, height),
        interpolation: INTERPOLATIONS
            .into_iter()
            .find_map(|(name, filter)| (name == word).then_some(filter))
            .ok_or_else(|| format!("unknown interpolation '{word}'"))?,
        mean,
        std,
    })
}

/// The resize of timm's evaluation transform: `floor(side / crop_pct)`.
fn resize(mode: &str, crop_pct: f64, width: u32, height: u32) -> Result<Resize, String> {
    let scaled = |side: u32| -> Result<u32, String> {
        let scaled = (f64::from(side) / crop_pct).floor();
        if (1.0..=f64::from(4 * MAX_SIDE)).contains(&scaled) {
            Ok(scaled as u32)
        } else {
            Err(format!(
                "crop_pct {crop_pct} gives a resize of {scaled} pixels"
            ))
        }
    };
    match mode {
        "center" if width == height => Ok(Resize::ShorterSide(scaled(width)?)),
        "center" => Err(format!(
            "crop_mode 'center' with a {width}x{height} input depends on each image's proportion; \
             state a resize in a model card"
        )),
        "squash" => Ok(Resize::Exact(scaled(width)?, scaled(height)?)),
        _ => Err(format!(
            "crop_mode '{mode}' is not supported, expected center or squash; state the resize in \
             a model card"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // Expected sizes: timm 1.0 `create_transform(**resolve_data_config(cfg))`, written by hand.
    #[test]
    fn center_mode_floors() {
        let text = r#"{"architecture": "resnet50", "num_classes": 1000, "pretrained_cfg": {
            "input_size": [3, 288, 288], "crop_pct": 0.95, "interpolation": "bicubic",
            "mean": [0.5, 0.5, 0.5], "std": [0.5, 0.25, 0.5], "tag": "a1_in1k"}}"#;
        let config = TimmConfig::parse(text).unwrap().unwrap();
        assert_eq!(config.resize, Resize::ShorterSide(303));
        assert_eq!(config.crop, (288, 288));
        assert_eq!(config.interpolation, Interpolation::Bicubic);
        assert_eq!(config.std, [0.5, 0.25, 0.5]);
        assert_eq!(config.architecture.as_deref(), Some("resnet50"));
    }

    #[test]
    fn bare_squash() {
        let text = r#"{"input_size": [3, 224, 336], "crop_pct": 0.9, "crop_mode": "squash"}"#;
        let config = TimmConfig::parse(text).unwrap().unwrap();
        assert_eq!(config.resize, Resize::Exact(373, 248));
        assert_eq!(config.crop, (336, 224));
        assert_eq!(config.interpolation, Interpolation::Bilinear);
    }

    #[test]
    fn foreign_json_is_not_ours() {
        assert_eq!(TimmConfig::parse(r#"{"model_type": "vit"}"#), Ok(None));
    }

    #[test]
    fn messages() {
        let message = |text| TimmConfig::parse(text).unwrap_err();
        insta::assert_snapshot!(message("{"), @"not JSON: EOF while parsing an object at line 1 column 1");
        insta::assert_snapshot!(message(r#"{"input_size": [1, 28, 28]}"#), @"input_size has 1 channels, expected 3");
        insta::assert_snapshot!(message(r#"{"input_size": [3, 28, 28], "crop_mode": "border"}"#), @"crop_mode 'border' is not supported, expected center or squash; state the resize in a model card");
        insta::assert_snapshot!(message(r#"{"input_size": [3, 28, 28], "crop_pct": 0}"#), @"crop_pct 0 gives a resize of inf pixels");
        insta::assert_snapshot!(message(r#"{"input_size": [3, 28, 28], "interpolation": "box"}"#), @"unknown interpolation 'box'");
    }
}
