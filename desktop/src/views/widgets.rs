//! Small parts that several views share.

use eframe::egui;
use egui::{
    Align, Color32, ComboBox, Layout, Pos2, Response, RichText, Role, Sense, Shape, Stroke, Ui,
    WidgetInfo, vec2,
};

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

/// A number with its interval in small letters beneath, both ending at the right.
pub fn above(ui: &mut Ui, number: RichText, interval: &str) -> Response {
    let weak = Palette::of(ui).weak;
    let small = RichText::new(interval).size(9.5).color(weak);
    let stacked = ui.with_layout(Layout::top_down(Align::Max), |ui| {
        ui.spacing_mut().item_spacing.y = -2.0;
        ui.spacing_mut().interact_size.y = 0.0;
        ui.label(number) | ui.label(small)
    });
    stacked.inner
}

/// A sign that no font needs to have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sign {
    /// More, better, ascending.
    Up,
    /// Less, worse, descending.
    Down,
    /// Something to know.
    Warning,
}

/// A sign as wide as a letter; the label tells screen readers what it means.
pub fn sign(ui: &mut Ui, sign: Sign, color: Color32, label: &str) -> Response {
    let (rect, response) = ui.allocate_exact_size(vec2(10.0, 12.0), Sense::hover());
    let at = |x: f32, y: f32| rect.center() + vec2(x, y);
    let painter = ui.painter();
    let filled = |corners: [Pos2; 3]| {
        painter.add(Shape::convex_polygon(corners.into(), color, Stroke::NONE));
    };
    match sign {
        Sign::Up => filled([at(0.0, -3.5), at(4.0, 3.0), at(-4.0, 3.0)]),
        Sign::Down => filled([at(-4.0, -3.0), at(4.0, -3.0), at(0.0, 3.5)]),
        Sign::Warning => {
            let corners = vec![at(0.0, -4.5), at(5.0, 4.5), at(-5.0, 4.5)];
            painter.add(Shape::closed_line(corners, Stroke::new(1.2, color)));
            painter.line_segment([at(0.0, -1.5), at(0.0, 1.5)], Stroke::new(1.2, color));
            painter.circle_filled(at(0.0, 3.0), 0.7, color);
        }
    }
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, label));
    response
}

/// A choice from a list, with its name in front.
pub fn list<R>(ui: &mut Ui, name: &str, current: &str, items: impl FnOnce(&mut Ui) -> R) {
    ui.horizontal(|ui| {
        let label = ui.label(name);
        let width = ui.available_width();
        ComboBox::from_id_salt(name)
            .selected_text(current)
            .width(width)
            .truncate()
            .show_ui(ui, items)
            .response
            .labelled_by(label.id);
    });
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
        ui.spacing_mut().button_padding.x = 6.0;
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
