//! Views drawn without a window, in light colours.

use eframe::egui;
use egui::{CentralPanel, Context, Frame, Margin, Pos2, RawInput, Rect, ThemePreference, Vec2};

use super::svg::painted;
use crate::state::AppState;
use crate::theme::{self, Palette};
use crate::views::figure::Figure;

/// Frames drawn until widths of columns have settled.
const FRAMES: u32 = 3;

/// Room around a figure.
const MARGIN: i8 = 16;

/// Higher than any figure.
const TALL: f32 = 20_000.0;

/// The current view as SVG, where it is a figure.
pub(super) fn svg(state: &AppState) -> Option<String> {
    let figure = Figure::of(state)?;
    let ctx = Context::default();
    theme::install(&ctx);
    ctx.set_theme(ThemePreference::Light);
    let width = figure.width + 2.0 * f32::from(MARGIN);
    let frame = Frame::new().inner_margin(Margin::same(MARGIN));
    let (mut height, mut shapes) = (0.0, Vec::new());
    for number in 0..FRAMES {
        let input = RawInput {
            screen_rect: Some(Rect::from_min_size(Pos2::ZERO, Vec2::new(width, TALL))),
            time: Some(f64::from(number)),
            ..RawInput::default()
        };
        let output = ctx.run_ui(input, |ui| {
            CentralPanel::default().frame(frame).show(ui, |ui| {
                let drawn = ui.vertical(|ui| figure.ui(ui)).response;
                height = drawn.rect.bottom() + f32::from(MARGIN);
            });
        });
        shapes = output.shapes;
    }
    let size = Vec2::new(width, height.ceil());
    let ground = Palette::new(false).ground;
    Some(painted(&figure.title, size, ground, &shapes))
}
