//! wonnx on an adapter of this machine: tiny graphs whose outputs are worked out here. Skipped, with
//! a line that says so, where there is no adapter.

use prost::Message;
use tract_onnx::pb::attribute_proto::AttributeType;
use tract_onnx::pb::tensor_proto::DataType;
use tract_onnx::pb::tensor_shape_proto::{Dimension, dimension};
use tract_onnx::pb::{self, type_proto};

use super::*;
use crate::model::Layout;
use crate::runtime::gpu::adapters;
use crate::runtime::gpu::check::compare;
use crate::runtime::gpu::failure::{Cause, Stage};
use crate::runtime::gpu::test_adapter;

const SIDE: usize = 5;
const PIXELS: usize = SIDE * SIDE;
const WEIGHTS: [[f32; 3]; 4] = [[1., 2., 3.], [-1., 0.5, 0.], [0., 0., 1.], [4., -4., 0.25]];
const BIAS: [f32; 4] = [0.5, 0., -1., 2.];

fn value(name: &str, shape: &[usize]) -> pb::ValueInfoProto {
    let dim = shape.iter().map(|dim| Dimension {
        denotation: String::new(),
        value: Some(dimension::Value::DimValue(*dim as i64)),
    });
    let tensor = type_proto::Tensor {
        elem_type: DataType::Float as i32,
        shape: Some(pb::TensorShapeProto { dim: dim.collect() }),
    };
    pb::ValueInfoProto {
        name: name.to_owned(),
        r#type: Some(pb::TypeProto {
            denotation: String::new(),
            value: Some(type_proto::Value::TensorType(tensor)),
        }),
        ..Default::default()
    }
}

fn floats(name: &str, shape: &[usize], values: &[f32]) -> pb::TensorProto {
    pb::TensorProto {
        name: name.to_owned(),
        dims: shape.iter().map(|dim| *dim as i64).collect(),
        data_type: DataType::Float as i32,
        float_data: values.to_vec(),
        ..Default::default()
    }
}

fn node(operator: &str, inputs: &[&str], output: &str) -> pb::NodeProto {
    pb::NodeProto {
        input: inputs.iter().map(ToString::to_string).collect(),
        output: vec![output.to_owned()],
        name: output.to_owned(),
        op_type: operator.to_owned(),
        ..Default::default()
    }
}

fn ports(shape: [usize; 4], layout: Layout) -> Ports {
    Ports::new(vec![shape.to_vec()], &shape, layout).unwrap()
}

/// A graph from `image`, of shape `shape`, to `scores`.
fn model(
    nodes: Vec<pb::NodeProto>,
    weights: Vec<pb::TensorProto>,
    inner: Vec<pb::ValueInfoProto>,
    (shape, made): ([usize; 4], [usize; 4]),
) -> GpuModel {
    let graph = pb::GraphProto {
        name: "tiny".to_owned(),
        node: nodes,
        initializer: weights,
        input: vec![value("image", &shape)],
        output: vec![value("scores", &made)],
        value_info: inner,
        ..Default::default()
    };
    let model = pb::ModelProto {
        ir_version: 7,
        opset_import: vec![pb::OperatorSetIdProto {
            domain: String::new(),
            version: 13,
        }],
        graph: Some(graph),
        ..Default::default()
    };
    GpuModel {
        onnx: model.encode_to_vec(),
        inputs: vec!["image".to_owned()],
        outputs: vec!["scores".to_owned()],
        ports: (ports(shape, Layout::Nchw), ports(made, Layout::Nchw)),
    }
}

/// A 1×1 convolution with bias, then Relu.
fn convolution(batch: usize) -> GpuModel {
    let made = [batch, 4, SIDE, SIDE];
    let mut conv = node("Conv", &["image", "weights", "bias"], "convolved");
    conv.attribute = vec![pb::AttributeProto {
        name: "kernel_shape".to_owned(),
        r#type: AttributeType::Ints as i32,
        ints: vec![1, 1],
        ..Default::default()
    }];
    model(
        vec![conv, node("Relu", &["convolved"], "scores")],
        vec![
            floats("weights", &[4, 3, 1, 1], WEIGHTS.as_flattened()),
            floats("bias", &[4], &BIAS),
        ],
        vec![value("convolved", &made)],
        ([batch, 3, SIDE, SIDE], made),
    )
}

/// One operator on an image, channels last.
fn one_operator(operator: &str, shape: [usize; 4]) -> GpuModel {
    let nodes = vec![node(operator, &["image"], "scores")];
    model(nodes, Vec::new(), Vec::new(), (shape, shape))
}

/// What [`convolution`] makes of an image.
fn expected(image: &[f32]) -> Vec<f32> {
    let value = |k: usize, p: usize| {
        let sum: f32 = (0..3).map(|c| WEIGHTS[k][c] * image[c * PIXELS + p]).sum();
        (sum + BIAS[k]).max(0.0)
    };
    let each = |k| (0..PIXELS).map(move |p| value(k, p));
    (0..4).flat_map(each).collect()
}

