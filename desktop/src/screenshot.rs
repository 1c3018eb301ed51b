//! A picture of a view without a person, a display or a graphics driver.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};
use eframe::egui;
use egui::{Context, Pos2, RawInput, Rect, Vec2};
use image::RgbaImage;
use image::codecs::png::{CompressionType, FilterType, PngEncoder};

use crate::app::DesktopApp;
use crate::raster::Rasterizer;

/// Frames drawn until sizes, colours and textures have settled.
const FRAMES: u32 = 8;

/// Pictures with more pixels than this are refused.
const LARGEST: u32 = 16_384;

/// What the picture shows.
#[derive(Clone, Copy, Debug)]
pub struct Picture {
    /// Width and height in pixels.
    pub size: (u32, u32),
    /// Pixels for each point: 2 on fine screens.
    pub pixels_per_point: f32,
}

/// Draws the application with `files` opened, or the demo results without any.
///
/// # Errors
/// The size is zero or too large, or the application does not start.
pub fn draw(
    picture: Picture,
    files: &[PathBuf],
    prepare: impl FnOnce(&mut DesktopApp),
) -> Result<RgbaImage> {
    let (width, height) = picture.size;
    let sides = 1..=LARGEST;
    ensure!(
        sides.contains(&width) && sides.contains(&height),
        "picture size: expected 1 to {LARGEST} pixels a side, found {width}x{height}"
    );
    let ctx = Context::default();
    let mut app = DesktopApp::new(&ctx)?;
    app.start(files.to_vec(), None);
    app.read_now();
    prepare(&mut app);
    let mut rasterizer = Rasterizer::default();
    let mut last = None;
    for frame in 0..FRAMES {
        let input = input(picture, frame);
        let mut output = ctx.run_ui(input, |ui| app.ui(ui));
        rasterizer.update(&mut output);
        last = Some(output);
    }
    let output = last.context("no frame was drawn")?;
    let primitives = ctx.tessellate(output.shapes, output.pixels_per_point);
    let ground = ctx.global_style().visuals.panel_fill;
    Ok(rasterizer.draw(&primitives, picture.size, output.pixels_per_point, ground))
}

fn input(picture: Picture, frame: u32) -> RawInput {
    let scale = picture.pixels_per_point;
    let size = Vec2::new(picture.size.0 as f32, picture.size.1 as f32) / scale;
    let mut input = RawInput {
        screen_rect: Some(Rect::from_min_size(Pos2::ZERO, size)),
        time: Some(f64::from(frame) * 0.25),
        system_theme: Some(egui::Theme::Light),
        ..RawInput::default()
    };
    if let Some(viewport) = input.viewports.get_mut(&input.viewport_id) {
        viewport.native_pixels_per_point = Some(scale);
    }
    input
}

/// Writes a picture as PNG.
///
/// # Errors
/// The file cannot be written.
pub fn save(image: &RgbaImage, path: &Path) -> Result<()> {
    let cannot = || format!("cannot write picture {}", path.display());
    let mut file = Vec::new();
    let encoder =
        PngEncoder::new_with_quality(&mut file, CompressionType::Best, FilterType::Adaptive);
    image.write_with_encoder(encoder).with_context(cannot)?;
    shared::result::replace(path, &file).with_context(cannot)
}
