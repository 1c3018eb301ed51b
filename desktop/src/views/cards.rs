//! Cards with a title, and what stands in them: facts, bars, hints.

use eframe::egui;
use egui::{Align, Color32, Frame, Label, Layout, Margin, Rect, RichText, Stroke, Ui, pos2, vec2};

use super::widgets::hint;
use crate::state::AppState;
use crate::state::view::View;
use crate::theme::Palette;

/// A box with a title.
pub fn card(ui: &mut Ui, title: &str, content: impl FnOnce(&mut Ui)) {
    let palette = Palette::of(ui);
    Frame::new()
        .fill(ui.visuals().faint_bg_color)
        .stroke(Stroke::new(1.0, palette.line))
        .corner_radius(6)
        .inner_margin(Margin::same(10))
        .show(ui, |ui| {
            ui.set_width(ui.available_width());
            // Columns justify what they hold, which would stretch texts.
            ui.vertical(|ui| {
                ui.label(RichText::new(title).strong());
                ui.add_space(2.0);
                content(ui);
            });
        });
    ui.add_space(4.0);
}

/// A fact: its name in a column of a fixed width, the value wraps beside it.
pub fn fact(ui: &mut Ui, name: &str, value: &str) {
    ui.horizontal_top(|ui| {
        let palette = Palette::of(ui);
        fixed(ui, 116.0, Align::Min, |ui| {
            ui.label(RichText::new(name).color(palette.weak));
        });
        ui.add(Label::new(value).wrap());
    });
}

/// A cell of a fixed width.
pub fn fixed(ui: &mut Ui, width: f32, align: Align, content: impl FnOnce(&mut Ui)) {
    let layout = if align == Align::Max {
        Layout::right_to_left(Align::Center)
    } else {
        Layout::left_to_right(Align::Center)
    };
    let size = vec2(width, ui.text_style_height(&egui::TextStyle::Body));
    ui.allocate_ui_with_layout(size, layout, |ui| {
        ui.set_min_size(size);
        ui.spacing_mut().item_spacing.x = 4.0;
        content(ui);
    });
}

/// A text in a cell of a fixed width, cut where too long and then shown whole when hovered.
pub fn cell(ui: &mut Ui, width: f32, align: Align, text: impl Into<RichText>) {
    let text = text.into();
    fixed(ui, width, align, |ui| {
        ui.add(Label::new(text).truncate());
    });
}

/// A bar for a share of one, as wide as `width` where full.
pub fn share_bar(ui: &mut Ui, width: f32, share: f64, color: Color32) {
    let (rect, _) = ui.allocate_exact_size(vec2(width, 14.0), egui::Sense::hover());
    let painter = ui.painter();
    painter.rect_filled(
        rect.shrink2(vec2(0.0, 3.0)),
        2.0,
        Palette::of(ui).line.gamma_multiply(0.6),
    );
    let end = rect.left() + width * share.clamp(0.0, 1.0) as f32;
    let bar = Rect::from_min_max(rect.min, pos2(end, rect.bottom()));
    painter.rect_filled(bar.shrink2(vec2(0.0, 3.0)), 2.0, color);
}

/// A bar from a zero line in the middle, right where positive; `limit` fills a half.
pub fn signed_bar(ui: &mut Ui, width: f32, value: f64, limit: f64) {
    let palette = Palette::of(ui);
    let (rect, _) = ui.allocate_exact_size(vec2(width, 14.0), egui::Sense::hover());
    let zero = rect.center().x;
    let end =
        zero + rect.width() / 2.0 * (value / limit.max(f64::MIN_POSITIVE)).clamp(-1.0, 1.0) as f32;
    let color = if value < 0.0 {
        palette.worse
    } else {
        palette.better
    };
    let bar = Rect::from_x_y_ranges(zero.min(end)..=zero.max(end), rect.y_range())
        .shrink2(vec2(0.0, 2.0));
    ui.painter()
        .rect_filled(bar, 1.0, color.gamma_multiply(0.75));
    ui.painter()
        .vline(zero, rect.y_range(), Stroke::new(1.0, palette.weak));
}

/// A share as a percentage with one digit.
pub fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

/// A p-value with two digits, small ones with an exponent.
pub fn p_value(p: f64) -> String {
    match p {
        p if p < 1e-300 => "< 1e-300".to_owned(),
        p if p < 1e-3 => format!("{p:.1e}"),
        p => format!("{p:.3}"),
    }
}

/// What a view shows where too few models are selected.
pub fn choose_models(ui: &mut Ui, state: &mut AppState, title: &str, text: &str) {
    ui.vertical_centered(|ui| {
        ui.add_space(ui.available_height() * 0.32);
        ui.label(RichText::new(title).heading());
        hint(ui, text);
        ui.add_space(6.0);
        if ui.button("Show the rank table").clicked() {
            state.view = View::Rank;
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers() {
        assert_eq!(percent(0.8754), "87.5 %");
        assert_eq!(
            ["0.05", "0.000012"].map(|p| p_value(p.parse().unwrap())),
            ["0.050", "1.2e-5"]
        );
        assert_eq!(p_value(0.0), "< 1e-300");
    }
}
