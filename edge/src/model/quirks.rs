//! Operators that tract reads otherwise than ONNX means them; `tests/conformance` found them.

use anyhow::bail;
use tract_onnx::pb::attribute_proto::AttributeType;
use tract_onnx::pb::{AttributeProto, GraphProto, ModelProto, NodeProto};

use super::onnx::{node_name, opset};

/// Writes out what tract takes for something else.
pub(crate) fn amend(proto: &mut ModelProto) {
    // Opset 10 knows no way of rounding yet and rounds down; tract takes the later default.
    if opset(proto) != 10 {
        return;
    }
    let nodes = proto.graph.iter_mut().flat_map(|graph| &mut graph.node);
    for node in nodes.filter(|node| node.op_type == "Resize") {
        node.attribute.push(AttributeProto {
            name: "nearest_mode".to_owned(),
            r#type: AttributeType::String as i32,
            s: b"floor".to_vec(),
            ..AttributeProto::default()
        });
    }
}

/// Refuses what tract would compute wrongly.
///
/// # Errors
/// Names the node, its operator and what about it.
pub(crate) fn check(graph: &GraphProto) -> anyhow::Result<()> {
    for node in &graph.node {
        if let Some(form) = wrong(node) {
            bail!(
                "node '{}' uses {form}, which tract {} computes wrongly: export the model without it",
                node_name(node),
                crate::runtime::tract::VERSION,
            );
        }
    }
    Ok(())
}

/// What about a node tract computes wrongly.
fn wrong(node: &NodeProto) -> Option<&'static str> {
    let attribute = |name: &str| node.attribute.iter().find(|a| a.name == name);
    let text = |name: &str| attribute(name).map_or(&b""[..], |a| &a.s);
    match node.op_type.as_str() {
        "Celu" if attribute("alpha").is_some_and(|a| a.f != 1.0) => {
            Some("Celu with an alpha other than 1")
        }
        // It takes the mean in place of the sum, and the signs of odd powers.
        "GlobalLpPool" => Some("GlobalLpPool"),
        "Einsum" if is_full_sum(text("equation")) => Some("Einsum with a sum over all axes"),
        // With scales that fit no whole number of elements; `lower` mends the other forms.
        "Resize" if text("coordinate_transformation_mode") == b"align_corners" => {
            let nearest = matches!(text("mode"), b"" | b"nearest");
            let rounding = matches!(text("nearest_mode"), b"floor" | b"round_prefer_ceil");
            let excluding = attribute("exclude_outside").is_some_and(|a| a.i != 0);
            let antialiased = attribute("antialias").is_some_and(|a| a.i != 0);
            let other = attribute("cubic_coeff_a").is_some_and(|a| a.f != -0.75);
            let rare = excluding || antialiased || other || nearest && !rounding;
            rare.then_some("Resize with align_corners in a rare form")
        }
        _ => None,
    }
}

/// Whether an equation names no axis of the result while some occur once: tract keeps those.
fn is_full_sum(equation: &[u8]) -> bool {
    let equation: Vec<u8> = equation.iter().copied().filter(|c| *c != b' ').collect();
    let Some(axes) = equation.strip_suffix(b"->") else {
        return false;
    };
    let times = |axis: u8| axes.iter().filter(|&&other| other == axis).count();
    axes.iter().any(|&axis| axis != b',' && times(axis) == 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_over_all_axes_are_known() {
        for (equation, expected) in [
            ("ij->", true),
            ("ij, ik ->", true),
            ("i,i->", false),
            ("ij->i", false),
            ("ij", false),
        ] {
            assert_eq!(is_full_sum(equation.as_bytes()), expected, "{equation}");
        }
    }
}
