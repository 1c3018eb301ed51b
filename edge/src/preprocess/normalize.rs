//! 8-bit pixels to a normalised tensor.

use image::RgbImage;
use shared::result::{ChannelOrder, Preprocessing};

use super::PreprocessError;

/// torchvision's `ToTensor` and `Normalize`, tabulated per channel and level.
///
/// An 8-bit pixel has 256 levels, so a table gives exactly the values of the f32 operations
/// `v / 255`, `- mean`, `/ std` in that order.
#[derive(Clone, Debug)]
pub struct Normalizer {
    /// Per tensor channel: source channel of the RGB pixel, and the value of each level.
    channels: [(usize, Box<[f32; 256]>); 3],
}

impl Normalizer {
    pub(super) fn new(preprocessing: &Preprocessing) -> Result<Self, PreprocessError> {
        let Preprocessing { mean, std, .. } = preprocessing;
        for channel in 0..3 {
            if !mean[channel].is_finite() {
                let (what, value, expected) = ("mean", mean[channel], "a finite number");
                return Err(PreprocessError::Normalization {
                    what,
                    channel,
                    value,
                    expected,
                });
            }
            if !(std[channel].is_finite() && std[channel] > 0.0) {
                let (what, value, expected) = ("std", std[channel], "a positive number");
                return Err(PreprocessError::Normalization {
                    what,
                    channel,
                    value,
                    expected,
                });
            }
        }
        let source = match preprocessing.channels {
            ChannelOrder::Rgb => [0, 1, 2],
            ChannelOrder::Bgr => [2, 1, 0],
        };
        let channels = std::array::from_fn(|c| (source[c], table(mean[c], std[c])));
        Ok(Self { channels })
    }

    /// Replaces `out` with the CHW pixels of `image` from 0 to 1, 3 × height × width, in the order
    /// of the tensor's channels.
    pub fn pixels(&self, image: &RgbImage, out: &mut Vec<f32>) {
        out.clear();
        for (source, _) in &self.channels {
            let pixels = image.as_raw().chunks_exact(3);
            out.extend(pixels.map(|pixel| f32::from(pixel[*source]) / 255.0));
        }
    }

    /// Replaces `out` with the CHW tensor of `image`, 3 × height × width.
    pub fn tensor(&self, image: &RgbImage, out: &mut Vec<f32>) {
        out.clear();
        for (source, table) in &self.channels {
            out.extend(
                image
                    .as_raw()
                    .chunks_exact(3)
                    .map(|pixel| table[usize::from(pixel[*source])]),
            );
        }
    }
}

fn table(mean: f32, std: f32) -> Box<[f32; 256]> {
    Box::new(std::array::from_fn(|level| {
        (level as f32 / 255.0 - mean) / std
    }))
}
