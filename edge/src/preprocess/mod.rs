//! From the bytes of an image file to a model's input tensor, as PIL and torchvision do it.
//!
//! [`decode`] equals `Image.open(f).convert("RGB")`; [`Preprocessor::crop_u8`] equals torchvision's
//! `Resize` and `CenterCrop` on that image, bit for bit; [`Preprocessor::tensor`] adds `ToTensor`
//! and `Normalize`. Models were trained and published with that pipeline, so another resampling
//! filter or rounding rule would be measured as a property of the model.

mod decode;
mod geometry;
mod jpeg;
mod normalize;
mod resample;

pub use decode::{DecodeError, MAX_PIXELS, decode};
pub use normalize::Normalizer;

use image::RgbImage;
use shared::result::{ChannelOrder, Interpolation, Preprocessing, PreprocessingSource, Resize};

use geometry::{Axis, resized_size};
use resample::{Filter, Resampler};

/// Longest side accepted for the resize target and the crop.
pub const MAX_SIDE: u32 = 16_384;

/// Preprocessing values that cannot be carried out.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum PreprocessError {
    /// A side of the crop or of the resize target is zero or absurdly long.
    #[error("preprocessing: {what} of {value} pixels, expected 1 to {MAX_SIDE}")]
    Side {
        /// Which side.
        what: &'static str,
        /// Its length in pixels.
        value: u32,
    },
    /// A mean is not finite, or a deviation is not finite and positive.
    #[error("preprocessing: {what} of channel {channel} is {value}, expected {expected}")]
    Normalization {
        /// `mean` or `std`.
        what: &'static str,
        /// Channel index in the model's order.
        channel: usize,
        /// The value found.
        value: f32,
        /// What would be accepted.
        expected: &'static str,
    },
}

/// One worker's resize, crop and normalisation, with buffers that it reuses from image to image.
///
/// Cheap to clone: give every thread its own.
#[derive(Clone, Debug)]
pub struct Preprocessor {
    resize: Resize,
    crop: (u32, u32),
    resampler: Resampler,
    normalizer: Normalizer,
    cropped: RgbImage,
}

impl Preprocessor {
    /// Checks the values and prepares the steps.
    ///
    /// # Errors
    /// When a side is 0 or longer than [`MAX_SIDE`], a mean is not finite, or a deviation is not
    /// finite and positive.
    pub fn new(preprocessing: &Preprocessing) -> Result<Self, PreprocessError> {
        check_sides(preprocessing)?;
        Ok(Self {
            resize: preprocessing.resize,
            crop: preprocessing.crop,
            resampler: Resampler::new(Filter::from(preprocessing.interpolation)),
            normalizer: Normalizer::new(preprocessing)?,
            cropped: RgbImage::new(preprocessing.crop.0, preprocessing.crop.1),
        })
    }

    /// Resize and crop alone, for [`Self::crop_u8`]: its tensors are not normalised.
    ///
    /// # Errors
    /// When a side is 0 or longer than [`MAX_SIDE`].
    pub fn for_pictures(
        resize: Resize,
        crop: (u32, u32),
        interpolation: Interpolation,
    ) -> Result<Self, PreprocessError> {
        Self::new(&Preprocessing {
            resize,
            crop,
            interpolation,
            mean: [0.0; 3],
            std: [1.0; 3],
            channels: ChannelOrder::Rgb,
            source: PreprocessingSource::Defaults,
        })
    }

    /// Floats of one tensor: 3 × height × width.
    pub fn tensor_len(&self) -> usize {
        3 * self.crop.0 as usize * self.crop.1 as usize
    }

    /// The normalisation alone, for pixels that something changed after the crop.
    pub fn normalizer(&self) -> &Normalizer {
        &self.normalizer
    }

    /// Resized and centre-cropped image in 8 bits, always of the crop's size.
    ///
    /// An image smaller than the crop is framed in black, as torchvision's `center_crop` does.
    pub fn crop_u8(&mut self, image: &RgbImage) -> RgbImage {
        let mut cropped = RgbImage::new(self.crop.0, self.crop.1);
        self.crop_into(image, &mut cropped);
        cropped
    }

    /// Replaces `out` with the normalised CHW tensor of `image`: the normalised [`Self::crop_u8`].
    pub fn tensor(&mut self, image: &RgbImage, out: &mut Vec<f32>) {
        self.fill(image, Normalizer::tensor, out);
    }

    /// Replaces `out` with the CHW pixels of `image` from 0 to 1, in the order of the tensor's
    /// channels: what [`Self::tensor`] normalises.
    pub fn pixels(&mut self, image: &RgbImage, out: &mut Vec<f32>) {
        self.fill(image, Normalizer::pixels, out);
    }

    fn fill(
        &mut self,
        image: &RgbImage,
        values: fn(&Normalizer, &RgbImage, &mut Vec<f32>),
        out: &mut Vec<f32>,
    ) {
        let mut cropped = std::mem::take(&mut self.cropped);
        self.crop_into(image, &mut cropped);
        values(&self.normalizer, &cropped, out);
        self.cropped = cropped;
    }

    fn crop_into(&mut self, image: &RgbImage, cropped: &mut RgbImage) {
        let (width, height) = resized_size(self.resize, image.dimensions());
        let x = Axis::new(image.width(), width, self.crop.0);
        let y = Axis::new(image.height(), height, self.crop.1);
        self.resampler.run(image, x, y, cropped);
    }
}

fn check_sides(preprocessing: &Preprocessing) -> Result<(), PreprocessError> {
    let (crop_width, crop_height) = preprocessing.crop;
    let mut sides = vec![("crop width", crop_width), ("crop height", crop_height)];
    match preprocessing.resize {
        Resize::None => {}
        Resize::ShorterSide(side) => sides.push(("resize of the shorter side", side)),
        Resize::Exact(width, height) => {
            sides.extend([("resize width", width), ("resize height", height)]);
        }
    }
    match sides
        .into_iter()
        .find(|(_, value)| !(1..=MAX_SIDE).contains(value))
    {
        Some((what, value)) => Err(PreprocessError::Side { what, value }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests;
