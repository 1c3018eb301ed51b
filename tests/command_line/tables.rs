//! Tables and reports of fixed, made-up evaluations.

use serde_json::{Value, json};

use super::{results, run_in, seen};

fn printed(arguments: &[&str]) -> String {
    seen(&run_in(results().path(), arguments))
}

fn parsed(arguments: &[&str]) -> Value {
    let run = run_in(results().path(), arguments);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    serde_json::from_str(&run.stdout).unwrap()
}

#[test]
fn rank_as_text() {
    insta::assert_snapshot!(printed(&["rank", "."]), @r"
    exit code 0
    --- stdout
     model  rank      QUBA       95 % interval     acc  adv     cor     ood      cal     bal     obj   shape  params    MB  Pareto
     Large     1  -0.3573*   -1.1150 to 0.3076  0.8750    –  0.8171  1.0000  0.04239  0.8322  1.0000  0.8750     8.0  1.23       ●
     Small     2  -3.7560*  -3.9175 to -3.2015  0.6667    –       –  0.7500  0.03943  0.7698  0.7375  0.5000     3.0  1.23

    cal and params: lower is better; the others: higher
    reference: published; weights: study
    95 % interval of QUBA: 1,000 resamples of the images; the interval of QUBA holds cal, bal fixed, so it is too narrow by that share
    – not measured
    * 2 of 2 scores are partial: scores over different dimensions are not comparable, the order is only indicative
    corrupted images: stored
    ● no other model is better in QUBA or file size without being worse in the other
    ");
}

#[test]
fn rank_of_one_complete_model_under_a_preset() {
    insta::assert_snapshot!(printed(&["rank", "large.quba", "--preset", "fairness"]), @r"
    exit code 0
    --- stdout
     model  rank     QUBA      95 % interval     acc  adv     cor     ood      cal     bal     obj   shape  params    MB  Pareto
     Large     1  0.6303*  -0.5079 to 1.6714  0.8750    –  0.8171  1.0000  0.04239  0.8322  1.0000  0.8750     8.0  1.23       ●

    cal and params: lower is better; the others: higher
    reference: published; weights: fairness
    95 % interval of QUBA: 1,000 resamples of the images; the interval of QUBA holds cal fixed, so it is too narrow by that share
    – not measured
    * all scores are partial, without adversarial robustness: compare them only with each other
    corrupted images: stored
    ● no other model is better in QUBA or file size without being worse in the other
    ");
}

#[test]
fn rank_as_markdown_under_own_weights() {
    let weights = "acc=1,adv=0,cor=0,ood=0.25,cal=0.5";
    insta::assert_snapshot!(printed(&["rank", ".", "--markdown", "--weights", weights]), @r"
    exit code 0
    --- stdout
    | model | rank |    QUBA |      95 % interval |    acc | adv |    cor |    ood |     cal |    bal |    obj |  shape | params |   MB | Pareto |
    |-------|------|---------|--------------------|--------|-----|--------|--------|---------|--------|--------|--------|--------|------|--------|
    | Large |    1 |  0.9269 |   0.0165 to 1.7230 | 0.8750 |   – | 0.8171 | 1.0000 | 0.04239 | 0.8322 | 1.0000 | 0.8750 |    8.0 | 1.23 |      ● |
    | Small |    2 | -2.8643 | -3.0396 to -2.2761 | 0.6667 |   – |      – | 0.7500 | 0.03943 | 0.7698 | 0.7375 | 0.5000 |    3.0 | 1.23 |        |

    cal and params: lower is better; the others: higher
    reference: published; weights: acc=1,adv=0,cor=0,ood=0.25,cal=0.5,bal=1,obj=0.5,shape=0.5,params=1
    95 % interval of QUBA: 1,000 resamples of the images; the interval of QUBA holds cal, bal fixed, so it is too narrow by that share
    – not measured
    corrupted images: stored
    ● no other model is better in QUBA or file size without being worse in the other
    ");
}

#[test]
fn rank_as_csv() {
    insta::assert_snapshot!(printed(&["rank", "small.quba", "large.quba", "--csv"]), @r"
    exit code 0
    --- stdout
    model,rank,quba,quba_low,quba_high,partial,acc,adv,cor,ood,cal,bal,obj,shape,params,black_box,among_published,file,bytes,pareto
    Large,1,-0.3573408025605246,-1.1150042748225568,0.3076068051384862,true,0.875,,0.8171428571428568,1,0.042389559758065236,0.832158387132651,1,0.875,8,,,large.quba,1234567,true
    Small,2,-3.755966544994268,-3.9174775381397366,-3.201503307696589,true,0.6666666666666666,,,0.75,0.03942698424724523,0.7698056153977245,0.7374999999999999,0.5,3,,,small.quba,1234567,false
    --- stderr
    cal and params: lower is better; the others: higher
    reference: published; weights: study
    95 % interval of QUBA: 1,000 resamples of the images; the interval of QUBA holds cal, bal fixed, so it is too narrow by that share
    – not measured
    * 2 of 2 scores are partial: scores over different dimensions are not comparable, the order is only indicative
    corrupted images: stored
    ● no other model is better in QUBA or file size without being worse in the other
    ");
}

#[test]
fn rank_against_the_published_models() {
    insta::assert_snapshot!(printed(&["rank", ".", "--against-published"]), @r"
    exit code 0
    --- stdout
     model  rank      QUBA       95 % interval     acc  adv     cor     ood      cal     bal     obj   shape  params  among published    MB  Pareto
     Large     1  -0.3573*   -1.1150 to 0.3076  0.8750    –  0.8171  1.0000  0.04239  0.8322  1.0000  0.8750     8.0     209th of 327  1.23       ●
     Small     2  -3.7560*  -3.9175 to -3.2015  0.6667    –       –  0.7500  0.03943  0.7698  0.7375  0.5000     3.0     326th of 327  1.23

    cal and params: lower is better; the others: higher
    reference: published; weights: study
    95 % interval of QUBA: 1,000 resamples of the images; the interval of QUBA holds cal, bal fixed, so it is too narrow by that share
    – not measured
    * 2 of 2 scores are partial: scores over different dimensions are not comparable, the order is only indicative
    corrupted images: stored
    among published: place of the score among the 326 published models, scored on the same dimensions; 81 of them have corruption, out-of-distribution, calibration and balance figures distorted by training-mode normalisation, 30 by a second softmax
    the study measured ImageNet-1k: places of models measured on other data only indicate
    ● no other model is better in QUBA or file size without being worse in the other
    ");
}

#[test]
fn rank_as_json() {
    let report = parsed(&["rank", ".", "--json", "--against-published"]);
    assert_eq!(report["reference"], "published");
    assert_eq!(report["weights"]["acc"], 1.0);
    let models = report["models"].as_array().unwrap();
    let names: Vec<&Value> = models.iter().map(|m| &m["name"]).collect();
    assert_eq!(names, ["Large", "Small"]);
    for model in models {
        assert_eq!(model["partial"], true);
        assert_eq!(model["values"]["adv"], Value::Null);
        assert_eq!(model["among_published"]["of"], 327);
        // The score is the sum of what the dimensions contribute.
        let contributions = model["contributions"].as_object().unwrap();
        let sum: f64 = contributions.values().filter_map(Value::as_f64).sum();
        let score = model["quba"].as_f64().unwrap();
        assert!((sum - score).abs() < 1e-9, "{sum} is not {score}");
    }
    assert_eq!(models[0]["missing"], json!(["adv"]));
    assert_eq!(models[1]["missing"], json!(["adv", "cor"]));
    // 40 images, of which every eighth is wrong.
    assert_eq!(models[0]["values"]["acc"], 0.875);
}

#[test]
fn show_a_complete_file() {
    insta::assert_snapshot!(printed(&["show", "large.quba"]), @r"
    exit code 0
    --- stdout
    model           Large
    BLAKE3          0808080808080808080808080808080808080808080808080808080808080808
    size            1,234,567 bytes
    parameters      8,000,000 (from the card)
    MACs per image  7,654,321
    opset           17
    outputs         10, logits
    architecture    cnn
    resize          shorter side 256, bicubic
    centre crop     224x224
    channels        RGB
    mean            [0.5, 0.5, 0.5]
    std             [0.25, 0.25, 0.25]

    data            photos (ten, 10 classes)
    protocol        correct
    seed            17
    corruptions     stored
    run             edge 0.1.0, tract 0.23.4 on bench (a processor, x86_64), 2 threads, 1.5 s

     dimension                       unit                 value     95 % interval  images  made of
     accuracy                        share               0.8750  0.7667 to 0.9667      40
     adversarial robustness          relative accuracy        –
     corruption robustness           relative accuracy   0.8171  0.7214 to 0.9417   3,000
     out-of-distribution robustness  relative accuracy   1.0000  0.8550 to 1.1791     200  edge 1.0000, silhouette 1.0000, sketch16 1.0000, stylized16 1.0000, rendition 1.0000
     calibration error               error              0.04239                 –      40  ece 0.1437, ace 0.0125
     class balance                   score               0.8322  0.7765 to 0.8811      40  accuracy balance 0.8682, confidence balance 0.7976, between-class balance 0.8824, classes used 10
     object focus                    score               1.0000  0.8214 to 1.2083      80  mixed-same 0.8750, mixed-rand 0.8750
     shape bias                      share               0.8750  0.7500 to 0.9677      32  shape decisions 28, texture decisions 4
     parameters                      millions               8.0
    – adversarial robustness not measured: not evaluated: fgsm 8/255, pgd 8/255 (10 steps of 2/255)
    – no interval of calibration error: the adaptive calibration error cannot be recomputed from the records
    intervals of dimensions: 1,000 resamples of the images

     pass          right  images  accuracy     95 % interval  list
     clean            35      40    0.8750  0.7389 to 0.9454  c0cdfe00e34c
     rendition        35      40    0.8750  0.7389 to 0.9454  c0cdfe00e34c
     edge             35      40    0.8750  0.7389 to 0.9454  de26da9dc7c8
     silhouette       35      40    0.8750  0.7389 to 0.9454  de26da9dc7c8
     sketch16         35      40    0.8750  0.7389 to 0.9454  de26da9dc7c8
     stylized16       35      40    0.8750  0.7389 to 0.9454  de26da9dc7c8
     cue-conflict     36      40    0.9000  0.7695 to 0.9604  de26da9dc7c8
     mixed-same       35      40    0.8750  0.7389 to 0.9454  c0cdfe00e34c
     mixed-rand       35      40    0.8750  0.7389 to 0.9454  c0cdfe00e34c
    list: hash of the images shown, equal where they are the same

     relative accuracy at severity      1      2      3      4      5
     gaussian_noise                 0.971  0.914  0.857  0.771  0.571
     shot_noise                     0.971  0.914  0.857  0.771  0.571
     impulse_noise                  0.971  0.914  0.857  0.771  0.571
     defocus_blur                   0.971  0.914  0.857  0.771  0.571
     glass_blur                     0.971  0.914  0.857  0.771  0.571
     motion_blur                    0.971  0.914  0.857  0.771  0.571
     zoom_blur                      0.971  0.914  0.857  0.771  0.571
     snow                           0.971  0.914  0.857  0.771  0.571
     frost                          0.971  0.914  0.857  0.771  0.571
     fog                            0.971  0.914  0.857  0.771  0.571
     brightness                     0.971  0.914  0.857  0.771  0.571
     contrast                       0.971  0.914  0.857  0.771  0.571
     elastic_transform              0.971  0.914  0.857  0.771  0.571
     pixelate                       0.971  0.914  0.857  0.771  0.571
     jpeg_compression               0.971  0.914  0.857  0.771  0.571
    ");
}

#[test]
fn show_a_file_with_gaps() {
    insta::assert_snapshot!(printed(&["show", "small.quba"]), @r"
    exit code 0
    --- stdout
    model           Small
    BLAKE3          0303030303030303030303030303030303030303030303030303030303030303
    size            1,234,567 bytes
    parameters      3,000,000 (from the card)
    MACs per image  7,654,321
    opset           17
    outputs         10, logits
    architecture    cnn
    resize          shorter side 256, bicubic
    centre crop     224x224
    channels        RGB
    mean            [0.5, 0.5, 0.5]
    std             [0.25, 0.25, 0.25]

    data            photos (ten, 10 classes)
    protocol        correct
    seed            17
    run             edge 0.1.0, tract 0.23.4 on bench (a processor, x86_64), 2 threads, 1.5 s

     dimension                       unit                 value     95 % interval  images  made of
     accuracy                        share               0.6667  0.5000 to 0.8276      39
     adversarial robustness          relative accuracy        –
     corruption robustness           relative accuracy        –
     out-of-distribution robustness  relative accuracy   0.7500  0.6042 to 1.0000     200  edge 0.7500, silhouette 0.7500, sketch16 0.7500, stylized16 0.7500, rendition 0.7500
     calibration error               error              0.03943                 –      39  ece 0.1244, ace 0.0125
     class balance                   score               0.7698                 –      39  accuracy balance 0.8821, confidence balance 0.6718, between-class balance 0.9010, classes used 10
     object focus                    score               0.7375  0.5972 to 1.0000      80  mixed-same 0.6750, mixed-rand 0.5000
     shape bias                      share               0.5000  0.4138 to 0.5926      32  shape decisions 16, texture decisions 16
     parameters                      millions               3.0
    – adversarial robustness not measured: not evaluated: fgsm 8/255, pgd 8/255 (10 steps of 2/255)
    – corruption robustness not measured: 0 of 75 corruption passes evaluated; incomplete: all 15
    – no interval of calibration error: the adaptive calibration error cannot be recomputed from the records
    – no interval of class balance: undefined in some resamples: too few images or right answers
    intervals of dimensions: 1,000 resamples of the images

     pass          right  images  accuracy     95 % interval  list
     clean            26      39    0.6667  0.5098 to 0.7937  f8d4cd511c6b
     rendition        20      40    0.5000  0.3520 to 0.6480  c0cdfe00e34c
     edge             20      40    0.5000  0.3520 to 0.6480  de26da9dc7c8
     silhouette       20      40    0.5000  0.3520 to 0.6480  de26da9dc7c8
     sketch16         20      40    0.5000  0.3520 to 0.6480  de26da9dc7c8
     stylized16       20      40    0.5000  0.3520 to 0.6480  de26da9dc7c8
     cue-conflict     24      40    0.6000  0.4460 to 0.7365  de26da9dc7c8
     mixed-same       27      40    0.6750  0.5202 to 0.7992  c0cdfe00e34c
     mixed-rand       20      40    0.5000  0.3520 to 0.6480  c0cdfe00e34c
    list: hash of the images shown, equal where they are the same

    clean: 1 image skipped
      truncated PNG image: the file ends before the image does: class-0/image-0.png

    warning: clean: 1 unreadable image(s) left out; the result file names them
    ");
}

#[test]
fn show_as_json() {
    let report = parsed(&["show", "small.quba", "--json"]);
    assert_eq!(report["model"]["name"], "Small");
    assert_eq!(report["model"]["hash"], "03".repeat(32));
    let accuracy = &report["dimensions"]["acc"];
    // 13 of 40 are wrong; one right image was skipped.
    assert_eq!(accuracy["value"], 26.0 / 39.0);
    assert_eq!(accuracy["images"], 39);
    assert_eq!(report["dimensions"]["cor"]["value"], Value::Null);
    let missing = report["dimensions"]["cor"]["not_measured"].as_str();
    assert!(missing.unwrap().starts_with("0 of 75"), "{missing:?}");
    let clean = &report["passes"][0];
    assert_eq!(clean["pass"], "clean");
    assert_eq!(clean["right"], 26);
    assert_eq!(clean["skipped"][0]["path"], "class-0/image-0.png");
    insta::assert_snapshot!(report["warnings"], @r#"["clean: 1 unreadable image(s) left out; the result file names them"]"#);
}

#[test]
fn merge_says_what_became_of_the_files() {
    insta::assert_snapshot!(printed(&["merge", ".", "small.quba", "--out", "joined"]), @r"
    exit code 0
    --- stdout
    Large: 84 passes from 1 run: joined/Large.quba
    Small: 9 passes from 1 run: joined/Small.quba
    ");
}
