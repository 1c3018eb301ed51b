//! Image files to 8-bit RGB, as PIL's `Image.open(f).convert("RGB")`.
//!
//! What follows from that:
//! - the content decides the format, never the file name;
//! - alpha and transparent colours are dropped, not blended;
//! - the orientation in EXIF data is ignored, except in TIFF, where PIL applies it on loading;
//! - only the first frame of an animation counts;
//! - 16-bit colours keep their high byte.
//!
//! Known differences: lossy formats differ by about one level, because the inverse transform rounds
//! differently (more in a JPEG of at most 4 pixels width, whose chroma PIL does not interpolate);
//! PIL clips 16-bit *grey* at 255, which turns nearly every such image white, so here
//! it keeps the high byte like the other 16-bit images; a GIF whose first frame is smaller than its
//! canvas is framed in black; palette TIFF and arithmetic-coded JPEG are unsupported.

use std::io::{Cursor, ErrorKind};
use std::panic::{AssertUnwindSafe, catch_unwind};

use image::RgbImage;
use image::error::UnsupportedErrorKind;
use image::metadata::Orientation;
use image::{ColorType, DynamicImage, ImageDecoder, ImageError, ImageFormat, ImageReader, Limits};

use super::jpeg;

/// Most pixels of an image, which is where PIL suspects a decompression bomb.
pub const MAX_PIXELS: u64 = 178_956_970;

/// Most bytes that decoding one image may hold besides the result.
const MAX_BYTES: u64 = 1 << 30;

/// Bytes of a foreign file that an error quotes.
const QUOTED: usize = 16;

/// Why a file is not a usable image.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    /// The file has no bytes.
    #[error("file is empty")]
    Empty,
    /// The content matches no image format.
    #[error("not an image: starts with {starts_with}")]
    NotAnImage {
        /// The first bytes, quoted and escaped.
        starts_with: String,
    },
    /// An image, but of a format or variant that cannot be decoded here.
    #[error("unsupported {format} image: {reason}; convert it to PNG or JPEG")]
    Unsupported {
        /// Name of the format.
        format: &'static str,
        /// What is not supported.
        reason: String,
    },
    /// Too many pixels: refused before memory is set aside for them.
    #[error("image of {width}x{height} pixels is too large: the limit is {MAX_PIXELS} pixels")]
    TooLarge {
        /// Width in pixels.
        width: u32,
        /// Height in pixels.
        height: u32,
    },
    /// The file ends before the image does.
    #[error("truncated {format} image: the file ends before the image does")]
    Truncated {
        /// Name of the format.
        format: &'static str,
    },
    /// The content contradicts its format.
    #[error("malformed {format} image: {reason}")]
    Malformed {
        /// Name of the format.
        format: &'static str,
        /// What the decoder found.
        reason: String,
    },
}

/// Decodes the first image in `bytes` to 8-bit RGB.
///
/// # Errors
/// When the bytes are no complete, supported image of at most [`MAX_PIXELS`] pixels. A panic inside
/// a decoder counts as a malformed image.
pub fn decode(bytes: &[u8]) -> Result<RgbImage, DecodeError> {
    if bytes.is_empty() {
        return Err(DecodeError::Empty);
    }
    let Ok(format) = image::guess_format(bytes) else {
        let start = &bytes[..bytes.len().min(QUOTED)];
        let starts_with = format!("\"{}\"", start.escape_ascii());
        return Err(DecodeError::NotAnImage { starts_with });
    };
    if !format.reading_enabled() {
        let reason = "only JPEG, PNG, GIF, BMP, TIFF and WebP can be read".to_owned();
        return Err(DecodeError::Unsupported {
            format: name(format),
            reason,
        });
    }
    if format == ImageFormat::Jpeg && !jpeg::is_complete(bytes) {
        return Err(DecodeError::Truncated {
            format: name(format),
        });
    }
    // Decoders are third-party code that meets arbitrary bytes; one bad file must not end a run.
    // Nothing outlives the call, so no broken state can be observed.
    catch_unwind(AssertUnwindSafe(|| decode_as(format, bytes))).unwrap_or_else(|_| {
        let reason = "the decoder failed on its content".to_owned();
        Err(DecodeError::Malformed {
            format: name(format),
            reason,
        })
    })
}

