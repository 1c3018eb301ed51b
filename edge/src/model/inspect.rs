//! Everything that `edge inspect` tells of a model.

use std::path::Path;

use serde::Serialize;
use shared::result::{Grouping, OutputKind, ParameterSource, Preprocessing, Warning};

use super::backends::{Backends, Known};
use super::{Histogram, Layout, LoadOptions, LoadedModel, Tensor};
use crate::gradient::Blocker;

/// What was understood of a model file, for people and, as JSON, for programs.
#[derive(Clone, Debug, Serialize)]
pub struct Inspection {
    /// The ONNX file.
    pub path: String,
    /// Display name.
    pub name: String,
    /// BLAKE3 of the ONNX file and its external data, in hexadecimal.
    pub hash: String,
    /// Bytes of the ONNX file and its external data.
    pub bytes: u64,
    /// External data files.
    pub external_data: Vec<String>,
    /// ONNX opset of the default domain.
    pub opset: u32,
    /// Inputs to be fed.
    pub inputs: Vec<Tensor>,
    /// Axis order of the image input.
    pub layout: Layout,
    /// Images per run of the engine's plan.
    pub batch: usize,
    /// Outputs of the graph.
    pub outputs: Vec<Tensor>,
    /// Name of the output used.
    pub output_used: String,
    /// Class scores per image, a background class included.
    pub classes: u32,
    /// What they are.
    pub output_kind: OutputKind,
    /// Number of trained parameters.
    pub parameters: u64,
    /// Where that number comes from.
    pub parameter_source: ParameterSource,
    /// Multiply–accumulates for one image, where every operator could be counted.
    pub macs: Option<u64>,
    /// Operators of the ONNX graph.
    pub onnx_operators: Histogram,
    /// Operators of the graph that tract made of it.
    pub tract_operators: Histogram,
    /// Nodes that keep the model from being differentiated, and so from gradient attacks.
    pub blockers: Vec<Blocker>,
    /// Why there is no gradient, where there is none.
    pub gradient_error: Option<String>,
    /// Which engines run it.
    pub backends: Backends,
    /// The card or timm configuration used.
    pub card: Option<String>,
    /// Label set that the card states.
    pub label_set: Option<String>,
    /// Groups that the card states.
    pub grouping: Grouping,
    /// How images become tensors.
    pub preprocessing: Preprocessing,
    /// What a result file would record as warnings.
    pub warnings: Vec<Warning>,
    /// Further remarks, in words.
    pub notes: Vec<String>,
}

/// Loads a model and tells what was understood.
///
/// # Errors
/// As [`super::load`].
pub fn inspect(path: &Path) -> anyhow::Result<Inspection> {
    let options = LoadOptions {
        gradients: true,
        ..LoadOptions::default()
    };
    // What is not named here, the engine's plans among it, is freed before anything else is made.
    let LoadedModel {
        record,
        facts,
        gradients,
        label_set,
        warnings,
        notes,
        ..
    } = super::load(path, &options)?;
    let gradient_error = gradients.and_then(Result::err);
    let known = Known {
        path,
        layout: facts.layout,
        crop: record.preprocessing.crop,
        output: &facts.output_used,
        kind: record.output_kind,
        batch: facts.batch,
        gradient_error: gradient_error.as_deref(),
    };
    let backends = known.backends();
    Ok(Inspection {
        path: path.display().to_string(),
        name: record.name,
        hash: blake3::Hash::from_bytes(record.hash).to_hex().to_string(),
        bytes: record.bytes,
        external_data: facts
            .external_data
            .iter()
            .map(|p| p.display().to_string())
            .collect(),
        opset: record.opset,
        inputs: facts.inputs,
        layout: facts.layout,
        batch: facts.batch,
        outputs: facts.outputs,
        output_used: facts.output_used,
        classes: record.outputs,
        output_kind: record.output_kind,
        parameters: record.parameters.count,
        parameter_source: record.parameters.source,
        macs: record.macs,
        onnx_operators: facts.onnx_operators,
        tract_operators: facts.tract_operators,
        blockers: facts.blockers,
        gradient_error,
        backends,
        card: facts.card_path.map(|path| path.display().to_string()),
        label_set,
        grouping: record.grouping,
        preprocessing: record.preprocessing,
        warnings,
        notes,
    })
}
