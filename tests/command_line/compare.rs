//! `edge compare` of fixed, made-up evaluations.

use std::path::Path;

use serde_json::Value;

use super::{results, run_in, seen};
use tests::synthetic;

/// `large.quba`, `middle.quba` and `other.quba` were evaluated on the same images, `small.quba`
/// lacks one of them.
fn folder() -> tempfile::TempDir {
    let folder = results();
    for (name, wrong_every) in [("middle", 5), ("other", 7)] {
        let evaluation = synthetic::evaluation(name, wrong_every, true);
        let path = folder.path().join(format!("{name}.quba"));
        shared::result::write_atomic(&path, &evaluation).unwrap();
    }
    folder
}

fn printed(folder: &Path, arguments: &[&str]) -> String {
    seen(&run_in(folder, &[&["compare"], arguments].concat()))
}

#[test]
fn two_models() {
    let folder = folder();
    insta::assert_snapshot!(printed(folder.path(), &["large.quba", "middle.quba"]), @"");
}

#[test]
fn all_pairs_as_markdown_with_few_resamples() {
    let folder = folder();
    let files = ["large.quba", "middle.quba", "other.quba"];
    let options = [
        "--all-pairs",
        "--markdown",
        "--resamples",
        "200",
        "--seed",
        "3",
    ];
    insta::assert_snapshot!(printed(folder.path(), &[&files[..], &options].concat()), @"");
}

#[test]
fn other_images_are_refused() {
    let folder = folder();
    insta::assert_snapshot!(printed(folder.path(), &["large.quba", "small.quba"]), @"");
}

#[test]
fn one_model_is_not_enough() {
    let folder = folder();
    insta::assert_snapshot!(printed(folder.path(), &["large.quba"]), @"");
}

#[test]
fn as_csv() {
    let folder = folder();
    let text = printed(folder.path(), &["large.quba", "middle.quba", "--csv"]);
    let lines: Vec<&str> = text.lines().take(6).collect();
    insta::assert_snapshot!(lines.join("\n"), @"");
}

#[test]
fn as_json() {
    let folder = folder();
    let run = run_in(
        folder.path(),
        &["compare", "large.quba", "middle.quba", "--json"],
    );
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    let report: Value = serde_json::from_str(&run.stdout).unwrap();
    let pair = &report["pairs"][0];
    assert_eq!(
        (pair["first"].as_str(), pair["second"].as_str()),
        (Some("Large"), Some("middle"))
    );
    let accuracy = &pair["figures"]["acc"];
    assert_eq!(accuracy["test"], "McNemar mid-p");
    // 5 of 40 wrong (every eighth) against 8 of 40 (every fifth), none in common but the 40th.
    let clean = &pair["passes"][0];
    assert_eq!(clean["pass"], "clean");
    let only = |who: &str| clean[who].as_u64().unwrap();
    assert_eq!(only("only_first") - only("only_second"), 3);
    assert!((accuracy["difference"].as_f64().unwrap() + 0.075).abs() < 1e-12);
    assert_eq!(clean["p"], accuracy["p"]);
    for figure in pair["figures"].as_object().unwrap().values() {
        let (p, corrected) = (figure["p"].as_f64(), figure["p_holm"].as_f64());
        assert!(p <= corrected, "{figure}");
        assert_eq!(p.is_none(), figure["reason"].is_string(), "{figure}");
    }
    // The same seed gives the same numbers.
    let again = run_in(
        folder.path(),
        &["compare", "large.quba", "middle.quba", "--json"],
    );
    assert_eq!(run.stdout, again.stdout);
}
