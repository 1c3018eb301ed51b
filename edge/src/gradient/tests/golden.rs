//! Gradients that PyTorch computed, beside the networks.
//!
//! A `.bin` file holds little-endian `u32` and `f32`: the label of all images; a count and the
//! logits; a count, the images and the gradient of each image's cross entropy.

use std::path::{Path, PathBuf};
use std::time::Instant;

use serde_json::json;

use super::*;

/// What PyTorch computed.
struct Reference {
    label: usize,
    logits: Vec<f32>,
    images: Vec<f32>,
    gradient: Vec<f32>,
}

impl Reference {
    fn read(file: &Path) -> Self {
        let bytes = std::fs::read(file).unwrap();
        let mut words = bytes
            .chunks_exact(4)
            .map(|w| <[u8; 4]>::try_from(w).unwrap());
        let mut whole = || u32::from_le_bytes(words.next().unwrap()) as usize;
        let (label, logits) = (whole(), whole());
        let words: Vec<[u8; 4]> = words.collect();
        let numbers = |words: &[[u8; 4]]| words.iter().copied().map(f32::from_le_bytes).collect();
        let count = u32::from_le_bytes(words[logits]) as usize;
        let (images, gradient) = words[logits + 1..].split_at(count);
        Self {
            label,
            logits: numbers(&words[..logits]),
            images: numbers(images),
            gradient: numbers(gradient),
        }
    }
}

/// How a gradient compares with PyTorch's.
struct Agreement {
    logits: f32,
    /// 1 − cosine similarity.
    angle: f64,
    /// Share of equal signs where the gradient is not negligible.
    signs: f64,
    norm_ratio: f64,
    /// Best of three runs of the forward graph and of the one with the gradient, in ms.
    times: [f64; 2],
}

impl Agreement {
    fn row(&self, network: &str) -> serde_json::Value {
        let [forward, gradient] = self.times;
        json!({
            "network": network,
            "logits_error": self.logits,
            "angle": self.angle,
            "signs": self.signs,
            "norm_ratio": self.norm_ratio,
            "forward_ms": forward,
            "gradient_ms": gradient,
        })
    }
}

/// Compares the gradient of the network in a file with the one beside it.
fn compare(file: &Path) -> anyhow::Result<Agreement> {
    let reference = Reference::read(&file.with_extension("bin"));
    let typed = tract_onnx::onnx()
        .with_ignore_value_info(true)
        .model_for_path(file)?
        .into_typed()?;
    let forward = crate::model::lower::decluttered(typed)?;
    let shape = forward.input_fact(0)?.shape.as_concrete();
    let shape = shape.context("a shape that is not known")?.to_vec();
    let classes = reference.logits.len() / shape[0];
    let images = Tensor::from_shape(&shape, &reference.images)?.into_tvalue();
    let mut target = vec![0f32; reference.logits.len()];
    for row in target.chunks_exact_mut(classes) {
        row[reference.label] = 1.0;
    }
    let target = Tensor::from_shape(&[shape[0], classes], &target)?.into_tvalue();
    let (_, forward_time) = timed(&forward, tvec!(images.clone()))?;
    let graph = with_loss_gradient(&forward, LossOf::Logits)?.into_decluttered()?;
    if std::env::var_os("GRADIENT_PROFILE").is_some() {
        profile(&forward, tvec!(images.clone()))?;
        profile(&graph, tvec!(images.clone(), target.clone()))?;
    }
    let (outputs, gradient_time) = timed(&graph, tvec!(images, target))?;
    let values = |slot: usize| -> anyhow::Result<Vec<f32>> {
        Ok(outputs[slot]
            .try_as_plain_ram()?
            .as_slice::<f32>()?
            .to_vec())
    };
    let (logits, found, expected) = (values(0)?, values(2)?, reference.gradient);
    let gaps = logits
        .iter()
        .zip(&reference.logits)
        .map(|(a, b)| (a - b).abs());
    let dot = |a: &[f32], b: &[f32]| -> f64 {
        let products = a.iter().zip(b).map(|(&a, &b)| f64::from(a) * f64::from(b));
        products.sum()
    };
    let norms = [dot(&found, &found).sqrt(), dot(&expected, &expected).sqrt()];
    let largest = expected.iter().fold(0f32, |most, v| most.max(v.abs()));
    let pairs = found.iter().zip(&expected);
    let matter: Vec<_> = pairs.filter(|(_, e)| e.abs() > 1e-4 * largest).collect();
    let equal = matter
        .iter()
        .filter(|(f, e)| f.signum() == e.signum())
        .count();
    Ok(Agreement {
        logits: gaps.fold(0f32, f32::max),
        angle: 1.0 - dot(&found, &expected) / (norms[0] * norms[1]),
        signs: equal as f64 / matter.len().max(1) as f64,
        norm_ratio: norms[0] / norms[1],
        times: [forward_time, gradient_time],
    })
}

