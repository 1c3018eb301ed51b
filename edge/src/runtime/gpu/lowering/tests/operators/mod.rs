//! Every operator in the forms that differ for wonnx: ranks, axes, groups, strides, pads, odd sizes,
//! one image and more.

mod axes;
mod functions;
mod pools;
mod products;
mod windows;

use tract_onnx::tract_core::ops::binary::{BinMiniOp, TypedBinOp};
use tract_onnx::tract_core::ops::cnn::{Conv, KernelFormat, PaddingSpec, PoolSpec};
use tract_onnx::tract_core::ops::element_wise::{ElementWiseMiniOp, ElementWiseOp};
use tract_onnx::tract_core::ops::nn::DataFormat;

use super::engines::{Session, has_adapter, reread, source};
use super::*;

/// One graph with an input and an output per case: one session tests them all.
#[derive(Default)]
struct Cases {
    graph: TypedModel,
    names: Vec<String>,
    inputs: Vec<Vec<f32>>,
    outputs: Vec<OutletId>,
}

impl Cases {
    fn add(
        &mut self,
        name: impl Into<String>,
        shape: &[usize],
        wire: impl FnOnce(&mut TypedModel, OutletId) -> TractResult<OutletId>,
    ) {
        let name = name.into();
        let seed = self.names.len() as u64;
        let x = self
            .graph
            .add_source(format!("x.{name}"), f32::fact(shape))
            .unwrap();
        self.inputs.push(numbers(seed, shape.iter().product()));
        let y = wire(&mut self.graph, x).unwrap_or_else(|e| panic!("{name}: {e:#}"));
        self.outputs.push(y);
        self.names.push(name);
    }

    /// Lowers and compares all; names the cases that differ.
    fn check(mut self) {
        self.graph.select_output_outlets(&self.outputs).unwrap();
        let lowered = lower(&self.graph).unwrap();
        let expected = source(&self.graph, &self.inputs);
        self.compare(
            &expected,
            &reread(&lowered, &self.inputs),
            1e-5,
            "read again",
        );
        if has_adapter() {
            let session = Session::new(&lowered).unwrap();
            let found = session.run(&self.inputs).unwrap();
            self.compare(&expected, &found, 1e-4, "on the GPU");
        }
    }

    fn compare(&self, expected: &[Vec<f32>], found: &[Vec<f32>], most: f32, how: &str) {
        let mut wrong = Vec::new();
        for (index, name) in self.names.iter().enumerate() {
            let gap = difference(&expected[index..=index], &found[index..=index]);
            if gap.is_nan() || gap > most {
                wrong.push(format!("{name}: {gap}"));
            }
        }
        assert!(wrong.is_empty(), "{how}: {wrong:#?}");
    }
}

fn wire(
    graph: &mut TypedModel,
    op: impl Into<Box<dyn TypedOp>>,
    inputs: &[OutletId],
) -> TractResult<OutletId> {
    let name = format!("node.{}", graph.nodes().len());
    Ok(graph.wire_node(name, op, inputs)?[0])
}

fn unary(op: impl ElementWiseMiniOp) -> ElementWiseOp {
    ElementWiseOp(Box::new(op), None)
}

fn binary(op: impl BinMiniOp) -> TypedBinOp {
    TypedBinOp(Box::new(op), None)
}

fn spec(
    channels: [usize; 2],
    kernel: &[usize],
    stride: usize,
    dilation: usize,
    pads: usize,
) -> PoolSpec {
    let pads: TVec<usize> = kernel.iter().map(|_| pads).collect();
    PoolSpec::new(
        DataFormat::NCHW,
        kernel.into(),
        PaddingSpec::Explicit(pads.clone(), pads),
        Some(kernel.iter().map(|_| dilation).collect()),
        Some(kernel.iter().map(|_| stride).collect()),
        channels[0],
        channels[1],
    )
}

fn conv(
    graph: &mut TypedModel,
    x: OutletId,
    spec: PoolSpec,
    group: usize,
) -> TractResult<OutletId> {
    let inputs = spec.input_channels / group;
    let kernel = [&[spec.output_channels, inputs], &spec.kernel_shape[..]].concat();
    let kernel = constant(graph, 3, &kernel)?;
    let bias = constant(graph, 4, &[spec.output_channels])?;
    wire(
        graph,
        Conv::new(spec, KernelFormat::OIHW, group, None),
        &[x, kernel, bias],
    )
}
