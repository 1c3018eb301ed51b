//! Shards of a run, merged, against the unsplit run.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use shared::outcome::PassKind;
use shared::result::{Evaluation, encode};
use tests::{Finished, finish, without_runs};

use super::{data_with_bad_images, edge, eval, eval_on, indices, models, result};

fn shard_of(
    data: &Path,
    models: &[PathBuf],
    out: &Path,
    shard: &str,
    options: &[&str],
) -> Finished {
    let options = [options, &["--shard", shard]].concat();
    eval_on(data, models, out, &options)
}

/// `edge merge` of everything in these folders and files.
fn merge(files: &[PathBuf], out: &Path) -> Finished {
    finish(edge().arg("merge").args(files).arg("--out").arg(out))
}

/// The results in a folder by model name, without runs.
fn results(folder: &Path) -> Vec<Evaluation> {
    let entries = std::fs::read_dir(folder)
        .unwrap()
        .map(|e| e.unwrap().path());
    let files = entries.filter(|path| path.extension().is_some_and(|e| e == "quba"));
    let mut results: Vec<Evaluation> = files
        .map(|path| without_runs(shared::result::read(&path).unwrap()))
        .collect();
    results.sort_by(|a, b| a.model.name.cmp(&b.model.name));
    results
}

/// The bytes of a result file are equal but for the runs.
fn assert_equal(merged: &Path, unsplit: &Path, models: usize) {
    let (merged, unsplit) = (results(merged), results(unsplit));
    assert_eq!(merged.len(), models);
    assert_eq!(merged, unsplit);
    for (merged, unsplit) in merged.iter().zip(&unsplit) {
        assert_eq!(encode(merged).unwrap(), encode(unsplit).unwrap());
    }
}

#[test]
fn three_merged_shards_are_the_unsplit_run() {
    let folder = tempfile::tempdir().unwrap();
    let (unsplit, shards) = (folder.path().join("unsplit"), folder.path().join("shards"));
    let models = models(2);
    // Attacked and corrupted images are those of the unsplit run, too.
    let options = ["--images", "20", "--extra-corruptions"];
    let run = eval(&models, &unsplit, &options);
    assert_eq!(run.code, 0, "{}", run.stderr);
    for shard in ["2/3", "3/3", "1/3"] {
        let run = shard_of(super::data(), &models, &shards, shard, &options);
        assert_eq!(run.code, 0, "{}", run.stderr);
        let name = format!(".shard-{}.quba", shard.replace('/', "-of-"));
        assert!(run.stderr.contains(&name), "{}", run.stderr);
    }
    let merged = folder.path().join("merged");
    let run = merge(&[shards], &merged);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    assert_equal(&merged, &unsplit, 2);
}

#[test]
fn shards_are_disjoint_stratified_and_complete() {
    let folder = tempfile::tempdir().unwrap();
    let models = models(1);
    let mut shown = BTreeSet::new();
    for index in 1..=3 {
        let shard = format!("{index}/3");
        let run = shard_of(
            super::data(),
            &models,
            folder.path(),
            &shard,
            &["--dims", "acc"],
        );
        assert_eq!(run.code, 0, "{}", run.stderr);
        let name = models[0].with_extension(format!("shard-{index}-of-3.onnx"));
        let part = result(folder.path(), &name);
        let labels = &part.lists[part.passes[0].list as usize].labels;
        // Three images of each of the 16 classes.
        assert_eq!(*labels, (0..16).collect::<Vec<u32>>());
        shown.extend(indices(&part, PassKind::Clean));
    }
    assert_eq!(shown, (0..48).collect());
}

#[test]
fn unreadable_images_and_empty_shards_change_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let data = data_with_bad_images(folder.path());
    let (unsplit, shards) = (folder.path().join("unsplit"), folder.path().join("shards"));
    let models = models(1);
    let options = ["--dims", "acc,cal,bal", "--images", "5"];
    assert_eq!(eval_on(&data, &models, &unsplit, &options).code & !1, 0);
    for index in 1..=7 {
        let run = shard_of(&data, &models, &shards, &format!("{index}/7"), &options);
        assert_eq!(run.code & !1, 0, "{}", run.stderr);
    }
    let merged = folder.path().join("merged");
    let run = merge(&[shards], &merged);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    assert_equal(&merged, &unsplit, 1);
}

