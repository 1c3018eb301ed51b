//! Pooling windows.

use tract_onnx::tract_core::ops::cnn::{MaxPool, PaddingSpec, SumPool};
use tract_onnx::tract_core::ops::nn::DataFormat;

use super::convolution::{Axis, axes, layouts, shape, spec};
use super::*;

/// Explicit, rounded down or up, or none: at most half a window, as ONNX and PyTorch have it.
fn padding(axes: &[Axis], choice: u8) -> PaddingSpec {
    let half = |axis: &Axis, padding: usize| padding.min(axis.kernel / 2);
    let before = axes.iter().map(|axis| half(axis, axis.before)).collect();
    let after = axes.iter().map(|axis| half(axis, axis.after)).collect();
    match choice {
        0 => PaddingSpec::Valid,
        1 => PaddingSpec::SameUpper,
        2 => PaddingSpec::SameLower,
        choice => PaddingSpec::ExplicitOnnxPool(before, after, choice % 2 == 0),
    }
}

fn cases() -> impl Strategy<Value = (u64, DataFormat, Vec<Axis>, usize, u8)> {
    (any::<u64>(), layouts(), axes(), 1..=2usize, 0..8u8)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn maxima((seed, layout, axes, channels, choice) in cases()) {
        let spec = spec(layout, &axes, padding(&axes, choice), [channels; 2]);
        check(DOUBLE, seed, &shape(layout, channels, &axes), |b, _, x| {
            b.wire(MaxPool::new(spec, None), &[x])
        })?;
    }

    #[test]
    fn means_and_sums(
        (seed, layout, axes, channels, choice) in cases(),
        count_include_pad: bool,
        normalize: bool,
    ) {
        let spec = spec(layout, &axes, padding(&axes, choice), [channels; 2]);
        check(DOUBLE, seed, &shape(layout, channels, &axes), |b, _, x| {
            b.wire(SumPool::new(spec, count_include_pad, normalize), &[x])
        })?;
    }
}
