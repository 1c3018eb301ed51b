//! Wrong input: what is said, and the exit code.

use std::fs;
use std::path::Path;
use std::sync::OnceLock;

use edge::demo::DemoOptions;
use shared::result::Evaluation;
use tests::{Finished, render};

use super::{results, run_in, seen};

/// Fixture models: ten outputs on pictures of 16 pixels.
const MODELS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../edge/tests/fixtures/models");

/// What `edge` says to wrong arguments, in a folder with two result files.
fn said(arguments: &[&str]) -> String {
    let folder = results();
    seen(&run_in(folder.path(), arguments))
}

/// A data root with one clean picture for each of ten classes, where the fixture models fit.
fn data() -> &'static Path {
    static DATA: OnceLock<tempfile::TempDir> = OnceLock::new();
    let make = || {
        let folder = tempfile::tempdir().unwrap();
        for class in 0..10u8 {
            let class_folder = folder.path().join(format!("imagenet/val/{class}"));
            fs::create_dir_all(&class_folder).unwrap();
            let picture = image::RgbImage::from_pixel(20, 20, image::Rgb([class * 20, 90, 200]));
            picture.save(class_folder.join("picture.png")).unwrap();
        }
        let classes: Vec<String> = (0..10).map(|c| format!("\"{c}\"")).collect();
        let labels = format!(
            "[labels]\nname = \"ten\"\nclasses = [{}]\n",
            classes.join(", ")
        );
        fs::write(folder.path().join("data.toml"), labels).unwrap();
        folder
    };
    DATA.get_or_init(make).path()
}

/// A working folder with the fixture model `good.onnx`.
fn workplace() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    copy_model(&folder.path().join("good.onnx"));
    folder
}

fn copy_model(to: &Path) {
    fs::copy(Path::new(MODELS).join("plain_opset17.onnx"), to).unwrap();
}

/// Evaluates `models` on [`data`].
fn eval(folder: &Path, models: &[&str], options: &[&str]) -> Finished {
    let data = data().to_str().unwrap();
    run_in(
        folder,
        &[&["eval"], models, &["--data", data], options].concat(),
    )
}

/// The messages alone: the table and the progress have their own tests.
fn errors(run: &Finished) -> String {
    let lines = run.stderr.lines().filter(|l| l.starts_with("error"));
    format!(
        "exit code {}\n{}",
        run.code,
        lines.collect::<Vec<_>>().join("\n")
    )
}

#[test]
fn no_arguments() {
    let run = said(&[]);
    assert!(
        run.starts_with("exit code 2\n--- stderr\nEvaluates ONNX"),
        "{run}"
    );
}