#[test]
fn missing_and_repeated_shards_are_named_and_can_be_completed() {
    let folder = tempfile::tempdir().unwrap();
    let (unsplit, shards) = (folder.path().join("unsplit"), folder.path().join("shards"));
    let models = models(1);
    let options = ["--dims", "acc,cal"];
    assert_eq!(eval(&models, &unsplit, &options).code, 0);
    for shard in ["1/3", "3/3"] {
        shard_of(super::data(), &models, &shards, shard, &options);
    }
    let (half, merged) = (folder.path().join("half"), folder.path().join("merged"));
    let run = merge(std::slice::from_ref(&shards), &half);
    assert_eq!(run.code, 1);
    let name = &results(&unsplit)[0].model.name;
    let missing = format!("warning: {name}: shard 2 of 3 is missing\n");
    assert!(run.stderr.contains(&missing), "{}", run.stderr);

    shard_of(super::data(), &models, &shards, "2/3", &options);
    let run = merge(&[half, shards], &merged);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let repeated = format!("note: {name}: several files hold shard 1 of 3: ");
    assert!(run.stderr.contains(&repeated), "{}", run.stderr);
    assert_equal(&merged, &unsplit, 1);
}

#[test]
fn shards_of_other_runs_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (one, other) = (folder.path().join("one"), folder.path().join("other"));
    let models = models(1);
    let (acc, seed) = (["--dims", "acc"], ["--dims", "acc", "--seed", "1"]);
    shard_of(super::data(), &models, &one, "1/2", &acc);
    shard_of(super::data(), &models, &other, "2/2", &seed);
    let run = merge(&[one, other], &folder.path().join("merged"));
    assert_eq!(run.code, 2);
    assert!(
        run.stderr.contains("expected one seed, found 0 and 1"),
        "{}",
        run.stderr
    );
}

#[test]
fn nothing_is_split_by_the_environment_unasked() {
    let folder = tempfile::tempdir().unwrap();
    let models = models(1);
    let in_array = |shard: &[&str]| {
        let mut command: Command = edge();
        let tasks = [("ID", "1"), ("MIN", "0"), ("MAX", "3"), ("COUNT", "4")];
        let variables = tasks.map(|(name, value)| (format!("SLURM_ARRAY_TASK_{name}"), value));
        command
            .arg("eval")
            .args(&models)
            .arg("--data")
            .arg(super::data());
        command
            .arg("--out")
            .arg(folder.path())
            .args(["--dims", "acc"])
            .args(shard);
        finish(command.envs(variables))
    };
    assert_eq!(in_array(&[]).code, 0);
    assert_eq!(
        indices(&result(folder.path(), &models[0]), PassKind::Clean).len(),
        48
    );
    let run = in_array(&["--shard", "auto"]);
    assert!(run.stderr.contains("shard: 2 of 4\n"), "{}", run.stderr);
    let part = result(
        folder.path(),
        &models[0].with_extension("shard-2-of-4.onnx"),
    );
    assert_eq!(indices(&part, PassKind::Clean).len(), 12);
}

/// A real Slurm, where one can be started: `tests/slurm/run` says what it does.
#[test]
fn a_slurm_array_with_a_requeued_task_is_the_unsplit_run() {
    let folder = tempfile::tempdir().unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("slurm/run");
    let mut command = Command::new("bash");
    command
        .arg(script)
        .arg(env!("CARGO_BIN_EXE_edge-under-test"));
    let run = finish(command.arg(folder.path()).env("WGPU_BACKEND", "webgpu"));
    println!("{}{}", run.stdout, run.stderr);
    if run.code == 77 {
        return;
    }
    assert_eq!(run.code, 0);
    assert_equal(
        &folder.path().join("split"),
        &folder.path().join("unsplit"),
        2,
    );
}
