//! Controls that plots share.

use eframe::egui;
use egui::{ComboBox, Ui};

use super::widgets::hint;
use crate::chart::{Chart, Quantity};

/// Chooses what an axis shows.
pub fn quantity(ui: &mut Ui, name: &str, current: &mut Quantity, offered: &[Quantity]) {
    let label = ui.label(name);
    ComboBox::from_id_salt(name)
        .selected_text(current.name())
        .width(150.0)
        .truncate()
        .height(400.0)
        .show_ui(ui, |ui| {
            for &quantity in offered {
                ui.selectable_value(current, quantity, quantity.name());
            }
        })
        .response
        .labelled_by(label.id);
}

/// Chooses whether points are named.
pub fn labels(ui: &mut Ui, labels: &mut bool) {
    ui.toggle_value(labels, "Names")
        .on_hover_text("Name own models and those on the front, where there is room");
}

/// What a chart leaves out.
pub fn notes(ui: &mut Ui, chart: Option<&Chart>) {
    for note in chart.iter().flat_map(|chart| &chart.notes) {
        hint(ui, note);
    }
}
