//! `edge eval` on rendered data with the bundled models: what the result files hold.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use shared::outcome::PassKind;
use shared::result::{Evaluation, Subset, Warning};
use shared::{Dimension, Protocol};
use tests::{Finished, finish, render, small_demo, without_runs};

#[path = "end_to_end/attacks.rs"]
mod attacks;
#[path = "end_to_end/bench.rs"]
mod bench;
#[path = "end_to_end/budget.rs"]
mod budget;
#[path = "end_to_end/corruptions.rs"]
mod corruptions;
#[path = "end_to_end/cross_check.rs"]
mod cross_check;
#[path = "end_to_end/gpu.rs"]
mod gpu;
#[path = "end_to_end/gpu_failures.rs"]
mod gpu_failures;
#[path = "end_to_end/shards.rs"]
mod shards;

fn edge() -> Command {
    tests::without_gpus(env!("CARGO_BIN_EXE_edge-under-test"))
}

/// The rendered data of all tests that change nothing in it.
fn data() -> &'static Path {
    static DATA: OnceLock<PathBuf> = OnceLock::new();
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("end-to-end");
    DATA.get_or_init(|| render(&folder, &small_demo()))
}

/// The bundled model of this name.
fn model(name: &str) -> PathBuf {
    let mut models = tests::bundled_models().into_iter();
    models
        .find(|path| path.file_stem().unwrap() == name)
        .unwrap()
}

/// A model of 8-bit integers, with its card, in `folder`.
fn quantised_model(folder: &Path) -> PathBuf {
    let quantised = folder.join("quantised.onnx");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("end_to_end/quantised.onnx");
    std::fs::copy(source, &quantised).unwrap();
    let card = model("plain-small").with_extension("toml");
    std::fs::copy(card, quantised.with_extension("toml")).unwrap();
    quantised
}

/// The first bundled models.
fn models(count: usize) -> Vec<PathBuf> {
    let mut models = tests::bundled_models();
    assert!(models.len() >= count, "bundled models lie in models/");
    models.truncate(count);
    models
}

/// Evaluates `models` on the shared data.
fn eval(models: &[PathBuf], out: &Path, options: &[&str]) -> Finished {
    eval_on(data(), models, out, options)
}

fn eval_on(data: &Path, models: &[PathBuf], out: &Path, options: &[&str]) -> Finished {
    let mut command = edge();
    command.arg("eval").args(models).arg("--data").arg(data);
    finish(command.arg("--out").arg(out).args(options))
}

/// As [`eval`], of one model, which must succeed: its result.
fn evaluated(out: &Path, options: &[&str]) -> Evaluation {
    let models = models(1);
    let run = eval(&models, out, options);
    assert_eq!(run.code, 0, "{}", run.stderr);
    result(out, &models[0])
}

fn result(out: &Path, model: &Path) -> Evaluation {
    shared::result::read(&result_path(out, model)).unwrap()
}

fn result_path(out: &Path, model: &Path) -> PathBuf {
    out.join(model.file_name().unwrap()).with_extension("quba")
}

fn dimensions(file: &Path) -> serde_json::Value {
    let shown = finish(edge().arg("show").arg(file).arg("--json"));
    assert_eq!(shown.code, 0, "{}", shown.stderr);
    let report: serde_json::Value = serde_json::from_str(&shown.stdout).unwrap();
    report["dimensions"].clone()
}

fn pass(evaluation: &Evaluation, kind: PassKind) -> &shared::outcome::Pass {
    evaluation.passes.iter().find(|p| p.kind == kind).unwrap()
}

fn indices(evaluation: &Evaluation, kind: PassKind) -> Vec<u32> {
    let list = pass(evaluation, kind).list;
    evaluation.lists[list as usize].indices.iter().collect()
}

