//! `edge bench`: costs are measured, recorded, joined and ranked by. No figure is judged.

use shared::result::{Cost, Engine};
use tests::{software_gpu, with_driver};

use super::*;

/// As short as it goes.
const SHORT: [&str; 6] = [
    "--min-duration",
    "0.02",
    "--min-queries",
    "4",
    "--threads",
    "2",
];

fn bench(models: &[PathBuf], out: &Path, options: &[&str]) -> Finished {
    let mut command = edge();
    command.arg("bench").args(models).arg("--out").arg(out);
    finish(command.args(SHORT).args(options))
}

fn on_the_cpu(cost: &Cost) {
    assert!(matches!(cost.engine, Engine::Tract { .. }));
    assert_eq!(cost.threads, 2);
    assert!(cost.latency.queries >= 4);
    assert!(cost.throughput.is_some() && cost.machine_macs_per_s.is_some());
    if cfg!(target_os = "linux") {
        assert!(cost.peak_memory.unwrap() > 1 << 20);
    }
    assert!(cost.weight_bytes.iter().any(|(name, _)| name == "float32"));
}

#[test]
fn costs_stand_alone_until_the_model_is_evaluated() {
    let out = tempfile::tempdir().unwrap();
    let model = models(1).remove(0);
    let run = bench(std::slice::from_ref(&model), out.path(), &["--json"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let printed: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    let cost = &printed[0]["costs"][0];
    assert!(cost["latency"]["p90_ms"].as_f64().unwrap() > 0.0, "{cost}");
    assert!(cost["share_of_peak"].as_f64().unwrap() > 0.0, "{cost}");
    let alone = result(out.path(), &model);
    assert!(alone.is_costs_only());
    on_the_cpu(&alone.costs[0]);

    let file = result_path(out.path(), &model);
    let shown = finish(edge().arg("show").arg(&file));
    assert_eq!(shown.code, 0, "{}", shown.stderr);
    assert!(
        shown.stdout.contains("no images evaluated"),
        "{}",
        shown.stdout
    );
    assert!(shown.stdout.contains("p90 ms"), "{}", shown.stdout);
    let ranked = finish(edge().arg("rank").arg(&file));
    assert_eq!(ranked.code, 2);
    assert!(
        ranked.stderr.contains("no images evaluated"),
        "{}",
        ranked.stderr
    );

    // The evaluation finds the file and joins it; measuring again replaces what is there.
    let evaluation = evaluated(out.path(), &["--dims", "acc"]);
    assert_eq!(
        (&evaluation.costs, evaluation.passes.len()),
        (&alone.costs, 1)
    );
    let run = bench(std::slice::from_ref(&model), out.path(), &[]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(run.stdout.contains("of peak"), "{}", run.stdout);
    let again = result(out.path(), &model);
    assert_eq!((again.costs.len(), again.passes.len()), (1, 1));
    assert!(again.costs[0].measured >= alone.costs[0].measured);
    assert_eq!(again.passes, evaluation.passes);
}

#[test]
fn an_evaluation_measures_costs_where_asked() {
    let out = tempfile::tempdir().unwrap();
    let options = [&["--dims", "acc", "--bench"], &SHORT[..]].concat();
    let run = eval(&models(2), out.path(), &options);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(run.stdout.contains("images/s"), "{}", run.stdout);
    for model in models(2) {
        let evaluation = result(out.path(), &model);
        assert_eq!(evaluation.runs.len(), 1);
        let [cost] = &evaluation.costs[..] else {
            panic!("one cost: {:?}", evaluation.costs)
        };
        on_the_cpu(cost);
    }
}

#[test]
fn an_evaluation_from_scratch_keeps_the_costs() {
    let folder = tempfile::tempdir().unwrap();
    let models = models(1);
    assert_eq!(bench(&models, folder.path(), &[]).code, 0);
    let costs = result(folder.path(), &models[0]).costs;
    assert!(!costs.is_empty());
    for _ in 0..2 {
        let run = eval(&models, folder.path(), &["--dims", "acc", "--fresh"]);
        assert_eq!(run.code, 0, "{}", run.stderr);
        let evaluation = result(folder.path(), &models[0]);
        assert_eq!((evaluation.passes.len(), evaluation.runs.len()), (1, 1));
        assert_eq!(evaluation.costs, costs);
    }
}

#[test]
fn costs_of_a_board_are_joined_and_ranked_by() {
    let folder = tempfile::tempdir().unwrap();
    let place = |name: &str| folder.path().join(name);
    let two = models(2);
    assert_eq!(eval(&two, &place("station"), &["--dims", "acc"]).code, 0);
    assert_eq!(bench(&two[..1], &place("board"), &[]).code, 0);
    // As if it were another machine.
    let file = result_path(&place("board"), &two[0]);
    let mut board = shared::result::read(&file).unwrap();
    board.costs[0].device.host = "quay".into();
    shared::result::write_atomic(&file, &board).unwrap();
    let mut merge = edge();
    merge.arg("merge").arg(place("station")).arg(place("board"));
    let merged = finish(merge.arg("--out").arg(place("both")));
    assert_eq!(merged.code, 0, "{}", merged.stderr);
    assert!(
        merged.stdout.contains("1 pass from 1 run, 1 cost"),
        "{}",
        merged.stdout
    );

    let rank = |options: &[&str]| {
        let mut command = edge();
        finish(command.arg("rank").arg(place("both")).args(options))
    };
    let ranked = rank(&["--max-latency", "1e9", "--json"]);
    assert_eq!(ranked.code, 0, "{}", ranked.stderr);
    let report: serde_json::Value = serde_json::from_str(&ranked.stdout).unwrap();
    assert_eq!(report["models"].as_array().unwrap().len(), 1);
    // JSON is read with a rounding of its own.
    let latency = report["models"][0]["latency_ms"].as_f64().unwrap();
    assert!((latency / board.costs[0].latency.p90_ms - 1.0).abs() < 1e-12);
    assert_eq!(report["models"][0]["pareto"], true);
    assert!(report["latency_on"].as_str().unwrap().ends_with(" on quay"));
    let left_out = report["not_ranked"][0].as_str().unwrap();
    assert!(
        left_out.ends_with("its latency was not measured on this device"),
        "{left_out}"
    );

    // A second device: which one must be said.
    assert_eq!(bench(&two, &place("both"), &[]).code, 0);
    let ambiguous = rank(&["--max-latency", "1e9"]);
    assert_eq!(ambiguous.code, 2);
    let message = &ambiguous.stderr;
    assert!(
        message.contains("latencies of several devices do not compare"),
        "{message}"
    );
    assert!(message.contains("on quay"), "{message}");
    let named = rank(&["--latency-on", "quay"]);
    assert_eq!(named.code, 0, "{}", named.stderr);
    assert!(named.stdout.contains("p90 ms"), "{}", named.stdout);
    let none = rank(&["--max-params", "1"]);
    assert_eq!(none.code, 2);
    assert!(none.stderr.contains("nothing to rank"), "{}", none.stderr);
}

#[test]
fn what_cannot_be_measured_is_told_and_the_rest_is_measured() {
    let folder = tempfile::tempdir().unwrap();
    let bad = folder.path().join("bad.onnx");
    std::fs::write(&bad, "not a model").unwrap();
    let out = folder.path().join("out");
    let run = bench(&[bad, models(1).remove(0)], &out, &[]);
    assert_eq!(run.code, 1, "{}", run.stderr);
    let told = "error: cannot measure on the CPU: not an ONNX file";
    assert!(run.stderr.contains(told), "{}", run.stderr);
    assert!(
        !result_path(&out, &models(1)[0])
            .with_file_name("bad.quba")
            .exists()
    );
    assert!(result(&out, &models(1)[0]).is_costs_only());
}

#[test]
fn a_gpu_is_measured_beside_the_cpu() {
    let Some(driver) = software_gpu() else {
        return;
    };
    let out = tempfile::tempdir().unwrap();
    let model = models(1).remove(0);
    let measure = |options: &[&str]| {
        let mut command = edge();
        command
            .arg("bench")
            .arg(&model)
            .arg("--out")
            .arg(out.path());
        finish(with_driver(command.args(SHORT).args(options), &driver))
    };
    // Software adapters are measured where they are asked for.
    let run = measure(&[]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(
        run.stderr.contains("only a software adapter"),
        "{}",
        run.stderr
    );
    let run = measure(&["--backend", "gpu"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let costs = result(out.path(), &model).costs;
    assert_eq!(costs.len(), 2);
    on_the_cpu(&costs[0]);
    assert!(matches!(costs[1].engine, Engine::Wonnx { .. }));
    assert_eq!(costs[1].threads, 1);
    assert!(costs[1].machine_macs_per_s.unwrap() > 0.0);
}
