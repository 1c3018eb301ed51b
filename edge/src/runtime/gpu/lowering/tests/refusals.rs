//! What is refused, and in which words.

use prost::Message;
use tract_onnx::pb::{ModelProto, NodeProto};
use tract_onnx::tract_core::ops::array::Trilu;
use tract_onnx::tract_core::ops::cnn::{Conv, KernelFormat, PaddingSpec, PoolSpec};
use tract_onnx::tract_core::ops::element_wise::ElementWiseOp;
use tract_onnx::tract_core::ops::math::{Exp, Tan};
use tract_onnx::tract_core::ops::nn::DataFormat;

use super::*;

#[test]
fn unknown_operators_are_named() {
    let unknown = graph(&[2, 3], |g, x| {
        let diagonal = g.add_const("diagonal", tensor0(0i64))?;
        Ok(g.wire_node("triangle", Trilu { upper: true }, &[x, diagonal])?[0])
    });
    assert_eq!(
        lower(&unknown).unwrap_err().to_string(),
        "cannot lower Trilu (node 'triangle'): no form of it is known to work"
    );
    let unknown = graph(&[2, 3], |g, x| {
        Ok(g.wire_node("slope", ElementWiseOp(Box::new(Tan {}), None), &[x])?[0])
    });
    assert_eq!(
        lower(&unknown).unwrap_err().to_string(),
        "cannot lower Tan (node 'slope'): no form of it is known to work"
    );
}

#[test]
fn values_beyond_a_binding_are_refused() {
    let large = graph(&[1, 3, 4096, 4096], |g, x| {
        Ok(g.wire_node("powers", ElementWiseOp(Box::new(Exp {}), None), &[x])?[0])
    });
    assert_eq!(
        lower(&large).unwrap_err().to_string(),
        "Exp (node 'powers#0') needs a value of 192 MiB, wonnx holds at most 128"
    );
}

#[test]
fn kernels_with_too_many_elements_are_refused() {
    let large = graph(&[1, 20, 1000, 1000], |g, x| {
        Ok(g.wire_node("turned", AxisOp::Move(1, 3), &[x])?[0])
    });
    assert_eq!(
        lower(&large).unwrap_err().to_string(),
        "Transpose (node 'turned#1') makes 20000000 elements, wonnx at most 16776960"
    );
}

/// A lowered convolution, changed.
fn changed(change: impl FnOnce(&mut NodeProto)) -> String {
    let graph = graph(&[1, 3, 5, 5], |g, x| {
        let kernel = constant(g, 1, &[4, 3, 3, 3])?;
        let bias = constant(g, 2, &[4])?;
        let padding = PaddingSpec::Valid;
        let spec = PoolSpec::new(DataFormat::NCHW, tvec!(3, 3), padding, None, None, 3, 4);
        let conv = Conv::new(spec, KernelFormat::OIHW, 1, None);
        Ok(g.wire_node("conv", conv, &[x, kernel, bias])?[0])
    });
    let lowered = lower(&graph).unwrap();
    let mut model = ModelProto::decode(&lowered.onnx[..]).unwrap();
    change(&mut model.graph.as_mut().unwrap().node[0]);
    check::check(&model).unwrap_err().to_string()
}

#[test]
fn unproven_forms_are_refused() {
    assert_eq!(
        changed(|conv| conv.input.truncate(2)),
        "Conv (node 'conv#0') takes 2 values, expected 3"
    );
    let dilated = changed(|conv| {
        let dilations = conv.attribute.iter_mut().find(|a| a.name == "dilations");
        dilations.unwrap().ints = vec![2, 2];
    });
    assert_eq!(
        dilated,
        "Conv (node 'conv#0') has an unproven form, expected a 3×3 kernel without dilation"
    );
    assert_eq!(
        changed(|conv| conv.op_type = "ConvTranspose".to_owned()),
        "ConvTranspose (node 'conv#0') is not known to work"
    );
    assert_eq!(
        changed(|conv| conv.input[1] = "missing".to_owned()),
        "Conv (node 'conv#0') has a value without a shape, 'missing'"
    );
}
