//! The cases in a file: protobuf messages, each behind its length.

use prost::Message;
use tract_onnx::pb::tensor_proto::DataType;
use tract_onnx::pb::{ModelProto, TensorProto};

use crate::perturb::rng::SplitMix64;

/// Numbers with a shape.
pub(super) struct Array {
    pub(super) shape: Vec<usize>,
    pub(super) numbers: Vec<f32>,
}

/// A graph, inputs, and the outputs that onnxruntime computes.
pub(super) struct Case {
    pub(super) name: String,
    pub(super) model: ModelProto,
    pub(super) inputs: Vec<Array>,
    pub(super) outputs: Vec<Array>,
    /// A whole network, whose weights and images were left out.
    pub(super) whole: bool,
}

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/conformance/golden");

/// The names of all files.
pub(super) fn families() -> Vec<String> {
    let files = std::fs::read_dir(FOLDER).unwrap().flatten();
    let names = files.map(|file| {
        file.path()
            .file_stem()
            .unwrap()
            .to_string_lossy()
            .into_owned()
    });
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

pub(super) fn read(family: &str) -> Vec<Case> {
    let file = std::fs::read(format!("{FOLDER}/{family}.bin")).unwrap();
    let mut rest = &file[..];
    let mut cases = Vec::new();
    while !rest.is_empty() {
        let mut model = ModelProto::decode_length_delimited(&mut rest).unwrap();
        let graph = model.graph.as_mut().unwrap();
        let mut whole = false;
        for (place, tensor) in (0..).zip(&mut graph.initializer) {
            whole |= fill_weights(tensor, place);
        }
        let mut arrays = |count: usize| (0..count).map(|_| array(&mut rest)).collect();
        cases.push(Case {
            name: graph.name.clone(),
            inputs: arrays(graph.input.len()),
            outputs: arrays(graph.output.len()),
            model,
            whole,
        });
    }
    cases
}

fn array(rest: &mut &[u8]) -> Array {
    let mut tensor = TensorProto::decode_length_delimited(rest).unwrap();
    assert_eq!(tensor.data_type, DataType::Float as i32);
    if tensor.raw_data.is_empty() {
        fill(&mut tensor, IMAGES, 2.0);
    }
    let words = tensor.raw_data.chunks_exact(4);
    Array {
        shape: tensor.dims.iter().map(|&dim| dim as usize).collect(),
        numbers: words
            .map(|word| f32::from_le_bytes(word.try_into().unwrap()))
            .collect(),
    }
}

/// Seed of images that are left out; that of weights is their place in the graph.
const IMAGES: u64 = 1 << 32;

/// Gives a tensor of weights the numbers that the script gave it, if they were left out: whether they
/// were.
fn fill_weights(tensor: &mut TensorProto, place: u64) -> bool {
    if tensor.data_type != DataType::Float as i32 || !tensor.raw_data.is_empty() {
        return false;
    }
    let bound = match &tensor.dims[..] {
        [] | [_] => 0.1,
        [_, inputs @ ..] => ((6.0 / inputs.iter().product::<i64>() as f64) as f32).sqrt(),
    };
    fill(tensor, place, bound);
    true
}

/// Uniform numbers within a bound.
fn fill(tensor: &mut TensorProto, seed: u64, bound: f32) {
    let mut rng = SplitMix64::new(seed);
    let count: i64 = tensor.dims.iter().product();
    for _ in 0..count {
        let unit = (rng.next_u64() >> 40) as f32 / (1 << 23) as f32 - 1.0;
        tensor.raw_data.extend((unit * bound).to_le_bytes());
    }
}
