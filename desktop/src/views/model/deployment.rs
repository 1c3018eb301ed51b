//! What running the model costs, device by device.

use eframe::egui;
use egui::{RichText, Ui};
use shared::comparison::costs::device_label;
use shared::result::{Cost, Latency};
use shared::words::{count, plural};

use crate::state::model::Model;
use crate::state::words::{bytes, images_per_s, joules, milliseconds, utc};
use crate::views::cards::{card, fact, percent};

/// A card, where something was measured.
pub fn deployment(ui: &mut Ui, model: &Model) {
    if model.costs.is_empty() {
        return;
    }
    card(ui, "Deployment", |ui| {
        ui.spacing_mut().item_spacing.y = 3.0;
        for (index, cost) in model.costs.iter().enumerate() {
            if index > 0 {
                ui.separator();
            }
            ui.label(RichText::new(device_label(cost)).strong());
            figures(ui, model, cost);
        }
    });
}

fn figures(ui: &mut Ui, model: &Model, cost: &Cost) {
    let or_not_measured = |text: Option<String>| text.unwrap_or_else(|| "not measured".to_owned());
    fact(ui, "latency", &latency(&cost.latency));
    let throughput = cost.throughput.map(|throughput| {
        let (rate, batch) = (images_per_s(throughput.images_per_s), throughput.batch);
        let threads = plural(u64::from(cost.threads), "thread");
        format!("{rate}, batch {batch}, {threads}")
    });
    fact(ui, "throughput", &or_not_measured(throughput));
    let share = cost.share_of_peak(model.macs);
    let share = share.map(|share| format!("{} of a large matrix product", percent(share)));
    fact(ui, "share of peak", &or_not_measured(share));
    fact(ui, "load time", &milliseconds(cost.load_ms));
    fact(ui, "memory", &or_not_measured(cost.peak_memory.map(bytes)));
    let energy = cost.energy.as_ref();
    let energy = energy.map(|e| format!("{} ({})", joules(e.joules_per_image), e.source));
    fact(ui, "energy per image", &or_not_measured(energy));
    let weights: Vec<String> = cost
        .weight_bytes
        .iter()
        .map(|(element, n)| format!("{} {element}", bytes(*n)))
        .collect();
    if !weights.is_empty() {
        fact(ui, "weights", &weights.join(", "));
    }
    for (name, told) in [
        ("clock governor", &cost.governor),
        ("temperature", &cost.thermal),
    ] {
        if !told.is_empty() {
            fact(ui, name, told);
        }
    }
    fact(ui, "measured", &format!("{} UTC", utc(cost.measured)));
}

fn latency(latency: &Latency) -> String {
    format!(
        "{} (median), {} (90 %), {} (99 %), {} queries",
        milliseconds(latency.p50_ms),
        milliseconds(latency.p90_ms),
        milliseconds(latency.p99_ms),
        count(u64::from(latency.queries)),
    )
}
