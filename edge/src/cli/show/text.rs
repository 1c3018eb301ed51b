//! The report as text.

use std::fmt::Write;

use shared::Dimension;
use shared::dimension::PerDimension;
use shared::metrics::accuracy::wilson;
use shared::metrics::{Measurement, NotMeasured, pass_accuracy};
use shared::outcome::{Corruption, Origin, Pass, PassKind, Severity};
use shared::result::{Engine, Evaluation};
use shared::uncertainty::{NoInterval, Resampled};

use crate::cli::costs;
use crate::cli::facts::{self, line};
use crate::cli::table::Table;
use crate::cli::words::{self, NOT_MEASURED, count, plural};

/// Skipped images listed per pass; the JSON report lists all.
const LISTED: usize = 20;

type Measured = PerDimension<Result<Measurement, NotMeasured>>;

/// The whole report.
pub(super) fn report(
    evaluation: &Evaluation,
    measured: &Measured,
    resampled: &Resampled,
) -> String {
    if evaluation.is_costs_only() {
        let nothing =
            "no images evaluated: `edge merge` joins these costs with results of the model\n";
        let mut parts = vec![model(evaluation), nothing.to_owned()];
        parts.extend(costs(evaluation));
        return parts.join("\n");
    }
    let mut parts = vec![
        model(evaluation),
        run(evaluation),
        dimensions(measured, resampled),
        passes(evaluation),
    ];
    parts.extend(corruptions(evaluation));
    parts.extend(costs(evaluation));
    parts.extend(skipped(evaluation));
    parts.extend(warnings(evaluation));
    parts.join("\n")
}

fn model(evaluation: &Evaluation) -> String {
    let model = &evaluation.model;
    let macs = model.macs.map_or(NOT_MEASURED.to_owned(), count);
    let parameters = count(model.parameters.count);
    let source = facts::parameter_source(model.parameters.source);
    let kind = facts::output_kind(model.output_kind);
    let mut text = String::new();
    line(&mut text, "model", &model.name);
    line(&mut text, "BLAKE3", blake3::Hash::from(model.hash).to_hex());
    line(&mut text, "size", format!("{} bytes", count(model.bytes)));
    line(&mut text, "parameters", format!("{parameters} ({source})"));
    line(&mut text, "MACs per image", macs);
    line(&mut text, "opset", model.opset);
    line(&mut text, "outputs", format!("{}, {kind}", model.outputs));
    facts::grouping(&mut text, &model.grouping);
    facts::preprocessing(&mut text, &model.preprocessing);
    text
}

fn run(evaluation: &Evaluation) -> String {
    let mut text = String::new();
    let labels = &evaluation.label_set;
    let classes = plural(labels.classes.into(), "class");
    let data = format!("{} ({}, {classes})", evaluation.dataset.name, labels.name);
    line(&mut text, "data", data);
    if let Some(subset) = evaluation.subset {
        let most = count(subset.images_per_set.into());
        line(
            &mut text,
            "sample",
            format!("at most {most} images of each incomplete set"),
        );
    }
    for shard in &evaluation.shards {
        line(
            &mut text,
            "shard",
            format!("{} of {}", shard.index, shard.count),
        );
    }
    for missing in evaluation.missing_shards() {
        line(&mut text, "", missing);
    }
    let protocol = evaluation.protocols[Dimension::Accuracy];
    line(&mut text, "protocol", protocol);
    line(&mut text, "seed", evaluation.seed);
    if let Some(origin) = evaluation.corruption_origin() {
        line(&mut text, "corruptions", origin);
    }
    for run in &evaluation.runs {
        let device = &run.device;
        let value = format!(
            "edge {}, {} on {} ({}, {}), {}, {:.1} s",
            run.tool_version,
            engine(&run.engine),
            device.host,
            device.processor,
            device.arch,
            plural(run.threads.into(), "thread"),
            run.wall_ms as f64 / 1000.0
        );
        line(&mut text, "run", value);
    }
    text
}

fn engine(engine: &Engine) -> String {
    match engine {
        Engine::Tract { version } => format!("tract {version}"),
        Engine::Wonnx {
            version,
            adapter,
            api,
            driver,
        } => {
            let facts = [adapter.as_str(), api, driver];
            let known: Vec<&str> = facts.into_iter().filter(|fact| !fact.is_empty()).collect();
            format!("wonnx {version} ({})", known.join(", "))
        }
    }
}

fn dimensions(measured: &Measured, resampled: &Resampled) -> String {
    let header = [
        "dimension",
        "unit",
        "value",
        "95 % interval",
        "images",
        "made of",
    ];
    let mut table = Table::new(header, 2..5);
    let mut absent = String::new();
    for (dimension, result) in measured.iter() {
        match result {
            Ok(m) => {
                let parts: Vec<String> = m
                    .parts
                    .iter()
                    .map(|p| format!("{} {}", p.name, number(p.value)))
                    .collect();
                let value = words::value(dimension, Some(m.value));
                let interval = match resampled.interval(dimension) {
                    Ok(interval) => words::interval(dimension, interval),
                    Err(NoInterval::Constant) => String::new(),
                    Err(reason) => {
                        let _ = writeln!(
                            absent,
                            "{NOT_MEASURED} no interval of {dimension}: {reason}"
                        );
                        NOT_MEASURED.to_owned()
                    }
                };
                let images = if m.images == 0 {
                    String::new()
                } else {
                    count(m.images.into())
                };
                let made_of = if parts.len() > 6 {
                    String::new()
                } else {
                    parts.join(", ")
                };
                table.row([
                    dimension.name(),
                    dimension.unit(),
                    &value,
                    &interval,
                    &images,
                    &made_of,
                ]);
            }
            Err(reason) => {
                table.row([dimension.name(), dimension.unit(), NOT_MEASURED, "", "", ""]);
                let _ = writeln!(absent, "{NOT_MEASURED} {dimension} not measured: {reason}");
            }
        }
    }
    let resamples = count(resampled.options().resamples as u64);
    let note = format!("intervals of dimensions: {resamples} resamples of the images\n");
    table.text() + &absent + &note
}

