//! Every rule against differences, in random shapes and at random points: `tests/`, by topic.
//!
//! Points lie away from ties and kinks, where differences say nothing; those are compared with
//! PyTorch (`golden`).

mod binary;
mod convolution;
mod elementwise;
mod golden;
mod loss;
mod pick;
mod pooling;
mod product;
mod reduction;
mod resample;

use proptest::prelude::*;

use super::*;
use crate::perturb::rng::SplitMix64;

/// How differences are taken.
#[derive(Clone, Copy)]
struct Precision {
    kind: DatumType,
    step: f64,
    /// Largest gap to the difference, over 1 + its size.
    tolerance: f64,
}

const DOUBLE: Precision = Precision {
    kind: DatumType::F64,
    step: 1e-5,
    tolerance: 1e-6,
};

/// For operators that tract computes in f32 alone.
const SINGLE: Precision = Precision {
    kind: DatumType::F32,
    step: 1e-2,
    tolerance: 2e-3,
};

/// Random numbers for one case.
struct Draw {
    rng: SplitMix64,
    precision: Precision,
    left: Vec<f64>,
}

impl Draw {
    fn new(seed: u64, precision: Precision) -> Self {
        let (rng, left) = (SplitMix64::new(seed), Vec::new());
        Self {
            rng,
            precision,
            left,
        }
    }

    /// A number within ±1.5, more than a step away from multiples of 1/2, and more than two from
    /// all others of the last 120 (in f64: the last 1920).
    fn number(&mut self) -> f64 {
        if self.left.is_empty() {
            let each = if self.precision.kind == DatumType::F64 {
                640.0
            } else {
                40.0
            };
            self.left = (0..(3.0 * each) as i64)
                .map(|slot| (slot as f64 + 0.5) / each - 1.5)
                .collect();
        }
        let most = self.left.len() as i64 - 1;
        let slot = self.rng.integer(0, most) as usize;
        self.left.swap_remove(slot)
    }

    fn tensor(&mut self, shape: &[usize]) -> Tensor {
        self.tensor_of(shape, |number| number)
    }

    fn tensor_of(&mut self, shape: &[usize], of: fn(f64) -> f64) -> Tensor {
        let values: Vec<f64> = (0..shape.iter().product())
            .map(|_| of(self.number()))
            .collect();
        let values = Tensor::from_shape(shape, &values).unwrap();
        values.cast_to_dt(self.precision.kind).unwrap().into_owned()
    }
}

/// Compares `Σ slope · f(x)`, for random `x` and `slope`, with the gradient by the rules: for the
/// graph as `wire` makes it, and decluttered as the product has it (which changes what some means
/// are divided by).
fn check(
    precision: Precision,
    seed: u64,
    shape: &[usize],
    wire: impl FnOnce(&mut Builder, &mut Draw, OutletId) -> TractResult<OutletId>,
) -> Result<(), TestCaseError> {
    let mut draw = Draw::new(seed, precision);
    let x = draw.tensor(shape);
    let wired = graph(precision.kind, shape, |b, x| wire(b, &mut draw, x));
    let decluttered = wired.clone().into_decluttered().unwrap();
    for (forward, arranged) in [(&wired, false), (&decluttered, true)] {
        prop_assert_eq!(blockers(forward).unwrap(), []);
        let operators: Vec<_> = forward
            .nodes()
            .iter()
            .map(|n| format!("{:?}", n.op))
            .collect();
        let worst = gap(forward, arranged, &x, &mut draw);
        prop_assert!(
            worst < precision.tolerance,
            "off by {worst}, decluttered: {arranged}: {operators:#?}"
        );
    }
    Ok(())
}

/// A graph of one input and what `wire` makes of it.
fn graph(
    kind: DatumType,
    shape: &[usize],
    wire: impl FnOnce(&mut Builder, OutletId) -> TractResult<OutletId>,
) -> TypedModel {
    let mut graph = TypedModel::default();
    let x = graph.add_source("x", kind.fact(shape)).unwrap();
    let mut builder = Builder::new(&mut graph);
    builder.within("forward");
    let y = wire(&mut builder, x).unwrap();
    graph.select_output_outlets(&[y]).unwrap();
    graph
}

/// The largest gap between the gradient and differences.
fn gap(forward: &TypedModel, declutter: bool, x: &Tensor, draw: &mut Draw) -> f64 {
    let Precision { kind, step, .. } = draw.precision;
    let output = forward.output_outlets().unwrap()[0];
    let shape = forward.outlet_fact(output).unwrap().shape.as_concrete();
    let slope = draw.tensor(shape.unwrap());
    let mut graph = forward.clone();
    let input = graph.input_outlets().unwrap()[0];
    let mut builder = Builder::new(&mut graph);
    builder.within("test");
    let wired = builder.constant(slope.clone()).unwrap();
    let gradient = match back(&mut builder, forward, (output, wired), input) {
        Ok(gradient) => gradient,
        // Steps: nothing reaches the input.
        Err(error) => {
            assert!(error.to_string().contains("no gradient"), "{error:#}");
            let zeros = Tensor::zero_dt(kind, x.shape()).unwrap();
            builder.constant(zeros).unwrap()
        }
    };
    graph.select_output_outlets(&[gradient]).unwrap();
    if declutter {
        graph = graph.into_decluttered().unwrap();
    }
    let gradient = run(&graph.into_runnable().unwrap(), x);
    assert_eq!(gradient.len(), x.len());
    let plan = forward.clone().into_runnable().unwrap();
    let slope = doubles(&slope);
    let value = |moved: &[f64]| -> f64 {
        let moved = Tensor::from_shape(x.shape(), moved).unwrap();
        let y = run(&plan, &moved.cast_to_dt(kind).unwrap());
        y.iter().zip(&slope).map(|(y, slope)| y * slope).sum()
    };
    let mut x = doubles(x);
    let mut worst = 0f64;
    for (i, gradient) in gradient.iter().enumerate() {
        let middle = x[i];
        x[i] = middle + step;
        let above = value(&x);
        x[i] = middle - step;
        let below = value(&x);
        x[i] = middle;
        let expected = (above - below) / (2.0 * step);
        let gap = (gradient - expected).abs() / (1.0 + expected.abs());
        // A gap that is not a number counts.
        worst = if gap <= worst { worst } else { gap };
    }
    worst
}

fn run(plan: &Arc<TypedRunnableModel>, x: &Tensor) -> Vec<f64> {
    let outputs = plan.run(tvec!(x.clone().into_tvalue())).unwrap();
    doubles(&outputs[0])
}

fn doubles(tensor: &Tensor) -> Vec<f64> {
    let tensor = tensor.cast_to::<f64>().unwrap();
    tensor
        .try_as_plain_ram()
        .unwrap()
        .as_slice()
        .unwrap()
        .to_vec()
}

/// Shapes of so many axes, each up to 4 long.
fn shapes(ranks: std::ops::RangeInclusive<usize>) -> impl Strategy<Value = Vec<usize>> {
    prop::collection::vec(1..=4usize, ranks)
}

/// As [`shapes`], with one of the axes.
fn shapes_with_axis(
    ranks: std::ops::RangeInclusive<usize>,
) -> impl Strategy<Value = (Vec<usize>, usize)> {
    shapes(ranks).prop_flat_map(|shape| {
        let axes = 0..shape.len();
        (Just(shape), axes)
    })
}