/// Small whole numbers, so that f32 is exact whatever the order of additions.
fn image(seed: usize) -> Vec<f32> {
    (0..3 * PIXELS)
        .map(|i| ((i * 7 + seed * 13) % 17) as f32 - 8.0)
        .collect()
}

/// The same network on the CPU.
struct Reference;

impl Network for Reference {
    fn input_len(&self) -> usize {
        3 * PIXELS
    }
    fn output_len(&self) -> usize {
        4 * PIXELS
    }
    fn engine(&self) -> shared::result::Engine {
        crate::runtime::tract::engine()
    }
    fn session(&self) -> anyhow::Result<Box<dyn Session + '_>> {
        Ok(Box::new(Self))
    }
}

impl Session for Reference {
    fn run(&mut self, tensor: &[f32], outputs: &mut Vec<f32>) -> anyhow::Result<()> {
        *outputs = expected(tensor);
        Ok(())
    }
}

#[test]
fn a_network_computes_what_it_must() {
    let Some(adapter) = test_adapter() else {
        return;
    };
    for batch in [1, 3] {
        let classifier = GpuNetwork::new(convolution(batch), &adapter).unwrap();
        assert_eq!(classifier.batch(), batch);
        let (input, output) = (classifier.input_len(), classifier.output_len());
        assert_eq!((input, output), (3 * PIXELS, 4 * PIXELS));
        for count in 1..=batch {
            let images: Vec<Vec<f32>> = (0..count).map(image).collect();
            let outputs = classifier.run_batch(&images.concat()).unwrap();
            let expected: Vec<f32> = images.iter().flat_map(|image| expected(image)).collect();
            assert_eq!(outputs, expected, "{count} of {batch}");
        }
        let difference = compare(&Reference, batch, |images| classifier.run_batch(images));
        assert!(difference.unwrap() < 1e-6);
        // And a device that computes something else is found out.
        let wrong = compare(&Reference, batch, |images| {
            let mut outputs = classifier.run_batch(images)?;
            outputs.reverse();
            Ok(outputs)
        });
        assert!(wrong.is_err());
    }
}

#[test]
fn two_models_and_many_threads() {
    let Some(adapter) = test_adapter() else {
        return;
    };
    let classifiers = [1, 2].map(|batch| GpuNetwork::new(convolution(batch), &adapter).unwrap());
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let classifier = &classifiers[thread % 2];
            scope.spawn(move || {
                let mut session = classifier.session().unwrap();
                let mut outputs = Vec::new();
                for i in 0..50 {
                    let image = image(thread * 50 + i);
                    session.run(&image, &mut outputs).unwrap();
                    assert_eq!(outputs, expected(&image));
                }
            });
        }
    });
}

#[test]
fn wrong_lengths_are_refused() {
    let Some(adapter) = test_adapter() else {
        return;
    };
    let classifier = GpuNetwork::new(convolution(2), &adapter).unwrap();
    for length in [0, 1, 74, 76, 3 * 75] {
        let error = classifier.run_batch(&vec![0.0; length]).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("image tensors have {length} values, expected 75 for each of 1 to 2")
        );
    }
    let mut session = classifier.session().unwrap();
    for length in [0, 74, 150] {
        assert!(session.run(&vec![0.0; length], &mut Vec::new()).is_err());
    }
}

#[test]
fn channels_last_graphs_are_fed_transposed() {
    let Some(adapter) = test_adapter() else {
        return;
    };
    let mut model = one_operator("Relu", [2, 2, 2, 3]);
    model.ports.0 = ports([2, 2, 2, 3], Layout::Nhwc);
    let classifier = GpuNetwork::new(model, &adapter).unwrap();
    let chw: Vec<f32> = (1..=24).map(|v| v as f32).collect();
    let outputs = classifier.run_batch(&chw).unwrap();
    let first = [1., 5., 9., 2., 6., 10., 3., 7., 11., 4., 8., 12.];
    assert_eq!(outputs[..12], first);
    assert_eq!(outputs[12..], first.map(|v| v + 12.));
}

#[test]
fn what_wonnx_cannot_run_is_an_error() {
    let Some(adapter) = test_adapter() else {
        return;
    };
    let created = |model: GpuModel| {
        let failure = GpuNetwork::new(model, &adapter).err().unwrap();
        assert_eq!(failure.stage, Stage::Creation, "{failure}");
        failure
    };
    let unknown = created(one_operator("Erf", [1, 3, 4, 4]));
    assert_eq!(unknown.cause, Cause::Refused);
    assert!(unknown.message.contains("Erf"), "{unknown}");
    let mut garbage = one_operator("Relu", [1, 3, 4, 4]);
    garbage.onnx = vec![7; 100];
    assert_eq!(created(garbage).cause, Cause::Refused);
    // 147 MB in one tensor: more than wonnx asks a device for.
    let large = created(one_operator("Relu", [1, 3, 3500, 3500]));
    assert_eq!(large.cause, Cause::Panic, "{large}");
    let mut unnamed = one_operator("Relu", [1, 3, 4, 4]);
    unnamed.outputs = vec!["logits".to_owned()];
    assert_eq!(
        created(unnamed).message,
        "wonnx returned no output 'logits'"
    );
}