fn decode_as(format: ImageFormat, bytes: &[u8]) -> Result<RgbImage, DecodeError> {
    let fail = |error| explain(format, error);
    let mut reader = ImageReader::with_format(Cursor::new(bytes), format);
    reader.limits(limits());
    let mut decoder = reader.into_decoder().map_err(fail)?;
    let (width, height) = decoder.dimensions();
    let pixels = u64::from(width) * u64::from(height);
    if pixels == 0 {
        let reason = format!("it has {width}x{height} pixels");
        return Err(DecodeError::Malformed {
            format: name(format),
            reason,
        });
    }
    if pixels > MAX_PIXELS || decoder.total_bytes() > MAX_BYTES {
        return Err(DecodeError::TooLarge { width, height });
    }
    let orientation = match format {
        ImageFormat::Tiff => decoder.orientation().map_err(fail)?,
        _ => Orientation::NoTransforms,
    };
    let color = decoder.color_type();
    let mut samples = vec![0; decoder.total_bytes() as usize];
    decoder.read_image(&mut samples).map_err(fail)?;
    let rgb = to_rgb(format, color, samples)?;
    let image = RgbImage::from_raw(width, height, rgb).ok_or_else(|| DecodeError::Malformed {
        format: name(format),
        reason: "its content does not fill its size".to_owned(),
    })?;
    Ok(oriented(image, orientation))
}

fn limits() -> Limits {
    let mut limits = Limits::default();
    limits.max_alloc = Some(MAX_BYTES);
    limits
}

fn oriented(image: RgbImage, orientation: Orientation) -> RgbImage {
    let mut image = DynamicImage::ImageRgb8(image);
    image.apply_orientation(orientation);
    image.into_rgb8()
}

/// Samples of `color` to RGB: grey repeated, alpha dropped, of 16 bits the high byte.
fn to_rgb(format: ImageFormat, color: ColorType, samples: Vec<u8>) -> Result<Vec<u8>, DecodeError> {
    let high = usize::from(cfg!(target_endian = "little"));
    Ok(match color {
        ColorType::Rgb8 => samples,
        ColorType::L8 => repeat(&samples, 1, 0),
        ColorType::La8 => repeat(&samples, 2, 0),
        ColorType::L16 => repeat(&samples, 2, high),
        ColorType::La16 => repeat(&samples, 4, high),
        ColorType::Rgba8 => pick(&samples, 4, [0, 1, 2]),
        ColorType::Rgb16 => pick(&samples, 6, [high, high + 2, high + 4]),
        ColorType::Rgba16 => pick(&samples, 8, [high, high + 2, high + 4]),
        other => {
            let reason = format!("{other:?} samples");
            return Err(DecodeError::Unsupported {
                format: name(format),
                reason,
            });
        }
    })
}

fn repeat(samples: &[u8], stride: usize, at: usize) -> Vec<u8> {
    pick(samples, stride, [at; 3])
}

fn pick(samples: &[u8], stride: usize, at: [usize; 3]) -> Vec<u8> {
    samples
        .chunks_exact(stride)
        .flat_map(|pixel| at.map(|i| pixel[i]))
        .collect()
}

fn explain(format: ImageFormat, error: ImageError) -> DecodeError {
    let format = name(format);
    match error {
        ImageError::IoError(error) if error.kind() == ErrorKind::UnexpectedEof => {
            DecodeError::Truncated { format }
        }
        ImageError::Unsupported(error) => {
            let reason = match error.kind() {
                UnsupportedErrorKind::GenericFeature(feature) => fragment(&feature),
                UnsupportedErrorKind::Color(color) => format!("{color:?} samples"),
                _ => fragment(&error.to_string()),
            };
            DecodeError::Unsupported { format, reason }
        }
        ImageError::Limits(_) => {
            let reason = "it needs too much memory to decode".to_owned();
            DecodeError::Malformed { format, reason }
        }
        other => {
            // The source is the codec's own message; around it is only the format's name again.
            let message = match std::error::Error::source(&other) {
                Some(source) => source.to_string(),
                None => other.to_string(),
            };
            // The GIF decoder has an error of its own for this.
            if message.eq_ignore_ascii_case("unexpected end of file") {
                return DecodeError::Truncated { format };
            }
            DecodeError::Malformed {
                format,
                reason: fragment(&message),
            }
        }
    }
}

/// A message of another library as the end of one of ours: one line, lowercase, no period.
fn fragment(message: &str) -> String {
    let line = message.split_whitespace().collect::<Vec<_>>().join(" ");
    let line = line.trim_matches(['"', '.']);
    let mut letters = line.chars();
    match (letters.next(), letters.clone().next()) {
        (Some(first), second) if !second.is_some_and(char::is_uppercase) => {
            first.to_lowercase().chain(letters).collect()
        }
        _ => line.to_owned(),
    }
}

fn name(format: ImageFormat) -> &'static str {
    match format {
        ImageFormat::Jpeg => "JPEG",
        ImageFormat::Png => "PNG",
        ImageFormat::Gif => "GIF",
        ImageFormat::WebP => "WebP",
        ImageFormat::Tiff => "TIFF",
        ImageFormat::Bmp => "BMP",
        ImageFormat::Pnm => "PNM",
        ImageFormat::Ico => "ICO",
        ImageFormat::Hdr => "Radiance HDR",
        ImageFormat::OpenExr => "OpenEXR",
        ImageFormat::Avif => "AVIF",
        ImageFormat::Qoi => "QOI",
        ImageFormat::Dds => "DDS",
        ImageFormat::Farbfeld => "farbfeld",
        _ => "other",
    }
}
