//! Whether recorded costs can be.

use super::{Checked, Nth, ascending, ensure};
use crate::result::{Cost, Evaluation};

/// Everything about the costs of an evaluation, and that costs alone come with nothing else.
pub(super) fn are_consistent(evaluation: &Evaluation) -> Checked {
    let keys: Vec<_> = evaluation.costs.iter().map(Cost::key).collect();
    ascending("costs", &keys)?;
    let mut costs = evaluation.costs.iter().enumerate();
    costs.try_for_each(|(position, cost)| is_consistent(position, cost))?;
    if !evaluation.is_costs_only() {
        return Ok(());
    }
    let alone = Evaluation::of_costs(evaluation.model.clone(), evaluation.costs.clone());
    ensure(
        *evaluation == alone,
        "label set",
        "classes, or costs and nothing else",
        "no class",
    )
}

fn is_consistent(position: usize, cost: &Cost) -> Checked {
    let part = Nth("cost", position);
    let latency = &cost.latency;
    let times = [latency.p50_ms, latency.p90_ms, latency.p99_ms];
    ensure(
        times.into_iter().all(is_positive) && times.is_sorted(),
        &part,
        "positive percentiles in ascending order",
        format_args!("{times:?} ms"),
    )?;
    let figures = [
        ("load time", Some(cost.load_ms)),
        ("throughput", cost.throughput.map(|t| t.images_per_s)),
        ("machine peak", cost.machine_macs_per_s),
        (
            "energy",
            cost.energy.as_ref().map(|energy| energy.joules_per_image),
        ),
    ];
    for (what, figure) in figures {
        let fits = figure.is_none_or(is_positive);
        let expected = format_args!("a finite, positive {what}").to_string();
        ensure(fits, &part, expected, figure.unwrap_or_default())?;
    }
    let run = cost.throughput.map_or([1, 1], |t| [t.batch, t.images]);
    let counts = [cost.threads, latency.queries, run[0], run[1]];
    ensure(
        counts.iter().all(|&count| count > 0),
        &part,
        "threads, queries, a batch and images above 0",
        format_args!("{counts:?}"),
    )?;
    let types: Vec<&String> = cost.weight_bytes.iter().map(|(name, _)| name).collect();
    ascending(&format!("weight types of {part}"), &types)
}

fn is_positive(figure: f64) -> bool {
    figure.is_finite() && figure > 0.0
}