#[test]
fn every_set_of_the_data_is_evaluated_in_full() {
    let out = tempfile::tempdir().unwrap();
    let evaluation = evaluated(out.path(), &[]);
    let counts: Vec<(String, usize)> = evaluation
        .passes
        .iter()
        .map(|p| (p.kind.to_string(), p.outcomes.len()))
        .collect();
    let is_cell = |(kind, _): &&(String, usize)| {
        let (name, _) = kind.split_once('/').unwrap_or_default();
        name.parse::<shared::outcome::Corruption>().is_ok()
    };
    let cells: Vec<_> = counts.iter().filter(is_cell).collect();
    assert_eq!(cells.len(), 75);
    assert!(cells.iter().all(|(_, images)| *images == 48));
    let others = counts.iter().filter(|count| !is_cell(count));
    let table: Vec<String> = others.map(|(k, n)| format!("{k} {n}")).collect();
    // 16 classes, of which 12 have renditions; conflicts are the ordered pairs of two classes.
    insta::assert_snapshot!(table.join("\n"), @r"
    clean 48
    rendition 24
    edge 32
    silhouette 32
    sketch16 32
    stylized16 32
    cue-conflict 240
    mixed-same 32
    mixed-rand 32
    fgsm 8/255 48
    pgd 8/255 (10 steps of 2/255) 48
    ");
    assert_eq!(evaluation.subset, None);
    assert!(!out.path().join(".journal").exists(), "the journal is gone");
}

#[test]
fn threads_change_nothing_but_the_run_record() {
    let (one, two) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let first = evaluated(one.path(), &["--threads", "1"]);
    let second = evaluated(two.path(), &["--threads", "2"]);
    assert_eq!(first.runs[0].threads, 1);
    assert_eq!(second.runs[0].threads, 2);
    let bytes = |e: &Evaluation| shared::result::encode(&without_runs(e.clone())).unwrap();
    assert_eq!(bytes(&first), bytes(&second));
    // So many that files are not taken with all their copies.
    let many = tempfile::tempdir().unwrap();
    let third = evaluated(many.path(), &["--threads", "20"]);
    assert_eq!(bytes(&first), bytes(&third));
    let model = &models(1)[0];
    assert_eq!(
        dimensions(&result_path(one.path(), model)),
        dimensions(&result_path(two.path(), model))
    );
}

#[test]
fn two_models_in_one_call_equal_two_calls() {
    let (together, apart) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let models = models(2);
    assert_eq!(eval(&models, together.path(), &[]).code, 0);
    for model in &models {
        let alone = std::slice::from_ref(model);
        assert_eq!(eval(alone, apart.path(), &[]).code, 0);
        assert_eq!(
            without_runs(result(together.path(), model)),
            without_runs(result(apart.path(), model))
        );
    }
}

#[test]
fn dimensions_of_several_calls_join() {
    let (out, whole) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let kinds = |e: &Evaluation| e.passes.iter().map(|p| p.kind).collect::<Vec<_>>();
    let accuracy = evaluated(out.path(), &["--dims", "acc"]);
    assert_eq!(kinds(&accuracy), [PassKind::Clean]);
    let shape = evaluated(out.path(), &["--dims", "shape"]);
    assert_eq!(kinds(&shape), [PassKind::Clean, PassKind::CueConflict]);
    assert_eq!(shape.runs.len(), 2);
    // The accuracy run kept no probabilities, so calibration shows the clean set again.
    let calibration = evaluated(out.path(), &["--dims", "cal,shape"]);
    let direct = evaluated(whole.path(), &["--dims", "cal,shape"]);
    assert_eq!(without_runs(calibration), without_runs(direct));
}

#[test]
fn a_finished_evaluation_is_not_repeated() {
    let out = tempfile::tempdir().unwrap();
    let first = evaluated(out.path(), &[]);
    let models = models(1);
    let file = result_path(out.path(), &models[0]);
    let before = std::fs::read(&file).unwrap();
    let again = eval(&models, out.path(), &[]);
    assert_eq!(again.code, 0);
    let name = &first.model.name;
    let resumed = format!("already evaluated: {name} (--fresh evaluates again)");
    assert!(again.stderr.contains(&resumed), "{}", again.stderr);
    assert!(!again.stderr.contains("images/s"), "{}", again.stderr);
    assert!(again.stdout.contains(name.as_str()), "{}", again.stdout);
    assert!(
        before == std::fs::read(&file).unwrap(),
        "the file is not the same"
    );
}

#[test]
fn samples_are_nested_stratified_and_the_same_for_all_models() {
    let (small, large) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let models = models(2);
    assert_eq!(eval(&models, small.path(), &["--images", "16"]).code, 0);
    assert_eq!(eval(&models, large.path(), &["--images", "20"]).code, 0);
    let (a, b) = (
        result(small.path(), &models[0]),
        result(large.path(), &models[0]),
    );
    let other = result(small.path(), &models[1]);
    assert_eq!(a.subset, Some(Subset { images_per_set: 16 }));
    for pass in &a.passes {
        let (few, more) = (indices(&a, pass.kind), indices(&b, pass.kind));
        assert!(
            few.iter().all(|i| more.contains(i)),
            "{} is nested",
            pass.kind
        );
        assert_eq!(few, indices(&other, pass.kind));
        let list = |evaluation: &Evaluation| {
            let list = self::pass(evaluation, pass.kind).list;
            evaluation.lists[list as usize].hash()
        };
        assert_eq!(list(&a), list(&other));
        assert_eq!(list(&a) == list(&b), few == more);
    }
    let clean = pass(&a, PassKind::Clean);
    let labels = &a.lists[clean.list as usize].labels;
    assert_eq!(
        *labels,
        (0..16).collect::<Vec<u32>>(),
        "one image per class"
    );
    let sampled = Warning::Sampled {
        pass: PassKind::Clean,
        images: 16,
        population: 48,
    };
    assert!(a.warnings.contains(&sampled));
}

#[test]
fn another_seed_draws_another_sample() {
    let (a, b) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let options = ["--dims", "acc", "--images", "16", "--seed"];
    let zero = evaluated(a.path(), &[&options[..], &["0"]].concat());
    let one = evaluated(b.path(), &[&options[..], &["1"]].concat());
    assert_ne!(
        indices(&zero, PassKind::Clean),
        indices(&one, PassKind::Clean)
    );
}

/// Data with two bad images among the good ones.
fn data_with_bad_images(folder: &Path) -> PathBuf {
    let data = render(&folder.join("data"), &small_demo());
    let bad = Path::new(env!("CARGO_MANIFEST_DIR")).join("bad_images");
    let clean = data.join("imagenet/val/arrow");
    std::fs::copy(bad.join("half.png"), clean.join("a-half.png")).unwrap();
    std::fs::copy(bad.join("text.jpg"), clean.join("b-text.jpg")).unwrap();
    data
}

#[test]
fn bad_images_are_counted_named_and_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let data = data_with_bad_images(folder.path());
    let out = folder.path().join("out");
    let models = models(1);
    let run = eval_on(&data, &models, &out, &["--dims", "acc,cal"]);
    assert_eq!(run.code, 1, "{}", run.stderr);
    assert!(
        run.stderr.contains("clean: 2 unreadable image(s)"),
        "{}",
        run.stderr
    );
    let with_bad = result(&out, &models[0]);
    let skipped: Vec<String> = pass(&with_bad, PassKind::Clean)
        .skipped
        .iter()
        .map(|s| format!("{}: {}", s.path, s.reason))
        .collect();
    insta::assert_snapshot!(skipped.join("\n"), @r#"
    arrow/a-half.png: truncated PNG image: the file ends before the image does
    arrow/b-text.jpg: not an image: starts with "These are not th"
    "#);

    let good = tempfile::tempdir().unwrap();
    let without_bad = evaluated(good.path(), &["--dims", "acc,cal"]);
    let outcomes = |e: &Evaluation| pass(e, PassKind::Clean).outcomes.clone();
    assert_eq!(outcomes(&with_bad), outcomes(&without_bad));
    let shown = finish(edge().arg("show").arg(result_path(&out, &models[0])));
    assert!(
        shown.stdout.contains("clean: 2 images skipped"),
        "{}",
        shown.stdout
    );
    assert!(
        shown.stdout.contains("arrow/a-half.png"),
        "{}",
        shown.stdout
    );
}

#[test]
fn bad_images_do_not_make_a_finished_pass_start_over() {
    let folder = tempfile::tempdir().unwrap();
    let data = data_with_bad_images(folder.path());
    let out = folder.path().join("out");
    let call = |options: &[&str]| {
        let options = [&["--dims", "acc"], options].concat();
        eval_on(&data, &models(1), &out, &options)
    };
    assert_eq!(call(&[]).code, 1);
    let file = result_path(&out, &models(1)[0]);
    let before = std::fs::read(&file).unwrap();
    let again = call(&[]);
    assert_eq!(again.code, 1);
    assert!(!again.stderr.contains("images/s"), "{}", again.stderr);
    assert!(before == std::fs::read(&file).unwrap());
    assert_eq!(call(&["--strict"]).code, 2);

    // Repaired without a change of size, so that it is the same data: tried again.
    let class = data.join("imagenet/val/arrow");
    let size = std::fs::metadata(class.join("a-half.png")).unwrap().len() as usize;
    let mut picture = std::io::Cursor::new(Vec::new());
    let image = image::RgbImage::new(1, 1);
    image
        .write_to(&mut picture, image::ImageFormat::Png)
        .unwrap();
    let mut picture = picture.into_inner();
    assert!(picture.len() <= size);
    picture.resize(size, 0);
    std::fs::write(class.join("a-half.png"), picture).unwrap();
    let repaired = call(&[]);
    assert_eq!(repaired.code, 1, "{}", repaired.stderr);
    let evaluation = result(&out, &models(1)[0]);
    let clean = pass(&evaluation, PassKind::Clean);
    assert_eq!((clean.outcomes.len(), clean.skipped.len()), (49, 1));
}

#[test]
fn strict_stops_at_a_bad_image_and_names_it() {
    let folder = tempfile::tempdir().unwrap();
    let data = data_with_bad_images(folder.path());
    let out = folder.path().join("out");
    let run = eval_on(&data, &models(1), &out, &["--strict", "--threads", "1"]);
    assert_eq!(run.code, 2, "{}", run.stderr);
    assert!(run.stderr.contains("arrow/a-half.png"), "{}", run.stderr);
    assert!(!result_path(&out, &models(1)[0]).exists());
}

#[test]
fn the_protocol_is_recorded_and_kept_apart() {
    let out = tempfile::tempdir().unwrap();
    let options = ["--dims", "acc,shape", "--protocol", "published"];
    let evaluation = evaluated(out.path(), &options);
    for (dimension, protocol) in evaluation.protocols.iter() {
        assert_eq!(*protocol, Protocol::Published, "{dimension}");
    }
    let file = result_path(out.path(), &models(1)[0]);
    assert_eq!(dimensions(&file)["acc"]["protocol"], "published");
    let correct = eval(&models(1), out.path(), &["--dims", "acc"]);
    assert_eq!(correct.code, 2, "{}", correct.stderr);
    assert!(correct.stderr.contains("--fresh"), "{}", correct.stderr);
}

#[test]
fn parts_merge_to_the_same_file_in_any_order() {
    let folder = tempfile::tempdir().unwrap();
    let place = |name: &str| folder.path().join(name);
    let model = &models(1)[0];
    evaluated(&place("a"), &["--dims", "cal,obj"]);
    evaluated(&place("b"), &["--dims", "shape"]);
    let merge = |first: &str, second: &str, out: &str| {
        let mut command = edge();
        command.arg("merge").arg(place(first)).arg(place(second));
        let merged = finish(command.arg("--out").arg(place(out)));
        assert_eq!(merged.code, 0, "{}", merged.stderr);
        let files: Vec<_> = std::fs::read_dir(place(out)).unwrap().flatten().collect();
        assert_eq!(files.len(), 1);
        files[0].path()
    };
    let (ab, ba) = (merge("a", "b", "ab"), merge("b", "a", "ba"));
    assert_eq!(std::fs::read(&ab).unwrap(), std::fs::read(ba).unwrap());
    evaluated(&place("whole"), &["--dims", "cal,obj,shape"]);
    assert_eq!(
        without_runs(shared::result::read(&ab).unwrap()),
        without_runs(result(&place("whole"), model))
    );
}

#[test]
fn scores_can_be_fitted_on_own_results() {
    let out = tempfile::tempdir().unwrap();
    let models = tests::bundled_models();
    assert_eq!(eval(&models, out.path(), &["--dims", "acc,params"]).code, 0);
    let mut command = edge();
    command.arg("rank").arg(out.path()).arg("--json");
    let run = finish(command.arg("--reference").arg(out.path()));
    assert_eq!(run.code, 0, "{}", run.stderr);
    let report: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    let expected = format!("fitted on {} result files", models.len());
    assert_eq!(report["reference"], expected);
    // Over the zoo that the reference was fitted on, parameter z-scores cancel out.
    let contributions: Vec<f64> = report["models"]
        .as_array()
        .unwrap()
        .iter()
        .map(|m| m["contributions"]["params"].as_f64().unwrap())
        .collect();
    assert_eq!(contributions.len(), models.len());
    assert!(
        contributions.iter().sum::<f64>().abs() < 1e-9,
        "{contributions:?}"
    );
}
