//! Card, provenance and warnings.

use eframe::egui;
use egui::{Label, RichText, Ui};
use shared::Dimension;
use shared::comparison::costs::label;
use shared::result::{Engine, Evaluation, ParameterSource, Run};
use shared::words::count;

use crate::state::model::{Model, Source, short_hash};
use crate::state::words;
use crate::theme::Palette;
use crate::views::cards::{card, fact};
use crate::views::widgets::{Sign, hint, sign};

/// What is known of the model.
pub fn facts(ui: &mut Ui, model: &Model) {
    card(ui, "Model", |ui| {
        ui.spacing_mut().item_spacing.y = 3.0;
        fact(ui, "architecture", &model.architecture);
        fact(ui, "pre-training", &model.pretraining_data);
        fact(ui, "training", &model.regime);
        match &model.source {
            Source::Published(row) => {
                fact(ui, "paper", &row.paper);
                fact(
                    ui,
                    "row",
                    &format!(
                        "{} on the study's results page, key {}",
                        row.row + 1,
                        row.id
                    ),
                );
            }
            Source::Own(own) => own_facts(ui, &own.evaluation),
        }
    });
}

fn own_facts(ui: &mut Ui, evaluation: &Evaluation) {
    let model = &evaluation.model;
    let source = match model.parameters.source {
        ParameterSource::Card => "from the model card",
        ParameterSource::Initializers => "counted in the file",
    };
    if !model.grouping.paper.is_empty() {
        fact(ui, "paper", &model.grouping.paper);
    }
    fact(
        ui,
        "parameters",
        &format!("{}, {source}", count(model.parameters.count)),
    );
    fact(
        ui,
        "file",
        &format!("{}, opset {}", words::bytes(model.bytes), model.opset),
    );
    let macs = model.macs.map_or_else(
        || "not counted".to_owned(),
        |n| format!("{} per image", words::macs(n)),
    );
    fact(ui, "MACs", &macs);
    let outputs = format!(
        "{}, {}",
        model.outputs,
        words::output_kind(model.output_kind)
    );
    fact(ui, "outputs", &outputs);
    fact(
        ui,
        "preprocessing",
        &words::preprocessing(&model.preprocessing),
    );
    let hash: String = model
        .hash
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    ui.scope(|ui| fact(ui, "BLAKE3", &short_hash(&model.hash)))
        .response
        .on_hover_text(hash);
}

/// Where the figures come from.
pub fn runs(ui: &mut Ui, model: &Model) {
    let Some(own) = model.measurements() else {
        return;
    };
    let evaluation = &own.evaluation;
    card(ui, "Provenance", |ui| {
        ui.spacing_mut().item_spacing.y = 3.0;
        for run in &evaluation.runs {
            run_facts(ui, run);
        }
        let labels = &evaluation.label_set;
        fact(
            ui,
            "data",
            &format!(
                "{}, labels {} ({} classes)",
                evaluation.dataset.name, labels.name, labels.classes
            ),
        );
        if let Some(list) = evaluation.lists.first() {
            fact(ui, "fingerprint", &short_hash(&list.identity));
        }
        let sample = evaluation.subset.map_or_else(
            || "every image".to_owned(),
            |subset| {
                format!(
                    "at most {} images of each incomplete set",
                    count(u64::from(subset.images_per_set))
                )
            },
        );
        fact(ui, "sample", &sample);
        fact(ui, "protocol", &own.entry.protocol);
        if let Some(corruptions) = &own.entry.corruptions {
            fact(ui, "corruptions", corruptions);
        }
        fact(ui, "seed", &evaluation.seed.to_string());
    });
}

fn run_facts(ui: &mut Ui, run: &Run) {
    fact(ui, "device", &label(&run.engine, &run.device));
    let engine = match &run.engine {
        Engine::Tract { version } => format!("tract {version}"),
        Engine::Wonnx {
            version,
            api,
            driver,
            ..
        } => format!("wonnx {version}, {api} {driver}")
            .trim_end()
            .to_owned(),
    };
    fact(
        ui,
        "engine",
        &format!(
            "{engine}, tool {}, {} threads",
            run.tool_version, run.threads
        ),
    );
    let seconds = run.wall_ms as f64 / 1000.0;
    fact(
        ui,
        "run",
        &format!("{} UTC, {seconds:.1} s", words::utc(run.started)),
    );
}

/// Warnings of an own result, flags of a published row.
pub fn notes(ui: &mut Ui, model: &Model) {
    let title = if model.is_published() {
        "Flags"
    } else {
        "Warnings"
    };
    card(ui, title, |ui| {
        let warning = Palette::of(ui).warning;
        if model.notes.is_empty() {
            hint(ui, "None.");
        }
        for note in &model.notes {
            ui.horizontal_top(|ui| {
                sign(ui, Sign::Warning, warning, "warning");
                ui.add(Label::new(RichText::new(note).small()).wrap());
            });
        }
        if model.is_published() {
            hint(
                ui,
                "The study published the nine figures, but no outcomes per image.",
            );
        } else if let Some(own) = model.measurements() {
            for dimension in Dimension::ALL {
                if let Err(reason) = &own.measured[dimension] {
                    hint(ui, &format!("{} not measured: {reason}", dimension.name()));
                }
            }
        }
    });
}
