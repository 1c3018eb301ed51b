//! From a parsed ONNX file to tract's typed graph with concrete shapes and one output.

use std::path::Path;

use anyhow::{Context, anyhow, bail, ensure};
use tract_onnx::Onnx;
use tract_onnx::prelude::*;
use tract_onnx::tract_core::internal::DimLike;
use tract_onnx::tract_hir::infer::Factoid;

use super::onnx::OnnxFile;
use super::tensor::ImageInput;

/// A decluttered graph ready for an engine.
pub(super) struct Graph {
    pub(super) model: TypedModel,
    /// Name of the output that holds the class scores.
    pub(super) output: String,
    /// Other outputs that could have held them.
    pub(super) rivals: Vec<String>,
    /// Images per run.
    pub(super) batch: usize,
}

/// Types the graph for one image per run, or for its own fixed batch where it has baked that in.
pub(super) fn build(
    file: &OnnxFile,
    input: &ImageInput,
    crop: (u32, u32),
    wanted: Option<&str>,
) -> anyhow::Result<Graph> {
    super::quiet::catch(|| {
        let single = typed(file, input.shape(1, crop), wanted);
        match (single, input.batch) {
            (Err(_baked_in), Some(batch)) if batch > 1 => {
                typed(file, input.shape(batch as usize, crop), wanted)
            }
            (result, _) => result,
        }
    })
}

/// Types the graph for this many images per run.
#[cfg_attr(
    not(feature = "gpu"),
    expect(dead_code, reason = "only a GPU needs the graph again")
)]
pub(super) fn for_batch(
    file: &OnnxFile,
    input: &ImageInput,
    crop: (u32, u32),
    output: &str,
    batch: usize,
) -> anyhow::Result<TypedModel> {
    super::quiet::catch(|| Ok(typed(file, input.shape(batch, crop), Some(output))?.model))
}

fn typed(file: &OnnxFile, shape: [usize; 4], wanted: Option<&str>) -> anyhow::Result<Graph> {
    let mut inference = parse(file)?;
    inference.set_input_fact(0, InferenceFact::dt_shape(f32::datum_type(), shape))?;
    inference.analyse(false).map_err(|error| named(&error))?;
    let names: Vec<&str> = file
        .graph()?
        .output
        .iter()
        .map(|o| o.name.as_str())
        .collect();
    let (index, rivals) = choose_output(&inference, &names, shape[0], wanted)?;
    let outlet = *inference
        .output_outlets()?
        .get(index)
        .context("an output is missing")?;
    inference.select_output_outlets(&[outlet])?;
    let typed = inference.into_typed().map_err(|error| named(&error))?;
    let model = super::lower::decluttered(typed)?;
    let output = model.output_fact(0)?;
    let classes = output
        .shape
        .as_concrete()
        .and_then(|dims| classes(dims, shape[0]));
    ensure!(
        classes.is_some(),
        "the output '{}' has shape {:?}, expected one score per class",
        names[index],
        output.shape
    );
    Ok(Graph {
        model,
        output: names[index].to_owned(),
        rivals: rivals.into_iter().map(|i| names[i].to_owned()).collect(),
        batch: shape[0],
    })
}

fn parse(file: &OnnxFile) -> anyhow::Result<InferenceModel> {
    // Declared shapes inside the graph repeat the exporter's batch size, which we may change.
    let onnx: Onnx = tract_onnx::onnx().with_ignore_value_info(true);
    let folder = file.path.parent().and_then(Path::to_str);
    ensure!(
        file.external.is_empty() || folder.is_some(),
        "the folder's name is not valid Unicode, which tract needs to find external data: rename it"
    );
    let parsed = onnx
        .parse(&file.proto, folder)
        .map_err(|error| named(&error))?;
    if let Some(name) = parsed.unresolved_inputs.first() {
        bail!("the graph is broken: a node takes '{name}', which nothing makes");
    }
    Ok(parsed.model)
}

/// Keeps the first level of tract's chain (it names the node) and its root.
fn named(error: &anyhow::Error) -> anyhow::Error {
    let root = error.root_cause().to_string();
    let top = error.to_string();
    if top == root {
        anyhow!("tract cannot use the graph: {root}")
    } else {
        anyhow!("tract cannot use the graph: {top}: {root}")
    }
}

/// The output that holds the class scores, and the others that could.
fn choose_output(
    inference: &InferenceModel,
    names: &[&str],
    batch: usize,
    wanted: Option<&str>,
) -> anyhow::Result<(usize, Vec<usize>)> {
    if let Some(wanted) = wanted {
        let index = names.iter().position(|name| *name == wanted);
        let index = index.with_context(|| {
            let known = names.join(", ");
            format!("the model card's output_name '{wanted}' is no output of the graph: {known}")
        })?;
        return Ok((index, Vec::new()));
    }
    if names.len() == 1 {
        return Ok((0, Vec::new()));
    }
    let mut candidates = Vec::new();
    for index in 0..names.len() {
        let fact = inference.output_fact(index)?;
        let shape = fact.shape.concretize();
        let shape = shape.and_then(|dims| dims.iter().map(|d| d.to_usize().ok()).collect());
        if shape.is_some_and(|dims: Vec<usize>| classes(&dims, batch).is_some()) {
            candidates.push(index);
        }
    }
    match candidates.split_first() {
        Some((first, rivals)) => Ok((*first, rivals.to_vec())),
        None => bail!(
            "none of the outputs {} holds one score per class: name one as output_name in a model \
             card",
            names.join(", ")
        ),
    }
}

/// Number of classes of an output shape `[batch, classes, 1, …]`, if it is one.
fn classes(dims: &[usize], batch: usize) -> Option<usize> {
    match dims {
        [first, classes, rest @ ..]
            if *first == batch && *classes > 1 && rest.iter().all(|&dim| dim == 1) =>
        {
            Some(*classes)
        }
        _ => None,
    }
}
