//! SVG as a picture.

use anyhow::{Context as _, Result};
use eframe::egui::FontDefinitions;
use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree};

/// Pixels for each CSS pixel, so that print is sharp.
const SCALE: f32 = 2.0;

/// Draws a document as PNG.
///
/// # Errors
/// The document is none, or too large.
pub fn png(svg: &str) -> Result<Vec<u8>> {
    let mut options = Options::default();
    let fonts = options.fontdb_mut();
    fonts.load_system_fonts();
    // Own fonts, so that no machine lacks text.
    for font in FontDefinitions::default().font_data.values() {
        fonts.load_font_data(font.font.as_ref().as_ref().to_vec());
    }
    fonts.set_sans_serif_family("Ubuntu");
    let tree = Tree::from_str(svg, &options).context("cannot draw the plot")?;
    let size = tree.size().to_int_size();
    let scaled = size.scale_by(SCALE).context("the plot is too large")?;
    let mut pixels =
        Pixmap::new(scaled.width(), scaled.height()).context("the plot is too large")?;
    resvg::render(
        &tree,
        Transform::from_scale(SCALE, SCALE),
        &mut pixels.as_mut(),
    );
    pixels.encode_png().context("cannot write the picture")
}
