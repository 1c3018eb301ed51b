//! The numbers of an independent Python pipeline on real photographs, reproduced end to end.
//!
//! Reference: `efficientnet-lite0.reference.json` beside the real model (PIL, onnxruntime, numpy);
//! tolerances as its README states them.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use serde_json::Value;
use shared::outcome::{Outcomes, PassKind};
use shared::result::Evaluation;

#[path = "parity/attacks.rs"]
mod attacks;

/// The published preprocessing of EfficientNet-Lite0, as the reference used it.
const CARD: &str = "\
name = \"efficientnet-lite0\"
parameters = 4652008

[preprocessing]
resize = 256
crop = 224
interpolation = \"bicubic\"
mean = [0.49803922, 0.49803922, 0.49803922]
std = [0.50196078, 0.50196078, 0.50196078]
";

#[test]
fn efficientnet_lite0_agrees_with_the_python_pipeline() {
    let Some(real) = tests::real_data() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    // Corrupted copies would be 15,000 evaluations more.
    let options = ["--dims", "acc,ood,cal,bal,shape"];
    let model = with_card(&real, folder.path());
    let evaluation = evaluate(&model, &real.join("data"), &options);
    let text = std::fs::read_to_string(real.join("efficientnet-lite0.reference.json")).unwrap();
    let reference: Value = serde_json::from_str(&text).unwrap();

    photos_agree(&evaluation, &reference["photos"]);
    let measured = shared::metrics::measure(&evaluation);
    let part = |dimension, name: &str| {
        let measurement = measured[dimension].as_ref().unwrap();
        measurement
            .parts
            .iter()
            .find(|p| p.name == name)
            .unwrap()
            .value
    };
    use shared::Dimension as D;
    let summary = &reference["summary"]["photos"];
    assert_near(
        "ECE",
        part(D::CalibrationError, "ece"),
        summary["ece"].as_f64().unwrap(),
        0.004,
    );
    assert_near(
        "ACE",
        part(D::CalibrationError, "ace"),
        summary["ace"].as_f64().unwrap(),
        2e-6,
    );
    assert_near("shape", part(D::ShapeBias, "shape decisions"), 44.0, 2.0);
    assert_near(
        "texture",
        part(D::ShapeBias, "texture decisions"),
        160.0,
        2.0,
    );
    for (kind, right, total) in [
        (PassKind::Clean, 180, 200),
        (PassKind::Edge, 52, 160),
        (PassKind::Silhouette, 68, 160),
    ] {
        let (found, images) = shared::metrics::pass_accuracy(&evaluation, kind).unwrap();
        assert_eq!(images, total, "{kind}");
        assert_near(&kind.to_string(), f64::from(found), f64::from(right), 1.0);
    }
}

/// The real model and its card, in `folder`.
fn with_card(real: &Path, folder: &Path) -> PathBuf {
    let model = folder.join("efficientnet-lite0.onnx");
    std::fs::copy(real.join("models/efficientnet-lite0.onnx"), &model).unwrap();
    std::fs::write(model.with_extension("toml"), CARD).unwrap();
    model
}

fn evaluate(model: &Path, data: &Path, options: &[impl AsRef<OsStr>]) -> Evaluation {
    let out = tempfile::tempdir().unwrap();
    let run = tests::finish(
        tests::without_gpus(env!("CARGO_BIN_EXE_edge-under-test"))
            .arg("eval")
            .arg(model)
            .arg("--data")
            .arg(data)
            .arg("--out")
            .arg(out.path())
            .args(options),
    );
    assert_eq!(run.code, 0, "{}", run.stderr);
    shared::result::read(&out.path().join("efficientnet-lite0.quba")).unwrap()
}

/// Top-1 and true-class probability, photo by photo; both lists are in path order.
fn photos_agree(evaluation: &Evaluation, photos: &Value) {
    let pass = evaluation
        .passes
        .iter()
        .find(|p| p.kind == PassKind::Clean)
        .unwrap();
    let Outcomes::Classified {
        predictions,
        true_confidences,
        ..
    } = &pass.outcomes
    else {
        panic!("the clean pass holds classifications");
    };
    let labels = &evaluation.lists[pass.list as usize].labels;
    let photos = photos.as_array().unwrap();
    assert_eq!(photos.len(), predictions.len());
    let (mut equal, mut differences) = (0, Vec::new());
    for (i, photo) in photos.iter().enumerate() {
        assert_eq!(photo["label"].as_u64().unwrap(), u64::from(labels[i]));
        equal += u32::from(photo["top1"].as_u64().unwrap() == u64::from(predictions[i]));
        differences
            .push((photo["p_true"].as_f64().unwrap() - f64::from(true_confidences[i])).abs());
    }
    let mean = differences.iter().sum::<f64>() / differences.len() as f64;
    let within = differences.iter().filter(|&&d| d <= 0.03).count();
    println!(
        "top-1 equal on {equal} of 200, mean |p_true difference| {mean:.5}, within 0.03: {within}"
    );
    assert!(equal >= 198, "top-1 equal on {equal} of 200");
    assert!(mean <= 0.005, "mean difference {mean}");
    assert!(within >= 198, "{within} of 200 within 0.03");
}

fn assert_near(name: &str, found: f64, expected: f64, tolerance: f64) {
    println!("{name}: {found} (reference {expected}, tolerance {tolerance})");
    assert!(
        (found - expected).abs() <= tolerance,
        "{name}: {found}, expected {expected} ± {tolerance}"
    );
}
