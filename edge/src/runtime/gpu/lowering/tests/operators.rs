//! Every operator in the forms that differ for wonnx: ranks, axes, groups, strides, pads, odd sizes,
//! one image and more.

use tract_onnx::tract_core::ops::array::{
    Gather, MultiBroadcastTo, Pad, PadMode, Slice, TypedConcat,
};
use tract_onnx::tract_core::ops::binary::{BinMiniOp, TypedBinOp};
use tract_onnx::tract_core::ops::cnn::{
    Conv, Deconv, KernelFormat, MaxPool, PaddingSpec, PoolSpec, SumPool,
};
use tract_onnx::tract_core::ops::downsample::Downsample;
use tract_onnx::tract_core::ops::einsum::EinSum;
use tract_onnx::tract_core::ops::element_wise::{ElementWiseMiniOp, ElementWiseOp};
use tract_onnx::tract_core::ops::logic::{CompEq, CompGT, CompGTE, CompLT, CompLTE, CompNE, Iff};
use tract_onnx::tract_core::ops::math::{
    Abs, Add, Cos, Div, Erf, Exp, Floor, Ln, Max, Min, Mul, Neg, PowConst, Recip, Rsqrt, Sign, Sin,
    Sqrt, Square, Sub, Tanh,
};
use tract_onnx::tract_core::ops::nn::gelu_approximate::GeluApproximate;
use tract_onnx::tract_core::ops::nn::gelu_exact::GeluExact;
use tract_onnx::tract_core::ops::nn::silu::Silu;
use tract_onnx::tract_core::ops::nn::{
    DataFormat, HardSwish, LeakyRelu, Reduce, Reducer, RmsNorm, Sigmoid, Softmax, SoftmaxKind,
};

use super::engines::{Session, has_adapter, reread, source};
use super::*;
use crate::gradient::operators::{MaxPoolGradient, Slope};

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
        let x = self.graph.add_source(format!("x.{name}"), f32::fact(shape)).unwrap();
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
        self.compare(&expected, &reread(&lowered, &self.inputs), 1e-5, "read again");
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

