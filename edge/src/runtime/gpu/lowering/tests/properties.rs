//! Random shapes: what a lowered model means, read again by tract.

use proptest::prelude::*;
use tract_onnx::tract_core::ops::array::{Pad, PadMode, Slice, TypedConcat};
use tract_onnx::tract_core::ops::binary::TypedBinOp;
use tract_onnx::tract_core::ops::cnn::{Conv, Deconv, KernelFormat, PaddingSpec, PoolSpec};
use tract_onnx::tract_core::ops::einsum::EinSum;
use tract_onnx::tract_core::ops::math::Sub;
use tract_onnx::tract_core::ops::nn::{DataFormat, Reduce, Reducer};

use super::engines::{reread, source};
use super::*;

/// Compares a graph with what it is lowered to.
fn check(graph: &TypedModel) -> Result<(), TestCaseError> {
    let lowered = lower(graph);
    prop_assert!(lowered.is_ok(), "{lowered:?}");
    let lowered = lowered.unwrap();
    let shape = graph.input_fact(0).unwrap().shape.as_concrete().unwrap();
    let inputs = [numbers(1, shape.iter().product())];
    let gap = difference(&source(graph, &inputs), &reread(&lowered, &inputs));
    prop_assert!(gap < 1e-5, "off by {gap}");
    Ok(())
}

/// Shapes of so many axes, each up to 4 long, and one of the axes.
fn shapes() -> impl Strategy<Value = (Vec<usize>, usize)> {
    prop::collection::vec(1..=4usize, 1..=4).prop_flat_map(|shape| {
        let axes = 0..shape.len();
        (Just(shape), axes)
    })
}

/// A length, a kernel, a stride, a dilation and pads that fit.
fn windows() -> impl Strategy<Value = [[usize; 6]; 2]> {
    let axis = (
        1..=4usize,
        1..=3usize,
        1..=3usize,
        0..=4usize,
        0..=2usize,
        0..=2usize,
    );
    let axis = axis.prop_map(|(kernel, stride, dilation, more, before, after)| {
        [
            (kernel - 1) * dilation + 1 + more,
            kernel,
            stride,
            dilation,
            before,
            after,
        ]
    });
    [axis.clone(), axis]
}

