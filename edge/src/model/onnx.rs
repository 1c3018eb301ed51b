//! Reading an ONNX file: the protobuf, its external data, its inputs and outputs.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::path::{Component, Path, PathBuf};

use anyhow::{Context, anyhow, bail, ensure};
use tract_onnx::pb::tensor_proto::{DataLocation, DataType};
use tract_onnx::pb::{self, ModelProto, NodeProto, TensorProto};
use tract_onnx::prelude::Framework;

use super::Tensor;

/// A parsed ONNX file with the facts of its bytes.
pub(super) struct OnnxFile {
    pub(super) path: PathBuf,
    pub(super) proto: ModelProto,
    /// External data files, sorted by their name in the ONNX file.
    pub(super) external: Vec<PathBuf>,
    /// BLAKE3 of the ONNX file followed by the external data files.
    pub(super) hash: [u8; 32],
    /// Bytes of the ONNX file and the external data files.
    pub(super) bytes: u64,
}

impl OnnxFile {
    pub(super) fn read(path: &Path) -> anyhow::Result<Self> {
        let bytes = fs::read(path).context("cannot read the file")?;
        let mut proto =
            super::quiet::catch(|| tract_onnx::onnx().proto_model_for_read(&mut &bytes[..]))
                .map_err(|error| not_onnx(&bytes, &error))?;
        ensure!(
            proto
                .graph
                .as_ref()
                .is_some_and(|graph| !graph.node.is_empty()),
            "not an ONNX model: it holds no graph"
        );
        super::quirks::amend(&mut proto);
        let external = external_files(&proto, path)?;
        let mut hasher = blake3::Hasher::new();
        hasher.update(&bytes);
        let mut total = bytes.len() as u64;
        for file in &external {
            let mut reader =
                File::open(file).with_context(|| format!("cannot read {}", file.display()))?;
            total += reader.metadata()?.len();
            hasher.update_reader(&mut reader)?;
        }
        Ok(Self {
            path: path.to_owned(),
            proto,
            external,
            hash: *hasher.finalize().as_bytes(),
            bytes: total,
        })
    }

    pub(super) fn graph(&self) -> anyhow::Result<&pb::GraphProto> {
        self.proto
            .graph
            .as_ref()
            .context("the model holds no graph")
    }

    /// Opset of the default domain; 0 where the file names none.
    pub(super) fn opset(&self) -> u32 {
        opset(&self.proto)
    }

    /// Inputs to be fed: those without an initializer (old files list weights as inputs too).
    pub(super) fn inputs(&self) -> anyhow::Result<Vec<Tensor>> {
        let graph = self.graph()?;
        let weights: BTreeSet<&str> = graph.initializer.iter().map(|t| t.name.as_str()).collect();
        let fed = graph
            .input
            .iter()
            .filter(|input| !weights.contains(input.name.as_str()));
        Ok(fed.map(Tensor::from).collect())
    }

    pub(super) fn outputs(&self) -> anyhow::Result<Vec<Tensor>> {
        Ok(self.graph()?.output.iter().map(Tensor::from).collect())
    }

    /// Refuses a graph whose output nothing makes.
    pub(super) fn check_outputs(&self) -> anyhow::Result<()> {
        let graph = self.graph()?;
        let made = graph.node.iter().flat_map(|node| &node.output);
        let given = graph.input.iter().map(|input| &input.name);
        let stored = graph.initializer.iter().map(|tensor| &tensor.name);
        let known: BTreeSet<&String> = made.chain(given).chain(stored).collect();
        match graph
            .output
            .iter()
            .find(|output| !known.contains(&output.name))
        {
            Some(output) => bail!(
                "the graph is broken: no node makes its output '{}'",
                output.name
            ),
            None => Ok(()),
        }
    }

    /// Refuses operators that the engine does not know or computes wrongly, naming node and operator.
    pub(super) fn check_operators(&self) -> anyhow::Result<()> {
        let known = tract_onnx::onnx().op_register.0;
        for node in &self.graph()?.node {
            let ours = is_onnx_domain(&node.domain)
                || matches!(node.domain.as_str(), "ai.onnx.ml" | "com.microsoft");
            ensure!(
                ours && known.contains_key(&node.op_type),
                "node '{}' uses the operator {}, which tract {} does not support: export the \
                 model without it",
                node_name(node),
                full_operator_name(node),
                crate::runtime::tract::VERSION,
            );
        }
        super::quirks::check(self.graph()?)
    }
}

/// Opset of the default domain; 0 where the model names none.
pub(super) fn opset(proto: &ModelProto) -> u32 {
    let import = proto
        .opset_import
        .iter()
        .find(|import| is_onnx_domain(&import.domain));
    import.map_or(0, |import| u32::try_from(import.version).unwrap_or(0))
}

fn is_onnx_domain(domain: &str) -> bool {
    matches!(domain, "" | "ai.onnx")
}

