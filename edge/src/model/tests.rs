//! Whole files against onnxruntime: `edge/tests/fixtures/models`, written by its `make.py`.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use proptest::prelude::*;
use serde::Deserialize;

use super::*;

#[derive(Deserialize)]
struct Expected {
    outputs: Vec<f32>,
    kind: String,
    parameters: u64,
    macs: u64,
}

fn fixture(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fixtures/models")
        .join(name)
}

fn load_default(path: &Path) -> anyhow::Result<LoadedModel> {
    load(path, &LoadOptions::default())
}

/// The image of `make.py`.
fn image(len: usize) -> Vec<f32> {
    let mut state = 7_u32;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as f32 / (1 << 22) as f32 - 2.0
    };
    (0..len).map(|_| next()).collect()
}

fn outputs(model: &LoadedModel) -> Vec<f32> {
    let mut session = model.classifier.session().unwrap();
    let mut outputs = Vec::new();
    session
        .run(&image(model.classifier.input_len()), &mut outputs)
        .unwrap();
    outputs
}

fn relative_difference(a: &[f32], b: &[f32]) -> f32 {
    let scale = b.iter().fold(0.0_f32, |m, v| m.max(v.abs()));
    let difference = a.iter().zip(b).map(|(a, b)| (a - b).abs());
    difference.fold(0.0, f32::max) / scale
}

#[test]
fn fixtures_agree_with_onnxruntime() {
    let text = fs::read_to_string(fixture("expected.json")).unwrap();
    let expected: BTreeMap<String, Expected> = serde_json::from_str(&text).unwrap();
    assert!(expected.len() >= 18);
    for (name, expected) in expected {
        let model = load_default(&fixture(&format!("{name}.onnx"))).unwrap();
        let outputs = outputs(&model);
        assert_eq!(outputs.len(), expected.outputs.len(), "{name}");
        let difference = relative_difference(&outputs, &expected.outputs);
        assert!(difference < 1e-4, "{name}: {difference}");
        let kind = format!("{:?}", model.record.output_kind).to_lowercase();
        assert_eq!(kind, expected.kind, "{name}");
        assert_eq!(model.record.parameters.count, expected.parameters, "{name}");
        assert_eq!(model.record.macs, Some(expected.macs), "{name}");
        assert_eq!(model.record.preprocessing.crop, (16, 16), "{name}");
    }
}

#[test]
fn batches() {
    let batch = |name| load_default(&fixture(name)).unwrap().facts.batch;
    assert_eq!(batch("batch4.onnx"), 1, "set to one");
    assert_eq!(batch("batch4_baked.onnx"), 4, "filled with copies");
    assert_eq!(batch("dynamic_batch.onnx"), 1);
}

#[test]
fn several_outputs() {
    let two = load_default(&fixture("two_outputs.onnx")).unwrap();
    assert_eq!(two.facts.output_used, "logits");
    insta::assert_snapshot!(two.notes.join("; "), @"the output 'logits' is used; flat could hold class scores too (choose with output_name in a model card)");
    let mapped = load_default(&fixture("feature_map_first.onnx")).unwrap();
    assert_eq!(mapped.facts.output_used, "logits");
    assert!(mapped.notes.is_empty());
}

#[test]
fn background_class_is_found_by_counting() {
    let model = load_default(&fixture("background.onnx")).unwrap();
    assert!(model.check_labels(10).unwrap().drop_background);
    assert!(!model.check_labels(11).unwrap().drop_background);
    assert!(model.check_labels(1000).is_err());
}

#[test]
fn external_data_counts() {
    let bare = load_default(&fixture("plain_opset17.onnx")).unwrap().record;
    let external = load_default(&fixture("external.onnx")).unwrap().record;
    let size = |name| fs::metadata(fixture(name)).unwrap().len();
    assert_eq!(external.bytes, size("external.onnx") + size("external.bin"));
    let both = [
        fs::read(fixture("external.onnx")),
        fs::read(fixture("external.bin")),
    ];
    let both: Vec<u8> = both.into_iter().flat_map(Result::unwrap).collect();
    assert_eq!(external.hash, *blake3::hash(&both).as_bytes());
    assert_ne!(external.hash, bare.hash);
}

/// Copies a fixture into a folder of its own, with files beside it.
fn with_beside(name: &str, beside: &[(&str, &str)]) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.onnx");
    fs::copy(fixture(name), &path).unwrap();
    for (file, text) in beside {
        fs::write(folder.path().join(file), text).unwrap();
    }
    (folder, path)
}

#[test]
fn card_rules() {
    let card = "name = \"Tiny\"\nparameters = 5\noutput_name = \"flat\"\noutput = \"probabilities\"
        double_softmax = true\n[preprocessing]\nresize = \"none\"\n[grouping]\ntraining = \"sl\"";
    let (_folder, path) = with_beside("two_outputs.onnx", &[("model.toml", card)]);
    let options = LoadOptions {
        protocol: Protocol::Published,
        ..LoadOptions::default()
    };
    let model = load(&path, &options).unwrap();
    assert_eq!(model.record.name, "Tiny");
    assert_eq!(model.record.outputs, 4);
    assert_eq!(model.record.output_kind, OutputKind::DoubleSoftmax);
    assert_eq!(model.record.parameters.source, ParameterSource::Card);
    assert_eq!(model.record.grouping.training, "sl");
    assert!(model.warnings.is_empty());
    let correct = load_default(&path).unwrap();
    assert_eq!(correct.record.output_kind, OutputKind::Probabilities);
}

