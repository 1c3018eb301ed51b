//! `edge eval` on a GPU that every machine can have: llvmpipe, played by the processor.

use shared::outcome::Outcomes;
use shared::result::Engine;
use tests::{software_gpu, with_driver};

use super::*;

/// Everything that needs no changed images.
const DIMENSIONS: &str = "acc,cal,ood,bal,obj,shape";

/// As [`eval`], with the adapters of a driver.
fn eval_with(driver: &Path, models: &[PathBuf], out: &Path, options: &[&str]) -> Finished {
    let mut command = edge();
    command.arg("eval").args(models).arg("--data").arg(data());
    command.arg("--out").arg(out).args(options);
    finish(with_driver(&mut command, driver))
}

/// The same evaluation on the GPU and on the CPU.
fn both(
    driver: &Path,
    model: &Path,
    options: &[&str],
    gpu: &[&str],
) -> ([Evaluation; 2], [serde_json::Value; 2]) {
    let models = [model.to_owned()];
    let [on_gpu, on_cpu] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let run = eval_with(driver, &models, on_gpu.path(), &[options, gpu].concat());
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(run.stderr.contains("backend: llvmpipe"), "{}", run.stderr);
    let run = eval(&models, on_cpu.path(), options);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let files = [on_gpu, on_cpu].map(|out| {
        let evaluation = result(out.path(), model);
        (evaluation, dimensions(&result_path(out.path(), model)))
    });
    let [(on_gpu, gpu_report), (on_cpu, cpu_report)] = files;
    ([on_gpu, on_cpu], [gpu_report, cpu_report])
}

/// Equal answers, and probabilities that differ by rounding alone.
fn assert_same_answers(on_gpu: &Evaluation, on_cpu: &Evaluation) {
    const PROBABILITY: f32 = 1e-4;
    assert_eq!(on_gpu.lists, on_cpu.lists);
    assert_eq!(on_gpu.warnings, on_cpu.warnings);
    assert_eq!(on_gpu.passes.len(), on_cpu.passes.len());
    for (gpu, cpu) in on_gpu.passes.iter().zip(&on_cpu.passes) {
        assert_eq!((gpu.kind, gpu.list), (cpu.kind, cpu.list));
        let (
            Outcomes::Classified {
                predictions,
                confidences,
                true_confidences,
                ..
            },
            Outcomes::Classified {
                predictions: expected,
                confidences: near,
                true_confidences: true_near,
                ..
            },
        ) = (&gpu.outcomes, &cpu.outcomes)
        else {
            assert_eq!(gpu.outcomes, cpu.outcomes, "{}", gpu.kind);
            continue;
        };
        assert_eq!(predictions, expected);
        let found = confidences.iter().chain(true_confidences);
        for (a, b) in found.zip(near.iter().chain(true_near)) {
            assert!((a - b).abs() < PROBABILITY, "{a} {b}");
        }
    }
}

/// Equal dimensions, those that depend on probabilities nearly so.
fn assert_same_dimensions(on_gpu: &serde_json::Value, on_cpu: &serde_json::Value) {
    let columns = |report: &serde_json::Value| -> Vec<(String, Option<f64>)> {
        let columns = report.as_object().unwrap().iter();
        columns
            .map(|(column, dimension)| (column.clone(), dimension["value"].as_f64()))
            .collect()
    };
    let (gpu, cpu) = (columns(on_gpu), columns(on_cpu));
    assert_eq!(gpu.len(), Dimension::ALL.len());
    assert!(cpu.iter().filter(|(_, value)| value.is_some()).count() > 3);
    for (gpu, cpu) in gpu.into_iter().zip(cpu) {
        assert_eq!(gpu.0, cpu.0);
        match (gpu.1, cpu.1) {
            (Some(a), Some(b)) => assert!((a - b).abs() < 1e-4, "{}: {a} {b}", gpu.0),
            missing => assert_eq!(missing, (None, None), "{}", gpu.0),
        }
    }
}

#[test]
fn a_gpu_gives_the_answers_of_the_cpu() {
    let Some(driver) = software_gpu() else {
        return;
    };
    let transformer = model("patch-transformer");
    // Whatever there is, and one by its name.
    let cases = [
        (model("plain-small"), DIMENSIONS, ["--backend", "gpu"]),
        (transformer, "acc,cal,bal", ["--device", "LLVMpipe"]),
        (model("depthwise"), "acc,adv,bal", ["--backend", "gpu"]),
    ];
    for (model, dimensions, gpu) in cases {
        let options = ["--dims", dimensions, "--images", "12"];
        let ([on_gpu, on_cpu], [gpu_report, cpu_report]) = both(&driver, &model, &options, &gpu);
        let [run] = &on_gpu.runs[..] else {
            panic!("{:?}", on_gpu.runs)
        };
        let Engine::Wonnx { adapter, api, .. } = &run.engine else {
            panic!("{run:?}")
        };
        assert!(adapter.starts_with("llvmpipe"), "{adapter}");
        assert_eq!(api, "Vulkan");
        assert!(matches!(on_cpu.runs[0].engine, Engine::Tract { .. }));
        assert_same_answers(&on_gpu, &on_cpu);
        assert_same_dimensions(&gpu_report, &cpu_report);
    }
}

