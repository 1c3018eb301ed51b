//! Every rule against finite differences in f64.

mod golden;
mod shapes;

use super::*;
use crate::perturb::rng::SplitMix64;

fn random(shape: &[usize], rng: &mut SplitMix64) -> Tensor {
    let values: Vec<f64> = (0..shape.iter().product())
        .map(|_| rng.range(-1.5, 1.5))
        .collect();
    Tensor::from_shape(shape, &values).unwrap()
}

/// `Σ slope · f(x)`, and its gradient by the rules and by central differences.
fn compare(forward: &TypedModel, x: &Tensor, step: f64, rng: &mut SplitMix64) -> f64 {
    let shape = forward
        .output_fact(0)
        .unwrap()
        .shape
        .as_concrete()
        .unwrap()
        .to_vec();
    let slope = random(&shape, rng);
    let mut graph = forward.clone();
    let input = graph.input_outlets().unwrap()[0];
    let output = graph.output_outlets().unwrap()[0];
    let mut builder = Builder::new(&mut graph);
    builder.within("test");
    let wired = builder.constant(slope.clone()).unwrap();
    let gradient = back(&mut builder, forward, (output, wired), input).unwrap();
    graph.select_output_outlets(&[gradient]).unwrap();
    let gradient = run(graph.into_decluttered().unwrap(), x);
    let plan = forward.clone().into_runnable().unwrap();
    let slope = slope
        .try_as_plain_ram()
        .unwrap()
        .as_slice::<f64>()
        .unwrap()
        .to_vec();
    let value = |x: &Tensor| -> f64 {
        let y = plan.run(tvec!(x.clone().into_tvalue())).unwrap();
        let y = y[0]
            .try_as_plain_ram()
            .unwrap()
            .as_slice::<f64>()
            .unwrap()
            .to_vec();
        y.iter().zip(&slope).map(|(y, s)| y * s).sum()
    };
    let mut worst = 0f64;
    for (i, gradient) in gradient.iter().enumerate() {
        let moved = |by: f64| {
            let mut x = x.clone();
            x.try_as_plain_ram_mut()
                .unwrap()
                .as_slice_mut::<f64>()
                .unwrap()[i] += by;
            value(&x)
        };
        let expected = (moved(step) - moved(-step)) / (2.0 * step);
        worst = worst.max((gradient - expected).abs() / (1.0 + expected.abs()));
    }
    worst
}

fn run(model: TypedModel, x: &Tensor) -> Vec<f64> {
    let outputs = model
        .into_runnable()
        .unwrap()
        .run(tvec!(x.clone().into_tvalue()))
        .unwrap();
    outputs[0]
        .try_as_plain_ram()
        .unwrap()
        .as_slice::<f64>()
        .unwrap()
        .to_vec()
}

/// A graph of one input and what `wire` makes of it.
fn graph(
    shape: &[usize],
    wire: impl FnOnce(&mut Builder, OutletId) -> TractResult<OutletId>,
) -> TypedModel {
    let mut graph = TypedModel::default();
    let x = graph.add_source("x", f64::fact(shape)).unwrap();
    let mut builder = Builder::new(&mut graph);
    builder.within("forward");
    let y = wire(&mut builder, x).unwrap();
    graph.select_output_outlets(&[y]).unwrap();
    graph
}

fn check(
    name: &str,
    shape: &[usize],
    wire: impl FnOnce(&mut Builder, OutletId) -> TractResult<OutletId>,
) {
    check_within(1e-5, 1e-6, name, shape, wire);
}

fn check_within(
    step: f64,
    tolerance: f64,
    name: &str,
    shape: &[usize],
    wire: impl FnOnce(&mut Builder, OutletId) -> TractResult<OutletId>,
) {
    let mut rng = SplitMix64::new(7);
    // As the product does: decluttering changes what some means are divided by.
    let forward = graph(shape, wire).into_decluttered().unwrap();
    assert_eq!(blockers(&forward).unwrap(), []);
    let x = random(shape, &mut rng);
    let worst = compare(&forward, &x, step, &mut rng);
    assert!(worst < tolerance, "{name}: {worst}");
}

#[test]
fn functions_of_one_element() {
    use tract_onnx::tract_core::ops::math::*;
    macro_rules! check_all {
        ($($op:expr),* $(,)?) => {
            $(check(stringify!($op), &[3, 4], |b, x| b.unary($op, x));)*
        };
    }
    check_all!(Neg {}, Abs {}, Exp {}, Square {}, Sin {}, Cos {}, Recip {});
    let positive = |b: &mut Builder, x| {
        let x = b.unary(Square {}, x)?;
        b.shifted(x, 0.3)
    };
    macro_rules! check_positive {
        ($($op:expr),* $(,)?) => {
            $(check(stringify!($op), &[3, 4], |b, x| {
                let x = positive(b, x)?;
                b.unary($op, x)
            });)*
        };
    }
    check_positive!(Ln {}, Sqrt {}, Rsqrt {});
}

#[test]
fn functions_of_two_elements_with_broadcasting() {
    use tract_onnx::tract_core::ops::math::*;
    let other = |b: &mut Builder, shape: &[usize]| {
        let mut rng = SplitMix64::new(3);
        b.constant(random(shape, &mut rng))
    };
    macro_rules! check_all {
        ($($op:expr),* $(,)?) => {$(
            check(stringify!($op), &[3, 4], |b, x| {
                let c = other(b, &[3, 4])?;
                b.binary($op, x, c)
            });
            check(concat!(stringify!($op), " repeated"), &[1, 4], |b, x| {
                let c = other(b, &[3, 1])?;
                b.binary($op, c, x)
            });
            check(concat!(stringify!($op), " of itself"), &[2, 3], |b, x| {
                let y = b.unary(Sin {}, x)?;
                let sum = b.sum(x, &[0])?;
                b.binary($op, y, sum)
            });
        )*};
    }
    check_all!(Add, Sub, SubF, Mul, Div, Max, Min);
    check("where", &[3, 4], |b, x| {
        let c = other(b, &[3, 4])?;
        let condition = b.greater(x, c)?;
        let square = b.mul(x, x)?;
        b.choose(condition, square, x)
    });
}

#[test]
fn reductions_and_normalisations() {
    use tract_onnx::tract_core::ops::nn::{Reducer, RmsNorm};
    for reducer in [Reducer::Sum, Reducer::Max, Reducer::Min] {
        check(&format!("{reducer:?}"), &[2, 3, 4], |b, x| {
            b.reduce(reducer, x, &[1])
        });
    }
    for kind in [SoftmaxKind::Softmax, SoftmaxKind::LogSoftmax] {
        check(&format!("{kind:?}"), &[3, 4], |b, x| b.softmax(x, 1, kind));
    }
    // tract computes these two in f32.
    check_within(1e-2, 1e-3, "mean of squares", &[2, 3, 4], |b, x| {
        b.reduce(Reducer::MeanOfSquares, x, &[1])
    });
    check_within(1e-2, 1e-3, "root mean square", &[3, 4], |b, x| {
        let eps = tensor0(0.1f64).into_arc_tensor();
        b.wire(RmsNorm { axis: 1, eps }, &[x])
    });
}
