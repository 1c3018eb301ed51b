//! Operators that move, repeat and pick elements.

use tract_onnx::tract_core::ops::array::{Gather, Pad, PadMode, Slice, Topk, TypedConcat};
use tract_onnx::tract_core::ops::downsample::Downsample;

use super::*;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn axes(seed: u64, (shape, axis) in shapes_with_axis(1..=4), to: prop::sample::Index) {
        let to = to.index(shape.len());
        check(DOUBLE, seed, &shape, |b, _, x| b.wire(AxisOp::Move(axis, to), &[x]))?;
        check(DOUBLE, seed, &shape, |b, _, x| b.wire(AxisOp::Add(axis), &[x]))?;
        let mut single = shape.clone();
        single.insert(axis, 1);
        check(DOUBLE, seed, &single, |b, _, x| b.wire(AxisOp::Rm(axis), &[x]))?;
        check(DOUBLE, seed, &shape, |b, _, x| {
            let [first, last] = [axis.min(to), axis.max(to)];
            let from: TVec<TDim> = shape[first..=last].iter().map(|d| d.to_dim()).collect();
            let length = shape[first..=last].iter().product::<usize>().to_dim();
            b.wire(AxisOp::Reshape(first, from, tvec!(length)), &[x])
        })?;
    }

    #[test]
    fn repetition(seed: u64, (mut shape, axis) in shapes_with_axis(1..=3), times in 1..=4usize) {
        let mut to = shape.clone();
        (shape[axis], to[axis]) = (1, times);
        check(DOUBLE, seed, &shape, |b, _, x| b.broadcast(x, &to))?;
    }

    /// Of the input, its square and a constant.
    #[test]
    fn concatenation(seed: u64, (shape, axis) in shapes_with_axis(1..=3)) {
        check(DOUBLE, seed, &shape, |b, draw, x| {
            let constant = b.constant(draw.tensor(&shape))?;
            let square = b.mul(x, x)?;
            b.wire(TypedConcat { axis }, &[x, constant, square])
        })?;
    }

    #[test]
    fn slices(
        seed: u64,
        (shape, axis) in shapes_with_axis(1..=3),
        ends: [prop::sample::Index; 2],
    ) {
        let [a, c] = ends.map(|end| end.index(shape[axis]));
        let (start, end) = (a.min(c), a.max(c) + 1);
        check(DOUBLE, seed, &shape, |b, _, x| b.wire(Slice::new(axis, start, end), &[x]))?;
    }

    #[test]
    fn constant_borders(seed: u64, shape in shapes(1..=3), pads: [(u8, u8); 3]) {
        let pads = pads.iter().take(shape.len());
        let pads: Vec<_> = pads.map(|p| (usize::from(p.0 % 3), usize::from(p.1 % 3))).collect();
        check(DOUBLE, seed, &shape, |b, _, x| {
            let mode = PadMode::Constant(tensor0(2f64).into_arc_tensor());
            b.wire(Pad { pads, mode }, &[x])
        })?;
    }

    #[test]
    fn gathering(
        seed: u64,
        (shape, axis) in shapes_with_axis(1..=3),
        to in prop::collection::vec(1..=3usize, 0..=2),
    ) {
        let length = shape[axis] as i64;
        check(DOUBLE, seed, &shape, |b, draw, x| {
            let count = to.iter().product();
            let indices: Vec<i64> = (0..count)
                .map(|_| draw.rng.integer(-length, length - 1))
                .collect();
            let indices = b.constant(Tensor::from_shape(&to, &indices)?)?;
            b.wire(Gather::new(axis), &[x, indices])
        })?;
    }

    #[test]
    fn largest_and_smallest(
        seed: u64,
        (shape, axis) in shapes_with_axis(1..=3),
        k: prop::sample::Index,
        largest: bool,
    ) {
        let k = k.index(shape[axis]) + 1;
        check(DOUBLE, seed, &shape, |b, _, x| {
            let count = b.constant(tensor0(k as i64))?;
            b.wire(Topk { axis, largest, fallback_k: k.to_dim() }, &[x, count])
        })?;
    }

    #[test]
    fn subsampling(
        seed: u64,
        (mut shape, axis) in shapes_with_axis(1..=3),
        length in 1..=8usize,
        stride in prop::sample::select(vec![-3, -2, -1, 2, 3]),
        modulo: prop::sample::Index,
    ) {
        shape[axis] = length;
        let modulo = if stride > 0 { modulo.index(length.min(3)) } else { 0 };
        check(DOUBLE, seed, &shape, |b, _, x| b.wire(Downsample { axis, stride, modulo }, &[x]))?;
    }
}
