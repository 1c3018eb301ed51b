//! The cases in a file: protobuf messages, each behind its length.

use prost::Message;
use tract_onnx::pb::tensor_proto::DataType;
use tract_onnx::pb::{ModelProto, TensorProto};

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
        let model = ModelProto::decode_length_delimited(&mut rest).unwrap();
        let graph = model.graph.as_ref().unwrap();
        let mut arrays = |count: usize| (0..count).map(|_| array(&mut rest)).collect();
        cases.push(Case {
            name: graph.name.clone(),
            inputs: arrays(graph.input.len()),
            outputs: arrays(graph.output.len()),
            model,
        });
    }
    cases
}

fn array(rest: &mut &[u8]) -> Array {
    let tensor = TensorProto::decode_length_delimited(rest).unwrap();
    assert_eq!(tensor.data_type, DataType::Float as i32);
    let words = tensor.raw_data.chunks_exact(4);
    Array {
        shape: tensor.dims.iter().map(|&dim| dim as usize).collect(),
        numbers: words
            .map(|word| f32::from_le_bytes(word.try_into().unwrap()))
            .collect(),
    }
}