#[test]
fn unknown_subcommand() {
    insta::assert_snapshot!(said(&["evaluate"]), @r"
    exit code 2
    --- stderr
    error: unrecognized subcommand 'evaluate'

      tip: a similar subcommand exists: 'eval'

    Usage: edge <COMMAND>

    For more information, try '--help'.
    ");
}

#[test]
fn unknown_dimension() {
    insta::assert_snapshot!(said(&["eval", "m.onnx", "--data", ".", "--dims", "acc,speed"]), @r"
    exit code 2
    --- stderr
    error: invalid value 'speed' for '--dims <DIM,…>': unknown dimension 'speed': expected one of acc, adv, cor, ood, cal, bal, obj, shape, params

    For more information, try '--help'.
    ");
}

#[test]
fn no_images() {
    insta::assert_snapshot!(said(&["eval", "m.onnx", "--data", ".", "--images", "0"]), @r"
    exit code 2
    --- stderr
    error: invalid value '0' for '--images <N>': number would be zero for non-zero type

    For more information, try '--help'.
    ");
}

#[test]
fn no_threads() {
    insta::assert_snapshot!(said(&["eval", "m.onnx", "--data", ".", "--threads", "0"]), @r"
    exit code 2
    --- stderr
    error: invalid value '0' for '--threads <N>': number would be zero for non-zero type

    For more information, try '--help'.
    ");
}

#[test]
fn missing_data_root() {
    insta::assert_snapshot!(said(&["eval", "m.onnx", "--data", "nowhere"]), @r"
    exit code 2
    --- stderr
    error: no data root: expected a folder at nowhere
    ");
}

#[test]
fn folder_without_images() {
    insta::assert_snapshot!(said(&["data", "."]), @r"
    exit code 2
    --- stderr
    error: no image set found, expected imagenet/val or others of the documented layout, or a data.toml that says where they are, in .
    ");
}

#[test]
fn negative_weight() {
    insta::assert_snapshot!(said(&["rank", ".", "--weights", "acc=-1"]), @r"
    exit code 2
    --- stderr
    error: bad --weights: weight of accuracy: expected zero or more, found -1; the sign is fixed by the dimension (calibration error and parameters already count against a model)
    ");
}

#[test]
fn weight_of_an_unknown_dimension() {
    insta::assert_snapshot!(said(&["rank", ".", "--weights", "speed=1"]), @r"
    exit code 2
    --- stderr
    error: bad --weights: unknown dimension 'speed': expected one of acc, adv, cor, ood, cal, bal, obj, shape, params
    ");
}

#[test]
fn unknown_preset() {
    insta::assert_snapshot!(said(&["rank", ".", "--preset", "fastest"]), @r"
    exit code 2
    --- stderr
    error: bad --preset: unknown preset 'fastest': expected one of study, accuracy-first, safety-critical, fairness, small-device, equal
    ");
}

#[test]
fn weights_and_preset_together() {
    let said = said(&["rank", ".", "--preset", "study", "--weights", "acc=1"]);
    insta::assert_snapshot!(said, @r"
    exit code 2
    --- stderr
    error: the argument '--preset <NAME>' cannot be used with '--weights <DIM=W,…>'

    Usage: edge rank --preset <NAME> <FILES>...

    For more information, try '--help'.
    ");
}

#[test]
fn reference_that_cannot_be_fitted() {
    insta::assert_snapshot!(said(&["rank", ".", "--reference", "small.quba"]), @r"
    exit code 2
    --- stderr
    error: cannot fit the reference: reference 'fitted on 1 result file': expected at least 2 models measured on a common dimension, found 1 in all and no such dimension; add models or use the published reference
    ");
}

#[test]
fn no_readable_result_file() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("table.quba"), "model,acc\n").unwrap();
    let run = run_in(folder.path(), &["rank", "table.quba", "missing.quba"]);
    insta::assert_snapshot!(seen(&run), @r"
    exit code 2
    --- stderr
    error: cannot read result file table.quba: not a result file: expected the signature of a .quba file, found text
    error: cannot open result file missing.quba: No such file or directory (os error 2)
    error: no readable result file; `edge eval` writes them (*.quba)
    ");
    let folder = tempfile::tempdir().unwrap();
    insta::assert_snapshot!(seen(&run_in(folder.path(), &["rank", "."])), @r"
    exit code 2
    --- stderr
    error: no readable result file; `edge eval` writes them (*.quba)
    ");
}

#[test]
fn a_bad_result_file_among_good_ones() {
    let folder = results();
    let whole = fs::read(folder.path().join("small.quba")).unwrap();
    fs::write(folder.path().join("cut.quba"), &whole[..100]).unwrap();
    let run = run_in(folder.path(), &["rank", ".", "--csv"]);
    let ranked: Vec<&str> = run.stdout.lines().skip(1).map(|l| &l[..5]).collect();
    assert_eq!(ranked, ["Large", "Small"]);
    insta::assert_snapshot!(errors(&run), @r"
    exit code 1
    error: cannot read result file ./cut.quba: truncated: expected 1658 bytes, found 100; copy the file again or repeat the evaluation
    ");
}

#[test]
fn a_missing_result_file_is_not_shown() {
    insta::assert_snapshot!(said(&["show", "missing.quba"]), @r"
    exit code 2
    --- stderr
    error: cannot open result file missing.quba: No such file or directory (os error 2)
    ");
}

#[test]
fn result_files_of_other_settings_do_not_merge() {
    let folder = results();
    let mut other = shared::result::read(&folder.path().join("small.quba")).unwrap();
    other.seed += 1;
    shared::result::write_atomic(&folder.path().join("other.quba"), &other).unwrap();
    let run = run_in(
        folder.path(),
        &["merge", "small.quba", "other.quba", "--out", "o"],
    );
    insta::assert_snapshot!(seen(&run), @r"
    exit code 2
    --- stderr
    error: cannot merge other.quba with small.quba: expected one seed, found 17 and 18; evaluate again with one --seed
    ");
}

#[test]
fn bad_models_among_good_ones() {
    let folder = workplace();
    fs::write(folder.path().join("text.onnx"), "no model at all\n").unwrap();
    let whole = fs::read(folder.path().join("good.onnx")).unwrap();
    fs::write(folder.path().join("cut.onnx"), &whole[..whole.len() / 2]).unwrap();
    let models = ["text.onnx", "good.onnx", "cut.onnx", "missing.onnx"];
    let run = eval(folder.path(), &models, &["--dims", "acc"]);
    insta::assert_snapshot!(errors(&run), @r"
    exit code 1
    error: not an ONNX file: text.onnx
    error: the ONNX file is truncated or damaged (failed to decode Protobuf message: ModelProto.graph: buffer underflow): copy or export it again: cut.onnx
    error: cannot read the file: No such file or directory (os error 2): missing.onnx
    ");
    assert!(folder.path().join("quba-out/good.quba").is_file());
    assert!(run.stdout.contains("good"), "{}", run.stdout);
}

#[test]
fn bad_models_only() {
    let folder = workplace();
    fs::write(folder.path().join("text.onnx"), "no model at all\n").unwrap();
    let run = eval(folder.path(), &["text.onnx"], &[]);
    insta::assert_snapshot!(seen(&run), @r"
    exit code 2
    --- stderr
    backend: CPU (no GPU adapter was found)
    error: not an ONNX file: text.onnx
    error: no model could be loaded
    ");
    assert!(!folder.path().join("quba-out").exists());
}

#[test]
fn a_model_of_another_label_set() {
    let options = DemoOptions {
        clean: 1,
        shifted: 0,
        conflict: 0,
        mixed: 0,
        ..DemoOptions::default()
    };
    let folder = workplace();
    render(&folder.path().join("demo"), &options);
    let run = run_in(folder.path(), &["eval", "good.onnx", "--data", "demo"]);
    insta::assert_snapshot!(seen(&run), @r"
    exit code 2
    --- stderr
    backend: CPU (no GPU adapter was found)
    error: the model has 10 outputs, but the label set has 16 classes: use data with the model's label set, or state background_class in a model card: good.onnx
    error: no model could be loaded
    ");
}

#[test]
fn two_models_of_one_name() {
    let folder = workplace();
    fs::create_dir(folder.path().join("other")).unwrap();
    copy_model(&folder.path().join("other/good.onnx"));
    let run = eval(folder.path(), &["good.onnx", "other/good.onnx"], &[]);
    insta::assert_snapshot!(seen(&run), @r"
    exit code 2
    --- stderr
    backend: CPU (no GPU adapter was found)
    error: two models have the same file name and would share one result file; evaluate them into different --out folders: other/good.onnx
    ");
}

#[test]
fn a_result_of_other_settings_is_not_replaced() {
    let folder = workplace();
    let result = folder.path().join("quba-out/good.quba");
    let read = || -> Evaluation { shared::result::read(&result).unwrap() };
    let seed = |seed: &str, fresh: &[&str]| {
        let options = [&["--dims", "acc", "--seed", seed], fresh].concat();
        eval(folder.path(), &["good.onnx"], &options)
    };
    assert_eq!(seed("1", &[]).code, 0);
    insta::assert_snapshot!(errors(&seed("2", &[])), @r"
    exit code 2
    error: new results cannot join those of an earlier call (expected one seed, found 1 and 2; evaluate again with one --seed); use --fresh to replace them, or another --out: quba-out/good.quba
    ");
    assert_eq!(read().seed, 1);
    assert_eq!(seed("2", &["--fresh"]).code, 0);
    assert_eq!(read().seed, 2);
}

#[test]
fn a_damaged_result_is_not_replaced() {
    let folder = workplace();
    fs::create_dir(folder.path().join("quba-out")).unwrap();
    let result = folder.path().join("quba-out/good.quba");
    fs::write(&result, "something else").unwrap();
    let run = eval(folder.path(), &["good.onnx"], &["--dims", "acc"]);
    insta::assert_snapshot!(errors(&run), @r"
    exit code 2
    error: new results cannot join those of an earlier call (cannot read result file quba-out/good.quba: not a result file: expected the signature of a .quba file, found text); use --fresh to replace them, or another --out: quba-out/good.quba
    ");
    assert_eq!(fs::read(&result).unwrap(), b"something else");
}
