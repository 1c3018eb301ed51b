//! Resizing, borders made of the image, tiles and running sums.

use tract_onnx::tract_core::ops::array::{CumSum, Pad, PadMode, Tile};
use tract_onnx::tract_core::ops::nn::NearestUpsample;
use tract_onnx::tract_core::ops::nn::resize::{CoordTransformer, Interpolator, Nearest, Resize};

use super::*;

fn transformers() -> impl Strategy<Value = CoordTransformer> {
    prop::sample::select(vec![
        CoordTransformer::HalfPixel,
        CoordTransformer::AlignCorners,
        CoordTransformer::Asymmetric,
        CoordTransformer::PytorchHalfPixel,
        CoordTransformer::HalfPixelSymmetric,
        CoordTransformer::TfHalfPixelForNn,
    ])
}

fn interpolators() -> impl Strategy<Value = (Interpolator, Nearest)> {
    prop::sample::select(vec![
        (Interpolator::Linear, Nearest::Floor),
        (Interpolator::Cubic, Nearest::Floor),
        (Interpolator::Nearest, Nearest::Floor),
        (Interpolator::Nearest, Nearest::RoundPreferCeil),
    ])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// By sizes or by scales; tract resizes in f32.
    #[test]
    fn resizing(
        seed: u64,
        coord_transformer in transformers(),
        (interpolator, nearest) in interpolators(),
        shape in prop::array::uniform4(1..=4usize),
        sizes in prop::array::uniform2(1..=7usize),
        by_scale: bool,
    ) {
        let shape = [shape[0].min(2), shape[1].min(2), shape[2], shape[3]];
        check(SINGLE, seed, &shape, |b, _, x| {
            let sides = if by_scale {
                let scale = |axis: usize| sizes[axis] as f32 / shape[2 + axis] as f32;
                b.constant(tensor1(&[1.0, 1.0, scale(0), scale(1)]))?
            } else {
                let [height, width] = sizes.map(|size| size as i64);
                b.constant(tensor1(&[shape[0] as i64, shape[1] as i64, height, width]))?
            };
            let resize = Resize {
                coord_transformer,
                interpolator,
                nearest,
                optional_scales_input: by_scale.then_some(1),
                optional_sizes_input: (!by_scale).then_some(1),
            };
            b.wire(resize, &[x, sides])
        })?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn repetitions(seed: u64, shape in shapes(1..=3), times in prop::array::uniform3(1..=3usize)) {
        let times = &times[..shape.len()];
        check(DOUBLE, seed, &shape, |b, _, x| {
            let scales = times.iter().copied().collect();
            b.wire(NearestUpsample { scales }, &[x])
        })?;
        check(DOUBLE, seed, &shape, |b, _, x| {
            let multipliers = times.iter().map(|t| t.to_dim()).collect();
            b.wire(Tile { multipliers }, &[x])
        })?;
    }

    #[test]
    fn borders(seed: u64, shape in shapes(1..=3), pads: [(u8, u8); 3]) {
        for mode in [PadMode::Edge, PadMode::Reflect] {
            let most = |length: usize| if mode == PadMode::Edge { 3 } else { length - 1 };
            let pads = pads.iter().zip(&shape).map(|(pad, &length)| {
                let within = |pad: u8| usize::from(pad) % (most(length) + 1);
                (within(pad.0), within(pad.1))
            });
            let pads = pads.collect();
            check(DOUBLE, seed, &shape, |b, _, x| b.wire(Pad { pads, mode: mode.clone() }, &[x]))?;
        }
    }

    #[test]
    fn running_sums(
        seed: u64,
        (shape, axis) in shapes_with_axis(1..=3),
        exclusive: bool,
        reverse: bool,
    ) {
        check(DOUBLE, seed, &shape, |b, _, x| {
            b.wire(CumSum { axis, exclusive, reverse }, &[x])
        })?;
    }
}