#[test]
fn threads_change_nothing_on_a_gpu() {
    let Some(driver) = software_gpu() else {
        return;
    };
    let models = [model("plain-small")];
    let with = |threads| {
        let out = tempfile::tempdir().unwrap();
        let options = ["--dims", "acc,cal,adv", "--images", "6", "--backend", "gpu"];
        let options = [&options[..], &["--threads", threads]].concat();
        let run = eval_with(&driver, &models, out.path(), &options);
        assert_eq!(run.code, 0, "{}", run.stderr);
        without_runs(result(out.path(), &models[0]))
    };
    assert_eq!(with("1"), with("4"));
}

/// The program starts again for its GPU: nothing may have been done by then.
#[test]
fn the_demo_is_set_up_once() {
    let Some(driver) = software_gpu() else {
        return;
    };
    let out = tempfile::tempdir().unwrap();
    let mut command = edge();
    command.args(["demo", "--dims", "acc", "--images", "1", "--backend", "gpu"]);
    command.arg("--out").arg(out.path());
    let run = finish(with_driver(&mut command, &driver));
    assert_eq!(run.code, 0, "{}", run.stderr);
    for line in [
        "rendering the built-in",
        "evaluating 8 models",
        "backend: llvmpipe",
    ] {
        assert_eq!(
            run.stderr.matches(line).count(),
            1,
            "{line}: {}",
            run.stderr
        );
    }
}

#[test]
fn a_software_adapter_is_taken_only_when_asked_for() {
    let Some(driver) = software_gpu() else {
        return;
    };
    let out = tempfile::tempdir().unwrap();
    let models = models(1);
    let run = eval_with(&driver, &models, out.path(), &["--dims", "acc"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let expected = "backend: CPU (llvmpipe";
    assert!(run.stderr.contains(expected), "{}", run.stderr);
    assert!(
        run.stderr.contains("only a software adapter"),
        "{}",
        run.stderr
    );
    let engine = &result(out.path(), &models[0]).runs[0].engine;
    assert!(matches!(engine, Engine::Tract { .. }), "{engine:?}");
}

#[test]
fn an_unknown_adapter_is_an_error_that_lists_the_known_ones() {
    let Some(driver) = software_gpu() else {
        return;
    };
    let out = tempfile::tempdir().unwrap();
    for backend in ["auto", "gpu"] {
        let options = ["--backend", backend, "--device", "nothere"];
        let run = eval_with(&driver, &models(1), out.path(), &options);
        assert_eq!(run.code, 2, "{}", run.stderr);
        let expected = "error: no GPU adapter is called 'nothere'; there are: 0 llvmpipe";
        assert!(run.stderr.contains(expected), "{}", run.stderr);
    }
    assert_eq!(std::fs::read_dir(out.path()).unwrap().count(), 0);
}

#[test]
fn without_a_driver_the_cpu_runs_models_unless_a_gpu_was_asked_for() {
    let nowhere = Path::new("/nowhere/driver.json");
    let out = tempfile::tempdir().unwrap();
    let models = models(1);
    let with = |backend| {
        let options = ["--dims", "acc", "--backend", backend];
        eval_with(nowhere, &models, out.path(), &options)
    };
    let run = with("gpu");
    assert_eq!(run.code, 2, "{}", run.stderr);
    assert_eq!(
        run.stderr,
        "error: no GPU adapter was found, but one was asked for: install a Vulkan driver, or use \
         the CPU (--backend cpu)\n"
    );
    let run = with("auto");
    assert_eq!(run.code, 0, "{}", run.stderr);
    let expected = "backend: CPU (no GPU adapter was found)\n";
    assert!(run.stderr.starts_with(expected), "{}", run.stderr);
    let engine = &result(out.path(), &models[0]).runs[0].engine;
    assert!(matches!(engine, Engine::Tract { .. }), "{engine:?}");
}

#[test]
fn what_a_gpu_cannot_run_runs_on_the_cpu_and_is_marked() {
    let Some(driver) = software_gpu() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let models = [quantised_model(folder.path())];
    let out = folder.path().join("out");
    let options = ["--dims", "acc", "--backend", "gpu"];
    let run = eval_with(&driver, &models, &out, &options);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let expected = "GPU: cannot lower QuantizeLinearI8 (node 'image_QuantizeLinear'): its result is \
                    I8, not f32; the CPU takes over";
    assert!(run.stderr.contains(expected), "{}", run.stderr);
    let evaluation = result(&out, &models[0]);
    let engine = &evaluation.runs[0].engine;
    assert!(matches!(engine, Engine::Tract { .. }), "{engine:?}");
    let fallbacks = evaluation.warnings.iter();
    let fallbacks = fallbacks.filter(|w| matches!(w, Warning::GpuFallback { .. }));
    assert_eq!(fallbacks.count(), 1, "{:?}", evaluation.warnings);
    let shown = finish(edge().arg("show").arg(result_path(&out, &models[0])));
    assert!(shown.stdout.contains(expected), "{}", shown.stdout);
}
