//! Several lowered models as one, since a session costs more than a model of a few nodes.

use prost::Message;
use tract_onnx::pb::{GraphProto, ModelProto};

use super::super::super::{Lowered, Port};

/// One model with the inputs and outputs of all, in their order.
pub(super) fn merged(models: &[&Lowered]) -> Lowered {
    let mut all = Lowered {
        onnx: Vec::new(),
        inputs: Vec::new(),
        outputs: Vec::new(),
        nodes: 0,
    };
    let mut together: Option<ModelProto> = None;
    for (index, lowered) in models.iter().enumerate() {
        let mut model = ModelProto::decode(&lowered.onnx[..]).unwrap();
        let graph = model.graph.as_mut().unwrap();
        rename(graph, |name| *name = format!("m{index}.{name}"));
        let renamed = |port: &Port| Port {
            name: format!("m{index}.{}", port.name),
            shape: port.shape.clone(),
        };
        all.inputs.extend(lowered.inputs.iter().map(renamed));
        all.outputs.extend(lowered.outputs.iter().map(renamed));
        all.nodes += lowered.nodes;
        match together.as_mut().and_then(|model| model.graph.as_mut()) {
            Some(first) => {
                first.node.append(&mut graph.node);
                first.initializer.append(&mut graph.initializer);
                first.input.append(&mut graph.input);
                first.output.append(&mut graph.output);
                first.value_info.append(&mut graph.value_info);
            }
            None => together = Some(model),
        }
    }
    all.onnx = together.unwrap().encode_to_vec();
    all
}

fn rename(graph: &mut GraphProto, change: impl Fn(&mut String)) {
    for node in &mut graph.node {
        change(&mut node.name);
        node.input
            .iter_mut()
            .chain(&mut node.output)
            .for_each(&change);
    }
    let infos = graph.input.iter_mut().chain(&mut graph.output);
    for info in infos.chain(&mut graph.value_info) {
        change(&mut info.name);
    }
    for tensor in &mut graph.initializer {
        change(&mut tensor.name);
    }
}