#[test]
fn a_long_chain_does_not_overflow_the_stack() {
    let Some(adapter) = test_adapter() else {
        return;
    };
    // Twice the operators of the largest gradient graph measured, in one chain.
    const LENGTH: usize = 7000;
    let shape = [1, 3, 2, 2];
    let name = |i: usize| match i {
        0 => "image".to_owned(),
        LENGTH => "scores".to_owned(),
        _ => format!("value{i}"),
    };
    let nodes = (0..LENGTH).map(|i| node("Relu", &[&name(i)], &name(i + 1)));
    let inner = (1..LENGTH).map(|i| value(&name(i), &shape));
    let chain = model(nodes.collect(), Vec::new(), inner.collect(), (shape, shape));
    let classifier = GpuNetwork::new(chain, &adapter).unwrap();
    let image: Vec<f32> = (0..12).map(|v| v as f32).collect();
    assert_eq!(classifier.run_batch(&image).unwrap(), image);
}

#[test]
fn version_is_the_locked_one() {
    let lock = include_str!("../../../../../Cargo.lock");
    let entry = format!("name = \"wonnx\"\nversion = \"{VERSION}\"");
    assert!(lock.contains(&entry), "update gpu::session::VERSION");
}

/// What a test of this file prints in a process of its own, with these environment variables.
fn said(test: &str, variables: &[(&str, &str)]) -> String {
    let mut command = std::process::Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "--ignored", "--nocapture"]);
    command.arg(format!("runtime::gpu::session::tests::{test}"));
    command.env_remove("WGPU_ADAPTER_NAME");
    command.envs(variables.iter().copied());
    let finished = command.output().unwrap();
    let text = String::from_utf8(finished.stdout).unwrap();
    assert!(finished.status.success(), "{text}");
    text
}

/// What [`no_driver_and_wrong_names_are_errors`] starts.
#[test]
#[ignore = "started by another test"]
fn creates() {
    let adapter = Adapter {
        name: "nothing".to_owned(),
        vendor: String::new(),
        kind: adapters::Kind::Unknown,
        api: adapters::Api::Vulkan,
        driver: String::new(),
        limits: adapters::WONNX,
        fault: None,
    };
    let failure = GpuNetwork::new(convolution(1), &adapter).err().unwrap();
    println!("{failure}");
}

#[test]
fn no_driver_and_wrong_names_are_errors() {
    let start = "setting the model up on the GPU failed: a panic (wonnx panicked: ";
    let nothing = [
        ("WGPU_BACKEND", "vulkan"),
        ("VK_ICD_FILENAMES", "/nowhere/driver.json"),
        ("VK_DRIVER_FILES", "/nowhere/driver.json"),
    ];
    let text = said("creates", &nothing);
    let expected = format!("{start}No GPU found given preference)");
    assert!(text.contains(&expected), "{text}");
    let text = said("creates", &[("WGPU_ADAPTER_NAME", "no such adapter")]);
    let expected = format!("{start}WGPU_ADAPTER_NAME set but no matching adapter found!)");
    assert!(text.contains(&expected), "{text}");
}

/// Bytes of memory that this process has in use.
#[cfg(target_os = "linux")]
fn memory() -> usize {
    let pages = std::fs::read_to_string("/proc/self/statm").unwrap();
    let resident: usize = pages.split(' ').nth(1).unwrap().parse().unwrap();
    4096 * resident
}

/// What [`memory_does_not_grow`] starts: alone in its process, so that nothing else takes memory.
#[cfg(target_os = "linux")]
#[test]
#[ignore = "started by another test"]
fn runs_for_long() {
    const RUNS: usize = 6000;
    let adapter = test_adapter().unwrap();
    let classifier = GpuNetwork::new(convolution(2), &adapter).unwrap();
    let run = |runs: usize| {
        for i in 0..runs {
            let images = [image(i), image(i + 1)].concat();
            classifier.run_batch(&images).unwrap();
        }
    };
    run(RUNS / 10);
    let before = memory();
    run(RUNS);
    println!("grown by {} KiB", memory().saturating_sub(before) >> 10);
}

#[cfg(target_os = "linux")]
#[test]
fn memory_does_not_grow() {
    if test_adapter().is_none() {
        return;
    }
    let text = said("runs_for_long", &[]);
    let grown = text.split_once("grown by ").unwrap().1;
    let grown: usize = grown.split_once(' ').unwrap().0.parse().unwrap();
    // The outputs of 6000 runs would be 4.6 MiB.
    assert!(grown < 2 << 10, "{grown} KiB more after 6000 runs");
}
