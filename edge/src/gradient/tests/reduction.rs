//! Reductions along axes, and normalisations.

use tract_onnx::tract_core::ops::math::Max;
use tract_onnx::tract_core::ops::nn::{Reducer, RmsNorm};

use super::*;

/// A shape and some of its axes.
fn cases() -> impl Strategy<Value = (u64, Vec<usize>, Vec<usize>)> {
    let shape = shapes(1..=3).prop_flat_map(|shape| {
        let axes: Vec<usize> = (0..shape.len()).collect();
        let most = axes.len();
        (Just(shape), prop::sample::subsequence(axes, 1..=most))
    });
    (any::<u64>(), shape).prop_map(|(seed, (shape, axes))| (seed, shape, axes))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn reductions((seed, shape, axes) in cases()) {
        for reducer in [Reducer::Sum, Reducer::Max, Reducer::Min, Reducer::Prod] {
            check(DOUBLE, seed, &shape, |b, _, x| b.reduce(reducer, x, &axes))?;
        }
        // tract sums the squares in f32.
        check(SINGLE, seed, &shape, |b, _, x| b.reduce(Reducer::MeanOfSquares, x, &axes))?;
    }

    /// Zeros that no small step changes, and zeros that each step does.
    #[test]
    fn products_with_zeros((seed, shape, axes) in cases(), still: bool) {
        check(DOUBLE, seed, &shape, |b, _, x| {
            let zero = b.number(0.0, x)?;
            let factors = if still {
                b.binary(Max, x, zero)?
            } else {
                // The point itself, which is what is drawn first.
                let point = b.constant(Draw::new(seed, DOUBLE).tensor(&shape))?;
                let third = b.constant(Tensor::from_shape(&shape, &thirds(&shape))?)?;
                let offset = b.mul(point, third)?;
                b.sub(x, offset)?
            };
            b.reduce(Reducer::Prod, factors, &axes)
        })?;
    }

    #[test]
    fn soft_maxima((seed, shape, axes) in cases()) {
        for kind in [SoftmaxKind::Softmax, SoftmaxKind::LogSoftmax] {
            check(DOUBLE, seed, &shape, |b, _, x| {
                let axes = axes.iter().copied().collect();
                b.wire(Softmax { axes, quant_output_dt: None, kind }, &[x])
            })?;
        }
    }

    #[test]
    fn root_mean_squares(
        seed: u64,
        (shape, axis) in shapes_with_axis(1..=3),
        eps in 0.05..1f32,
    ) {
        check(SINGLE, seed, &shape, |b, _, x| {
            let eps = tensor0(eps).into_arc_tensor();
            b.wire(RmsNorm { axis, eps }, &[x])
        })?;
    }
}

/// Every third element 1, the others 0.
fn thirds(shape: &[usize]) -> Vec<f64> {
    (0..shape.iter().product())
        .map(|i: usize| if i.is_multiple_of(3) { 1.0 } else { 0.0 })
        .collect()
}
