//! Functions of one element.

use std::f64::consts::PI;

use tract_onnx::prelude::*;
use tract_onnx::tract_core::ops::element_wise::ElementWiseOp;
use tract_onnx::tract_core::ops::math::{
    Abs, Ceil, Cos, Erf, Exp, Floor, Ln, Neg, PowConst, Recip, Round, RoundHalfToEven, Rsqrt, Sign,
    Sin, Sqrt, Square, Tanh,
};
use tract_onnx::tract_core::ops::nn::gelu_approximate::GeluApproximate;
use tract_onnx::tract_core::ops::nn::gelu_exact::GeluExact;
use tract_onnx::tract_core::ops::nn::silu::Silu;
use tract_onnx::tract_core::ops::nn::{HardSwish, LeakyRelu, Sigmoid};

use super::{Parts, Rule, first_fit, flat};
use crate::gradient::builder::Builder;
use crate::gradient::operators::Slope;

pub(super) fn rule_of(op: &ElementWiseOp) -> Option<Rule> {
    let op = &*op.0;
    let rules: [(bool, Rule); 23] = [
        (op.is::<Neg>(), |b, _, g| Ok(vec![(0, b.neg(g)?)])),
        (op.is::<Abs>(), |b, n, g| {
            times(b, g, |b| b.unary(Sign {}, n.inputs[0]))
        }),
        (op.is::<Exp>(), |b, n, g| times(b, g, |_| Ok(output(n)))),
        (op.is::<Ln>(), |b, n, g| {
            Ok(vec![(0, b.div(g, n.inputs[0])?)])
        }),
        (op.is::<Square>(), |b, n, g| {
            times(b, g, |b| b.scaled(n.inputs[0], 2.0))
        }),
        (op.is::<Sqrt>(), sqrt),
        (op.is::<Recip>(), recip),
        (op.is::<Rsqrt>(), rsqrt),
        (op.is::<PowConst>(), pow_const),
        (op.is::<Sin>(), |b, n, g| {
            times(b, g, |b| b.unary(Cos {}, n.inputs[0]))
        }),
        (op.is::<Cos>(), cos),
        (op.is::<Tanh>(), tanh),
        (op.is::<Sigmoid>(), sigmoid),
        (op.is::<Erf>(), erf),
        (op.is::<LeakyRelu>(), leaky_relu),
        (op.is::<HardSwish>(), hard_swish),
        (op.is::<Silu>(), |b, n, g| {
            Ok(vec![(0, b.wire(Slope::Silu, &[n.inputs[0], g])?)])
        }),
        (op.is::<GeluExact>(), |b, n, g| {
            Ok(vec![(0, b.wire(Slope::Gelu, &[n.inputs[0], g])?)])
        }),
        (op.is::<GeluApproximate>(), gelu_approximate),
        (op.is::<Sign>(), flat),
        (op.is::<Floor>() || op.is::<Ceil>(), flat),
        (op.is::<Round>(), flat),
        (op.is::<RoundHalfToEven>(), flat),
    ];
    first_fit(rules)
}

fn output(node: &TypedNode) -> OutletId {
    OutletId::new(node.id, 0)
}

/// `g · slope`.
fn times(
    b: &mut Builder,
    g: OutletId,
    slope: impl FnOnce(&mut Builder) -> TractResult<OutletId>,
) -> TractResult<Parts> {
    let slope = slope(b)?;
    Ok(vec![(0, b.mul(g, slope)?)])
}

/// `g / 2y`
fn sqrt(b: &mut Builder, node: &TypedNode, g: OutletId) -> TractResult<Parts> {
    let twice = b.scaled(output(node), 2.0)?;
    Ok(vec![(0, b.div(g, twice)?)])
}

/// `−g y²`
fn recip(b: &mut Builder, node: &TypedNode, g: OutletId) -> TractResult<Parts> {
    times(b, g, |b| {
        let square = b.mul(output(node), output(node))?;
        b.neg(square)
    })
}

/// `−g y³ / 2`
fn rsqrt(b: &mut Builder, node: &TypedNode, g: OutletId) -> TractResult<Parts> {
    times(b, g, |b| {
        let square = b.mul(output(node), output(node))?;
        let cube = b.mul(square, output(node))?;
        b.scaled(cube, -0.5)
    })
}

/// `g p x^(p − 1)`
fn pow_const(b: &mut Builder, node: &TypedNode, g: OutletId) -> TractResult<Parts> {
    let op = node
        .op_as::<ElementWiseOp>()
        .and_then(|op| op.0.downcast_ref::<PowConst>());
    let exponent = op.map_or(1.0, |op| op.exponent);
    times(b, g, |b| {
        let power = PowConst {
            exponent: exponent - 1.0,
        };
        let power = b.unary(power, node.inputs[0])?;
        b.scaled(power, f64::from(exponent))
    })
}

