//! Controls that plots share.

use eframe::egui;
use egui::{ComboBox, Ui};

use super::widgets::hint;
use crate::chart::{Chart, Quantity};
use crate::state::AppState;

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

/// Chooses the device whose latencies count. A figure of one is never compared with that of another.
pub fn device(ui: &mut Ui, state: &mut AppState) {
    let devices = state.derived().devices.clone();
    let current = match &state.derived().device {
        Ok(device) => device.clone(),
        Err(_) => "choose a device".to_owned(),
    };
    let label = ui.label("Latency on");
    ComboBox::from_id_salt("device")
        .selected_text(&current)
        .width(150.0)
        .truncate()
        .show_ui(ui, |ui| {
            for device in devices {
                let chosen = device == current;
                if ui.selectable_label(chosen, &device).clicked() {
                    state.choices.device = Some(device);
                }
            }
        })
        .response
        .on_hover_text(current)
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
