//! Where values are kept from being computed again.

use prost::Message;
use tract_onnx::pb::ModelProto;
use tract_onnx::tract_core::ops::binary::TypedBinOp;
use tract_onnx::tract_core::ops::cnn::{Conv, KernelFormat, PaddingSpec, PoolSpec};
use tract_onnx::tract_core::ops::element_wise::ElementWiseOp;
use tract_onnx::tract_core::ops::math::{Add, Exp, Tanh};
use tract_onnx::tract_core::ops::nn::{DataFormat, Sigmoid};

use super::*;

/// The operators that a graph of four channels is lowered to.
fn operators(wire: impl FnOnce(&mut TypedModel, OutletId) -> TractResult<OutletId>) -> String {
    let lowered = lower(&graph(&[1, 4, 5, 5], wire)).unwrap();
    let model = ModelProto::decode(&lowered.onnx[..]).unwrap();
    let nodes = model.graph.unwrap().node;
    let names: Vec<String> = nodes.into_iter().map(|node| node.op_type).collect();
    names.join(" ")
}

fn conv(g: &mut TypedModel, x: OutletId) -> TractResult<OutletId> {
    let kernel = constant(g, 1, &[4, 4, 3, 3])?;
    let bias = constant(g, 2, &[4])?;
    let padding = PaddingSpec::SameUpper;
    let spec = PoolSpec::new(DataFormat::NCHW, tvec!(3, 3), padding, None, None, 4, 4);
    let conv = Conv::new(spec, KernelFormat::OIHW, 1, None);
    Ok(g.wire_node(format!("conv.{}", x.node), conv, &[x, kernel, bias])?[0])
}

fn add(g: &mut TypedModel, a: OutletId, b: OutletId) -> TractResult<OutletId> {
    let name = format!("add.{}", g.nodes().len());
    Ok(g.wire_node(name, TypedBinOp(Box::new(Add), None), &[a, b])?[0])
}

fn tanh(g: &mut TypedModel, x: OutletId) -> TractResult<OutletId> {
    Ok(g.wire_node("tanh", ElementWiseOp(Box::new(Tanh {}), None), &[x])?[0])
}

fn exp(g: &mut TypedModel, x: OutletId) -> TractResult<OutletId> {
    Ok(g.wire_node("exp", ElementWiseOp(Box::new(Exp {}), None), &[x])?[0])
}

#[test]
fn a_convolution_with_two_users_runs_once() {
    let found = operators(|g, x| {
        let shared = conv(g, x)?;
        let (a, b) = (tanh(g, shared)?, exp(g, shared)?);
        add(g, a, b)
    });
    assert_eq!(found, "Conv Sub Add Tanh Exp Add");
}

#[test]
fn what_is_behind_a_cheap_function_counts() {
    let found = operators(|g, x| {
        let shared = conv(g, x)?;
        let shared = g.wire_node("s", ElementWiseOp(Box::new(Sigmoid {}), None), &[shared])?[0];
        let (a, b) = (tanh(g, shared)?, exp(g, shared)?);
        add(g, a, b)
    });
    assert_eq!(found, "Conv Sigmoid Sub Add Tanh Exp Add");
}

#[test]
fn cheap_values_are_computed_again() {
    let found = operators(|g, x| {
        let shared = g.wire_node("s", ElementWiseOp(Box::new(Sigmoid {}), None), &[x])?[0];
        let (a, b) = (tanh(g, shared)?, exp(g, shared)?);
        add(g, a, b)
    });
    assert_eq!(found, "Sigmoid Tanh Exp Add");
}

/// wonnx computes what nodes with two changing inputs take once.
#[test]
fn users_with_two_inputs_need_no_barrier() {
    let found = operators(|g, x| {
        let shared = conv(g, x)?;
        let sum = add(g, shared, x)?;
        add(g, sum, shared)
    });
    assert_eq!(found, "Conv Add Add");
}

#[test]
fn one_chain_needs_no_barrier() {
    let found = operators(|g, x| {
        let first = conv(g, x)?;
        conv(g, first)
    });
    assert_eq!(found, "Conv Conv");
}
