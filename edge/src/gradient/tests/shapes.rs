//! Operators that move, pick, pool and mix elements.

use super::*;

#[test]
fn moved_and_picked_elements() {
    use tract_onnx::tract_core::ops::array::{Gather, Pad, PadMode, Slice, TypedConcat};
    use tract_onnx::tract_core::ops::downsample::Downsample;
    check("move", &[2, 3, 4], |b, x| b.wire(AxisOp::Move(0, 2), &[x]));
    check("add", &[2, 3], |b, x| b.wire(AxisOp::Add(1), &[x]));
    check("reshape", &[2, 6], |b, x| {
        let (from, to) = (tvec!(6.to_dim()), tvec!(2.to_dim(), 3.to_dim()));
        b.wire(AxisOp::Reshape(1, from, to), &[x])
    });
    check("broadcast", &[2, 1, 3], |b, x| b.broadcast(x, &[2, 4, 3]));
    check("concat", &[2, 3], |b, x| {
        let y = b.mul(x, x)?;
        b.wire(TypedConcat { axis: 1 }, &[y, x])
    });
    check("slice", &[2, 5], |b, x| b.wire(Slice::new(1, 1, 4), &[x]));
    check("pad", &[2, 3], |b, x| {
        let mode = PadMode::Constant(tensor0(2f64).into_arc_tensor());
        let pads = vec![(1, 0), (2, 1)];
        b.wire(Pad { pads, mode }, &[x])
    });
    check("gather", &[2, 5], |b, x| {
        let indices = b.constant(tensor2(&[[4i64, 0, -1], [1, 1, 4]]))?;
        b.wire(
            Gather {
                axis: 1,
                output_type: None,
            },
            &[x, indices],
        )
    });
    for (stride, modulo, length) in [(2, 0, 7), (3, 1, 8), (2, 1, 6)] {
        check("downsample", &[2, length], |b, x| {
            b.wire(
                Downsample {
                    axis: 1,
                    stride,
                    modulo,
                },
                &[x],
            )
        });
    }
}

#[test]
fn sums_of_products() {
    for (left, right, shape, other) in [
        ("mk,kn->mn", "", [3, 4], vec![4, 2]),
        ("mk,nk->nm", "", [3, 4], vec![2, 4]),
        ("mk,mk->m", "", [3, 4], vec![3, 4]),
        ("mk,n->mn", "", [3, 4], vec![2]),
    ] {
        let _ = right;
        check(left, &shape, |b, x| {
            let mut rng = SplitMix64::new(3);
            let c = b.constant(random(&other, &mut rng))?;
            let (operands, result) = left.split_once("->").unwrap();
            let (first, second) = operands.split_once(',').unwrap();
            b.product(&[(first, x), (second, c)], result, f64::datum_type())
        });
    }
    check("attention", &[3, 4], |b, x| {
        let scores = b.product(&[("mk", x), ("nk", x)], "mn", f64::datum_type())?;
        let shares = b.softmax(scores, 1, SoftmaxKind::Softmax)?;
        b.product(&[("mn", shares), ("nk", x)], "mk", f64::datum_type())
    });
}

#[test]
fn convolutions() {
    use tract_onnx::tract_core::ops::cnn::{Conv, KernelFormat, PaddingSpec, PoolSpec};
    use tract_onnx::tract_core::ops::nn::DataFormat;
    // inputs, outputs, group, kernel, stride, dilation, padding before, after
    for case in [
        (3, 4, 1, [1, 1], [1, 1], [1, 1], [0, 0], [0, 0]),
        (3, 4, 1, [3, 3], [1, 1], [1, 1], [1, 1], [1, 1]),
        (3, 4, 1, [3, 2], [2, 3], [1, 1], [1, 0], [0, 1]),
        (4, 6, 2, [3, 3], [2, 2], [1, 1], [1, 1], [1, 1]),
        (4, 4, 4, [3, 3], [1, 1], [1, 1], [1, 1], [1, 1]),
        (4, 4, 4, [3, 3], [2, 2], [1, 1], [0, 0], [1, 1]),
        (4, 8, 4, [3, 3], [1, 1], [2, 1], [2, 1], [2, 1]),
        (3, 2, 1, [2, 2], [2, 2], [1, 1], [0, 0], [0, 0]),
        (2, 2, 1, [1, 1], [2, 2], [1, 1], [0, 0], [0, 0]),
        (2, 2, 1, [1, 1], [1, 1], [1, 1], [1, 1], [1, 1]),
        (2, 3, 1, [3, 3], [2, 2], [2, 2], [1, 1], [2, 2]),
    ] {
        let (inputs, outputs, group, kernel, stride, dilation, before, after) = case;
        let spec = PoolSpec::new(
            DataFormat::NCHW,
            kernel.iter().copied().collect(),
            PaddingSpec::Explicit(
                before.iter().copied().collect(),
                after.iter().copied().collect(),
            ),
            Some(dilation.iter().copied().collect()),
            Some(stride.iter().copied().collect()),
            inputs,
            outputs,
        );
        check(&format!("{case:?}"), &[2, inputs, 7, 6], |b, x| {
            let mut rng = SplitMix64::new(3);
            let shape = [outputs, inputs / group, kernel[0], kernel[1]];
            let kernel = b.constant(random(&shape, &mut rng))?;
            let bias = b.constant(random(&[outputs], &mut rng))?;
            let conv = Conv::new(spec, KernelFormat::OIHW, group, None);
            b.wire(conv, &[x, kernel, bias])
        });
    }
}

#[test]
fn pooling_windows() {
    use tract_onnx::tract_core::ops::cnn::{MaxPool, PaddingSpec, PoolSpec, SumPool};
    use tract_onnx::tract_core::ops::nn::DataFormat;
    for ceil in [false, true] {
        for (kernel, stride, padding) in [(2, 2, 0), (3, 2, 1), (3, 1, 1), (2, 3, 0)] {
            let pads = PaddingSpec::ExplicitOnnxPool(tvec![padding; 2], tvec![padding; 2], ceil);
            let spec = PoolSpec::new(
                DataFormat::NCHW,
                tvec![kernel; 2],
                pads,
                None,
                Some(tvec![stride; 2]),
                3,
                3,
            );
            let shape = [2, 3, 7, 6];
            check(&format!("maximum {spec:?}"), &shape, |b, x| {
                b.wire(MaxPool::new(spec.clone(), None), &[x])
            });
            for (count, normalize) in [(true, true), (false, true), (false, false)] {
                check(
                    &format!("mean {count} {normalize} {spec:?}"),
                    &shape,
                    |b, x| b.wire(SumPool::new(spec.clone(), count, normalize), &[x]),
                );
            }
        }
    }
}
