//! Whole models.

use std::path::{Path, PathBuf};
use std::time::Instant;

use tract_onnx::tract_hir::infer::Factoid;

use super::engines::{Session, has_adapter, reread, source};
use super::*;
use crate::gradient::{LossOf, with_loss_gradient};
use crate::runtime::gpu::check::agreement;

fn load(path: &Path, batch: Option<usize>) -> anyhow::Result<TypedModel> {
    let mut inference = tract_onnx::onnx()
        .with_ignore_value_info(true)
        .model_for_path(path)?;
    let fact = inference.input_fact(0)?.clone();
    let mut shape: Vec<usize> = fact
        .shape
        .dims()
        .map(|dim| {
            dim.concretize()
                .and_then(|d| d.to_usize().ok())
                .unwrap_or(1)
        })
        .collect();
    if let Some(batch) = batch {
        shape[0] = batch;
    }
    inference.set_input_fact(0, InferenceFact::dt_shape(f32::datum_type(), shape))?;
    for index in 0..inference.output_outlets()?.len() {
        inference.set_output_fact(index, InferenceFact::default())?;
    }
    crate::model::lower::decluttered(inference.into_typed()?)
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "onnx"))
        .collect();
    files.sort();
    files
}

fn image(graph: &TypedModel) -> Vec<f32> {
    let fact = graph.input_fact(0).unwrap();
    numbers(5, fact.shape.as_concrete().unwrap().iter().product())
}

#[test]
fn bundled_models_keep_their_outputs() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../models");
    for path in files(Path::new(folder)) {
        for batch in [1, 4] {
            let graph = load(&path, Some(batch)).unwrap();
            let lowered = lower(&graph).unwrap_or_else(|e| panic!("{path:?}: {e}"));
            let inputs = [image(&graph)];
            let expected = source(&graph, &inputs);
            let gap = difference(&expected, &reread(&lowered, &inputs));
            assert!(gap < 1e-5, "{path:?} at batch {batch}: {gap}");
        }
    }
}

#[test]
fn bundled_models_run_on_the_gpu() {
    if !has_adapter() {
        return;
    }
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../models");
    for path in files(Path::new(folder)) {
        for batch in [1, 4] {
            let graph = load(&path, Some(batch)).unwrap();
            let lowered = lower(&graph).unwrap();
            let inputs = [image(&graph)];
            let expected = source(&graph, &inputs);
            let found = Session::new(&lowered).unwrap().run(&inputs).unwrap();
            let gap = difference(&expected, &found);
            assert!(gap < 1e-4, "{path:?} at batch {batch}: {gap}");
        }
    }
}

/// A graph with the gradient of its loss, and inputs: an image and its true classes.
fn with_gradient(forward: &TypedModel) -> anyhow::Result<(TypedModel, Vec<Vec<f32>>)> {
    let graph = with_loss_gradient(forward, LossOf::Logits)?.into_decluttered()?;
    let target = graph.input_fact(1)?.shape.as_concrete().unwrap().to_vec();
    let mut rows = vec![0f32; target.iter().product()];
    for row in rows.chunks_exact_mut(target[1]) {
        row[1] = 1.0;
    }
    Ok((graph, vec![image(forward), rows]))
}

#[test]
fn gradients_of_bundled_models_agree() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../models");
    for name in ["plain-small", "depthwise", "patch-transformer"] {
        let path = Path::new(folder).join(name).with_extension("onnx");
        let forward = load(&path, Some(1)).unwrap();
        let (graph, inputs) = with_gradient(&forward).unwrap();
        let lowered = lower(&graph).unwrap_or_else(|e| panic!("{name}: {e}"));
        let expected = source(&graph, &inputs);
        let mut found = vec![("read again", reread(&lowered, &inputs))];
        if has_adapter() {
            found.push((
                "on the GPU",
                Session::new(&lowered).unwrap().run(&inputs).unwrap(),
            ));
        }
        for (how, found) in found {
            let gap = difference(&expected[..2], &found[..2]);
            assert!(gap < 1e-4, "{name} {how}: scores and loss off by {gap}");
            let (cosine, signs) = agreement(&found[2], &expected[2]);
            assert!(
                cosine > 1.0 - 1e-6 && signs > 0.999,
                "{name} {how}: {cosine} {signs}"
            );
        }
    }
}

