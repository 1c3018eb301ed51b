//! What every lowered model is checked for, whatever made it: only operators, attributes and shapes
//! that were compared with other engines, and sizes that wonnx can hold.

use std::collections::BTreeMap;

use tract_onnx::pb::tensor_proto::DataType;
use tract_onnx::pb::tensor_shape_proto::dimension::Value as DimValue;
use tract_onnx::pb::type_proto::Value as TypeValue;
use tract_onnx::pb::{GraphProto, ModelProto, NodeProto, TensorProto, ValueInfoProto};

use super::Refusal;

/// Bytes of one tensor: the default limit of a storage binding, which wonnx always asks for.
const BINDING: usize = 128 << 20;
/// Elements that a kernel with one element per thread and 256 threads per group can make.
const SINGLE: usize = 65_535 * 256;
/// The same with four elements per thread.
const FOURFOLD: usize = 4 * SINGLE;
/// Values that one Concat may join.
const JOINED: usize = 6;

/// Functions of one element.
const FUNCTIONS: [&str; 14] = [
    "Abs",
    "Ceil",
    "Cos",
    "Exp",
    "Floor",
    "Log",
    "Neg",
    "Reciprocal",
    "Relu",
    "Sigmoid",
    "Sign",
    "Sin",
    "Sqrt",
    "Tanh",
];

/// Looks over a model.
pub(super) fn check(model: &ModelProto) -> Result<(), Refusal> {
    let graph = model.graph.as_ref();
    let graph =
        graph.ok_or_else(|| Refusal::Graph("the lowered model holds no graph".to_owned()))?;
    let known = Known::new(graph);
    for node in &graph.node {
        known.node(node).map_err(|reason| Refusal::Limit {
            node: node.name.clone(),
            operator: node.op_type.clone(),
            reason,
        })?;
    }
    Ok(())
}

/// Shapes and constants by name.
struct Known<'a> {
    shapes: BTreeMap<&'a str, Vec<usize>>,
    constants: BTreeMap<&'a str, &'a TensorProto>,
}

impl<'a> Known<'a> {
    fn new(graph: &'a GraphProto) -> Self {
        let infos = graph
            .input
            .iter()
            .chain(&graph.output)
            .chain(&graph.value_info);
        let shapes = infos.filter_map(|info| Some((info.name.as_str(), shape(info)?)));
        let mut shapes: BTreeMap<_, _> = shapes.collect();
        let mut constants = BTreeMap::new();
        for tensor in &graph.initializer {
            let dims = tensor
                .dims
                .iter()
                .map(|&dim| usize::try_from(dim).unwrap_or(0));
            shapes.insert(&tensor.name, dims.collect());
            constants.insert(tensor.name.as_str(), tensor);
        }
        Self { shapes, constants }
    }

    fn node(&self, node: &NodeProto) -> Result<(), String> {
        let [output] = &node.output[..] else {
            return Err(format!("has {} outputs, expected one", node.output.len()));
        };
        for name in node.input.iter().chain([output]) {
            let elements: usize = self.shape(name)?.iter().product();
            if elements == 0 {
                return Err(format!("has a value without elements, '{name}'"));
            }
            if elements > BINDING / 4 {
                return Err(format!(
                    "needs a value of {} MiB, wonnx holds at most {}",
                    elements.div_ceil(1 << 18),
                    BINDING >> 20
                ));
            }
        }
        if node
            .input
            .iter()
            .all(|name| self.constants.contains_key(name.as_str()))
        {
            return Err("takes constants alone".to_owned());
        }
        let output = self.shape(output)?;
        let single = self.form(node, output)?;
        let most = if single { SINGLE } else { FOURFOLD };
        let made: usize = output.iter().product();
        if made > most {
            return Err(format!("makes {made} elements, wonnx at most {most}"));
        }
        Ok(())
    }

