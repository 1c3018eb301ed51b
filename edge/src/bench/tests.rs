use std::path::PathBuf;

use super::system::tests::tree;
use super::*;

fn model() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../models/plain-small.onnx")
}

fn short() -> Settings {
    Settings {
        threads: 2,
        min_duration: Duration::from_millis(30),
        min_queries: 5,
    }
}

#[test]
fn a_model_on_the_cpu() {
    let root = tree(&[
        ("proc/self/status", "VmHWM: 2048 kB\n"),
        (
            "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor",
            "performance\n",
        ),
        ("sys/class/powercap/intel-rapl:0/name", "package-0\n"),
        ("sys/class/powercap/intel-rapl:0/energy_uj", "12\n"),
    ]);
    let Measured {
        record,
        cost,
        notes,
    } = measure(&model(), None, &short(), &System::at(root.path())).unwrap();
    assert!(notes.is_empty(), "{notes:?}");
    assert_eq!((cost.threads, cost.peak_memory), (2, Some(2 << 20)));
    assert_eq!((&*cost.governor, &*cost.thermal), ("performance", ""));
    assert!(cost.latency.queries >= 5 && cost.latency.duration_ms >= 30);
    let throughput = cost.throughput.unwrap();
    assert!(throughput.batch == 1 && throughput.images >= 2);
    // The counter stood still: it measured nothing.
    assert_eq!(cost.energy, None);
    assert!(cost.share_of_peak(record.macs).unwrap() > 0.0);
    // Counted with Python's onnx, as below.
    assert_eq!(cost.weight_bytes, [("float32".to_owned(), 190_848)]);
    let evaluation = shared::result::Evaluation::of_costs(record, vec![cost]);
    evaluation.validate().unwrap();
}

#[test]
fn weights_are_counted_by_type() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/models");
    let half = folder.join("half_weights.onnx");
    let facts = load(&half, &LoadOptions::default()).unwrap().facts;
    let expected = [("float16", 80), ("float32", 536)].map(|(name, n)| (name.to_owned(), n));
    assert_eq!(facts.weight_bytes, expected.into());
}

#[test]
fn what_does_not_load_is_not_measured() {
    let error = measure(
        &model().with_extension("toml"),
        None,
        &short(),
        &System::at("/nowhere"),
    );
    let message = error.unwrap_err().to_string();
    assert!(message.contains("not an ONNX file"), "{message}");
}

/// Runs on whatever adapter there is: what it costs, or that it does not run the model.
#[cfg(feature = "gpu")]
#[test]
fn a_model_on_a_gpu() {
    let Some(adapter) = crate::runtime::gpu::test_adapter() else {
        return;
    };
    let measured = measure(&model(), Some(&adapter), &short(), &System::this()).unwrap();
    assert!(measured.notes.is_empty(), "{:?}", measured.notes);
    let cost = measured.cost;
    assert!(matches!(cost.engine, Engine::Wonnx { .. }));
    assert_eq!(cost.threads, 1);
    assert!(cost.share_of_peak(measured.record.macs).unwrap() > 0.0);
    assert!(cost.throughput.unwrap().batch > 1);
}
