//! ONNX file and model card → a runnable classifier and the facts about it.

mod backends;
mod beside;
pub mod card;
mod facts;
mod graph;
mod inspect;
pub(crate) mod lower;
mod onnx;
mod output;
#[cfg(feature = "gpu")]
mod placed;
pub mod preprocessing;
pub(crate) mod probe;
pub(crate) mod quiet;
pub(crate) mod quirks;
mod tensor;
#[cfg(test)]
mod tests;
pub mod timm;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, anyhow};
use shared::Protocol;
use shared::result::{
    Model, OutputKind, ParameterSource, Parameters, PreprocessingSource, Warning,
};

use tract_onnx::prelude::TypedModel;

use crate::gradient::{Blocker, blockers};
use crate::runtime::Network;
use crate::runtime::gpu::adapters::Adapter;
use crate::runtime::gradient::LossGradients;
use crate::runtime::tract::{TractNetwork, arranged};
pub use backends::{Backends, Support, Verdict};
use beside::Beside;
pub use card::{Card, Layout};
pub use facts::Histogram;
pub use inspect::{Inspection, inspect};
pub use output::{LabelMismatch, OutputView};
pub use tensor::{Dim, Tensor};

/// How a model is to be used.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LoadOptions {
    /// Under the published protocol a card's `double_softmax` takes effect.
    pub protocol: Protocol,
    /// Also prepare the gradient of the loss, for attacks.
    pub gradients: bool,
    /// The adapter to run on, and the images that it runs at once; the CPU without one.
    pub gpu: Option<(Adapter, usize)>,
}

/// A model that can be run, with what is known of it.
pub struct LoadedModel {
    /// The ONNX file.
    pub path: PathBuf,
    /// What a result file records.
    pub record: Model,
    /// What a reader of the numbers must know, sorted.
    pub warnings: Vec<Warning>,
    /// What only the person running the program needs to know, in words.
    pub notes: Vec<String>,
    /// Name of the label set that the card states.
    pub label_set: Option<String>,
    /// Runs preprocessed images.
    pub classifier: Arc<dyn Network>,
    /// Gives loss gradients, or why there are none; `None` unless it was asked for.
    pub gradients: Option<Result<LossGradients, String>>,
    /// What `edge inspect` prints beside the record.
    pub facts: Facts,
    background_class: Option<bool>,
}

/// What was read from the graph beside the recorded facts.
#[derive(Clone, Debug)]
pub struct Facts {
    /// Inputs to be fed.
    pub inputs: Vec<Tensor>,
    /// Outputs.
    pub outputs: Vec<Tensor>,
    /// Name of the output used.
    pub output_used: String,
    /// Axis order of the input.
    pub layout: Layout,
    /// Images per run of the engine's plan.
    pub batch: usize,
    /// Bytes of the weights by element type.
    pub weight_bytes: Histogram,
    /// Operators of the ONNX graph.
    pub onnx_operators: Histogram,
    /// Operators of the graph that tract made of it.
    pub tract_operators: Histogram,
    /// Nodes that keep the graph from being differentiated.
    pub blockers: Vec<Blocker>,
    /// External data files.
    pub external_data: Vec<PathBuf>,
    /// The card or timm configuration that was used.
    pub card_path: Option<PathBuf>,
}

impl Facts {
    fn of(
        file: &onnx::OnnxFile,
        input: &tensor::ImageInput,
        graph: &graph::Graph,
        card_path: Option<PathBuf>,
    ) -> anyhow::Result<Self> {
        Ok(Self {
            inputs: file.inputs()?,
            outputs: file.outputs()?,
            output_used: graph.output.clone(),
            layout: input.layout,
            batch: graph.batch,
            weight_bytes: facts::weight_bytes(file.graph()?),
            onnx_operators: facts::onnx_operators(file.graph()?),
            tract_operators: facts::tract_operators(&graph.model),
            blockers: blockers(&graph.model)?,
            external_data: file.external.clone(),
            card_path,
        })
    }
}

impl LoadedModel {
    /// Whether the gradient of the loss was prepared.
    pub fn has_gradients(&self) -> bool {
        matches!(self.gradients, Some(Ok(_)))
    }

    /// What went wrong on a GPU so far, in words.
    pub fn fallbacks(&self) -> Vec<String> {
        let mut reasons = self.classifier.fallbacks();
        if let Some(Ok(gradients)) = &self.gradients {
            let of_gradients = gradients.network().fallbacks().into_iter();
            reasons.extend(of_gradients.map(|reason| format!("gradients: {reason}")));
        }
        reasons
    }

    /// How the outputs map to a label set of `classes` classes: as many outputs, or one more for a
    /// background class in first place.
    ///
    /// # Errors
    /// [`LabelMismatch`] when they do not fit.
    pub fn check_labels(&self, classes: usize) -> Result<OutputView, LabelMismatch> {
        output::fit(self.classifier.output_len(), classes, self.background_class)
    }
}

