//! Text drawn into a picture.

use image::{Rgb, RgbImage};
use noto_sans_mono_bitmap::{FontWeight, RasterHeight, RasterizedChar};
use noto_sans_mono_bitmap::{get_raster, get_raster_width};

const WEIGHT: FontWeight = FontWeight::Regular;
const SIZE: RasterHeight = RasterHeight::Size24;

/// Height of a line in pixels.
pub(super) const HEIGHT: u32 = SIZE.val() as u32;

const ADVANCE: u32 = get_raster_width(WEIGHT, SIZE) as u32;

/// Width of `text` in pixels.
pub(super) fn width(text: &str) -> u32 {
    text.chars().count() as u32 * ADVANCE
}

/// Draws `text` with its top left corner at `(x, y)`; what lies outside the canvas is cut off, and
/// characters that the font lacks stay blank.
pub(super) fn draw(canvas: &mut RgbImage, (x, y): (u32, u32), text: &str, colour: Rgb<u8>) {
    for (i, character) in text.chars().enumerate() {
        if let Some(glyph) = get_raster(character, WEIGHT, SIZE) {
            draw_glyph(canvas, (x + i as u32 * ADVANCE, y), &glyph, colour);
        }
    }
}

fn draw_glyph(canvas: &mut RgbImage, (x, y): (u32, u32), glyph: &RasterizedChar, colour: Rgb<u8>) {
    for (row, below) in glyph.rows().zip(y..) {
        for (&coverage, right) in row.iter().zip(x..) {
            let Some(pixel) = canvas.get_pixel_mut_checked(right, below) else {
                continue;
            };
            let coverage = u32::from(coverage);
            for (level, ink) in pixel.0.iter_mut().zip(colour.0) {
                let mixed = u32::from(*level) * (255 - coverage) + u32::from(ink) * coverage;
                *level = (mixed / 255) as u8;
            }
        }
    }
}
