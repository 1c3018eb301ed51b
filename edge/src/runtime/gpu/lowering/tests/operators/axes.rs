//! Reductions along axes, and operators that move, join, pick and pad.

use tract_onnx::tract_core::ops::array::{
    CumSum, Gather, MultiBroadcastTo, Pad, PadMode, Slice, Tile, TypedConcat,
};
use tract_onnx::tract_core::ops::downsample::Downsample;
use tract_onnx::tract_core::ops::nn::{
    NearestUpsample, Reduce, Reducer, RmsNorm, Softmax, SoftmaxKind,
};

use super::*;

#[test]
fn reductions() {
    let mut cases = Cases::default();
    let reducers = [
        Reducer::Sum,
        Reducer::Max,
        Reducer::Min,
        Reducer::MeanOfSquares,
    ];
    for reducer in reducers {
        for shape in [vec![2, 3, 4, 5], vec![3, 4, 1, 1], vec![5, 4, 1, 3]] {
            for axes in [
                vec![0],
                vec![1],
                vec![3],
                vec![2, 3],
                vec![1, 2],
                vec![0, 2],
                vec![0, 1, 2, 3],
            ] {
                let name = format!("{reducer:?} {shape:?} {axes:?}");
                cases.add(name, &shape, |g, x| {
                    wire(
                        g,
                        Reduce {
                            axes: axes.into(),
                            reducer,
                        },
                        &[x],
                    )
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
                wire(
                    g,
                    Softmax {
                        axes,
                        quant_output_dt: None,
                        kind,
                    },
                    &[x],
                )
            });
        }
    }
    for axis in 0..3 {
        cases.add(format!("norm {axis}"), &[2, 3, 5], |g, x| {
            wire(
                g,
                RmsNorm {
                    axis,
                    eps: tensor0(1e-5f32).into_arc_tensor(),
                },
                &[x],
            )
        });
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
        cases.add(format!("move {shape:?} {from} {to}"), &shape, |g, x| {
            wire(g, AxisOp::Move(from, to), &[x])
        });
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
        cases.add(format!("slice {axis}"), &[4, 4, 4], |g, x| {
            wire(g, Slice::new(axis, 1, 3), &[x])
        });
        cases.add(format!("gather {axis}"), &[4, 5, 4], |g, x| {
            let places = g.add_const(format!("places.{axis}"), tensor1(&[3i64, 0, -1, 0, 2]))?;
            wire(g, Gather::new(axis), &[x, places])
        });
        for (stride, modulo) in [(2, 0), (2, 1), (-1, 0), (-3, 0)] {
            cases.add(
                format!("every {stride} {modulo} {axis}"),
                &[4, 5, 7],
                |g, x| {
                    wire(
                        g,
                        Downsample {
                            axis,
                            stride,
                            modulo,
                        },
                        &[x],
                    )
                },
            );
        }
        for reverse in [false, true] {
            cases.add(
                format!("running sum {axis} {reverse}"),
                &[4, 5, 7],
                |g, x| {
                    let exclusive = reverse;
                    let sum = CumSum {
                        axis,
                        exclusive,
                        reverse,
                    };
                    wire(g, sum, &[x])
                },
            );
        }
        let mut times = tvec!(1, 2, 1);
        times.swap(1, axis);
        cases.add(format!("tile {axis}"), &[2, 3, 4], |g, x| {
            let multipliers = times.iter().map(|d| d.to_dim()).collect();
            wire(g, Tile { multipliers }, &[x])
        });
        cases.add(format!("nearest {axis}"), &[2, 3, 4], |g, x| {
            wire(
                g,
                NearestUpsample {
                    scales: times.clone(),
                },
                &[x],
            )
        });
        let mut to = [4, 5, 7];
        let mut from = to;
        (from[axis], to[axis]) = (1, 3);
        cases.add(format!("repeat {axis}"), &from, |g, x| {
            let shape = to.iter().map(|d| d.to_dim()).collect();
            wire(g, MultiBroadcastTo { shape }, &[x])
        });
    }
    let pads = [
        vec![(0, 0), (1, 2), (0, 0)],
        vec![(1, 0), (0, 0), (2, 1)],
        vec![(0, 1), (1, 1), (0, 0)],
    ];
    for pads in pads {
        for mode in [
            PadMode::Constant(tensor0(0.5f32).into_arc_tensor()),
            PadMode::Edge,
            PadMode::Reflect,
        ] {
            let name = format!("pad {pads:?} {mode:?}");
            cases.add(name, &[2, 3, 4], |g, x| {
                wire(
                    g,
                    Pad {
                        pads: pads.clone(),
                        mode,
                    },
                    &[x],
                )
            });
        }
    }
    cases.check();
}