/// `−g sin x`
fn cos(b: &mut Builder, node: &TypedNode, g: OutletId) -> TractResult<Parts> {
    times(b, g, |b| {
        let sin = b.unary(Sin {}, node.inputs[0])?;
        b.neg(sin)
    })
}

/// `g (1 − y²)`
fn tanh(b: &mut Builder, node: &TypedNode, g: OutletId) -> TractResult<Parts> {
    times(b, g, |b| one_minus_square(b, output(node)))
}

fn one_minus_square(b: &mut Builder, y: OutletId) -> TractResult<OutletId> {
    let square = b.mul(y, y)?;
    let negative = b.neg(square)?;
    b.shifted(negative, 1.0)
}

/// `g y (1 − y)`
fn sigmoid(b: &mut Builder, node: &TypedNode, g: OutletId) -> TractResult<Parts> {
    let y = output(node);
    times(b, g, |b| {
        let square = b.mul(y, y)?;
        b.sub(y, square)
    })
}

/// `g 2/√π exp(−x²)`
fn erf(b: &mut Builder, node: &TypedNode, g: OutletId) -> TractResult<Parts> {
    times(b, g, |b| {
        let bell = bell(b, node.inputs[0], 1.0)?;
        b.scaled(bell, 2.0 / PI.sqrt())
    })
}

/// `exp(−width x²)`
fn bell(b: &mut Builder, x: OutletId, width: f64) -> TractResult<OutletId> {
    let square = b.mul(x, x)?;
    let exponent = b.scaled(square, -width)?;
    b.unary(Exp {}, exponent)
}

/// `g` above 0, `alpha g` elsewhere.
fn leaky_relu(b: &mut Builder, node: &TypedNode, g: OutletId) -> TractResult<Parts> {
    let op = node
        .op_as::<ElementWiseOp>()
        .and_then(|op| op.0.downcast_ref::<LeakyRelu>());
    let alpha = op.map_or(0.0, |op| f64::from(op.alpha));
    let above = b.within_bounds(node.inputs[0], 0.0, f64::INFINITY, g)?;
    let below = b.sub(g, above)?;
    let below = b.scaled(below, alpha)?;
    Ok(vec![(0, b.add(above, below)?)])
}

/// `g (x/3 + 1/2)` between −3 and 3; from 3 on `g`.
fn hard_swish(b: &mut Builder, node: &TypedNode, g: OutletId) -> TractResult<Parts> {
    let x = node.inputs[0];
    let third = b.scaled(x, 1.0 / 3.0)?;
    let line = b.shifted(third, 0.5)?;
    let steep = b.mul(g, line)?;
    let steep = b.within_bounds(x, -3.0, 3.0, steep)?;
    let below = b.within_bounds(x, f64::NEG_INFINITY, 3.0, g)?;
    let above = b.sub(g, below)?;
    Ok(vec![(0, b.add(steep, above)?)])
}

/// `g ((1 + t)/2 + x (1 − t²) u′/2)` with `t = tanh u`, `u = √(2/π) (x + 0.044715 x³)`; tract's fast
/// form has `x²` there.
fn gelu_approximate(b: &mut Builder, node: &TypedNode, g: OutletId) -> TractResult<Parts> {
    const BEND: f64 = 0.044715;
    let op = node
        .op_as::<ElementWiseOp>()
        .and_then(|op| op.0.downcast_ref::<GeluApproximate>());
    let fast = op.is_some_and(|op| op.fast_impl);
    let x = node.inputs[0];
    let root = (2.0 / PI).sqrt();
    times(b, g, |b| {
        let (power, degree) = if fast { (x, 2.0) } else { (b.mul(x, x)?, 3.0) };
        let inner = b.scaled(power, root * BEND)?;
        let inner = b.shifted(inner, root)?;
        let u = b.mul(x, inner)?;
        let t = b.unary(Tanh {}, u)?;
        let slope = b.scaled(power, degree * root * BEND)?;
        let slope = b.shifted(slope, root)?;
        let steep = one_minus_square(b, t)?;
        let steep = b.mul(steep, slope)?;
        let tail = b.mul(x, steep)?;
        let sum = b.add(t, tail)?;
        let half = b.scaled(sum, 0.5)?;
        b.shifted(half, 0.5)
    })
}

/// `g` in the type of `x`.
pub(super) fn cast(b: &mut Builder, node: &TypedNode, g: OutletId) -> TractResult<Parts> {
    let to = b.kind(node.inputs[0])?;
    if to.is_float() {
        Ok(vec![(0, b.cast(g, to)?)])
    } else {
        Ok(Vec::new())
    }
}
