//! Convolutions, plain and transposed.

use tract_onnx::tract_core::ops::cnn::{Deconv, KernelFormat, PaddingSpec, PoolSpec};
use tract_onnx::tract_core::ops::math::{Add, Max, Tanh};
use tract_onnx::tract_core::ops::nn::{DataFormat, LeakyRelu};

use super::*;
use crate::runtime::gpu::lowering::emit::Window;

/// Batch, channels, kernel, and stride, dilation, pads, groups.
type Form = (usize, [usize; 2], &'static [usize], [usize; 4]);

#[test]
fn convolutions() {
    let mut cases = Cases::default();
    let forms: [Form; 18] = [
        (1, [3, 8], &[3, 3], [1, 1, 1, 1]),
        (3, [3, 8], &[3, 3], [1, 1, 1, 1]),
        (2, [3, 8], &[3, 3], [1, 1, 0, 1]),
        (2, [5, 4], &[3, 3], [1, 1, 2, 1]),
        (2, [3, 6], &[3, 3], [1, 1, 1, 1]),
        (2, [3, 8], &[3, 3], [1, 2, 2, 1]),
        (2, [3, 6], &[3, 3], [1, 2, 1, 1]),
        (2, [3, 8], &[3, 3], [2, 1, 1, 1]),
        (2, [16, 4], &[1, 1], [1, 1, 0, 1]),
        (2, [32, 8], &[1, 1], [2, 1, 0, 1]),
        (2, [12, 8], &[1, 1], [1, 1, 0, 1]),
        (2, [16, 5], &[1, 1], [1, 1, 0, 1]),
        (2, [16, 4], &[1, 1], [1, 1, 1, 1]),
        (2, [4, 4], &[3, 3], [1, 1, 1, 4]),
        (1, [6, 6], &[5, 5], [2, 1, 2, 6]),
        (2, [4, 8], &[3, 3], [1, 2, 1, 2]),
        (2, [3, 8], &[7, 7], [2, 1, 3, 1]),
        (2, [3, 4], &[1, 5], [1, 1, 1, 1]),
    ];
    for (batch, channels, kernel, [stride, dilation, pads, group]) in forms {
        let name = format!("{batch} {channels:?} {kernel:?} {stride} {dilation} {pads} {group}");
        cases.add(&name, &[batch, channels[0], 9, 11], |g, x| {
            conv(g, x, spec(channels, kernel, stride, dilation, pads), group)
        });
        cases.add(name + " relu", &[batch, channels[0], 9, 11], |g, x| {
            let y = conv(g, x, spec(channels, kernel, stride, dilation, pads), group)?;
            let zero = g.add_const(format!("zero.{}", y.node), tensor4(&[[[[0f32]]]]))?;
            wire(g, binary(Max), &[y, zero])
        });
    }
    cases.add("leaky", &[2, 3, 5, 7], |g, x| {
        let y = conv(g, x, spec([3, 6], &[3, 3], 1, 1, 1), 1)?;
        wire(g, unary(LeakyRelu { alpha: 0.2 }), &[y])
    });
    cases.add("one axis", &[2, 4, 9], |g, x| {
        conv(g, x, spec([4, 8], &[3], 2, 1, 1), 2)
    });
    cases.add("channels last", &[2, 7, 5, 3], |g, x| {
        let spec = PoolSpec {
            data_format: DataFormat::NHWC,
            ..spec([3, 4], &[3, 3], 1, 1, 1)
        };
        conv(g, x, spec, 1)
    });
    cases.add("same", &[2, 3, 7, 6], |g, x| {
        let spec = PoolSpec {
            padding: PaddingSpec::SameUpper,
            ..spec([3, 4], &[3, 3], 2, 1, 0)
        };
        conv(g, x, spec, 1)
    });
    cases.add("shared", &[2, 3, 5, 7], |g, x| {
        let shared = conv(g, x, spec([3, 4], &[3, 3], 1, 1, 1), 1)?;
        let a = conv(g, shared, spec([4, 4], &[3, 3], 1, 1, 1), 1)?;
        let b = wire(g, unary(Tanh {}), &[shared])?;
        wire(g, binary(Add), &[a, b])
    });
    cases.check();
}

#[test]
fn transposed_convolutions() {
    let mut cases = Cases::default();
    let forms: [([usize; 3], [usize; 2], [usize; 3]); 7] = [
        ([3, 4, 3], [1, 1], [1, 1, 0]),
        ([3, 4, 3], [2, 1], [1, 1, 1]),
        ([4, 4, 3], [2, 1], [1, 4, 0]),
        ([3, 4, 2], [2, 1], [0, 1, 0]),
        ([4, 6, 1], [2, 1], [0, 2, 1]),
        ([3, 4, 3], [2, 2], [2, 1, 0]),
        ([3, 2, 4], [4, 1], [0, 1, 0]),
    ];
    for ([inputs, outputs, kernel], [stride, dilation], [pads, group, more]) in forms {
        let channels = [inputs, outputs];
        let name = format!("{channels:?} {kernel} {stride} {dilation} {pads} {group} {more}");
        cases.add(name, &[2, channels[0], 5, 4], |g, x| {
            let spec = spec(channels, &[kernel, kernel], stride, dilation, pads);
            let kernel = constant(g, 3, &[channels[1], channels[0] / group, kernel, kernel])?;
            let bias = constant(g, 4, &[channels[1]])?;
            let op = Deconv::new(spec, KernelFormat::OIHW, tvec!(more, more), group);
            wire(g, op, &[x, kernel, bias])
        });
    }
    cases.check();
}

/// As weights are split that one buffer cannot hold.
#[test]
fn convolutions_in_parts() {
    let mut emit = Emitter::default();
    let x = emit.input(&[2, 16, 5, 3]);
    let window = Window {
        before: [1, 1],
        kernel: [3, 3],
        ..Window::point([5, 3])
    };
    let weights = emit
        .constant(numbers(1, 10 * 16 * 9), &[10, 16, 3, 3])
        .unwrap();
    let bias = emit.constant(numbers(2, 10), &[10]).unwrap();
    let whole = emit.conv(x, weights, Some(bias), 1, window).unwrap();
    let parts = emit.split_conv(x, weights, Some(bias), window, 4).unwrap();
    emit.output(whole).unwrap();
    emit.output(parts).unwrap();
    let lowered = packed(&emit.finish(), &[x]).unwrap();
    let inputs = [numbers(3, 2 * 16 * 5 * 3)];
    let mut found = vec![reread(&lowered, &inputs)];
    if has_adapter() {
        found.push(Session::new(&lowered).unwrap().run(&inputs).unwrap());
    }
    for found in found {
        assert!(difference(&found[..1], &found[1..]) < 1e-5);
    }
}
