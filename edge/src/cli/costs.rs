//! Costs as a table and as JSON.

use serde::Serialize;
use shared::comparison::costs::device_label;
use shared::result::{Cost, Model};

use super::table::Table;
use super::words::{self, NOT_MEASURED};

/// A table of costs, one row each, and what a reader must know of it. Rows are named after their
/// models where `named`.
pub(super) fn table<'a>(
    rows: impl IntoIterator<Item = (&'a Model, &'a Cost)>,
    named: bool,
) -> String {
    let mut header = vec![
        "model",
        "backend",
        "p50 ms",
        "p90 ms",
        "p99 ms",
        "images/s",
        "load ms",
        "memory MB",
        "size MB",
        "weights",
        "MMACs",
        "of peak",
        "J/image",
    ];
    let first = usize::from(!named);
    let (numbers, text) = (2 - first..9 - first, 9 - first);
    header.drain(..first);
    let mut table = Table::new(header, numbers);
    let mut notes = vec![
        "of peak: share of the multiply–accumulates that large matrix products reach in the same engine".to_owned(),
    ];
    let mut gaps = false;
    for (model, cost) in rows {
        let cells = cells(model, cost);
        gaps |= cells.iter().any(|cell| cell == NOT_MEASURED);
        table.row(cells.into_iter().skip(first));
        notes.extend(circumstances(cost));
    }
    table.align_right(text + 1..text + 4);
    if gaps {
        notes.insert(0, format!("{NOT_MEASURED} not measured"));
    }
    notes.dedup();
    let notes: String = notes.into_iter().map(|note| note + "\n").collect();
    table.text() + "\n" + &notes
}

fn cells(model: &Model, cost: &Cost) -> Vec<String> {
    let known = |value: Option<f64>, digits: usize| {
        value.map_or(NOT_MEASURED.to_owned(), |v| format!("{v:.digits$}"))
    };
    let latency = cost.latency;
    let rate = cost.throughput.map(|t| t.images_per_s);
    let sizes = cost.weight_bytes.iter().map(|(_, bytes)| *bytes);
    let all = sizes.fold(0, u64::saturating_add);
    // The few bytes of constants that are no weights would only take up room.
    let weights = cost
        .weight_bytes
        .iter()
        .filter(|(_, bytes)| *bytes >= all / 100);
    let weights: Vec<String> = weights
        .map(|(name, bytes)| format!("{name} {}", megabytes(*bytes)))
        .collect();
    vec![
        model.name.clone(),
        backend(cost),
        milliseconds(latency.p50_ms),
        milliseconds(latency.p90_ms),
        milliseconds(latency.p99_ms),
        known(rate, 1),
        milliseconds(cost.load_ms),
        cost.peak_memory.map_or(NOT_MEASURED.to_owned(), megabytes),
        megabytes(model.bytes),
        weights.join(", "),
        known(model.macs.map(|macs| macs as f64 / 1e6), 1),
        cost.share_of_peak(model.macs)
            .map_or(NOT_MEASURED.to_owned(), |share| {
                format!("{:.1} %", 100.0 * share)
            }),
        known(cost.energy.as_ref().map(|e| e.joules_per_image), 4),
    ]
}

/// The device with what else distinguishes costs on it.
pub(super) fn backend(cost: &Cost) -> String {
    let label = device_label(cost);
    match cost.engine {
        shared::result::Engine::Tract { .. } => {
            format!("{label}, {}", words::plural(cost.threads.into(), "thread"))
        }
        shared::result::Engine::Wonnx { .. } => label,
    }
}

/// What the system told of the circumstances.
fn circumstances(cost: &Cost) -> Option<String> {
    let mut facts = Vec::new();
    if !cost.governor.is_empty() {
        facts.push(format!("clock governor {}", cost.governor));
    }
    if !cost.thermal.is_empty() {
        facts.push(cost.thermal.clone());
    }
    if let Some(energy) = &cost.energy {
        facts.push(format!("energy by {}", energy.source));
    }
    (!facts.is_empty()).then(|| format!("{}: {}", backend(cost), facts.join(", ")))
}

