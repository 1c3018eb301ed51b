//! `edge rank --stability` of fixed, made-up evaluations.

use serde_json::Value;

use super::compare::folder;
use super::{run_in, seen};

const FILES: [&str; 3] = ["large.quba", "middle.quba", "other.quba"];

fn printed(options: &[&str]) -> String {
    let arguments = [&["rank", "--stability"], options, &FILES].concat();
    seen(&run_in(folder().path(), &arguments))
}

#[test]
fn as_text() {
    insta::assert_snapshot!(printed(&["--top", "2"]), @r"
    exit code 0
    --- stdout
     model   rank      QUBA      95 % interval  P first  P top 2   ranks  ties     acc  adv     cor     ood      cal     bal     obj   shape  params    MB  Pareto
     Large      1   0.2314*  -0.5176 to 1.0512    0.567    0.837  1 to 3     a  0.8750    –  0.8171  1.0000  0.04239  0.8322  1.0000  0.8750     8.0  1.23       ●
     other      2   0.0180*  -0.8040 to 1.0329    0.321    0.752  1 to 3     a  0.8750    –  0.8171  0.9714  0.04760  0.8315  0.9714  0.8438     7.0  1.23
     middle     3  -0.2494*  -1.1882 to 0.6662    0.112    0.411  1 to 3     a  0.8000    –  0.8562  0.9375  0.03137  0.7319  0.9375  0.7500     5.0  1.23

    cal and params: lower is better; the others: higher
    reference: these 3 models, as the data is not ImageNet-1k; weights: study
    95 % interval of QUBA: 1,000 resamples of the images; the interval of QUBA holds acc, cal fixed, so it is too narrow by that share
    P, ranks: chances and middle 95 % over 1,000 resamples of the images, each under weights 0.2 around the given ones (--weight-spread), seed 0; acc, cal held fixed, so they look too sure
    ties: models that share a letter are not separated under the given weights: p above 0.05 (paired resamples, corrected by Holm for 3 pairs)
    – not measured
    * all scores are partial, without adversarial robustness: compare them only with each other
    corrupted images: stored
    ● no other model is better in QUBA or file size without being worse in the other
    ");
}

#[test]
fn with_certain_weights_and_few_resamples() {
    let options = ["--weight-spread", "0", "--resamples", "100", "--markdown"];
    insta::assert_snapshot!(printed(&options), @r"
    exit code 0
    --- stdout
    | model  | rank |     QUBA |     95 % interval | P first | P top 3 |  ranks | ties |    acc | adv |    cor |    ood |     cal |    bal |    obj |  shape | params |   MB | Pareto |
    |--------|------|----------|-------------------|---------|---------|--------|------|--------|-----|--------|--------|---------|--------|--------|--------|--------|------|--------|
    | Large  |    1 |  0.2314* | -0.4462 to 1.0095 |   0.540 |   1.000 | 1 to 3 |    a | 0.8750 |   – | 0.8171 | 1.0000 | 0.04239 | 0.8322 | 1.0000 | 0.8750 |    8.0 | 1.23 |      ● |
    | other  |    2 |  0.0180* | -0.7296 to 0.8797 |   0.320 |   1.000 | 1 to 3 |    a | 0.8750 |   – | 0.8171 | 0.9714 | 0.04760 | 0.8315 | 0.9714 | 0.8438 |    7.0 | 1.23 |        |
    | middle |    3 | -0.2494* | -1.2654 to 0.8228 |   0.140 |   1.000 | 1 to 3 |    a | 0.8000 |   – | 0.8562 | 0.9375 | 0.03137 | 0.7319 | 0.9375 | 0.7500 |    5.0 | 1.23 |        |

    cal and params: lower is better; the others: higher
    reference: these 3 models, as the data is not ImageNet-1k; weights: study
    95 % interval of QUBA: 100 resamples of the images; the interval of QUBA holds acc, cal fixed, so it is too narrow by that share
    P, ranks: chances and middle 95 % over 100 resamples of the images, under the given weights, seed 0; acc, cal held fixed, so they look too sure
    ties: models that share a letter are not separated under the given weights: p above 0.05 (paired resamples, corrected by Holm for 3 pairs)
    warning: with 100 resamples no corrected p below 0.06 can come out of so many tests; raise --resamples
    – not measured
    * all scores are partial, without adversarial robustness: compare them only with each other
    corrupted images: stored
    ● no other model is better in QUBA or file size without being worse in the other
    ");
}

#[test]
fn for_programs() {
    let text = printed(&["--csv", "--seed", "5"]);
    let column = |line: &str| {
        line.split(',')
            .rev()
            .take(5)
            .collect::<Vec<&str>>()
            .join(",")
    };
    let lines: Vec<String> = text.lines().skip(2).take(4).map(column).collect();
    insta::assert_snapshot!(lines.join("\n"), @r"
    ties,rank_high,rank_low,p_top,p_first
    a,3,1,1,0.549
    a,3,1,1,0.328
    a,3,1,1,0.123
    ");
    let folder = folder();
    let arguments = [&["rank", "--stability", "--json"][..], &FILES].concat();
    let run = run_in(folder.path(), &arguments);
    let report: Value = serde_json::from_str(&run.stdout).unwrap();
    let first: f64 = report["models"]
        .as_array()
        .unwrap()
        .iter()
        .map(|model| model["stability"]["p_first"].as_f64().unwrap())
        .sum();
    assert!((first - 1.0).abs() < 1e-9);
    assert_eq!(report["stability"]["pairs"], 3);
}

#[test]
fn options_without_stability_are_refused() {
    let run = run_in(folder().path(), &["rank", "--top", "2", "large.quba"]);
    insta::assert_snapshot!(seen(&run), @r"
    exit code 2
    --- stderr
    error: the following required arguments were not provided:
      --stability

    Usage: edge rank --stability --top <K> <FILES>...

    For more information, try '--help'.
    ");
}
