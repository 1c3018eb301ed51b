//! `--help` and `--version`.

use super::{run_in, seen};

fn help(command: &[&str]) -> String {
    let folder = tempfile::tempdir().unwrap();
    seen(&run_in(folder.path(), &[command, &["--help"]].concat()))
}

#[test]
fn of_the_program() {
    insta::assert_snapshot!(help(&[]), @r"
    exit code 0
    --- stdout
    Evaluates ONNX image classifiers on nine quality dimensions and ranks them by QUBA

    Usage: edge <COMMAND>

    Commands:
      eval         Evaluate models on a folder of image sets and write one result file each
      demo         Evaluate the bundled models on the built-in data set: no download, one ranked table
      bench        Measure what running models costs on this machine: latency, throughput, memory,
                   energy
      rank         Rank result files by QUBA under your weights
      compare      Compare models image by image: differences, their intervals, and which are
                   significant
      correlate    Correlate figures over models: does one predict the other, and what does trusting it
                   cost?
      show         Show everything a result file holds
      merge        Join result files of the same model
      inspect      Print what was understood of a model, without evaluating it
      data         Print which image sets a folder holds and which dimensions that leaves unmeasured
      corrupt      Write the corrupted copies of images that an evaluation shows, or a contact sheet
      devices      List the GPU adapters of this machine and whether each computes correctly
      completions  Print the completion script of a shell
      help         Print this message or the help of the given subcommand(s)

    Options:
      -h, --help     Print help
      -V, --version  Print version

    Exit codes:
      0    done
      1    finished, but some inputs failed (unreadable images, models or result files)
      2    could not run (wrong arguments, no data, nothing readable)
      130  interrupted; the same call resumes
    ");
}

#[test]
fn of_eval() {
    insta::assert_snapshot!(help(&["eval"]), @r"
    exit code 0
    --- stdout
    Evaluate models on a folder of image sets and write one result file each

    Usage: edge eval [OPTIONS] --data <ROOT> <MODEL.onnx>...

    Arguments:
      <MODEL.onnx>...
              ONNX files; a card MODEL.toml or a timm configuration beside each is used

    Options:
          --data <ROOT>
              Root of the image sets (see `edge data ROOT`)

          --dims <DIM,…>
              Dimensions to measure: acc, adv, cor, ood, cal, bal, obj, shape, params [default: all]

          --out <DIR>
              Folder of the result files
              
              [default: quba-out]

          --images <N>
              Evaluate at most N images of each set: stratified by class, the same for every model

          --threads <N>
              Worker threads [default: all cores]

          --seed <S>
              Seed of everything random
              
              [default: 0]

          --protocol <PROTOCOL>
              Definition used where the study's text and its code differ

              Possible values:
              - correct:   What the definitions mean
              - published: What the study's code does, quirks included
              
              [default: correct]

          --strict
              Stop at the first image that cannot be read, instead of counting it

          --fresh
              Ignore and replace earlier results and interrupted runs

          --json
              Print the metrics as JSON

          --backend <BACKEND>
              What models run on; auto takes the best hardware GPU, else the CPU

              Possible values:
              - auto: The best hardware GPU, else the CPU
              - gpu:  A GPU, a software one too
              - cpu:  tract on the processor
              
              [default: auto]

          --device <NAME|INDEX>
              GPU adapter: a name, a part of one, or an index (see `edge devices`)

      -h, --help
              Print help (see a summary with '-h')

    Limited time:
          --budget <TIME>
              Evaluate for TIME, for instance 30m or 1h30m, the images that tighten the interval of QUBA
              most; calls of one run share the time, and a longer one goes on

          --target-ci <WIDTH>
              Evaluate until the 95 % interval of QUBA of every model is at most WIDTH wide

    Attacks beside FGSM and PGD of 8/255, which make up adv:
          --epsilons[=<E,…>]
              Also FGSM and PGD (10 steps of a quarter) of each strength E/255 [without E:
              0.25,0.5,1,2,4,8]

          --attack <METHOD,KEY=VALUE,…>
              Also this attack, and the next where it is repeated: fgsm, pgd or square, and what differs
              from pgd,epsilon=8,norm=linf,steps=10,step=2,start=random. Lengths are in 1/255, with
              norm=l2 as they are; a step is a quarter of epsilon unless stated; with restarts=N the
              worst iterate of N random starts counts; start=image starts there; square takes
              queries=1000

          --square-queries <N>
              Images that Square Attack may have scored, which stands in where a model has no gradient
              
              [default: 1000]

    Corruptions:
          --corruptions <CORRUPTIONS>
              Where corrupted images come from

              Possible values:
              - auto:      Stored folders where there are any, else generated from the clean images
              - stored:    Stored folders only
              - generated: Generated from the clean images, whatever is stored
              
              [default: auto]

          --extra-corruptions
              Also evaluate speckle_noise, gaussian_blur, spatter and saturate, which are not scored

          --corruption-size <PIXELS>
              Bring images to PIXELS before they are corrupted, as ImageNet-C does; smaller ones keep
              their size
              
              [default: 224]

          --jpeg85 <on|off>
              Store generated images as JPEG of quality 85, as ImageNet-C does [default: off; on with
              `edge eval --protocol published`]

          --frost <DIR>
              Make frost with the first five pictures of DIR, for instance the published ones [default:
              synthetic textures]

    Measuring costs:
          --bench
              Also measure what running each model costs, as `edge bench` does, on what it ran on

          --min-duration <SECONDS>
              Shortest time of the latency, and of the throughput (MLPerf's single stream: 600)
              
              [default: 3]

          --min-queries <N>
              Fewest queries of the latency (MLPerf's single stream: 1024)
              
              [default: 64]

    Many machines:
          --shard <I/N|auto>
              Evaluate shard I of N, a part of every image set; `edge merge` joins all N. auto: the task
              of a Slurm array or of an indexed Kubernetes job

          --shards <N>
              With --shard auto: the number of shards, which Kubernetes does not tell and Slurm only
              where the array is complete
    ");
}

#[test]
fn of_demo() {
    insta::assert_snapshot!(help(&["demo"]), @r"
    exit code 0
    --- stdout
    Evaluate the bundled models on the built-in data set: no download, one ranked table

    Usage: edge demo [OPTIONS]

    Options:
          --write <DIR>
              Only write the data set (and the bundled models) into this folder

          --train <N>
              With --write: also render N training images per class, plain and randomised

          --dims <DIM,…>
              Dimensions to measure: acc, adv, cor, ood, cal, bal, obj, shape, params [default: all]

          --out <DIR>
              Folder of the result files
              
              [default: quba-out]

          --images <N>
              Evaluate at most N images of each set: stratified by class, the same for every model

          --threads <N>
              Worker threads [default: all cores]

          --seed <S>
              Seed of everything random
              
              [default: 0]

          --protocol <PROTOCOL>
              Definition used where the study's text and its code differ

              Possible values:
              - correct:   What the definitions mean
              - published: What the study's code does, quirks included
              
              [default: correct]

          --strict
              Stop at the first image that cannot be read, instead of counting it

          --fresh
              Ignore and replace earlier results and interrupted runs

          --json
              Print the metrics as JSON

          --backend <BACKEND>
              What models run on; auto takes the best hardware GPU, else the CPU

              Possible values:
              - auto: The best hardware GPU, else the CPU
              - gpu:  A GPU, a software one too
              - cpu:  tract on the processor
              
              [default: auto]

          --device <NAME|INDEX>
              GPU adapter: a name, a part of one, or an index (see `edge devices`)

      -h, --help
              Print help (see a summary with '-h')

    Limited time:
          --budget <TIME>
              Evaluate for TIME, for instance 30m or 1h30m, the images that tighten the interval of QUBA
              most; calls of one run share the time, and a longer one goes on

          --target-ci <WIDTH>
              Evaluate until the 95 % interval of QUBA of every model is at most WIDTH wide

    Attacks beside FGSM and PGD of 8/255, which make up adv:
          --epsilons[=<E,…>]
              Also FGSM and PGD (10 steps of a quarter) of each strength E/255 [without E:
              0.25,0.5,1,2,4,8]

          --attack <METHOD,KEY=VALUE,…>
              Also this attack, and the next where it is repeated: fgsm, pgd or square, and what differs
              from pgd,epsilon=8,norm=linf,steps=10,step=2,start=random. Lengths are in 1/255, with
              norm=l2 as they are; a step is a quarter of epsilon unless stated; with restarts=N the
              worst iterate of N random starts counts; start=image starts there; square takes
              queries=1000

          --square-queries <N>
              Images that Square Attack may have scored, which stands in where a model has no gradient
              
              [default: 1000]

    Corruptions:
          --corruptions <CORRUPTIONS>
              Where corrupted images come from

              Possible values:
              - auto:      Stored folders where there are any, else generated from the clean images
              - stored:    Stored folders only
              - generated: Generated from the clean images, whatever is stored
              
              [default: auto]

          --extra-corruptions
              Also evaluate speckle_noise, gaussian_blur, spatter and saturate, which are not scored

          --corruption-size <PIXELS>
              Bring images to PIXELS before they are corrupted, as ImageNet-C does; smaller ones keep
              their size
              
              [default: 224]

          --jpeg85 <on|off>
              Store generated images as JPEG of quality 85, as ImageNet-C does [default: off; on with
              `edge eval --protocol published`]

          --frost <DIR>
              Make frost with the first five pictures of DIR, for instance the published ones [default:
              synthetic textures]

    Measuring costs:
          --bench
              Also measure what running each model costs, as `edge bench` does, on what it ran on

          --min-duration <SECONDS>
              Shortest time of the latency, and of the throughput (MLPerf's single stream: 600)
              
              [default: 3]

          --min-queries <N>
              Fewest queries of the latency (MLPerf's single stream: 1024)
              
              [default: 64]
    ");
}

#[test]
fn of_rank() {
    insta::assert_snapshot!(help(&["rank"]), @r#"
    exit code 0
    --- stdout
    Rank result files by QUBA under your weights

    Usage: edge rank [OPTIONS] <FILES>...

    Arguments:
      <FILES>...  Result files, or folders of them

    Options:
          --weights <DIM=W,…>               Weights, for instance acc=1,adv=0.5; dimensions left out
                                            keep their default
          --preset <NAME>                   Named weights: study, accuracy-first, safety-critical,
                                            fairness, small-device, equal
          --reference <published|FILES>...  Means and deviations behind the scores: `published`, or
                                            result files to fit them on [default: published; the ranked
                                            models themselves where the data is not ImageNet-1k]
          --against-published               Place each model among the 326 published ones
          --json                            Print JSON
          --csv                             Print comma-separated values
          --markdown                        Print a Markdown table
      -h, --help                            Print help

    Costs:
          --max-params <N>       Rank only models of at most N parameters, for instance 5M
          --max-bytes <N>        Rank only models whose files have at most N bytes, for instance 20M
          --max-latency <MS>     Rank only models with a latency (90th percentile, see `edge bench`) of
                                 at most MS
          --latency-on <DEVICE>  The device of that latency, by its name or a part of it; latency then
                                 stands in place of bytes in the Pareto column [default: the only device
                                 there is]

    Stability:
          --stability          Add how sure the order is: chances of the first places, rank intervals,
                               and ties
          --top <K>            The k of "in the top k" [default: 3]
          --weight-spread <S>  How uncertain the weights are: relative deviation of each around the
                               given one, 0 for not at all [default: 0.2]
          --resamples <N>      Resamples of the images [default: 1000, or more where many models need
                               them]
          --seed <S>           Seed of the resamples [default: 0]
    "#);
}

#[test]
fn of_compare() {
    insta::assert_snapshot!(help(&["compare"]), @r"
    exit code 0
    --- stdout
    Compare models image by image: differences, their intervals, and which are significant

    Usage: edge compare [OPTIONS] <FILES>...

    Arguments:
      <FILES>...  Result files, or folders of them: two or more models evaluated on the same images

    Options:
          --all-pairs                       Compare each model with each other one, not all with the
                                            first
          --resamples <N>                   Resamples of the images [default: 1000, or more where many
                                            comparisons need them]
          --seed <S>                        Seed of the resamples [default: 0]
          --weights <DIM=W,…>               Weights, for instance acc=1,adv=0.5; dimensions left out
                                            keep their default
          --preset <NAME>                   Named weights: study, accuracy-first, safety-critical,
                                            fairness, small-device, equal
          --reference <published|FILES>...  Means and deviations behind the scores: `published`, or
                                            result files to fit them on [default: published; the
                                            compared models themselves where the data is not
                                            ImageNet-1k]
          --json                            Print JSON
          --csv                             Print comma-separated values
          --markdown                        Print a Markdown table
      -h, --help                            Print help
    ");
}

#[test]
fn of_correlate() {
    insta::assert_snapshot!(help(&["correlate"]), @r#"
    exit code 0
    --- stdout
    Correlate figures over models: does one predict the other, and what does trusting it cost?

    Usage: edge correlate [OPTIONS] <FILES|--published|--table <FILE>>

    Arguments:
      [FILES]...  Result files, or folders of them

    Options:
          --published                   The study's 326 models
          --clean                       Leave out the published models whose figures are distorted
          --table <FILE>                Comma-separated values under a header, a model a line
          --x <FIGURE>                  The figure to choose models by: acc, adv, …, quba, or a column
                                        of the table [default: the matrix of the nine dimensions]
          --y <FIGURE>                  The figure that matters
          --name <COLUMN>               Column of the table with the names of the models [default: the
                                        first]
          --lower-is-better <COLUMN,…>  Columns of the table of which less is better
          --from <X,…>                  Also over the models whose x is at least as good as each of
                                        these [default: steps of 0.04 for shares, else tenths of the
                                        models, while 10 models are left]
          --one-sided                   P-values for "y rises with x" alone
          --resamples <N>               Resamples of the models, and permutations [default: 5000]
          --seed <S>                    Seed of the resamples [default: 0]
          --weights <DIM=W,…>           Weights, for instance acc=1,adv=0.5; dimensions left out keep
                                        their default
          --preset <NAME>               Named weights: study, accuracy-first, safety-critical, fairness,
                                        small-device, equal
          --json                        Print JSON
          --csv                         Print comma-separated values
          --markdown                    Print a Markdown table
      -h, --help                        Print help
    "#);
}

#[test]
fn of_show() {
    insta::assert_snapshot!(help(&["show"]), @r"
    exit code 0
    --- stdout
    Show everything a result file holds

    Usage: edge show [OPTIONS] <FILE>

    Arguments:
      <FILE>  The result file

    Options:
          --json  Print JSON
      -h, --help  Print help
    ");
}

#[test]
fn of_merge() {
    insta::assert_snapshot!(help(&["merge"]), @r"
    exit code 0
    --- stdout
    Join result files of the same model

    Usage: edge merge --out <DIR> <FILES>...

    Arguments:
      <FILES>...  Result files of one or more models, shards too, or folders of them

    Options:
          --out <DIR>  Folder of the joined result files, one per model
      -h, --help       Print help
    ");
}

#[test]
fn of_inspect() {
    insta::assert_snapshot!(help(&["inspect"]), @r"
    exit code 0
    --- stdout
    Print what was understood of a model, without evaluating it

    Usage: edge inspect [OPTIONS] <MODEL>

    Arguments:
      <MODEL>  The ONNX file

    Options:
          --json  Print JSON
      -h, --help  Print help
    ");
}

#[test]
fn of_data() {
    insta::assert_snapshot!(help(&["data"]), @r"
    exit code 0
    --- stdout
    Print which image sets a folder holds and which dimensions that leaves unmeasured

    Usage: edge data [OPTIONS] <ROOT>

    Arguments:
      <ROOT>  Root of the image sets

    Options:
          --json  Print JSON
      -h, --help  Print help
    ");
}

#[test]
fn of_devices() {
    insta::assert_snapshot!(help(&["devices"]), @r"
    exit code 0
    --- stdout
    List the GPU adapters of this machine and whether each computes correctly

    Usage: edge devices [OPTIONS]

    Options:
          --json  Print JSON
      -h, --help  Print help
    ");
}

#[test]
fn of_corrupt() {
    insta::assert_snapshot!(help(&["corrupt"]), @r"
    exit code 0
    --- stdout
    Write the corrupted copies of images that an evaluation shows, or a contact sheet

    Usage: edge corrupt [OPTIONS] --out <DIR> <IMAGE|FOLDER>

    Arguments:
      <IMAGE|FOLDER>  An image, or a folder of images (flat or class folders)

    Options:
          --out <DIR>                 Folder of the pictures: <corruption>-<severity>.png and clean.png
                                      of an image, the layout of ImageNet-C of a folder. Pictures that
                                      are there already are replaced
          --corruption <NAME,…>       Corruptions [default: the 15 that are scored] [possible values:
                                      gaussian_noise, shot_noise, impulse_noise, defocus_blur,
                                      glass_blur, motion_blur, zoom_blur, snow, frost, fog, brightness,
                                      contrast, elastic_transform, pixelate, jpeg_compression,
                                      speckle_noise, gaussian_blur, spatter, saturate]
          --severity <N,…>            Severities, 1 to 5 [default: all]
          --extra-corruptions         Add the four corruptions that are not scored
          --sheet                     Write one contact sheet of the image, sheet.png, and nothing else
          --seed <S>                  Seed of everything random [default: 0]
          --corruption-size <PIXELS>  Bring images to PIXELS before they are corrupted, as ImageNet-C
                                      does; smaller ones keep their size [default: 224]
          --jpeg85 <on|off>           Store generated images as JPEG of quality 85, as ImageNet-C does
                                      [default: off; on with `edge eval --protocol published`]
          --frost <DIR>               Make frost with the first five pictures of DIR, for instance the
                                      published ones [default: synthetic textures]
      -h, --help                      Print help
    ");
}

#[test]
fn of_completions() {
    insta::assert_snapshot!(help(&["completions"]), @r"
    exit code 0
    --- stdout
    Print the completion script of a shell

    Usage: edge completions <SHELL>

    Arguments:
      <SHELL>  The shell [possible values: bash, elvish, fish, powershell, zsh]

    Options:
      -h, --help  Print help
    ");
}

#[test]
fn version() {
    let folder = tempfile::tempdir().unwrap();
    let run = run_in(folder.path(), &["--version"]);
    assert_eq!(
        run.stdout,
        concat!("edge ", env!("CARGO_PKG_VERSION"), "\n")
    );
}

#[test]
fn every_shell_gets_a_script() {
    let folder = tempfile::tempdir().unwrap();
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let run = run_in(folder.path(), &["completions", shell]);
        assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{shell}");
        assert!(run.stdout.contains("against-published"), "{shell}");
    }
}