/// The outputs, and the time of the best of three runs in ms.
fn timed(model: &TypedModel, inputs: TVec<TValue>) -> anyhow::Result<(TVec<TValue>, f64)> {
    let plan = model.clone().into_optimized()?.into_runnable()?;
    let (mut best, mut outputs) = (f64::INFINITY, tvec!());
    for _ in 0..3 {
        let started = Instant::now();
        outputs = plan.run(inputs.clone())?;
        best = best.min(started.elapsed().as_secs_f64() * 1e3);
    }
    Ok((outputs, best))
}

/// Prints which operators and which nodes take longest.
fn profile(graph: &TypedModel, inputs: TVec<TValue>) -> anyhow::Result<()> {
    use tract_onnx::tract_core::plan::{SimplePlan, SimpleState, eval};
    let plan = SimplePlan::new(graph.clone().into_optimized()?)?;
    let mut state = SimpleState::new(&plan)?;
    state.run(inputs.clone())?;
    let (mut operators, mut nodes) = (BTreeMap::<String, f64>::new(), Vec::new());
    state.run_plan_with_eval(inputs, |context, op, node, inputs| {
        let started = Instant::now();
        let outputs = eval(context, op, node, inputs);
        let took = started.elapsed().as_secs_f64() * 1e3;
        let side = if node.name.starts_with("gradient") {
            "gradient"
        } else {
            "forward"
        };
        let operator = format!("{side} {}", node.op.name());
        nodes.push((
            took,
            format!("{operator} {} {:?}", node.name, node.outputs[0].fact),
        ));
        *operators.entry(operator).or_default() += took;
        outputs
    })?;
    let mut operators = operators
        .into_iter()
        .map(|(name, took)| (took, name))
        .collect();
    for list in [&mut operators, &mut nodes] {
        list.sort_by(|a, b| b.0.total_cmp(&a.0));
        for (took, name) in list.iter().take(14) {
            println!("  {took:8.2} ms  {name}");
        }
    }
    Ok(())
}

/// The networks in a folder, or the one that is named.
fn networks_in(folder: &Path) -> Vec<PathBuf> {
    if folder.is_file() {
        return vec![folder.into()];
    }
    let files = std::fs::read_dir(folder).unwrap().flatten();
    let mut files: Vec<PathBuf> = files.map(|file| file.path()).collect();
    files.retain(|file| file.extension().is_some_and(|e| e == "onnx"));
    files.sort();
    files
}

#[test]
fn small_networks_agree_with_pytorch() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/gradients/golden");
    let networks = networks_in(Path::new(folder));
    assert!(
        networks.len() > 40,
        "{} networks in {folder}",
        networks.len()
    );
    let mut wrong = Vec::new();
    for file in networks {
        let name = file.file_stem().unwrap().to_string_lossy().into_owned();
        match compare(&file) {
            Ok(found) if found.angle < 1e-6 && (found.norm_ratio - 1.0).abs() < 1e-4 => {}
            Ok(found) => wrong.push(format!(
                "{name}: 1 - cosine {:.1e}, norm ratio {}",
                found.angle, found.norm_ratio
            )),
            Err(error) => wrong.push(format!("{name}: {error:#}")),
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Prints a line of JSON for each network and asks for what the project promises of whole ones.
///
/// `tests/gradients/export.py` makes the networks, and `backbones.py` beside it runs this in turn
/// with PyTorch. With `GRADIENT_PROFILE`, also prints what takes longest in each.
#[test]
#[ignore = "takes networks: GRADIENT_REFERENCE names a folder of them, or one"]
fn table_of_networks() {
    let Some(place) = std::env::var_os("GRADIENT_REFERENCE") else {
        println!("skipped: GRADIENT_REFERENCE names no folder");
        return;
    };
    let networks = networks_in(Path::new(&place));
    assert!(!networks.is_empty(), "no networks in {place:?}");
    let mut wrong = Vec::new();
    for file in networks {
        let name = file.file_stem().unwrap().to_string_lossy().into_owned();
        match compare(&file) {
            Ok(found) => {
                println!("{}", found.row(&name));
                let close = found.angle <= 1e-4 && found.signs >= 0.999;
                wrong.extend((!close).then_some(name));
            }
            Err(error) => wrong.push(format!("{name}: {error:#}")),
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Cutting a triangle out has no rule.
#[test]
fn unknown_operators_are_named() {
    use tract_onnx::tract_core::ops::array::Trilu;
    let forward = graph(DatumType::F32, &[2, 3], |b, x| {
        let diagonal = b.constant(tensor0(0i64))?;
        b.wire(Trilu { upper: true }, &[x, diagonal])
    });
    let found = blockers(&forward).unwrap();
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].operator, "Trilu");
    let error = with_loss_gradient(&forward, LossOf::Logits).unwrap_err();
    assert!(error.to_string().contains("Trilu"), "{error}");
}