fn spec(channels: [usize; 2], kernel: &[usize], stride: usize, dilation: usize, pads: usize) -> PoolSpec {
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

fn conv(graph: &mut TypedModel, x: OutletId, spec: PoolSpec, group: usize) -> TractResult<OutletId> {
    let inputs = spec.input_channels / group;
    let kernel = [&[spec.output_channels, inputs], &spec.kernel_shape[..]].concat();
    let kernel = constant(graph, 3, &kernel)?;
    let bias = constant(graph, 4, &[spec.output_channels])?;
    wire(graph, Conv::new(spec, KernelFormat::OIHW, group, None), &[x, kernel, bias])
}

#[test]
fn convolutions() {
    let mut cases = Cases::default();
    // batch, channels, kernel, stride, dilation, pads, group
    let forms: [(usize, [usize; 2], &[usize], usize, usize, usize, usize); 18] = [
        (1, [3, 8], &[3, 3], 1, 1, 1, 1),
        (3, [3, 8], &[3, 3], 1, 1, 1, 1),
        (2, [3, 8], &[3, 3], 1, 1, 0, 1),
        (2, [5, 4], &[3, 3], 1, 1, 2, 1),
        (2, [3, 6], &[3, 3], 1, 1, 1, 1),
        (2, [3, 8], &[3, 3], 1, 2, 2, 1),
        (2, [3, 6], &[3, 3], 1, 2, 1, 1),
        (2, [3, 8], &[3, 3], 2, 1, 1, 1),
        (2, [16, 4], &[1, 1], 1, 1, 0, 1),
        (2, [32, 8], &[1, 1], 2, 1, 0, 1),
        (2, [12, 8], &[1, 1], 1, 1, 0, 1),
        (2, [16, 5], &[1, 1], 1, 1, 0, 1),
        (2, [16, 4], &[1, 1], 1, 1, 1, 1),
        (2, [4, 4], &[3, 3], 1, 1, 1, 4),
        (1, [6, 6], &[5, 5], 2, 1, 2, 6),
        (2, [4, 8], &[3, 3], 1, 2, 1, 2),
        (2, [3, 8], &[7, 7], 2, 1, 3, 1),
        (2, [3, 4], &[1, 5], 1, 1, 1, 1),
    ];
    for (batch, channels, kernel, stride, dilation, pads, group) in forms {
        let name = format!("{batch} {channels:?} {kernel:?} {stride} {dilation} {pads} {group}");
        cases.add(&name, &[batch, channels[0], 9, 11], |g, x| {
            conv(g, x, spec(channels, kernel, stride, dilation, pads), group)
        });
        cases.add(name + " relu", &[batch, channels[0], 9, 11], |g, x| {
            let y = conv(g, x, spec(channels, kernel, stride, dilation, pads), group)?;
            let zero = g.add_const(format!("zero.{}", y.node), tensor4(&[[[[0f32]]]]))?;
            wire(g, binary(Max), &[y, zero])
        });
    }
    cases.add("leaky", &[2, 3, 5, 7], |g, x| {
        let y = conv(g, x, spec([3, 6], &[3, 3], 1, 1, 1), 1)?;
        wire(g, unary(LeakyRelu { alpha: 0.2 }), &[y])
    });
    cases.add("one axis", &[2, 4, 9], |g, x| conv(g, x, spec([4, 8], &[3], 2, 1, 1), 2));
    cases.add("channels last", &[2, 7, 5, 3], |g, x| {
        let spec = PoolSpec { data_format: DataFormat::NHWC, ..spec([3, 4], &[3, 3], 1, 1, 1) };
        conv(g, x, spec, 1)
    });
    cases.add("same", &[2, 3, 7, 6], |g, x| {
        let spec = PoolSpec { padding: PaddingSpec::SameUpper, ..spec([3, 4], &[3, 3], 2, 1, 0) };
        conv(g, x, spec, 1)
    });
    cases.add("shared", &[2, 3, 5, 7], |g, x| {
        let shared = conv(g, x, spec([3, 4], &[3, 3], 1, 1, 1), 1)?;
        let a = conv(g, shared, spec([4, 4], &[3, 3], 1, 1, 1), 1)?;
        let b = wire(g, unary(Tanh {}), &[shared])?;
        wire(g, binary(Add), &[a, b])
    });
    cases.check();
}

#[test]
fn transposed_convolutions() {
    let mut cases = Cases::default();
    let forms: [([usize; 2], usize, usize, usize, usize, usize, usize); 7] = [
        ([3, 4], 3, 1, 1, 1, 1, 0),
        ([3, 4], 3, 2, 1, 1, 1, 1),
        ([4, 4], 3, 2, 1, 1, 4, 0),
        ([3, 4], 2, 2, 1, 0, 1, 0),
        ([4, 6], 1, 2, 1, 0, 2, 1),
        ([3, 4], 3, 2, 2, 2, 1, 0),
        ([3, 2], 4, 4, 1, 0, 1, 0),
    ];
    for (channels, kernel, stride, dilation, pads, group, more) in forms {
        let name = format!("{channels:?} {kernel} {stride} {dilation} {pads} {group} {more}");
        cases.add(name, &[2, channels[0], 5, 4], |g, x| {
            let spec = spec(channels, &[kernel, kernel], stride, dilation, pads);
            let kernel = constant(g, 3, &[channels[1], channels[0] / group, kernel, kernel])?;
            let bias = constant(g, 4, &[channels[1]])?;
            let op = Deconv::new(spec, KernelFormat::OIHW, tvec!(more, more), group);
            wire(g, op, &[x, kernel, bias])
        });
    }
    cases.check();
}

#[test]
fn products() {
    let mut cases = Cases::default();
    for (axes, shape, weights) in [
        ("mk,kn->mn", vec![1, 10], vec![10, 8]),
        ("mk,kn->mn", vec![1, 16], vec![16, 10]),
        ("mk,kn->mn", vec![3, 9], vec![9, 6]),
        ("mk,nk->mn", vec![5, 20], vec![10, 20]),
        ("bmk,kn->bmn", vec![2, 7, 16], vec![16, 12]),
        ("bmk,nk->bnm", vec![2, 7, 5], vec![3, 5]),
        ("nihw,oi->nohw", vec![2, 6, 3, 5], vec![8, 6]),
        ("nhwi,oi->nohw", vec![2, 3, 5, 6], vec![4, 6]),
        ("bmhd,hdn->bmn", vec![2, 3, 2, 4], vec![2, 4, 5]),
        ("bmk,bkn->bmn", vec![2, 3, 5], vec![2, 5, 4]),
        ("bk,bk->b", vec![3, 5], vec![3, 5]),
        ("bk,k->bk", vec![3, 5], vec![5]),
        ("bmk,akn->bmn", vec![2, 3, 5], vec![1, 5, 4]),
    ] {
        cases.add(format!("{axes} {shape:?}"), &shape, |g, x| {
            let weights = constant(g, 3, &weights)?;
            einsum(g, axes, &[x, weights])
        });
    }
    for (axes, shape) in [
        ("bmk,bnk->bmn", vec![2, 7, 5]),
        ("bhmd,bhnd->bhmn", vec![2, 3, 5, 4]),
        ("bmhd,bnhd->bhmn", vec![2, 5, 3, 4]),
        ("mk,nk->nm", vec![17, 6]),
        ("mk,nk->mn", vec![8, 16]),
        ("bhmd,bhmn->bhdn", vec![2, 3, 4, 4]),
    ] {
        cases.add(format!("changing {axes}"), &shape, |g, x| {
            let y = wire(g, unary(Tanh {}), &[x])?;
            einsum(g, axes, &[x, y])
        });
    }
    cases.add("sum", &[2, 3, 4], |g, x| einsum(g, "abc->ca", &[x]));
    cases.check();
}

fn einsum(g: &mut TypedModel, axes: &str, inputs: &[OutletId]) -> TractResult<OutletId> {
    wire(g, EinSum::new(axes.parse()?, f32::datum_type()), inputs)
}

#[test]
fn functions() {
    let mut cases = Cases::default();
    let functions = [
        ("abs", unary(Abs {})),
        ("cos", unary(Cos {})),
        ("erf", unary(Erf {})),
        ("exp", unary(Exp {})),
        ("floor", unary(Floor {})),
        ("neg", unary(Neg {})),
        ("recip", unary(Recip {})),
        ("sign", unary(Sign {})),
        ("sin", unary(Sin {})),
        ("square", unary(Square {})),
        ("tanh", unary(Tanh {})),
        ("sigmoid", unary(Sigmoid {})),
        ("silu", unary(Silu {})),
        ("gelu", unary(GeluExact {})),
        ("gelu tanh", unary(GeluApproximate { fast_impl: false })),
        ("hard swish", unary(HardSwish {})),
        ("leaky", unary(LeakyRelu { alpha: 0.1 })),
        ("cube", unary(PowConst { exponent: 3.0 })),
    ];
    for (name, op) in functions {
        cases.add(name, &[3, 7], |g, x| wire(g, op, &[x]));
    }
    let positive = [
        ("ln", unary(Ln {})),
        ("sqrt", unary(Sqrt {})),
        ("rsqrt", unary(Rsqrt {})),
        ("power", unary(PowConst { exponent: -1.5 })),
    ];
    for (name, op) in positive {
        cases.add(name, &[3, 7], |g, x| {
            let x = wire(g, unary(Exp {}), &[x])?;
            wire(g, op, &[x])
        });
    }
    for slope in [Slope::within(-0.3, 0.7), Slope::within(0.0, f64::INFINITY), Slope::Silu, Slope::Gelu] {
        cases.add(format!("{slope:?}"), &[3, 7], |g, x| {
            let y = constant(g, 8, &[3, 7])?;
            wire(g, slope, &[x, y])
        });
    }
    cases.check();
}

#[test]
fn functions_of_two() {
    let mut cases = Cases::default();
    let ops: [fn() -> (&'static str, TypedBinOp); 12] = [
        || ("add", binary(Add)),
        || ("sub", binary(Sub)),
        || ("mul", binary(Mul)),
        || ("div", binary(Div)),
        || ("max", binary(Max)),
        || ("min", binary(Min)),
        || ("gt", binary(CompGT)),
        || ("ge", binary(CompGTE)),
        || ("lt", binary(CompLT)),
        || ("le", binary(CompLTE)),
        || ("eq", binary(CompEq)),
        || ("ne", binary(CompNE)),
    ];
    let shapes: [(&[usize], &[usize]); 10] = [
        (&[7], &[7]),
        (&[5, 5], &[5, 5]),
        (&[4, 4], &[4, 4]),
        (&[1], &[1]),
        (&[3, 5], &[1, 1]),
        (&[2, 3, 2, 5], &[1, 3, 1, 1]),
        (&[2, 1, 2, 5], &[1, 3, 1, 1]),
        (&[3, 1], &[1, 5]),
        (&[1, 1, 4], &[2, 3, 1]),
        (&[2, 1, 3, 1, 2], &[1, 2, 3, 2, 1]),
    ];
    for op in ops {
        for (a, b) in shapes {
            let (name, op) = op();
            cases.add(format!("{name} {a:?} {b:?}"), a, |g, x| {
                let y = constant(g, 9, b)?;
                wire(g, op, &[x, y])
            });
        }
    }
    for (low, high) in [(0.0, 6.0), (0.0, 0.25), (-0.5, 0.5), (0.0, 1e30)] {
        cases.add(format!("clip {low} {high}"), &[3, 7], |g, x| {
            let bound = |g: &mut TypedModel, v: f32| {
                g.add_const(format!("bound.{}", g.nodes().len()), tensor2(&[[v]]))
            };
            let low = bound(g, low)?;
            let high = bound(g, high)?;
            let x = wire(g, binary(Max), &[x, low])?;
            wire(g, binary(Min), &[x, high])
        });
    }
    cases.add("choice", &[3, 7], |g, x| {
        let (a, b) = (constant(g, 1, &[3, 7])?, constant(g, 2, &[3, 7])?);
        let above = wire(g, binary(CompGT), &[x, a])?;
        wire(g, Iff, &[above, x, b])
    });
    cases.check();
}

#[test]
fn reductions() {
    let mut cases = Cases::default();
    let reducers = [Reducer::Sum, Reducer::Max, Reducer::Min, Reducer::MeanOfSquares];
    for reducer in reducers {
        for shape in [vec![2, 3, 4, 5], vec![3, 4, 1, 1], vec![5, 4, 1, 3]] {
            for axes in [vec![0], vec![1], vec![3], vec![2, 3], vec![1, 2], vec![0, 2], vec![0, 1, 2, 3]] {
                let name = format!("{reducer:?} {shape:?} {axes:?}");
                cases.add(name, &shape, |g, x| {
                    wire(g, Reduce { axes: axes.into(), reducer }, &[x])
                });
            }
        }
    }
    for kind in [SoftmaxKind::Softmax, SoftmaxKind::LogSoftmax] {
        for (shape, axes) in [
            (vec![2, 5], vec![1]),
            (vec![2, 3, 5], vec![2]),
            (vec![2, 3, 5], vec![1]),
            (vec![3, 5], vec![0]),
            (vec![2, 3, 2, 5], vec![1, 2]),
        ] {
            cases.add(format!("{kind:?} {shape:?} {axes:?}"), &shape, |g, x| {
                let axes = axes.into();
                wire(g, Softmax { axes, quant_output_dt: None, kind }, &[x])
            });
        }
    }
    for axis in 0..3 {
        cases.add(format!("norm {axis}"), &[2, 3, 5], |g, x| {
            wire(g, RmsNorm { axis, eps: tensor0(1e-5f32).into_arc_tensor() }, &[x])
        });
    }
    cases.check();
}

#[test]
fn pools() {
    let mut cases = Cases::default();
    for channels in [4, 6] {
        for batch in [1, 2] {
            for (kernel, stride, pads) in [(2, 2, 0), (3, 2, 1), (3, 1, 1), (2, 3, 0)] {
                let name = format!("{batch} {channels} {kernel} {stride} {pads}");
                let shape = [batch, channels, 7, 9];
                let spec = spec([channels; 2], &[kernel, kernel], stride, 1, pads);
                let rounded_up = PoolSpec {
                    padding: PaddingSpec::ExplicitOnnxPool(tvec!(pads; 2), tvec!(pads; 2), true),
                    ..spec.clone()
                };
                for (how, pool_spec) in [("", spec), (" up", rounded_up)] {
                    let max = MaxPool { pool_spec: pool_spec.clone(), with_index_outputs: None };
                    cases.add(format!("max {name}{how}"), &shape, |g, x| wire(g, max, &[x]));
                    for (count_include_pad, normalize) in [(false, true), (true, true), (true, false)] {
                        let sum = SumPool { pool_spec: pool_spec.clone(), count_include_pad, normalize };
                        let name = format!("sum {name}{how} {count_include_pad} {normalize}");
                        cases.add(name, &shape, |g, x| wire(g, sum, &[x]));
                    }
                    cases.add(format!("max gradient {name}{how}"), &shape, |g, x| {
                        let pooled = pool_spec.output_shape(&shape)?.shape;
                        // Steps make ties.
                        let x = wire(g, unary(Floor {}), &[x])?;
                        let slope = constant(g, 6, &pooled)?;
                        wire(g, MaxPoolGradient { pool_spec }, &[x, slope])
                    });
                }
            }
        }
    }
    cases.check();
}

#[test]
fn moves() {
    let mut cases = Cases::default();
    for (shape, from, to) in [
        (vec![3, 5], 0, 1),
        (vec![2, 3, 5], 0, 2),
        (vec![2, 3, 5], 2, 1),
        (vec![2, 3, 4, 5], 1, 3),
        (vec![2, 3, 1, 4, 5], 4, 1),
    ] {
        cases.add(format!("move {shape:?} {from} {to}"), &shape, |g, x| wire(g, AxisOp::Move(from, to), &[x]));
    }
    for axis in 0..3 {
        for count in [2, 7, 8] {
            cases.add(format!("concat {axis} {count}"), &[2, 3, 4], |g, x| {
                let mut parts = vec![x];
                for index in 1..count {
                    let mut shape = [2, 3, 4];
                    shape[axis] = 1 + index % 3;
                    parts.push(constant(g, index as u64, &shape)?);
                }
                wire(g, TypedConcat { axis }, &parts)
            });
        }
        cases.add(format!("slice {axis}"), &[4, 4, 4], |g, x| wire(g, Slice::new(axis, 1, 3), &[x]));
        cases.add(format!("gather {axis}"), &[4, 5, 4], |g, x| {
            let places = g.add_const(format!("places.{axis}"), tensor1(&[3i64, 0, -1, 0, 2]))?;
            wire(g, Gather::new(axis), &[x, places])
        });
        for (stride, modulo) in [(2, 0), (2, 1), (-1, 0), (-3, 0)] {
            cases.add(format!("every {stride} {modulo} {axis}"), &[4, 5, 7], |g, x| {
                wire(g, Downsample { axis, stride, modulo }, &[x])
            });
        }
        let mut to = [4, 5, 7];
        let mut from = to;
        (from[axis], to[axis]) = (1, 3);
        cases.add(format!("repeat {axis}"), &from, |g, x| {
            let shape = to.iter().map(|d| d.to_dim()).collect();
            wire(g, MultiBroadcastTo { shape }, &[x])
        });
    }
    let pads = [vec![(0, 0), (1, 2), (0, 0)], vec![(1, 0), (0, 0), (2, 1)], vec![(0, 1), (1, 1), (0, 0)]];
    for pads in pads {
        for mode in [
            PadMode::Constant(tensor0(0.5f32).into_arc_tensor()),
            PadMode::Edge,
            PadMode::Reflect,
        ] {
            let name = format!("pad {pads:?} {mode:?}");
            cases.add(name, &[2, 3, 4], |g, x| wire(g, Pad { pads: pads.clone(), mode }, &[x]));
        }
    }
    cases.check();
}