/// Networks of one operator each in what else exporters make of it, and their gradients.
#[test]
fn networks_of_one_operator_keep_their_outputs() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/gradients/golden");
    let networks = files(Path::new(folder));
    assert!(
        networks.len() > 40,
        "{} networks in {folder}",
        networks.len()
    );
    let mut refused = Vec::new();
    for path in networks {
        let forward = load(&path, None).unwrap();
        let (gradient, inputs) = with_gradient(&forward).unwrap();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        for (graph, inputs) in [(&forward, &inputs[..1]), (&gradient, &inputs[..])] {
            let lowered = match lower(graph) {
                Ok(lowered) => lowered,
                Err(refusal) => {
                    refused.push(refusal.to_string());
                    break;
                }
            };
            let gap = difference(&source(graph, inputs), &reread(&lowered, inputs));
            assert!(gap < 1e-4, "{name}: {gap}");
        }
    }
    insta::assert_snapshot!(refused.join("\n"), @r"
    cannot lower Pow (node '/operator/Pow'): neither is its base a positive constant nor its exponent a constant number
    cannot lower Topk (node '/operator/TopK'): it has 2 outputs
    ");
}

/// Prints a line for each model in a folder: what the lowering made of it and how it ran.
///
/// GPU_REREAD also compares what tract makes of the lowered model; GPU_GRADIENTS takes the graphs
/// with the gradient of the loss; GPU_BATCHES lists batch sizes.
#[test]
#[ignore = "takes models: GPU_MODELS names a folder of them, or one"]
fn table_of_models() {
    let Some(place) = std::env::var_os("GPU_MODELS") else {
        println!("skipped: GPU_MODELS names no folder");
        return;
    };
    let place = PathBuf::from(place);
    let files = if place.is_file() {
        vec![place]
    } else {
        files(&place)
    };
    let batches = std::env::var("GPU_BATCHES").unwrap_or_else(|_| "1".to_owned());
    let batches: Vec<usize> = batches.split(',').map(|b| b.parse().unwrap()).collect();
    println!("model batch nodes lowered load_ms first_run_ms gap top1");
    for path in files {
        for &batch in &batches {
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            match row(&path, batch) {
                Ok(row) => println!("{name} {batch} {row}"),
                Err(error) => println!("{name} {batch} refused: {error:#}"),
            }
        }
    }
}

fn row(path: &Path, batch: usize) -> anyhow::Result<String> {
    let forward = load(path, Some(batch))?;
    let (graph, inputs) = if std::env::var_os("GPU_GRADIENTS").is_some() {
        with_gradient(&forward)?
    } else {
        let inputs = vec![image(&forward)];
        (forward, inputs)
    };
    let lowered = lower(&graph)?;
    let expected = source(&graph, &inputs);
    let mut row = format!("{} {}", graph.nodes().len(), lowered.nodes);
    if std::env::var_os("GPU_REREAD").is_some() {
        let gap = difference(&expected, &reread(&lowered, &inputs));
        row += &format!(" reread {gap:.1e}");
    }
    if !has_adapter() {
        return Ok(row);
    }
    let started = Instant::now();
    let session = Session::new(&lowered)?;
    let load = started.elapsed().as_millis();
    let started = Instant::now();
    let found = session.run(&inputs)?;
    let first = started.elapsed().as_millis();
    let gap = difference(&expected[..1], &found[..1]);
    let rows = expected[0].len() / batch;
    let top = |scores: &[f32]| {
        scores
            .iter()
            .enumerate()
            .max_by(|a, b| a.1.total_cmp(b.1))
            .map(|m| m.0)
    };
    let pairs = expected[0].chunks(rows).zip(found[0].chunks(rows));
    let equal = pairs.filter(|(a, b)| top(a) == top(b)).count();
    row += &format!(" {load} {first} {gap:.1e} {equal}/{batch}");
    if let ([_, _, expected], [_, _, found]) = (&expected[..], &found[..]) {
        let (cosine, signs) = agreement(found, expected);
        row += &format!(" angle {:.1e} signs {signs:.4}", 1.0 - cosine);
        // What little differences do to tract's own gradient.
        for share in [1e-6, 1e-5] {
            let mut moved = inputs.clone();
            for (index, number) in moved[0].iter_mut().enumerate() {
                *number *= if index % 2 == 0 {
                    1.0 + share
                } else {
                    1.0 - share
                };
            }
            let (cosine, signs) = agreement(&source(&graph, &moved)[2], expected);
            row += &format!(
                " (moved by {share:.0e}: angle {:.1e} signs {signs:.4})",
                1.0 - cosine
            );
        }
    }
    Ok(row)
}