/// Counts whole, shares with four digits, small errors with more.
fn number(value: f64) -> String {
    if value.fract() == 0.0 && value.abs() >= 2.0 {
        format!("{value}")
    } else if value.abs() < 0.01 && value != 0.0 {
        format!("{value:.6}")
    } else {
        format!("{value:.4}")
    }
}

fn passes(evaluation: &Evaluation) -> String {
    let mut table = Table::new(
        [
            "pass",
            "right",
            "images",
            "accuracy",
            "95 % interval",
            "list",
        ],
        1..5,
    );
    for pass in &evaluation.passes {
        if matches!(pass.kind, PassKind::Corruption(..)) {
            continue;
        }
        let Some((right, total)) = pass_accuracy(evaluation, pass.kind) else {
            continue;
        };
        let (low, high) = wilson(right, total);
        let list = evaluation.lists.get(pass.list as usize);
        table.row([
            pass.kind.to_string(),
            count(right.into()),
            count(total.into()),
            format!("{:.4}", f64::from(right) / f64::from(total.max(1))),
            format!("{low:.4} to {high:.4}"),
            list.map_or_else(String::new, |list| list.hash().to_hex()[..12].to_owned()),
        ]);
    }
    table.text() + "list: hash of the images shown, equal where they are the same\n"
}

/// Relative accuracy by corruption and severity, where any was measured.
fn corruptions(evaluation: &Evaluation) -> Option<String> {
    let share = |kind| {
        let (right, total) = pass_accuracy(evaluation, kind)?;
        (total > 0).then(|| f64::from(right) / f64::from(total))
    };
    let clean = share(PassKind::Clean).filter(|&a| a > 0.0)?;
    let mut table = Table::new(
        ["relative accuracy at severity", "1", "2", "3", "4", "5"],
        1..6,
    );
    let mut any = false;
    for corruption in Corruption::ALL {
        let cells = Severity::ALL.map(|s| share(PassKind::Corruption(corruption, s)));
        if cells.iter().any(Option::is_some) {
            any = true;
            let cell =
                |c: Option<f64>| c.map_or(NOT_MEASURED.into(), |a| format!("{:.3}", a / clean));
            table.row(std::iter::once(label(evaluation, corruption)).chain(cells.map(cell)));
        }
    }
    any.then(|| table.text())
}

/// The corruption's name, and whether it is not quite what the name promises.
fn label(evaluation: &Evaluation, corruption: Corruption) -> String {
    let of = |pass: &&Pass| matches!(pass.kind, PassKind::Corruption(c, _) if c == corruption);
    let mut origins = evaluation.passes.iter().filter(of).map(|p| p.origin);
    let synthetic = origins.find(|origin| origin.has_synthetic_frost());
    synthetic.unwrap_or(Origin::Stored).label(corruption)
}

/// What running the model costs, where that was measured.
fn costs(evaluation: &Evaluation) -> Option<String> {
    let rows = evaluation.costs.iter().map(|c| (&evaluation.model, c));
    (!evaluation.costs.is_empty()).then(|| costs::table(rows, false))
}

fn skipped(evaluation: &Evaluation) -> Option<String> {
    let mut text = String::new();
    // What cannot be read is missing from every pass that is generated from it.
    let mut groups: Vec<(&Pass, u64)> = Vec::new();
    for pass in evaluation.passes.iter().filter(|p| !p.skipped.is_empty()) {
        match groups.iter_mut().find(|(p, _)| p.skipped == pass.skipped) {
            Some((_, more)) => *more += 1,
            None => groups.push((pass, 0)),
        }
    }
    for (pass, more) in groups {
        let total = pass.skipped.len();
        let others = match more {
            0 => String::new(),
            more => format!(" and {}", plural(more, "other pass")),
        };
        let skipped = plural(total as u64, "image");
        let _ = writeln!(text, "{}{others}: {skipped} skipped", pass.kind);
        for image in pass.skipped.iter().take(LISTED) {
            let _ = writeln!(text, "  {}: {}", image.reason, image.path);
        }
        if total > LISTED {
            let _ = writeln!(text, "  … and {} more (--json lists all)", total - LISTED);
        }
    }
    (!text.is_empty()).then_some(text)
}

fn warnings(evaluation: &Evaluation) -> Option<String> {
    let lines = evaluation.warning_lines();
    let text: String = lines.iter().map(|w| format!("warning: {w}\n")).collect();
    (!text.is_empty()).then_some(text)
}
