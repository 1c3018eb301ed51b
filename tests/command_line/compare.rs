//! `edge compare` of fixed, made-up evaluations.

use std::path::Path;

use serde_json::Value;

use super::{results, run_in, seen};
use tests::synthetic;

/// `large.quba`, `middle.quba` and `other.quba` were evaluated on the same images, `small.quba`
/// lacks one of them.
pub(super) fn folder() -> tempfile::TempDir {
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
    insta::assert_snapshot!(printed(folder.path(), &["large.quba", "middle.quba"]), @r"
    exit code 0
    --- stdout
    middle against Large

               Large   middle  difference       95 % interval         p
     QUBA    -0.3573  -1.1945     -0.8372  -1.8351 to +0.0962  0.5035
     acc      0.8750   0.8000     -0.0750  -0.1667 to +0.0333  1.0000
     adv           –        –           –                   –         –
     cor      0.8171   0.8562     +0.0391  -0.1388 to +0.1707  1.0000
     ood      1.0000   0.9375     -0.0625  -0.2708 to +0.0960  1.0000
     cal     0.04239  0.03137    -0.01101                   –         –
     bal      0.8322   0.7319     -0.1003  -0.1470 to -0.0439  0.0140 *
     obj      1.0000   0.9375     -0.0625  -0.3823 to +0.1940  1.0000
     shape    0.8750   0.7500     -0.1250   -0.2500 to 0.0000  0.5035
     params      8.0      5.0        -3.0                   –         –

    – adv not compared: not measured for both
    – cal not tested: the adaptive calibration error cannot be recomputed from the records
    – params not tested: the same whatever the images

    differences: second model less first; cal and params: lower is better, the others: higher
    reference: published; weights: study
    intervals: 1,000 resamples of the images, the same for all models, seed 0
    p: two-sided, corrected by Holm for 7 tests; acc by McNemar's test (mid-p), the others by the resamples; * at most 0.05
    the interval of QUBA holds acc, cal fixed, so it is too narrow by that share
    ");
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
    insta::assert_snapshot!(printed(folder.path(), &[&files[..], &options].concat()), @r"
    exit code 0
    --- stdout
    middle against Large

    |        |   Large |  middle | difference |      95 % interval |        p |
    |--------|---------|---------|------------|--------------------|----------|
    | QUBA   |  0.2314 | -0.2494 |    -0.4808 | -1.7298 to +0.6731 | 1.0000   |
    | acc    |  0.8750 |  0.8000 |    -0.0750 | -0.1667 to +0.0333 | 1.0000   |
    | adv    |       – |       – |          – |                  – |        – |
    | cor    |  0.8171 |  0.8562 |    +0.0391 | -0.1250 to +0.1631 | 1.0000   |
    | ood    |  1.0000 |  0.9375 |    -0.0625 | -0.2179 to +0.0938 | 1.0000   |
    | cal    | 0.04239 | 0.03137 |   -0.01101 |                  – |        – |
    | bal    |  0.8322 |  0.7319 |    -0.1003 | -0.1444 to -0.0327 | 0.2090   |
    | obj    |  1.0000 |  0.9375 |    -0.0625 | -0.3389 to +0.2141 | 1.0000   |
    | shape  |  0.8750 |  0.7500 |    -0.1250 | -0.2593 to +0.0345 | 1.0000   |
    | params |     8.0 |     5.0 |       -3.0 |                  – |        – |

    – adv not compared: not measured for both
    – cal not tested: the adaptive calibration error cannot be recomputed from the records
    – params not tested: the same whatever the images

    other against Large

    |        |   Large |   other | difference |      95 % interval |        p |
    |--------|---------|---------|------------|--------------------|----------|
    | QUBA   |  0.2314 |  0.0180 |    -0.2134 | -1.1647 to +1.2560 | 1.0000   |
    | acc    |  0.8750 |  0.8750 |     0.0000 | -0.1667 to +0.1333 | 1.0000   |
    | adv    |       – |       – |          – |                  – |        – |
    | cor    |  0.8171 |  0.8171 |     0.0000 | -0.1205 to +0.1595 | 1.0000   |
    | ood    |  1.0000 |  0.9714 |    -0.0286 | -0.2611 to +0.2641 | 1.0000   |
    | cal    | 0.04239 | 0.04760 |   +0.00521 |                  – |        – |
    | bal    |  0.8322 |  0.8315 |    -0.0007 | -0.0786 to +0.0777 | 1.0000   |
    | obj    |  1.0000 |  0.9714 |    -0.0286 | -0.3326 to +0.2904 | 1.0000   |
    | shape  |  0.8750 |  0.8438 |    -0.0312 | -0.2090 to +0.1671 | 1.0000   |
    | params |     8.0 |     7.0 |       -1.0 |                  – |        – |

    – adv not compared: not measured for both
    – cal not tested: the adaptive calibration error cannot be recomputed from the records
    – params not tested: the same whatever the images

    other against middle

    |        |  middle |   other | difference |      95 % interval |        p |
    |--------|---------|---------|------------|--------------------|----------|
    | QUBA   | -0.2494 |  0.0180 |    +0.2673 | -0.7767 to +1.3900 | 1.0000   |
    | acc    |  0.8000 |  0.8750 |    +0.0750 | -0.0333 to +0.1667 | 1.0000   |
    | adv    |       – |       – |          – |                  – |        – |
    | cor    |  0.8562 |  0.8171 |    -0.0391 | -0.1500 to +0.0978 | 1.0000   |
    | ood    |  0.9375 |  0.9714 |    +0.0339 | -0.1111 to +0.2158 | 1.0000   |
    | cal    | 0.03137 | 0.04760 |   +0.01622 |                  – |        – |
    | bal    |  0.7319 |  0.8315 |    +0.0996 | +0.0396 to +0.1470 | 0.2090   |
    | obj    |  0.9375 |  0.9714 |    +0.0339 | -0.1898 to +0.2920 | 1.0000   |
    | shape  |  0.7500 |  0.8438 |    +0.0938 | -0.0418 to +0.2262 | 1.0000   |
    | params |     5.0 |     7.0 |       +2.0 |                  – |        – |

    – adv not compared: not measured for both
    – cal not tested: the adaptive calibration error cannot be recomputed from the records
    – params not tested: the same whatever the images

    differences: second model less first; cal and params: lower is better, the others: higher
    reference: these 3 models, as the data is not ImageNet-1k; weights: study
    intervals: 200 resamples of the images, the same for all models, seed 3
    p: two-sided, corrected by Holm for 21 tests; acc by McNemar's test (mid-p), the others by the resamples; * at most 0.05
    the interval of QUBA holds acc, cal fixed, so it is too narrow by that share
    warning: with 200 resamples no corrected p below 0.21 can come out of so many tests; raise --resamples
    ");
}

#[test]
fn other_images_are_refused() {
    let folder = folder();
    insta::assert_snapshot!(printed(folder.path(), &["large.quba", "small.quba"]), @r"
    exit code 0
    --- stdout
    Small against Large

              Large   Small  difference       95 % interval         p
     QUBA         –       –           –                   –         –
     acc          –       –           –                   –         –
     adv          –       –           –                   –         –
     cor          –       –           –                   –         –
     ood          –       –           –                   –         –
     cal          –       –           –                   –         –
     bal          –       –           –                   –         –
     obj          –       –           –                   –         –
     shape   0.8750  0.5000     -0.3750  -0.5172 to -0.2141  0.0020 *
     params     8.0     3.0        -5.0                   –         –

    – QUBA not compared: accuracy: clean: samples differ (40 images and 39 images); evaluate both on the same images
    – acc not compared: clean: samples differ (40 images and 39 images); evaluate both on the same images
    – adv not compared: not measured for both
    – cor not compared: not measured for both
    – ood not compared: clean: samples differ (40 images and 39 images); evaluate both on the same images
    – cal not compared: clean: samples differ (40 images and 39 images); evaluate both on the same images
    – bal not compared: clean: samples differ (40 images and 39 images); evaluate both on the same images
    – obj not compared: clean: samples differ (40 images and 39 images); evaluate both on the same images
    – params not tested: the same whatever the images

    differences: second model less first; cal and params: lower is better, the others: higher
    reference: published; weights: study
    intervals: 1,000 resamples of the images, the same for all models, seed 0
    p: two-sided, corrected by Holm for 1 test; acc by McNemar's test (mid-p), the others by the resamples; * at most 0.05
    ");
}

#[test]
fn one_model_is_not_enough() {
    let folder = folder();
    insta::assert_snapshot!(printed(folder.path(), &["large.quba"]), @r"
    exit code 2
    --- stderr
    error: expected two or more models to compare, found 1 result file
    ");
}

#[test]
fn as_csv() {
    let folder = folder();
    let text = printed(folder.path(), &["large.quba", "middle.quba", "--csv"]);
    let lines: Vec<&str> = text.lines().take(6).collect();
    insta::assert_snapshot!(lines.join("\n"), @r"
    exit code 0
    --- stdout
    first,second,figure,first_value,second_value,difference,low,high,p,p_holm,test,reason
    Large,middle,QUBA,-0.3573408025605246,-1.1945418187614896,-0.837201016200965,-1.835103569631908,0.09621029088091257,0.08391608391608392,0.5034965034965035,paired bootstrap,
    Large,middle,acc,0.875,0.8,-0.07499999999999996,-0.16666666666666674,0.03333333333333344,0.38769531249999356,1,McNemar mid-p,
    Large,middle,adv,,,,,,,,,not measured for both
    ");
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