#[test]
fn gradients_that_vanish_or_cannot_be_are_none() {
    let options = LoadOptions {
        gradients: true,
        ..LoadOptions::default()
    };
    let gradients = |name: &str| load(&fixture(name), &options).unwrap().gradients.unwrap();
    for name in [
        "plain_opset17.onnx",
        "softmax.onnx",
        "nhwc.onnx",
        "batch4_baked.onnx",
    ] {
        assert!(gradients(name).is_ok(), "{name}");
    }
    for (name, reason) in [
        ("rounding.onnx", "no gradient reaches the image"),
        ("saturated.onnx", "the gradient is 0 on every test image"),
    ] {
        assert_eq!(gradients(name).err().unwrap(), reason);
    }
}

#[test]
fn timm_completes_a_card() {
    let timm = r#"{"architecture": "tiny", "pretrained_cfg": {"input_size": [3, 16, 16],
        "crop_pct": 0.9, "interpolation": "bicubic"}}"#;
    let files = [("model.toml", "name = \"T\""), ("config.json", timm)];
    let (_folder, path) = with_beside("dynamic_size.onnx", &files);
    let record = load_default(&path).unwrap().record;
    assert_eq!(record.preprocessing.source, PreprocessingSource::Timm);
    assert_eq!(
        record.preprocessing.resize,
        shared::result::Resize::ShorterSide(17)
    );
    assert_eq!(
        (record.name.as_str(), record.grouping.architecture.as_str()),
        ("T", "tiny")
    );
}

#[test]
fn open_size_comes_from_the_card() {
    let card = "[preprocessing]\ncrop = [24, 20]";
    let (_folder, path) = with_beside("dynamic_size.onnx", &[("model.toml", card)]);
    let model = load_default(&path).unwrap();
    assert_eq!(model.classifier.input_len(), 3 * 24 * 20);
}

#[test]
fn bad_files() {
    let folder = fixture("bad");
    let mut names: Vec<PathBuf> = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    names.sort();
    let messages: Vec<String> = names
        .iter()
        .map(|path| match load_default(path) {
            Ok(_) => panic!("{} was accepted", path.display()),
            Err(error) => format!("{error:#}").replace(&folder.display().to_string(), "bad"),
        })
        .collect();
    insta::assert_snapshot!(messages.join("\n"));
}

#[test]
fn bad_cards() {
    let message = |name: &str, file: &str, text: &str| {
        let (folder, path) = with_beside(name, &[(file, text)]);
        let error = load_default(&path).err().unwrap().to_string();
        error.replace(&folder.path().display().to_string(), ".")
    };
    let plain = "plain_opset17.onnx";
    let messages = [
        message(plain, "model.toml", "nam = 1"),
        message(plain, "model.toml", "[preprocessing]\ncrop = 224"),
        message(plain, "model.toml", "output_name = \"x\""),
        message(plain, "config.json", "{\"input_size\": 3}"),
        message(plain, "config.json", "{\"input_size\": [3, 32, 32]}"),
    ];
    insta::assert_snapshot!(messages.join("\n"));
}

#[test]
fn sessions_share_a_plan_across_threads() {
    let model = load_default(&fixture("plain_opset17.onnx")).unwrap();
    let alone = outputs(&model);
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..4).map(|_| scope.spawn(|| outputs(&model))).collect();
        for worker in workers {
            assert_eq!(worker.join().unwrap(), alone);
        }
    });
    let mut session = model.classifier.session().unwrap();
    assert!(session.run(&[0.0; 5], &mut Vec::new()).is_err());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// A damaged file is refused or loads; it never panics.
    #[test]
    fn damaged_files_do_not_panic(
        edits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        cut in any::<prop::sample::Index>(),
    ) {
        let mut bytes = fs::read(fixture("plain_opset17.onnx")).unwrap();
        for (position, byte) in edits {
            let position = position.index(bytes.len());
            bytes[position] = byte;
        }
        // Half of the cases are cut as well.
        bytes.truncate((2 * cut.index(bytes.len())).max(1));
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model.onnx");
        fs::write(&path, &bytes).unwrap();
        let _ = load_default(&path);
    }
}

/// Values of `efficientnet-lite0` before export: 4,652,008 parameters; the export folded 21,008
/// normalised channels into convolutions, each of which lost one value.
#[test]
fn efficientnet_lite0() {
    let root = std::env::var("QUBA_SHARED")
        .unwrap_or_else(|_unset| concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared").to_owned());
    let path = Path::new(&root).join("real/models/efficientnet-lite0.onnx");
    if !path.exists() {
        eprintln!("skipped: {} is absent", path.display());
        return;
    }
    let record = load_default(&path).unwrap().record;
    assert_eq!(record.parameters.count, 4_652_008 - 21_008);
    assert_eq!(record.outputs, 1000);
    assert_eq!(record.output_kind, OutputKind::Logits);
    assert_eq!(
        record.preprocessing.resize,
        shared::result::Resize::ShorterSide(256)
    );
    // Convolutions and the last matrix, counted from onnxruntime's intermediate shapes.
    assert_eq!(record.macs, Some(385_187_552));
}