fn spec(window: &[[usize; 6]; 2], channels: [usize; 2]) -> PoolSpec {
    let each = |field: usize| -> TVec<usize> { window.iter().map(|axis| axis[field]).collect() };
    PoolSpec::new(
        DataFormat::NCHW,
        each(1),
        PaddingSpec::Explicit(each(4), each(5)),
        Some(each(3)),
        Some(each(2)),
        channels[0],
        channels[1],
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn convolutions(window in windows(), group in 1..=3usize, each in [1..=2usize, 1..=4usize]) {
        let channels = [group * each[0], group * each[1]];
        let shape = [2, channels[0], window[0][0], window[1][0]];
        let kernel = [channels[1], each[0], window[0][1], window[1][1]];
        check(&graph(&shape, |g, x| {
            let kernel = constant(g, 2, &kernel)?;
            let bias = constant(g, 3, &[channels[1]])?;
            let conv = Conv::new(spec(&window, channels), KernelFormat::OIHW, group, None);
            Ok(g.wire_node("conv", conv, &[x, kernel, bias])?[0])
        }))?;
    }

    #[test]
    fn transposed_convolutions(
        mut window in windows(),
        group in 1..=3usize,
        each in [1..=2usize, 1..=4usize],
        more: [bool; 2],
    ) {
        for axis in &mut window {
            let reach = (axis[1] - 1) * axis[3];
            axis[0] = axis[0].min(4);
            axis[4] = axis[4].min(reach / 2);
            axis[5] = axis[5].min(reach / 2);
        }
        let more = window.iter().zip(more).map(|(axis, more)| usize::from(more).min(axis[2] - 1));
        let more: TVec<usize> = more.collect();
        let channels = [group * each[0], group * each[1]];
        let shape = [2, channels[0], window[0][0], window[1][0]];
        let kernel = [channels[1], each[0], window[0][1], window[1][1]];
        check(&graph(&shape, |g, x| {
            let kernel = constant(g, 2, &kernel)?;
            let bias = constant(g, 3, &[channels[1]])?;
            let op = Deconv::new(spec(&window, channels), KernelFormat::OIHW, more, group);
            Ok(g.wire_node("deconv", op, &[x, kernel, bias])?[0])
        }))?;
    }

    #[test]
    fn broadcasting(shape in prop::collection::vec((1..=4usize, 0..3u8), 1..=4)) {
        let side = |lacks: u8| {
            shape.iter().map(move |&(length, share)| if share == lacks { 1 } else { length })
        };
        let (a, b): (Vec<usize>, Vec<usize>) = (side(1).collect(), side(2).collect());
        check(&graph(&a, |g, x| {
            let y = constant(g, 2, &b)?;
            Ok(g.wire_node("sub", TypedBinOp(Box::new(Sub), None), &[x, y])?[0])
        }))?;
    }

    #[test]
    fn reductions(
        shape in prop::collection::vec((1..=4usize, any::<bool>()), 1..=5),
        mean: bool,
    ) {
        let axes: TVec<usize> = (0..shape.len()).filter(|&axis| shape[axis].1).collect();
        let shape: Vec<usize> = shape.iter().map(|axis| axis.0).collect();
        let reducer = if mean { Reducer::MeanOfSquares } else { Reducer::Max };
        prop_assume!(!axes.is_empty());
        check(&graph(&shape, |g, x| Ok(g.wire_node("reduce", Reduce { axes, reducer }, &[x])?[0])))?;
    }

    /// Letters: shared, summed, of the first, of the second.
    #[test]
    fn products(
        first in Just(vec!['g', 'k', 'm', 'l']).prop_shuffle(),
        second in Just(vec!['g', 'k', 'n', 'l']).prop_shuffle(),
        result in Just(vec!['g', 'm', 'n']).prop_shuffle(),
        lengths in prop::collection::vec(1..=4usize, 5),
        constant_second: bool,
    ) {
        let length = |axis: &char| lengths["gklmn".find(*axis).unwrap()];
        let shape = |axes: &[char]| axes.iter().map(length).collect::<Vec<_>>();
        let text = |axes: &[char]| axes.iter().collect::<String>();
        let axes = format!("{},{}->{}", text(&first), text(&second), text(&result));
        check(&graph(&shape(&first), |g, x| {
            let mut y = constant(g, 2, &shape(&second))?;
            if !constant_second {
                let all = shape(&second);
                let zeros: Vec<usize> = vec![1; all.len()];
                let some = g.wire_node("some", Reduce {
                    axes: (0..4).collect(),
                    reducer: Reducer::Max,
                }, &[x])?[0];
                assert_eq!(g.outlet_fact(some)?.shape.as_concrete(), Some(&zeros[..]));
                y = g.wire_node("changing", TypedBinOp(Box::new(Sub), None), &[y, some])?[0];
            }
            let op = EinSum::new(axes.parse()?, f32::datum_type());
            Ok(g.wire_node("product", op, &[x, y])?[0])
        }))?;
    }

    #[test]
    fn moves((shape, axis) in shapes(), to: prop::sample::Index) {
        let to = to.index(shape.len());
        check(&graph(&shape, |g, x| {
            let y = g.wire_node("y", TypedBinOp(Box::new(Sub), None), &[x, x])?[0];
            let z = g.wire_node("z", TypedConcat { axis }, &[x, y, x])?[0];
            Ok(g.wire_node("moved", AxisOp::Move(axis, to), &[z])?[0])
        }))?;
    }

    #[test]
    fn slices((shape, axis) in shapes(), ends: [prop::sample::Index; 2]) {
        let [a, b] = ends.map(|end| end.index(shape[axis]));
        check(&graph(&shape, |g, x| {
            let y = g.wire_node("y", TypedBinOp(Box::new(Sub), None), &[x, x])?[0];
            let y = g.wire_node("sum", TypedBinOp(Box::new(Sub), None), &[x, y])?[0];
            Ok(g.wire_node("slice", Slice::new(axis, a.min(b), a.max(b) + 1), &[y])?[0])
        }))?;
    }

    #[test]
    fn borders((shape, _) in shapes(), pads: [(u8, u8); 4]) {
        let pads: Vec<_> = pads.iter().map(|p| (usize::from(p.0 % 3), usize::from(p.1 % 3))).collect();
        prop_assume!(pads[..shape.len()].iter().any(|p| p.0 + p.1 > 0));
        let mode = PadMode::Constant(tensor0(2f32).into_arc_tensor());
        let pads = pads[..shape.len()].to_vec();
        check(&graph(&shape, |g, x| Ok(g.wire_node("pad", Pad { pads, mode }, &[x])?[0])))?;
    }
}