/// The node's name, or its first output where it has none.
pub(super) fn node_name(node: &NodeProto) -> &str {
    match (node.name.as_str(), node.output.first()) {
        ("", Some(output)) => output,
        (name, _) => name,
    }
}

fn full_operator_name(node: &NodeProto) -> String {
    if is_onnx_domain(&node.domain) {
        node.op_type.clone()
    } else {
        format!("{}.{}", node.domain, node.op_type)
    }
}

fn not_onnx(bytes: &[u8], error: &anyhow::Error) -> anyhow::Error {
    // Every exporter writes the IR version, field 1, first: tag 8 and a small number.
    match bytes {
        [8, 1..=31, ..] => {
            anyhow!("the ONNX file is truncated or damaged ({error:#}): copy or export it again")
        }
        _ => anyhow!("not an ONNX file"),
    }
}

/// All tensors stored in the file: initializers and attribute values, subgraphs included.
pub(super) fn stored_tensors(graph: &pb::GraphProto) -> Vec<&TensorProto> {
    let mut tensors: Vec<&TensorProto> = graph.initializer.iter().collect();
    for attribute in graph.node.iter().flat_map(|node| &node.attribute) {
        tensors.extend(attribute.t.iter().chain(&attribute.tensors));
        for inner in attribute.g.iter().chain(&attribute.graphs) {
            tensors.extend(stored_tensors(inner));
        }
    }
    tensors
}

fn external_files(proto: &ModelProto, path: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let Some(graph) = &proto.graph else {
        return Ok(Vec::new());
    };
    let folder = match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    let mut locations = BTreeSet::new();
    for tensor in stored_tensors(graph) {
        if tensor.data_location == Some(DataLocation::External as i32) {
            let location = check_external(tensor, folder)
                .with_context(|| format!("cannot load the tensor '{}'", tensor.name))?;
            locations.insert(location);
        }
    }
    Ok(locations
        .into_iter()
        .map(|location| folder.join(location))
        .collect())
}

/// Checks that one tensor's external data lies inside the model's folder and is complete.
fn check_external<'a>(tensor: &'a TensorProto, folder: &Path) -> anyhow::Result<&'a str> {
    let entry = |key: &str| {
        let found = tensor.external_data.iter().find(|entry| entry.key == key);
        found.map(|entry| entry.value.as_str())
    };
    let number = |key: &str| -> anyhow::Result<Option<u64>> {
        let parsed = entry(key).map(str::parse).transpose();
        parsed.with_context(|| format!("its external data has an unreadable {key}"))
    };
    let location = entry("location").context("its external data names no file")?;
    let inside = |part| matches!(part, Component::Normal(_) | Component::CurDir);
    ensure!(
        Path::new(location).components().all(inside),
        "its external data '{location}' lies outside the model's folder, which is not allowed"
    );
    let file = folder.join(location);
    let Ok(real) = file.canonicalize() else {
        bail!(
            "the external data file '{location}' is missing: copy it beside the ONNX file, into {}",
            folder.display()
        );
    };
    ensure!(
        real.starts_with(folder.canonicalize()?),
        "its external data '{location}' lies outside the model's folder, which is not allowed"
    );
    let size = fs::metadata(&real)?.len();
    let offset = number("offset")?.unwrap_or(0);
    let end = offset.saturating_add(number("length")?.unwrap_or(0));
    ensure!(
        end <= size,
        "the external data file '{location}' has {size} bytes, but {end} are needed: it is \
         truncated or belongs to another model"
    );
    Ok(location)
}

impl From<&pb::ValueInfoProto> for Tensor {
    fn from(info: &pb::ValueInfoProto) -> Self {
        let pb::type_proto::Value::TensorType(tensor) =
            match info.r#type.as_ref().and_then(|t| t.value.as_ref()) {
                Some(value) => value,
                None => return Self::untyped(&info.name),
            };
        let kind = DataType::try_from(tensor.elem_type).unwrap_or(DataType::Undefined);
        Self {
            name: info.name.clone(),
            element_type: kind.as_str_name().to_lowercase(),
            shape: tensor
                .shape
                .as_ref()
                .map(|s| s.dim.iter().map(dimension).collect()),
        }
    }
}

fn dimension(dim: &pb::tensor_shape_proto::Dimension) -> super::Dim {
    use pb::tensor_shape_proto::dimension::Value;
    match &dim.value {
        Some(Value::DimValue(size)) => match u32::try_from(*size) {
            Ok(size) if size > 0 => super::Dim::Fixed(size),
            // Exporters write 0 or -1 for "any".
            _ => super::Dim::Open("?".to_owned()),
        },
        Some(Value::DimParam(name)) if !name.is_empty() => super::Dim::Open(name.clone()),
        _ => super::Dim::Open("?".to_owned()),
    }
}
