//! Functions of one element.

use tract_onnx::tract_core::ops::element_wise::ElementWiseMiniOp;
use tract_onnx::tract_core::ops::math::{
    Abs, Ceil, Cos, Erf, Exp, Floor, Ln, Neg, PowConst, Recip, Round, RoundHalfToEven, Rsqrt, Sign,
    Sin, Sqrt, Square, Tanh,
};
use tract_onnx::tract_core::ops::nn::gelu_approximate::GeluApproximate;
use tract_onnx::tract_core::ops::nn::gelu_exact::GeluExact;
use tract_onnx::tract_core::ops::nn::silu::Silu;
use tract_onnx::tract_core::ops::nn::{HardSwish, LeakyRelu, Sigmoid};

use super::*;

/// The operator on `scale · x + shift`.
fn function(
    precision: Precision,
    (seed, shape): &(u64, Vec<usize>),
    (scale, shift): (f64, f64),
    op: impl ElementWiseMiniOp,
) -> Result<(), TestCaseError> {
    check(precision, *seed, shape, |b, _, x| {
        let x = b.scaled(x, scale)?;
        let x = b.shifted(x, shift)?;
        b.unary(op, x)
    })
}

fn points() -> impl Strategy<Value = (u64, Vec<usize>)> {
    (any::<u64>(), shapes(0..=3))
}

const AS_IT_IS: (f64, f64) = (1.0, 0.0);
const POSITIVE: (f64, f64) = (1.0, 1.9);

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn of_any_number(points in points()) {
        function(DOUBLE, &points, AS_IT_IS, Neg {})?;
        function(DOUBLE, &points, AS_IT_IS, Abs {})?;
        function(DOUBLE, &points, AS_IT_IS, Exp {})?;
        function(DOUBLE, &points, AS_IT_IS, Square {})?;
        function(DOUBLE, &points, (2.0, 0.0), Sin {})?;
        function(DOUBLE, &points, (2.0, 0.0), Cos {})?;
        function(DOUBLE, &points, AS_IT_IS, Tanh {})?;
    }

    #[test]
    fn of_a_positive_number(points in points(), exponent in -2.0..3f32) {
        function(DOUBLE, &points, POSITIVE, Ln {})?;
        function(DOUBLE, &points, POSITIVE, Sqrt {})?;
        function(DOUBLE, &points, POSITIVE, Rsqrt {})?;
        function(DOUBLE, &points, POSITIVE, Recip {})?;
        function(DOUBLE, &points, (-1.0, -1.9), Recip {})?;
        function(SINGLE, &points, POSITIVE, PowConst { exponent })?;
    }

    /// tract has no f64 for these.
    #[test]
    fn in_single_precision(points in points(), alpha in -0.5..1.5f32, power in 1..4i32) {
        function(SINGLE, &points, AS_IT_IS, Sigmoid {})?;
        function(SINGLE, &points, AS_IT_IS, Erf {})?;
        function(SINGLE, &points, AS_IT_IS, Silu {})?;
        function(SINGLE, &points, AS_IT_IS, LeakyRelu { alpha })?;
        // Its kinks, -3 and 3, become -1 and 1.
        function(SINGLE, &points, (3.0, 0.0), HardSwish {})?;
        function(SINGLE, &points, AS_IT_IS, GeluExact {})?;
        // Two functions, not one in two qualities.
        function(SINGLE, &points, AS_IT_IS, GeluApproximate { fast_impl: false })?;
        function(SINGLE, &points, AS_IT_IS, GeluApproximate { fast_impl: true })?;
        function(SINGLE, &points, AS_IT_IS, PowConst { exponent: power as f32 })?;
    }

    #[test]
    fn steps(points in points()) {
        function(DOUBLE, &points, AS_IT_IS, Sign {})?;
        function(DOUBLE, &points, AS_IT_IS, Floor {})?;
        function(DOUBLE, &points, AS_IT_IS, Ceil {})?;
        function(DOUBLE, &points, AS_IT_IS, Round {})?;
        function(SINGLE, &points, AS_IT_IS, RoundHalfToEven {})?;
    }

    #[test]
    fn changes_of_type(points in points()) {
        // The step of f32, whose rounding differences would see.
        let precision = Precision { kind: DatumType::F64, ..SINGLE };
        check(precision, points.0, &points.1, |b, _, x| {
            let single = b.cast(x, DatumType::F32)?;
            let square = b.mul(single, single)?;
            b.cast(square, DatumType::F64)
        })?;
    }
}
