//! The evaluation transform of a model: from its card, from timm, or ImageNet's usual one.

use anyhow::ensure;
use shared::result::{ChannelOrder, Interpolation, Preprocessing, PreprocessingSource, Resize};

use super::card::CardPreprocessing;
use super::timm::TimmConfig;

/// Mean of ImageNet's training pixels, red first.
pub const IMAGENET_MEAN: [f32; 3] = [0.485, 0.456, 0.406];
/// Deviation of ImageNet's training pixels, red first.
pub const IMAGENET_STD: [f32; 3] = [0.229, 0.224, 0.225];
/// Input side assumed when neither the graph nor anything beside it states one.
const USUAL_SIDE: u32 = 224;

/// Height and width of the graph's input; `None` where the graph leaves it open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct InputSides {
    pub(super) height: Option<u32>,
    pub(super) width: Option<u32>,
}

impl InputSides {
    fn or(self, side: u32) -> (u32, u32) {
        // A graph that fixes one side only is taken to be square.
        let width = self.width.or(self.height).unwrap_or(side);
        (width, self.height.unwrap_or(width))
    }

    fn check(self, crop: (u32, u32), origin: &str) -> anyhow::Result<()> {
        let fits = |fixed: Option<u32>, side| fixed.is_none_or(|fixed| fixed == side);
        let (width, height) = self.or(USUAL_SIDE);
        ensure!(
            fits(self.width, crop.0) && fits(self.height, crop.1),
            "{origin} crops to {}x{}, but the graph takes images of {width}x{height}: correct the \
             crop or export the model for that size",
            crop.0,
            crop.1,
        );
        Ok(())
    }
}

/// Chooses the transform: card before timm before defaults.
pub(super) fn resolve(
    card: Option<&CardPreprocessing>,
    timm: Option<&TimmConfig>,
    sides: InputSides,
) -> anyhow::Result<Preprocessing> {
    match (card, timm) {
        (Some(card), _) => from_card(card, sides),
        (None, Some(timm)) => from_timm(timm, sides),
        (None, None) => Ok(with_defaults(
            &CardPreprocessing::default(),
            sides,
            PreprocessingSource::Defaults,
        )),
    }
}

fn from_card(card: &CardPreprocessing, sides: InputSides) -> anyhow::Result<Preprocessing> {
    if let Some(crop) = card.crop {
        sides.check(crop, "the model card")?;
    }
    Ok(with_defaults(card, sides, PreprocessingSource::Card))
}

fn from_timm(timm: &TimmConfig, sides: InputSides) -> anyhow::Result<Preprocessing> {
    sides.check(timm.crop, "the timm configuration")?;
    Ok(Preprocessing {
        resize: timm.resize,
        crop: timm.crop,
        interpolation: timm.interpolation,
        mean: timm.mean,
        std: timm.std,
        channels: ChannelOrder::Rgb,
        source: PreprocessingSource::Timm,
    })
}

/// Fills what a card leaves open: the graph's size as crop, 8/7 of it as resize, ImageNet colours.
fn with_defaults(
    card: &CardPreprocessing,
    sides: InputSides,
    source: PreprocessingSource,
) -> Preprocessing {
    let crop = card.crop.unwrap_or_else(|| sides.or(USUAL_SIDE));
    let usual = (f64::from(crop.0.max(crop.1)) / 0.875).round() as u32;
    let channels = card.channels.unwrap_or(ChannelOrder::Rgb);
    let in_order = |mut rgb: [f32; 3]| {
        if channels == ChannelOrder::Bgr {
            rgb.reverse();
        }
        rgb
    };
    Preprocessing {
        resize: card.resize.unwrap_or(Resize::ShorterSide(usual)),
        crop,
        interpolation: card.interpolation.unwrap_or(Interpolation::Bilinear),
        mean: card.mean.unwrap_or_else(|| in_order(IMAGENET_MEAN)),
        std: card.std.unwrap_or_else(|| in_order(IMAGENET_STD)),
        channels,
        source,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OPEN: InputSides = InputSides {
        height: None,
        width: None,
    };

    fn fixed(width: u32, height: u32) -> InputSides {
        InputSides {
            height: Some(height),
            width: Some(width),
        }
    }

    #[test]
    fn defaults_follow_the_graph() {
        let usual = resolve(None, None, OPEN).unwrap();
        assert_eq!(
            (usual.resize, usual.crop),
            (Resize::ShorterSide(256), (224, 224))
        );
        assert_eq!(usual.source, PreprocessingSource::Defaults);
        let large = resolve(None, None, fixed(299, 299)).unwrap();
        assert_eq!(
            (large.resize, large.crop),
            (Resize::ShorterSide(342), (299, 299))
        );
        let wide = resolve(None, None, fixed(64, 32)).unwrap();
        assert_eq!(
            (wide.resize, wide.crop),
            (Resize::ShorterSide(73), (64, 32))
        );
    }

    #[test]
    fn card_completes_and_must_fit() {
        let card = CardPreprocessing {
            crop: Some((32, 32)),
            channels: Some(ChannelOrder::Bgr),
            ..Default::default()
        };
        let used = resolve(Some(&card), None, OPEN).unwrap();
        assert_eq!(
            (used.resize, used.crop),
            (Resize::ShorterSide(37), (32, 32))
        );
        assert_eq!(
            used.mean,
            [0.406, 0.456, 0.485],
            "the model's channel order"
        );
        let error = resolve(Some(&card), None, fixed(64, 64)).unwrap_err();
        insta::assert_snapshot!(error, @"the model card crops to 32x32, but the graph takes images of 64x64: correct the crop or export the model for that size");
    }
}