    /// Checks the form; says whether its kernel makes one element per thread.
    fn form(&self, node: &NodeProto, output: &[usize]) -> Result<bool, String> {
        let inputs = match node.op_type.as_str() {
            "Clip" | "Conv" => 3,
            "Add" | "Sub" | "Mul" | "Div" | "PRelu" | "Reshape" | "ReduceSum" | "Gather" => 2,
            "Transpose" | "Softmax" | "ReduceMean" | "ReduceMax" | "ReduceMin" | "ReduceProd"
            | "MaxPool" => 1,
            "Concat" => node.input.len().clamp(1, JOINED),
            operator if FUNCTIONS.contains(&operator) => 1,
            _ => return Err("is not known to work".to_owned()),
        };
        let found = node.input.len();
        if found != inputs {
            return Err(format!("takes {found} values, expected {inputs}"));
        }
        match node.op_type.as_str() {
            "Add" | "Sub" | "Mul" | "Div" | "PRelu" => {
                let alike = |name: &String| self.shape(name).is_ok_and(|shape| shape == output);
                Ok(!node.input.iter().all(alike))
            }
            "Clip" => {
                self.constant(&node.input[1], DataType::Float)?;
                self.constant(&node.input[2], DataType::Float)?;
                Ok(false)
            }
            "Reshape" => {
                self.constant(&node.input[1], DataType::Int64)?;
                Ok(false)
            }
            "Transpose" => Ok(true),
            "Softmax" => {
                let middle = ints(node, "axis") == [1] && output.len() <= 3;
                expect(middle, "along the middle of three axes")?;
                Ok(false)
            }
            "ReduceSum" | "ReduceMean" | "ReduceMax" | "ReduceMin" | "ReduceProd" => {
                self.reduction(node, output)
            }
            "Concat" => {
                let flat = output.len() == 1 && ints(node, "axis") == [0];
                expect(flat, "values of one axis")?;
                Ok(false)
            }
            "Gather" => {
                self.constant(&node.input[1], DataType::Int32)?;
                let rows = output.len() == 2 && ints(node, "axis") == [0];
                expect(
                    rows && output.iter().all(|&length| length <= SINGLE),
                    "rows",
                )?;
                Ok(false)
            }
            "Conv" => self.conv(node, output),
            "MaxPool" => {
                expect(output.len() == 4, "an image")?;
                Ok(true)
            }
            // Functions of one element have one form.
            _ => Ok(false),
        }
    }

    fn reduction(&self, node: &NodeProto, output: &[usize]) -> Result<bool, String> {
        if node.op_type == "ReduceSum" {
            self.constant(&node.input[1], DataType::Int64)?;
        } else {
            expect(ints(node, "axes") == [1], "along axis 1")?;
        }
        let middle = matches!(*output, [_, 1] | [_, 1, _]) && output.get(2) != Some(&1);
        expect(
            middle,
            "along the middle of three axes, the last longer than 1",
        )?;
        Ok(true)
    }

    fn conv(&self, node: &NodeProto, output: &[usize]) -> Result<bool, String> {
        expect(output.len() == 4, "an image")?;
        let kernel = ints(node, "kernel_shape");
        let plain = ints(node, "strides") == [1, 1]
            && ints(node, "dilations") == [1, 1]
            && ints(node, "group") == [1]
            && output[1].is_multiple_of(4);
        let (weights, inputs) = (&node.input[1], self.shape(&node.input[0])?[1]);
        if kernel == [3, 3] {
            self.constant(weights, DataType::Float)?;
            expect(
                ints(node, "dilations") == [1, 1],
                "a 3×3 kernel without dilation",
            )?;
        }
        let padded = ints(node, "pads").iter().any(|&pad| pad != 0);
        let point = kernel == [1, 1] && !padded && inputs.is_multiple_of(16);
        Ok(!(plain && (kernel == [3, 3] || point)))
    }

    fn shape(&self, name: &str) -> Result<&[usize], String> {
        let shape = self.shapes.get(name).map(Vec::as_slice);
        shape.ok_or_else(|| format!("has a value without a shape, '{name}'"))
    }

    fn constant(&self, name: &str, kind: DataType) -> Result<(), String> {
        let found = self.constants.get(name).map(|tensor| tensor.data_type);
        if found == Some(kind as i32) {
            return Ok(());
        }
        let kind = kind.as_str_name().to_lowercase();
        Err(format!("takes '{name}', expected a constant {kind}"))
    }
}

fn expect(holds: bool, what: &str) -> Result<(), String> {
    if holds {
        Ok(())
    } else {
        Err(format!("has an unproven form, expected {what}"))
    }
}

/// The whole numbers of an attribute; none where it is missing.
fn ints(node: &NodeProto, name: &str) -> Vec<i64> {
    let found = node
        .attribute
        .iter()
        .find(|attribute| attribute.name == name);
    match found {
        Some(attribute) if !attribute.ints.is_empty() => attribute.ints.clone(),
        Some(attribute) => vec![attribute.i],
        None => Vec::new(),
    }
}

fn shape(info: &ValueInfoProto) -> Option<Vec<usize>> {
    let TypeValue::TensorType(tensor) = info.r#type.as_ref()?.value.as_ref()?;
    let dims = tensor.shape.as_ref()?.dim.iter();
    let dims = dims.map(|dim| match dim.value {
        Some(DimValue::DimValue(size)) => usize::try_from(size).ok(),
        _ => None,
    });
    dims.collect()
}