fn milliseconds(value: f64) -> String {
    format!("{value:.2}")
}

/// Millions of bytes.
fn megabytes(bytes: u64) -> String {
    format!("{:.2}", bytes as f64 / 1e6)
}

/// A cost for programs.
#[derive(Serialize)]
pub(super) struct JsonCost<'a> {
    /// What latencies are compared on, as in `edge rank --latency-on`.
    label: String,
    share_of_peak: Option<f64>,
    #[serde(flatten)]
    cost: &'a Cost,
}

/// The costs of a model for programs.
pub(super) fn json<'a>(model: &Model, costs: &'a [Cost]) -> Vec<JsonCost<'a>> {
    let one = |cost: &'a Cost| JsonCost {
        label: device_label(cost),
        share_of_peak: cost.share_of_peak(model.macs),
        cost,
    };
    costs.iter().map(one).collect()
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::time::Duration;

    use shared::result::{Energy, Latency, Throughput};

    use super::*;
    use crate::bench::{Settings, System, measure};

    /// A model with made-up costs.
    fn costs() -> (Model, [Cost; 2]) {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../models/plain-small.onnx");
        let settings = Settings {
            threads: 1,
            min_duration: Duration::ZERO,
            min_queries: 1,
        };
        let measured = measure(&path, None, &settings, &System::at("/nowhere")).unwrap();
        let mut bare = measured.cost;
        bare.device.host = "quay".into();
        bare.device.processor = "Cortex-A76".into();
        (bare.threads, bare.load_ms) = (4, 55.5);
        bare.latency = Latency {
            p50_ms: 4.0,
            p90_ms: 4.5,
            p99_ms: 16.25,
            queries: 700,
            duration_ms: 3001,
        };
        (bare.throughput, bare.machine_macs_per_s) = (None, None);
        let mut full = bare.clone();
        full.throughput = Some(Throughput {
            images_per_s: 480.5,
            batch: 1,
            images: 1442,
        });
        full.machine_macs_per_s = Some(1e10);
        full.peak_memory = Some(64_000_000);
        full.governor = "schedutil".into();
        full.thermal = "61.5 °C".into();
        full.energy = Some(Energy {
            joules_per_image: 0.015,
            source: "INA3221 VDD_IN".into(),
        });
        (measured.record, [bare, full])
    }

    #[test]
    fn tables() {
        let (model, costs) = costs();
        let rows = || costs.iter().map(|cost| (&model, cost));
        insta::assert_snapshot!(table(rows(), true), @r"
         model             backend                              p50 ms  p90 ms  p99 ms  images/s  load ms  memory MB  size MB  weights       MMACs  of peak  J/image
         Plain CNN, small  Cortex-A76 (CPU) on quay, 4 threads    4.00    4.50   16.25         –    55.50          –     0.19  float32 0.19    3.0        –        –
         Plain CNN, small  Cortex-A76 (CPU) on quay, 4 threads    4.00    4.50   16.25     480.5    55.50      64.00     0.19  float32 0.19    3.0   14.2 %   0.0150

        – not measured
        of peak: share of the multiply–accumulates that large matrix products reach in the same engine
        Cortex-A76 (CPU) on quay, 4 threads: clock governor schedutil, 61.5 °C, energy by INA3221 VDD_IN
        ");
        insta::assert_snapshot!(table(rows().skip(1), false), @r"
         backend                              p50 ms  p90 ms  p99 ms  images/s  load ms  memory MB  size MB  weights       MMACs  of peak  J/image
         Cortex-A76 (CPU) on quay, 4 threads    4.00    4.50   16.25     480.5    55.50      64.00     0.19  float32 0.19    3.0   14.2 %   0.0150

        of peak: share of the multiply–accumulates that large matrix products reach in the same engine
        Cortex-A76 (CPU) on quay, 4 threads: clock governor schedutil, 61.5 °C, energy by INA3221 VDD_IN
        ");
    }
}
