//! `edge correlate` of the published models, a public leaderboard, and made-up evaluations.

use std::path::Path;

use serde_json::Value;

use super::compare::folder;
use super::{run_in, seen};

/// A folder with three result files on the same images, one on others, and `board.csv`.
fn inputs() -> tempfile::TempDir {
    let folder = folder();
    let board = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../shared/tests/fixtures/biobench.csv"
    );
    std::fs::copy(board, folder.path().join("board.csv")).unwrap();
    folder
}

fn printed(arguments: &[&str]) -> String {
    in_folder(inputs().path(), arguments)
}

fn in_folder(folder: &Path, arguments: &[&str]) -> String {
    seen(&run_in(folder, &[&["correlate"], arguments].concat()))
}

const BOARD: [&str; 6] = ["--table", "board.csv", "--x", "imagenet1k", "--y", "mean9"];

#[test]
fn a_pair_of_a_table() {
    let options = ["--from", "0.8,0.75", "--seed", "1"];
    insta::assert_snapshot!(printed(&[&BOARD[..], &options].concat()), @r"
    exit code 0
    --- stdout
    mean9 by imagenet1k, 84 models

                  value     95 % interval       p
     Spearman    0.8575  0.7657 to 0.9169  0.0002
     Kendall     0.6850  0.5952 to 0.7633  0.0002
     R²          0.5549  0.4358 to 0.6870       –
     mis-ranked  0.1575  0.1184 to 0.2024       –

    best in imagenet1k: PE-Core-bigG-14-448/meta, which is best in mean9 too

     imagenet1k ≥  models              Spearman               Kendall                    R²  mis-ranked  regret
              all      84  0.858 (0.77 to 0.92)  0.685 (0.60 to 0.76)  0.555 (0.44 to 0.69)      15.7 %  0.0000
             0.75      63  0.768 (0.57 to 0.90)  0.617 (0.47 to 0.74)  0.579 (0.33 to 0.79)      19.2 %  0.0000
              0.8      55  0.688 (0.43 to 0.88)  0.556 (0.37 to 0.71)  0.363 (0.09 to 0.74)      22.2 %  0.0000

    intervals: 5,000 resamples of the models, as if they were independent, which models of a family are not; seed 1
    p: two-sided, 5,000 permutations
    mis-ranked: chance that the better of two models in x is the worse in y, (1 − τ)/2; regret: best y less that of the best model in x
    ");
}

#[test]
fn a_pair_by_default_steps_as_markdown() {
    let options = ["--one-sided", "--resamples", "500", "--markdown"];
    insta::assert_snapshot!(printed(&[&BOARD[..], &options].concat()), @r"
    exit code 0
    --- stdout
    mean9 by imagenet1k, 84 models

    |            |  value |    95 % interval |      p |
    |------------|--------|------------------|--------|
    | Spearman   | 0.8575 | 0.7707 to 0.9177 | 0.0020 |
    | Kendall    | 0.6850 | 0.6003 to 0.7680 | 0.0020 |
    | R²         | 0.5549 | 0.4332 to 0.6850 |      – |
    | mis-ranked | 0.1575 | 0.1160 to 0.1999 |      – |

    best in imagenet1k: PE-Core-bigG-14-448/meta, which is best in mean9 too

    | imagenet1k ≥ | models |             Spearman |              Kendall |                   R² | mis-ranked | regret |
    |--------------|--------|----------------------|----------------------|----------------------|------------|--------|
    |          all |     84 | 0.858 (0.77 to 0.92) | 0.685 (0.60 to 0.77) | 0.555 (0.43 to 0.68) |     15.7 % | 0.0000 |
    |          0.2 |     83 | 0.852 (0.76 to 0.92) | 0.677 (0.59 to 0.76) | 0.534 (0.40 to 0.67) |     16.1 % | 0.0000 |
    |         0.32 |     82 | 0.848 (0.76 to 0.91) | 0.672 (0.58 to 0.75) | 0.517 (0.39 to 0.65) |     16.4 % | 0.0000 |
    |         0.36 |     81 | 0.844 (0.76 to 0.91) | 0.667 (0.58 to 0.75) | 0.497 (0.37 to 0.62) |     16.7 % | 0.0000 |
    |          0.4 |     79 | 0.837 (0.73 to 0.91) | 0.659 (0.57 to 0.75) | 0.468 (0.35 to 0.63) |     17.0 % | 0.0000 |
    |         0.48 |     76 | 0.832 (0.72 to 0.92) | 0.662 (0.56 to 0.76) | 0.527 (0.40 to 0.70) |     16.9 % | 0.0000 |
    |         0.52 |     74 | 0.822 (0.70 to 0.91) | 0.656 (0.54 to 0.75) | 0.524 (0.36 to 0.77) |     17.2 % | 0.0000 |
    |         0.56 |     73 | 0.817 (0.67 to 0.91) | 0.654 (0.53 to 0.75) | 0.553 (0.34 to 0.81) |     17.3 % | 0.0000 |
    |          0.6 |     72 | 0.822 (0.69 to 0.92) | 0.664 (0.55 to 0.76) | 0.673 (0.48 to 0.84) |     16.8 % | 0.0000 |
    |         0.68 |     68 | 0.793 (0.64 to 0.91) | 0.637 (0.51 to 0.75) | 0.590 (0.38 to 0.82) |     18.1 % | 0.0000 |
    |         0.72 |     65 | 0.788 (0.62 to 0.91) | 0.635 (0.50 to 0.75) | 0.620 (0.41 to 0.80) |     18.3 % | 0.0000 |
    |         0.76 |     62 | 0.757 (0.58 to 0.90) | 0.605 (0.47 to 0.74) | 0.528 (0.29 to 0.75) |     19.7 % | 0.0000 |
    |          0.8 |     55 | 0.688 (0.46 to 0.88) | 0.556 (0.39 to 0.71) | 0.363 (0.12 to 0.73) |     22.2 % | 0.0000 |
    |         0.84 |     41 | 0.791 (0.61 to 0.90) | 0.605 (0.44 to 0.75) | 0.646 (0.47 to 0.80) |     19.8 % | 0.0000 |

    intervals: 500 resamples of the models, as if they were independent, which models of a family are not; seed 0
    p: that y rises with x, 500 permutations
    mis-ranked: chance that the better of two models in x is the worse in y, (1 − τ)/2; regret: best y less that of the best model in x
    ");
}

/// SPEC §6.6.
#[test]
fn a_pair_as_json() {
    let run = run_in(
        inputs().path(),
        &[&["correlate"], &BOARD[..], &["--json", "--from", "0.8"]].concat(),
    );
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    let report: Value = serde_json::from_str(&run.stdout).unwrap();
    let expected = [(84, [0.555, 0.858, 0.685]), (55, [0.363, 0.688, 0.556])];
    for (row, (models, values)) in report["pairs"].as_array().unwrap().iter().zip(expected) {
        assert_eq!(row["models"], models);
        for (key, value) in ["r_squared", "spearman", "kendall"].into_iter().zip(values) {
            let found = row[key]["value"].as_f64().unwrap();
            assert!((found - value).abs() < 1e-3, "{key}: {found}");
        }
        assert_eq!(row["selection"]["regret"], 0.0);
    }
}

#[test]
fn the_matrix_of_undistorted_published_models() {
    let options = ["--published", "--clean", "--resamples", "800"];
    insta::assert_snapshot!(printed(&options), @r"
    exit code 0
    --- stdout
                acc     adv     cor     ood      cal     bal     obj   shape   params
     acc             0.411*  0.695*  0.522*   0.035   0.714*  0.586*  0.274*   0.338*
     adv     0.550*          0.494*  0.437*   0.267*  0.487*  0.489*  0.463*   0.257*
     cor     0.872*  0.654*          0.529*   0.041   0.616*  0.628*  0.441*   0.329*
     ood     0.675*  0.600*  0.691*           0.111   0.492*  0.452*  0.361*   0.216*
     cal     0.056   0.392*  0.069   0.161            0.281*  0.096   0.072   -0.080
     bal     0.883*  0.657*  0.777*  0.661*   0.422*          0.522*  0.244*   0.231*
     obj     0.764*  0.676*  0.810*  0.613*   0.148   0.700*          0.387*   0.341*
     shape   0.367*  0.625*  0.590*  0.481*   0.104   0.354*  0.538*           0.335*
     params  0.442*  0.356*  0.439*  0.296*  -0.116   0.326*  0.459*  0.459*

    below the diagonal Spearman, above Kendall (τ-b) over models
    p: two-sided, 800 permutations, corrected by Holm for 36 pairs; * at most 0.05
    --csv and --json: intervals, R², mis-ranked pairs, regret; --x and --y: one pair
    cal and params: lower is better, so beside the others a negative sign is agreement
    published: 219 models
    ");
}

#[test]
fn parameters_against_the_score_of_published_models() {
    let options = [
        "--published",
        "--x",
        "params",
        "--y",
        "quba",
        "--preset",
        "equal",
    ];
    insta::assert_snapshot!(printed(&options), @r"
    exit code 0
    --- stdout
    quba by params, 326 models

                  value     95 % interval       p
     Spearman    0.2336  0.1211 to 0.3408  0.0002
     Kendall     0.1726  0.0954 to 0.2467  0.0002
     R²          0.0000  0.0000 to 0.0244       –
     mis-ranked  0.5863  0.5477 to 0.6233       –

    best in params: squeezenet; best in quba: eva02-b-21k; regret 3.2238

     params ≤  models              Spearman               Kendall                    R²  mis-ranked  regret
          all     326  0.234 (0.12 to 0.34)  0.173 (0.10 to 0.25)  0.000 (0.00 to 0.02)      58.6 %  3.2238
        196.7     294  0.255 (0.14 to 0.37)  0.188 (0.11 to 0.27)  0.012 (0.00 to 0.05)      59.4 %  3.2238
          102     261  0.475 (0.37 to 0.57)  0.335 (0.26 to 0.41)  0.170 (0.10 to 0.26)      66.7 %  3.2238
         86.6     230  0.433 (0.32 to 0.54)  0.303 (0.22 to 0.38)  0.128 (0.06 to 0.22)      65.1 %  3.1589
         54.1     196  0.433 (0.31 to 0.54)  0.303 (0.22 to 0.39)  0.154 (0.08 to 0.25)      65.2 %  3.0597
         39.2     165  0.408 (0.26 to 0.53)  0.286 (0.18 to 0.38)  0.138 (0.06 to 0.25)      64.3 %  2.9625
         25.6     132  0.251 (0.08 to 0.40)  0.171 (0.06 to 0.28)  0.065 (0.01 to 0.17)      58.6 %  2.9625
         22.1      99  0.399 (0.21 to 0.57)  0.293 (0.16 to 0.43)  0.104 (0.02 to 0.27)      64.6 %  2.9625
         15.6      66  0.395 (0.13 to 0.63)  0.316 (0.13 to 0.50)  0.170 (0.02 to 0.41)      65.8 %  2.7038
          7.8      34  0.557 (0.20 to 0.81)  0.428 (0.15 to 0.66)  0.379 (0.08 to 0.67)      71.4 %  2.3219

    intervals: 5,000 resamples of the models, as if they were independent, which models of a family are not; seed 0
    p: two-sided, 5,000 permutations
    mis-ranked: chance that the better of two models in x is the worse in y, (1 − τ)/2; regret: best y less that of the best model in x
    published: 326 models
    107 of them have distorted figures (training-mode normalisation, a second softmax): --clean leaves them out
    quba: reference: published; weights: equal; models without a weighted dimension are left out
    ");
}

#[test]
fn result_files() {
    let files = ["large.quba", "middle.quba", "other.quba"];
    insta::assert_snapshot!(printed(&files), @r"
    exit code 0
    --- stdout
                 acc  adv      cor      ood      cal      bal      obj    shape   params
     acc               –   -1.000    0.816    0.816    0.816    0.816    0.816    0.816
     adv          –             –        –        –        –        –        –        –
     cor     -1.000    –            -0.816   -0.816   -0.816   -0.816   -0.816   -0.816
     ood      0.866    –   -0.866             0.333    1.000    1.000    1.000    1.000
     cal      0.866    –   -0.866    0.500             0.333    0.333    0.333    0.333
     bal      0.866    –   -0.866    1.000    0.500             1.000    1.000    1.000
     obj      0.866    –   -0.866    1.000    0.500    1.000             1.000    1.000
     shape    0.866    –   -0.866    1.000    0.500    1.000    1.000             1.000
     params   0.866    –   -0.866    1.000    0.500    1.000    1.000    1.000

    below the diagonal Spearman, above Kendall (τ-b) over models
    p: two-sided, 5,000 permutations, corrected by Holm for 28 pairs; * at most 0.05
    --csv and --json: intervals, R², mis-ranked pairs, regret; --x and --y: one pair
    cal and params: lower is better, so beside the others a negative sign is agreement
    corrupted images: stored
    ");
    let pair = ["--x", "acc", "--y", "shape", "--csv"];
    insta::assert_snapshot!(printed(&[&files[..], &pair].concat()), @r"
    exit code 0
    --- stdout
    x,y,from,models,spearman,spearman_low,spearman_high,spearman_p,kendall,kendall_low,kendall_high,kendall_p,r_squared,r_squared_low,r_squared_high,misranked,misranked_low,misranked_high,regret,chosen
    acc,shape,,3,0.8660254037844387,,,0.6674665066986603,0.8164965809277261,,,0.6674665066986603,0.9423076923076923,,,0.09175170953613693,,,0.015625,Large; other
    --- stderr
    intervals: 5,000 resamples of the models, as if they were independent, which models of a family are not; seed 0
    p: two-sided, 5,000 permutations
    mis-ranked: chance that the better of two models in x is the worse in y, (1 − τ)/2; regret: best y less that of the best model in x
    corrupted images: stored
    ");
}

#[test]
fn what_cannot_be_correlated() {
    let folder = inputs();
    std::fs::write(
        folder.path().join("bad.csv"),
        "model,x,y\na,1,2\nb,high,3\n",
    )
    .unwrap();
    std::fs::write(
        folder.path().join("few.csv"),
        "model,x,y\na,1,2\nb,,3\nc,2,1\n",
    )
    .unwrap();
    let of = |table| ["--table", table, "--x", "x", "--y", "y"];
    let cases: [&[&str]; 8] = [
        &of("bad.csv"),
        &of("few.csv"),
        &of("missing.csv"),
        &of("board.csv"),
        &[&of("few.csv")[..], &["--lower-is-better", "z"]].concat(),
        &["--published", "--x", "speed", "--y", "acc"],
        &["large.quba", "small.quba"],
        &["large.quba", "--published"],
    ];
    let lines: Vec<String> = cases
        .iter()
        .map(|arguments| in_folder(folder.path(), arguments))
        .collect();
    insta::assert_snapshot!(lines.join(""), @r"
    exit code 2
    --- stderr
    error: line 3, column 'x': bad.csv: expected a number or nothing, found 'high'
    exit code 2
    --- stderr
    error: nothing to correlate: expected 3 or more models whose figures differ, found 2
    exit code 2
    --- stderr
    error: cannot read the table: missing.csv: No such file or directory (os error 2)
    exit code 2
    --- stderr
    error: no column 'x', expected one of checkpoint, ecology, imagenet1k, mean9: board.csv
    exit code 2
    --- stderr
    error: --lower-is-better 'z': expected x or y
    exit code 2
    --- stderr
    error: bad --x: unknown dimension 'speed': expected one of acc, adv, cor, ood, cal, bal, obj, shape, params, or quba
    exit code 2
    --- stderr
    error: nothing to correlate: expected 3 or more models whose figures differ, found 2
    exit code 2
    --- stderr
    error: the argument '[FILES]...' cannot be used with '--published'

    Usage: edge correlate <FILES|--published|--table <FILE>>

    For more information, try '--help'.
    ");
}
