//! Evaluations that end with a budget or a narrow interval, and go on later.

use std::path::Path;

use shared::outcome::PassKind;
use shared::result::{Evaluation, encode};
use tests::{Finished, without_runs};

use super::{eval, evaluated, indices, models, result, result_path};

/// Whether the journals of a call are still there.
fn can_go_on(out: &Path) -> bool {
    out.join(".journal").exists()
}

fn assert_equal(one: Evaluation, other: Evaluation) {
    let (one, other) = (without_runs(one), without_runs(other));
    assert_eq!(one, other);
    assert_eq!(encode(&one).unwrap(), encode(&other).unwrap());
}

/// Two models, until their intervals are at most so wide.
fn narrowed(out: &Path, width: &str, options: &[&str]) -> Finished {
    let run = eval(
        &models(2),
        out,
        &[options, &["--target-ci", width]].concat(),
    );
    assert_eq!(run.code, 0, "{}", run.stderr);
    run
}

#[test]
fn what_a_limit_leaves_is_a_sample_and_a_later_call_completes_it() {
    let folder = tempfile::tempdir().unwrap();
    let [limited, sample, full] = ["limited", "sample", "full"].map(|f| folder.path().join(f));
    // The first round suffices.
    let run = narrowed(&limited, "1000", &[]);
    let words = "budget: the interval of QUBA is as narrow as wanted\n";
    assert!(run.stderr.contains(words), "{}", run.stderr);
    assert!(
        run.stderr.contains("; images: clean 16, "),
        "{}",
        run.stderr
    );
    // One image of each class.
    let words =
        "bal: of fewer than 5 images of some classes, so it compares with equal samples alone: ";
    assert!(run.stdout.contains(words), "{}", run.stdout);
    assert_eq!(eval(&models(2), &sample, &["--images", "16"]).code, 0);
    for model in models(2) {
        assert_equal(result(&limited, &model), result(&sample, &model));
    }
    assert!(can_go_on(&limited) && !can_go_on(&sample));

    let run = eval(&models(2), &limited, &[]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(run.stderr.contains("resuming "), "{}", run.stderr);
    assert_eq!(eval(&models(2), &full, &[]).code, 0);
    for model in models(2) {
        let complete = result(&limited, &model);
        // Each call tells the time that it took itself.
        assert_eq!(complete.runs.len(), 2);
        assert_equal(complete, result(&full, &model));
    }
    assert!(!can_go_on(&limited));
}

#[test]
fn intervals_that_never_are_narrow_enough_take_all_images() {
    let folder = tempfile::tempdir().unwrap();
    let [limited, full] = ["limited", "full"].map(|f| folder.path().join(f));
    let dimensions = ["--dims", "acc,ood,shape"];
    let run = narrowed(&limited, "1e-9", &dimensions);
    assert!(
        run.stderr.contains("budget: all images are evaluated\n"),
        "{}",
        run.stderr
    );
    assert_eq!(eval(&models(2), &full, &dimensions).code, 0);
    for model in models(2) {
        assert_equal(result(&limited, &model), result(&full, &model));
    }
    assert!(!can_go_on(&limited));
}

#[test]
fn a_spent_budget_evaluates_nothing_more() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    // On one thread all these attacks take many times as long, however fast it is.
    let options = ["--threads", "1", "--epsilons", "--budget"];
    let first = evaluated(&out, &[&options[..], &["1s"]].concat());
    let clean = indices(&first, PassKind::Clean);
    assert!(!clean.is_empty());
    for pass in &first.passes {
        let shown = indices(&first, pass.kind);
        let of_clean = matches!(pass.kind, PassKind::Attack(_) | PassKind::Corruption(..));
        assert!(!of_clean || shown.iter().all(|i| clean.contains(i)));
    }
    assert!(can_go_on(&out));
    let file = result_path(&out, &models(1)[0]);
    let before = std::fs::read(&file).unwrap();
    let run = eval(&models(1), &out, &[&options[..], &["1ms"]].concat());
    assert_eq!(run.code, 0, "{}", run.stderr);
    let words = "budget: the time is spent; the same call with a longer one goes on from here\n";
    assert!(run.stderr.contains(words), "{}", run.stderr);
    assert!(
        before == std::fs::read(&file).unwrap(),
        "the file is not the same"
    );
}

#[test]
fn no_time_at_all_is_no_failure() {
    let folder = tempfile::tempdir().unwrap();
    let run = eval(&models(1), folder.path(), &["--budget", "1ns"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let evaluation = result(folder.path(), &models(1)[0]);
    assert!(evaluation.passes.is_empty());
    assert!(
        run.stderr.contains("not measured: accuracy"),
        "{}",
        run.stderr
    );
}

#[test]
fn limits_that_make_no_sense_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    for (options, expected) in [
        (&["--budget", "30"][..], "expected a time with its unit"),
        (&["--budget", "0s"], "expected a time with its unit"),
        (&["--target-ci", "0"], "expected a width of QUBA above 0"),
        (&["--target-ci", "nan"], "expected a width of QUBA above 0"),
        (&["--budget", "1m", "--shard", "1/2"], "cannot be used with"),
    ] {
        let run = eval(&models(1), folder.path(), options);
        assert_eq!(run.code, 2);
        assert!(run.stderr.contains(expected), "{}", run.stderr);
    }
}
