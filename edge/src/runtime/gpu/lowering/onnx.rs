//! A program as an ONNX file.

use std::collections::BTreeSet;

use tract_onnx::pb::attribute_proto::AttributeType;
use tract_onnx::pb::tensor_proto::DataType;
use tract_onnx::pb::tensor_shape_proto::{Dimension, dimension};
use tract_onnx::pb::type_proto::{self, Value as TypeValue};
use tract_onnx::pb::{
    AttributeProto, GraphProto, ModelProto, NodeProto, OperatorSetIdProto, TensorProto,
    TensorShapeProto, TypeProto, ValueInfoProto,
};

use super::program::{Attribute, Node, Numbers, Program, Value};

/// The newest operator set whose Softmax wonnx computes along an axis and tract reads alike.
pub(super) const OPSET: i64 = 13;

/// Writes every value with its shape: wonnx infers none.
pub(super) fn model(program: &Program) -> ModelProto {
    written(program, true)
}

/// As [`model`], without the numbers of constants.
pub(super) fn outline(program: &Program) -> ModelProto {
    written(program, false)
}

fn written(program: &Program, with_numbers: bool) -> ModelProto {
    let info = |&value: &Value| value_info(program.name(value), program.shape(value));
    let made: Vec<Value> = program.nodes.iter().map(|node| node.output).collect();
    let inner = made
        .iter()
        .filter(|value| !program.outputs.contains(value))
        .map(info);
    let graph = GraphProto {
        name: "lowered".to_owned(),
        node: program
            .nodes
            .iter()
            .enumerate()
            .map(|(index, node)| node_proto(program, index, node))
            .collect(),
        initializer: initializers(program, with_numbers),
        input: program
            .inputs
            .iter()
            .map(|(_, value)| info(value))
            .collect(),
        output: program.outputs.iter().map(info).collect(),
        value_info: inner.collect(),
        ..GraphProto::default()
    };
    ModelProto {
        ir_version: 7,
        opset_import: vec![OperatorSetIdProto {
            domain: String::new(),
            version: OPSET,
        }],
        producer_name: env!("CARGO_PKG_NAME").to_owned(),
        graph: Some(graph),
        ..ModelProto::default()
    }
}

fn node_proto(program: &Program, index: usize, node: &Node) -> NodeProto {
    NodeProto {
        input: node.inputs.iter().map(|&v| program.name(v)).collect(),
        output: vec![program.name(node.output)],
        // Error messages name it; tract wants no two alike.
        name: format!("{}#{index}", node.place),
        op_type: node.operator.to_owned(),
        attribute: node
            .attributes
            .iter()
            .map(|(name, value)| attribute(name, value))
            .collect(),
        ..NodeProto::default()
    }
}

fn attribute(name: &str, value: &Attribute) -> AttributeProto {
    let mut proto = AttributeProto {
        name: name.to_owned(),
        ..AttributeProto::default()
    };
    match value {
        Attribute::Int(value) => {
            proto.r#type = AttributeType::Int as i32;
            proto.i = *value;
        }
        Attribute::Ints(values) => {
            proto.r#type = AttributeType::Ints as i32;
            proto.ints.clone_from(values);
        }
    }
    proto
}

fn initializers(program: &Program, with_numbers: bool) -> Vec<TensorProto> {
    let taken: BTreeSet<Value> = program
        .nodes
        .iter()
        .flat_map(|node| node.inputs.iter().copied())
        .collect();
    taken
        .into_iter()
        .filter_map(|value| {
            let numbers = program.constant(value)?;
            let mut tensor = outlined(program.name(value), program.shape(value), numbers);
            if with_numbers {
                fill(&mut tensor, numbers);
            }
            Some(tensor)
        })
        .collect()
}

fn outlined(name: String, shape: &[usize], numbers: &Numbers) -> TensorProto {
    let kind = match numbers {
        Numbers::Float(_) => DataType::Float,
        Numbers::Index(_) => DataType::Int32,
        Numbers::Size(_) => DataType::Int64,
    };
    TensorProto {
        name,
        dims: shape.iter().map(|&dim| dim as i64).collect(),
        data_type: kind as i32,
        ..TensorProto::default()
    }
}

fn fill(tensor: &mut TensorProto, numbers: &Numbers) {
    match numbers {
        Numbers::Float(values) => {
            tensor.raw_data.reserve_exact(4 * values.len());
            for value in values.iter() {
                tensor.raw_data.extend_from_slice(&value.to_le_bytes());
            }
        }
        Numbers::Index(values) => tensor.int32_data = values.to_vec(),
        Numbers::Size(values) => tensor.int64_data = values.to_vec(),
    }
}

fn value_info(name: String, shape: &[usize]) -> ValueInfoProto {
    let dim = shape.iter().map(|&dim| Dimension {
        denotation: String::new(),
        value: Some(dimension::Value::DimValue(dim as i64)),
    });
    let tensor = type_proto::Tensor {
        elem_type: DataType::Float as i32,
        shape: Some(TensorShapeProto { dim: dim.collect() }),
    };
    ValueInfoProto {
        name,
        r#type: Some(TypeProto {
            denotation: String::new(),
            value: Some(TypeValue::TensorType(tensor)),
        }),
        ..ValueInfoProto::default()
    }
}
