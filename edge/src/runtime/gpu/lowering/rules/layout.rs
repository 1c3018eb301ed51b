//! Images as batch × channels × height × width.

use anyhow::{bail, ensure};
use tract_onnx::tract_core::ops::cnn::PoolSpec;
use tract_onnx::tract_core::ops::nn::DataFormat;

use super::super::emit::{Emitter, Window};
use super::super::program::Value;

/// The four lengths of an image in some layout; one spatial axis becomes the width.
pub(super) fn four(layout: DataFormat, shape: &[usize]) -> anyhow::Result<[usize; 4]> {
    let (batch, rest) = match (layout.has_n(), shape) {
        (true, [batch, rest @ ..]) => (*batch, rest),
        (_, rest) => (1, rest),
    };
    let (channels, space) = match (layout.c_is_last(), rest) {
        (true, [space @ .., channels]) => (*channels, space),
        (false, [channels, space @ ..]) => (*channels, space),
        _ => bail!("an image without channels"),
    };
    let [height, width] = two(space, 1)?;
    Ok([batch, channels, height, width])
}

/// An image from its layout.
pub(super) fn to_nchw(
    emit: &mut Emitter,
    layout: DataFormat,
    value: Value,
) -> anyhow::Result<Value> {
    let four = four(layout, &emit.shape(value))?;
    if !layout.c_is_last() {
        return emit.reshape(value, &four);
    }
    let [batch, channels, height, width] = four;
    let value = emit.reshape(value, &[batch, height, width, channels])?;
    emit.transpose(value, &[0, 3, 1, 2])
}

/// An image back to its layout, but for its shape.
pub(super) fn from_nchw(
    emit: &mut Emitter,
    layout: DataFormat,
    value: Value,
) -> anyhow::Result<Value> {
    if layout.c_is_last() {
        emit.transpose(value, &[0, 2, 3, 1])
    } else {
        Ok(value)
    }
}

/// The window of a convolution or a pool over images of this size.
pub(super) fn window(spec: &PoolSpec, space: [usize; 2]) -> anyhow::Result<Window> {
    let space = &space[2 - spec.rank().min(2)..];
    ensure!(spec.rank() == space.len(), "{} spatial axes", spec.rank());
    let padding = spec.computed_padding(space);
    let before: Vec<usize> = padding.iter().map(|p| p.pad_before).collect();
    let outputs: Vec<usize> = padding.iter().map(|p| p.convoluted).collect();
    Ok(Window {
        kernel: two(&spec.kernel_shape, 1)?,
        strides: two(&spec.strides(), 1)?,
        dilations: two(&spec.dilations(), 1)?,
        before: two(&before, 0)?,
        outputs: two(&outputs, 1)?,
    })
}

/// One or two lengths as two.
pub(super) fn two(lengths: &[usize], missing: usize) -> anyhow::Result<[usize; 2]> {
    match *lengths {
        [] => Ok([missing, missing]),
        [width] => Ok([missing, width]),
        [height, width] => Ok([height, width]),
        _ => bail!("{} spatial axes", lengths.len()),
    }
}
