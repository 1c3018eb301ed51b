//! Convolutions and transposed ones, in one and two dimensions.

use tract_onnx::tract_core::ops::cnn::{Conv, Deconv, KernelFormat, PaddingSpec, PoolSpec};
use tract_onnx::tract_core::ops::nn::DataFormat;

use super::*;

/// One spatial axis.
#[derive(Clone, Copy, Debug)]
pub(super) struct Axis {
    pub(super) length: usize,
    pub(super) kernel: usize,
    pub(super) stride: usize,
    pub(super) dilation: usize,
    pub(super) before: usize,
    pub(super) after: usize,
}

impl Axis {
    /// How far a window reaches.
    fn window(&self) -> usize {
        (self.kernel - 1) * self.dilation + 1
    }
}

/// One to two axes that hold a window at least.
pub(super) fn axes() -> impl Strategy<Value = Vec<Axis>> {
    let axis = (
        1..=3usize,
        1..=3usize,
        1..=2usize,
        0..=4usize,
        0..=2usize,
        0..=2usize,
    );
    let axis = axis.prop_map(|(kernel, stride, dilation, more, before, after)| {
        let length = (kernel - 1) * dilation + 1 + more;
        Axis {
            length,
            kernel,
            stride,
            dilation,
            before,
            after,
        }
    });
    prop::collection::vec(axis, 1..=2)
}

pub(super) fn layouts() -> impl Strategy<Value = DataFormat> {
    use DataFormat::{CHW, HWC, NCHW, NHWC};
    prop::sample::select(vec![NCHW, NHWC, CHW, HWC])
}

pub(super) fn shape(layout: DataFormat, channels: usize, axes: &[Axis]) -> Vec<usize> {
    let space = axes.iter().map(|axis| axis.length);
    let mut shape: Vec<usize> = if layout.has_n() { vec![2] } else { vec![] };
    if layout.c_is_last() {
        shape.extend(space);
        shape.push(channels);
    } else {
        shape.push(channels);
        shape.extend(space);
    }
    shape
}

pub(super) fn spec(
    layout: DataFormat,
    axes: &[Axis],
    padding: PaddingSpec,
    [inputs, outputs]: [usize; 2],
) -> PoolSpec {
    PoolSpec::new(
        layout,
        axes.iter().map(|axis| axis.kernel).collect(),
        padding,
        Some(axes.iter().map(|axis| axis.dilation).collect()),
        Some(axes.iter().map(|axis| axis.stride).collect()),
        inputs,
        outputs,
    )
}

fn explicit(axes: &[Axis]) -> PaddingSpec {
    let before = axes.iter().map(|axis| axis.before).collect();
    PaddingSpec::Explicit(before, axes.iter().map(|axis| axis.after).collect())
}

/// Groups, and inputs and outputs of each: plain, grouped or depthwise.
fn channels() -> impl Strategy<Value = (usize, usize, usize)> {
    prop_oneof![
        (Just(1), 1..=3usize, 1..=3usize),
        (2..=3usize, 1..=2usize, 1..=2usize),
        (2..=4usize, Just(1), 1..=2usize),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn convolutions(
        seed: u64,
        layout in layouts(),
        axes in axes(),
        (group, inputs, outputs) in channels(),
        padding in 0..6usize,
    ) {
        let padding = match padding {
            0 => PaddingSpec::Valid,
            1 => PaddingSpec::SameUpper,
            2 => PaddingSpec::SameLower,
            _ => explicit(&axes),
        };
        let spec = spec(layout, &axes, padding, [group * inputs, group * outputs]);
        check(DOUBLE, seed, &shape(layout, group * inputs, &axes), |b, draw, x| {
            let window = axes.iter().map(|axis| axis.kernel);
            let kernel: Vec<usize> = [group * outputs, inputs].into_iter().chain(window).collect();
            let kernel = b.constant(draw.tensor(&kernel))?;
            let bias = b.constant(draw.tensor(&[group * outputs]))?;
            let conv = Conv::new(spec, KernelFormat::OIHW, group, None);
            b.wire(conv, &[x, kernel, bias])
        })?;
    }

    #[test]
    fn transposed_convolutions(
        seed: u64,
        layout in layouts(),
        axes in axes(),
        (group, inputs, outputs) in channels(),
        more: [bool; 2],
    ) {
        // What is cut off is part of a window, or nothing were left.
        let axes: Vec<Axis> = axes
            .into_iter()
            .map(|axis| Axis {
                before: axis.before.min((axis.window() - 1) / 2),
                after: axis.after.min((axis.window() - 1) / 2),
                length: axis.length.min(4),
                ..axis
            })
            .collect();
        let adjustments = axes.iter().zip(more);
        let adjustments = adjustments.map(|(axis, more)| usize::from(more).min(axis.stride - 1));
        let adjustments: TVec<usize> = adjustments.collect();
        let spec = spec(layout, &axes, explicit(&axes), [group * inputs, group * outputs]);
        check(DOUBLE, seed, &shape(layout, group * inputs, &axes), |b, draw, x| {
            let window = axes.iter().map(|axis| axis.kernel);
            let kernel: Vec<usize> = [group * outputs, inputs].into_iter().chain(window).collect();
            let kernel = b.constant(draw.tensor(&kernel))?;
            let bias = b.constant(draw.tensor(&[group * outputs]))?;
            let op = Deconv::new(spec, KernelFormat::OIHW, adjustments, group);
            b.wire(op, &[x, kernel, bias])
        })?;
    }
}
