//! Functions of one element and of two.

use tract_onnx::tract_core::ops::binary::TypedBinOp;
use tract_onnx::tract_core::ops::logic::{CompEq, CompGT, CompGTE, CompLT, CompLTE, CompNE, Iff};
use tract_onnx::tract_core::ops::math::{
    Abs, Add, Cos, Div, Erf, Exp, Floor, Ln, Max, Min, Mul, Neg, PowConst, Recip, Rsqrt, Sign, Sin,
    Sqrt, Square, Sub, Tanh,
};
use tract_onnx::tract_core::ops::nn::gelu_approximate::GeluApproximate;
use tract_onnx::tract_core::ops::nn::gelu_exact::GeluExact;
use tract_onnx::tract_core::ops::nn::silu::Silu;
use tract_onnx::tract_core::ops::nn::{HardSwish, LeakyRelu, Sigmoid};

use super::*;
use crate::gradient::operators::Slope;

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
    for slope in [
        Slope::within(-0.3, 0.7),
        Slope::within(0.0, f64::INFINITY),
        Slope::Silu,
        Slope::Gelu,
    ] {
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
    for (low, high) in [
        (0.0, 6.0),
        (0.0, 0.25),
        (-0.5, 0.5),
        (0.0, 1e30),
        (f32::NEG_INFINITY, 0.3),
        (-0.3, f32::INFINITY),
    ] {
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
