//! What `edge inspect` prints for people.

use anyhow::Result;

use super::args::InspectArguments;
use super::facts::{self, line};
use super::{Exit, words};
use crate::gradient::Blocker;
use crate::model::{Backends, Histogram, Inspection, Verdict, inspect};

/// Width of a line of operators.
const LINE: usize = 80;

pub(super) fn run(arguments: &InspectArguments) -> Result<Exit> {
    let inspection = inspect(&arguments.model)?;
    let text = if arguments.json {
        serde_json::to_string_pretty(&inspection)? + "\n"
    } else {
        render(&inspection)
    };
    words::print(&text)?;
    Ok(Exit::SUCCESS)
}

/// Renders an inspection as aligned lines, one fact each.
pub fn render(model: &Inspection) -> String {
    let mut text = format!("{}\n\n", model.name);
    file(&mut text, model);
    graph(&mut text, model);
    card(&mut text, model);
    for warning in &model.warnings {
        line(&mut text, "warning", warning);
    }
    for note in &model.notes {
        line(&mut text, "note", note);
    }
    text
}

fn file(text: &mut String, model: &Inspection) {
    line(text, "file", &model.path);
    for path in &model.external_data {
        line(text, "external data", path);
    }
    line(text, "size", format!("{} bytes", words::count(model.bytes)));
    line(text, "BLAKE3", &model.hash);
    line(text, "opset", model.opset);
}

fn graph(text: &mut String, model: &Inspection) {
    for input in &model.inputs {
        line(text, "input", format!("{input} ({})", model.layout));
    }
    for output in &model.outputs {
        let used = model.outputs.len() > 1 && output.name == model.output_used;
        line(
            text,
            "output",
            format!("{output}{}", if used { " (used)" } else { "" }),
        );
    }
    if model.batch > 1 {
        line(
            text,
            "batch",
            format!("{} (fixed; filled with copies)", model.batch),
        );
    }
    let kind = facts::output_kind(model.output_kind);
    line(text, "classes", format!("{}, {kind}", model.classes));
    let source = facts::parameter_source(model.parameter_source);
    let millions = model.parameters as f64 / 1e6;
    let count = words::count(model.parameters);
    line(
        text,
        "parameters",
        format!("{count} ({millions:.1} M, {source})"),
    );
    match model.macs {
        Some(macs) => {
            let millions = macs as f64 / 1e6;
            line(
                text,
                "MACs per image",
                format!("{} ({millions:.1} M)", words::count(macs)),
            );
        }
        None => line(text, "MACs per image", "not countable"),
    }
    operators(text, "ONNX operators", &model.onnx_operators);
    operators(text, "in tract", &model.tract_operators);
    let Backends { tract, wonnx } = &model.backends;
    line(text, "CPU", format!("tract: {}", whether(&tract.model)));
    line(text, "GPU", format!("wonnx: {}", whether(&wonnx.model)));
    gradient(text, model);
}

/// Whether an engine runs a graph.
fn whether(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Runs => "runs".to_owned(),
        Verdict::RunsLowered { nodes, batch } => {
            let nodes = words::plural(*nodes as u64, "node");
            let images = words::plural(*batch as u64, "image");
            format!("runs after lowering ({nodes}; {images} at a time)")
        }
        Verdict::Cannot { reason } => format!("cannot: {reason}"),
        Verdict::NotInBuild => "not in this build".to_owned(),
    }
}

/// Whether gradient attacks are possible, what prevents them, and whether GPUs can help.
fn gradient(text: &mut String, model: &Inspection) {
    const LISTED: usize = 8;
    let blockers = &model.blockers;
    let verdict = match &model.gradient_error {
        None => "differentiable".to_owned(),
        Some(reason) if blockers.is_empty() => format!("not differentiable: {reason}"),
        Some(_) => {
            let nodes = words::plural(blockers.len() as u64, "node");
            format!("not differentiable: {nodes} without a rule")
        }
    };
    line(text, "gradient", verdict);
    for Blocker { node, operator } in blockers.iter().take(LISTED) {
        line(text, "", format!("{operator}: {node}"));
    }
    if blockers.len() > LISTED {
        line(
            text,
            "",
            format!("… and {} more (--json lists all)", blockers.len() - LISTED),
        );
    }
    let on_gpu = &model.backends.wonnx;
    if model.gradient_error.is_none() {
        let verdict = whether(&on_gpu.gradient);
        line(text, "gradient on GPU", format!("wonnx: {verdict}"));
    }
    if matches!(on_gpu.model, Verdict::RunsLowered { .. }) {
        let how = "(GPU: a static check; an adapter is compared with the CPU before it is used)";
        line(text, "", how);
    }
}

fn card(text: &mut String, model: &Inspection) {
    line(text, "card", model.card.as_deref().unwrap_or("none"));
    if let Some(labels) = &model.label_set {
        line(text, "label set", labels);
    }
    facts::grouping(text, &model.grouping);
    facts::preprocessing(text, &model.preprocessing);
}

/// Operators, most frequent first, wrapped.
fn operators(text: &mut String, name: &str, counts: &Histogram) {
    let mut sorted: Vec<(&String, &u64)> = counts.iter().collect();
    sorted.sort_by_key(|(operator, count)| (std::cmp::Reverse(**count), *operator));
    let mut row = String::new();
    let mut label = name;
    for (operator, count) in sorted {
        let word = format!("{operator} {count}");
        if row.len() + word.len() > LINE {
            line(text, label, &row);
            row.clear();
            label = "";
        }
        if !row.is_empty() {
            row.push_str(", ");
        }
        row.push_str(&word);
    }
    line(text, label, row);
}

#[cfg(test)]
#[cfg(feature = "gpu")]
mod tests {
    use std::path::Path;

    use super::*;

    fn fixture(name: &str) -> String {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/models");
        let text = render(&crate::model::inspect(&folder.join(name)).unwrap());
        text.replace(&folder.display().to_string(), "models")
    }

    #[test]
    fn without_a_card() {
        insta::assert_snapshot!(fixture("external.onnx"));
    }

    #[test]
    fn with_a_card_and_a_baked_batch() {
        insta::assert_snapshot!(fixture("dynamic_size.onnx"));
        insta::assert_snapshot!(fixture("batch4_baked.onnx"));
        insta::assert_snapshot!(fixture("two_outputs.onnx"));
    }

    #[test]
    fn what_no_gpu_runs() {
        let text = fixture("rounding.onnx");
        let lines = text.lines().skip_while(|line| !line.starts_with("CPU"));
        let lines: Vec<&str> = lines.take_while(|line| !line.starts_with("card")).collect();
        insta::assert_snapshot!(lines.join("\n"), @r"
        CPU             tract: runs
        GPU             wonnx: cannot: cannot lower RoundHalfToEven (node 'round'): no form of it is known to work
        gradient        not differentiable: no gradient reaches the image
        ");
    }
}