/// Loads a model with its card and prepares it for one image per run.
///
/// # Errors
/// When the file is no ONNX model, a part of it is missing, its card is wrong, or it is not an
/// image classifier that tract can run; the message ends with the path.
pub fn load(path: &Path, options: &LoadOptions) -> anyhow::Result<LoadedModel> {
    // The file's path goes last, as everywhere.
    load_unnamed(path, options).map_err(|error| anyhow!("{error:#}: {}", path.display()))
}

fn load_unnamed(path: &Path, options: &LoadOptions) -> anyhow::Result<LoadedModel> {
    let file = onnx::OnnxFile::read(path)?;
    let beside = Beside::read(path)?;
    let card = beside.card();
    let layout = card.preprocessing.as_ref().and_then(|p| p.layout);
    let input = tensor::ImageInput::find(&file.inputs()?, layout)?;
    file.check_operators()?;
    file.check_outputs()?;
    let preprocessing = preprocessing::resolve(
        card.preprocessing.as_ref(),
        beside.timm.as_ref(),
        input.sides,
    )?;
    let graph = graph::build(
        &file,
        &input,
        preprocessing.crop,
        card.output_name.as_deref(),
    )?;
    let facts = Facts::of(&file, &input, &graph, beside.path)?;
    let macs = facts::macs(&graph.model).map(|macs| macs / graph.batch as u64);
    let forward = options.gradients.then(|| graph.model.clone());
    let classifier = quiet::catch(|| TractNetwork::new(arranged(graph.model), input.layout))?;
    let classifier: Arc<dyn Network> = Arc::new(classifier);
    let probe = probe::probe(&*classifier, file.graph()?, &graph.output)?;
    let kind = output_kind(&card, probe.kind, options.protocol);
    let gradients = forward.map(|forward| gradients(&forward, input.layout, kind, &*classifier));
    let parameters = parameters(&card, file.graph()?);
    let record = Model {
        name: card.name.clone().unwrap_or_else(|| stem(path)),
        hash: file.hash,
        bytes: file.bytes,
        opset: file.opset(),
        parameters,
        macs,
        grouping: card.grouping.clone().into(),
        outputs: u32::try_from(classifier.output_len()).context("too many outputs")?,
        output_kind: kind,
        preprocessing,
    };
    let loaded = LoadedModel {
        path: path.to_owned(),
        warnings: warnings(&record),
        notes: notes(&graph.output, &graph.rivals, probe.finite),
        record,
        label_set: card.label_set,
        classifier,
        gradients,
        facts,
        background_class: card.background_class,
    };
    #[cfg(feature = "gpu")]
    if let Some((adapter, batch)) = &options.gpu {
        let source = placed::Source {
            file,
            input,
            crop: loaded.record.preprocessing.crop,
            output: graph.output,
        };
        return Ok(source.place(loaded, adapter, *batch));
    }
    Ok(loaded)
}

fn stem(path: &Path) -> String {
    path.file_stem()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}

/// The gradients of a classifier on tract, or why there are none.
fn gradients(
    forward: &TypedModel,
    layout: Layout,
    kind: OutputKind,
    classifier: &dyn Network,
) -> Result<LossGradients, String> {
    let gradients = quiet::catch(|| {
        let gradients = LossGradients::new(forward, layout, kind)?;
        probe::check_gradients(classifier, &gradients)?;
        Ok(gradients)
    });
    gradients.map_err(|error| format!("{error:#}"))
}

fn parameters(card: &Card, graph: &tract_onnx::pb::GraphProto) -> Parameters {
    match card.parameters {
        Some(count) => Parameters {
            count,
            source: ParameterSource::Card,
        },
        None => Parameters {
            count: facts::parameters(graph),
            source: ParameterSource::Initializers,
        },
    }
}

fn output_kind(card: &Card, probed: OutputKind, protocol: Protocol) -> OutputKind {
    match card.output.unwrap_or(probed) {
        OutputKind::Probabilities if card.double_softmax && protocol == Protocol::Published => {
            OutputKind::DoubleSoftmax
        }
        kind => kind,
    }
}

fn warnings(record: &Model) -> Vec<Warning> {
    let mut warnings = Vec::new();
    if record.preprocessing.source == PreprocessingSource::Defaults {
        warnings.push(Warning::DefaultPreprocessing);
    }
    if record.parameters.source == ParameterSource::Initializers {
        warnings.push(Warning::ParametersFromInitializers);
    }
    warnings.sort();
    warnings
}

fn notes(output: &str, rivals: &[String], finite: bool) -> Vec<String> {
    let mut notes = Vec::new();
    if !rivals.is_empty() {
        notes.push(format!(
            "the output '{output}' is used; {} could hold class scores too (choose with output_name \
             in a model card)",
            rivals.join(", ")
        ));
    }
    if !finite {
        notes.push(
            "some outputs on test images are not finite: such images will count as wrong"
                .to_owned(),
        );
    }
    notes
}
