//! Small parts that several views share.

use eframe::egui;
use egui::{Response, RichText, Role, Ui, WidgetInfo};

use crate::theme::{Mark, Palette};

/// A heading within a panel.
pub fn section(ui: &mut Ui, title: &str) {
    ui.add_space(6.0);
    ui.label(RichText::new(title).strong());
}

/// Secondary text that wraps.
pub fn hint(ui: &mut Ui, text: &str) {
    ui.label(RichText::new(text).small().color(Palette::of(ui).weak));
}

/// A mark as wide as a letter.
pub fn mark(ui: &mut Ui, mark: Mark, label: &str) -> Response {
    let size = egui::vec2(12.0, 12.0);
    let (rect, response) = ui.allocate_exact_size(size, egui::Sense::hover());
    mark.paint(ui.painter(), rect.center(), 4.5);
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, label));
    response
}

/// A choice among few values, as a row of buttons under one name.
pub fn choice<T: PartialEq + Copy>(
    ui: &mut Ui,
    name: &str,
    current: &mut T,
    options: &[(T, &str)],
) {
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = 2.0;
        for &(value, label) in options {
            let response = ui.selectable_value(current, value, label);
            let chosen = *current == value;
            response.widget_info(|| {
                WidgetInfo::selected(Role::RadioButton, true, chosen, format!("{name}: {label}"))
            });
        }
    });
}

/// Cuts a text to `most` characters, with an ellipsis where something is left out.
pub fn shortened(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let kept: String = text.chars().take(most.saturating_sub(1)).collect();
    format!("{}…", kept.trim_end())
}

#[cfg(test)]
mod tests {
    use super::shortened;

    #[test]
    fn long_texts_end_with_an_ellipsis() {
        assert_eq!(shortened("short", 5), "short");
        assert_eq!(shortened("naïve text", 6), "naïve…");
    }
}
