//! Convolutions with constant kernels, plain and transposed.

use anyhow::{Context, ensure};
use tract_onnx::prelude::*;
use tract_onnx::tract_core::ops::cnn::{Conv, Deconv, KernelFormat};

use super::super::emit::{Emitter, Window};
use super::super::program::Value;
use super::{Lowering, layout};

pub(super) fn conv(l: &mut Lowering, node: &TypedNode, op: &Conv) -> anyhow::Result<Value> {
    ensure!(op.q_params.is_none(), "it is quantised");
    ensure!(
        op.kernel_fmt == KernelFormat::OIHW,
        "its kernel is {:?}",
        op.kernel_fmt
    );
    let format = op.pool_spec.data_format;
    let [_, inputs, height, width] = layout::four(format, &l.input_shape(node, 0)?)?;
    let window = layout::window(&op.pool_spec, [height, width])?;
    let outputs = op.output_channels();
    let kernel = kernel(l, node, [outputs, inputs / op.group], window.kernel)?;
    let bias = bias(l, node, outputs)?;
    let data = l.input(node, 0)?;
    let data = layout::to_nchw(&mut l.emit, format, data)?;
    let found = l.emit.conv(data, kernel, bias, op.group, window)?;
    layout::from_nchw(&mut l.emit, format, found)
}

/// The kernel: outputs × inputs of a group × rows × columns.
fn kernel(
    l: &mut Lowering,
    node: &TypedNode,
    [outputs, inputs]: [usize; 2],
    [rows, columns]: [usize; 2],
) -> anyhow::Result<Value> {
    let kernel = l.constant(node, 1)?.context("its kernel changes")?;
    let kernel = l.emit.tensor(&kernel)?;
    l.emit.reshape(kernel, &[outputs, inputs, rows, columns])
}

/// What is added to each output channel; `None` for zeros.
fn bias(l: &mut Lowering, node: &TypedNode, outputs: usize) -> anyhow::Result<Option<Value>> {
    let bias = l.constant(node, 2)?.context("its bias changes")?;
    if bias.is_all_zero()? {
        return Ok(None);
    }
    let bias = l.emit.tensor(&bias)?;
    let bias = l.emit.reshape(bias, &[l.emit.len(bias)])?;
    Ok(Some(l.emit.repeated_constant(bias, outputs)?))
}

pub(super) fn deconv(l: &mut Lowering, node: &TypedNode, op: &Deconv) -> anyhow::Result<Value> {
    ensure!(
        op.kernel_format == KernelFormat::OIHW,
        "its kernel is {:?}",
        op.kernel_format
    );
    let format = op.pool_spec.data_format;
    let spec = &op.pool_spec;
    let [_, inputs, height, width] = layout::four(format, &l.input_shape(node, 0)?)?;
    let space = [height, width];
    let space = &space[2 - spec.rank().min(2)..];
    let padding = spec.padding.compute_for_deconv(
        space,
        &spec.kernel_shape,
        &spec.dilations(),
        &spec.strides(),
        &op.adjustments,
    )?;
    let cut: Vec<usize> = padding.iter().map(|p| p.pad_before).collect();
    let lengths: Vec<usize> = padding.iter().map(|p| p.deconvoluted).collect();
    let window = Window {
        kernel: layout::two(&spec.kernel_shape, 1)?,
        strides: layout::two(&spec.strides(), 1)?,
        dilations: layout::two(&spec.dilations(), 1)?,
        before: layout::two(&cut, 0)?,
        outputs: layout::two(&lengths, 1)?,
    };
    let outputs = spec.output_channels;
    let [rows, columns] = window.kernel;
    let kernel = kernel(l, node, [outputs, inputs / op.group], window.kernel)?;
    let bias = bias(l, node, outputs)?;
    let data = l.input(node, 0)?;
    let data = layout::to_nchw(&mut l.emit, format, data)?;
    let found = if window.kernel == window.strides
        && window.dilations == [1, 1]
        && window.before == [0, 0]
        && window.outputs == [height * rows, width * columns]
        && op.group == 1
    {
        tiles(&mut l.emit, data, kernel, bias)?
    } else {
        transposed(&mut l.emit, data, kernel, bias, op.group, window)?
    };
    layout::from_nchw(&mut l.emit, format, found)
}

/// Windows that do not overlap: a product per tile.
fn tiles(
    emit: &mut Emitter,
    data: Value,
    kernel: Value,
    bias: Option<Value>,
) -> anyhow::Result<Value> {
    let [batch, inputs, height, width] = emit.four(data)?;
    let [outputs, _, rows, columns] = emit.four(kernel)?;
    let weights = emit.transpose(kernel, &[0, 2, 3, 1])?;
    let weights = emit.reshape(weights, &[outputs * rows * columns, inputs, 1, 1])?;
    let found = emit.conv(data, weights, None, 1, Window::point([height, width]))?;
    let found = emit.reshape(found, &[batch, outputs, rows, columns, height, width])?;
    let found = emit.transpose(found, &[0, 1, 4, 2, 5, 3])?;
    let found = emit.reshape(found, &[batch, outputs, height * rows, width * columns])?;
    match bias {
        Some(bias) => {
            let bias = emit.reshape(bias, &[1, outputs, 1, 1])?;
            emit.add(found, bias)
        }
        None => Ok(found),
    }
}

/// The convolution with the mirrored kernel of the data with zeros between its elements. In
/// `window`, `before` is what the transposed convolution cuts off in front.
pub(super) fn transposed(
    emit: &mut Emitter,
    data: Value,
    kernel: Value,
    bias: Option<Value>,
    group: usize,
    window: Window,
) -> anyhow::Result<Value> {
    let kernel = emit.mirrored(kernel)?;
    let reach = [0, 1].map(|axis| (window.kernel[axis] - 1) * window.dilations[axis]);
    let spread = spread(emit, data, window.strides)?;
    // What is cut off beyond the reach of the kernel is cut off the data.
    let [batch, channels, height, width] = emit.four(spread)?;
    let lengths = [height, width];
    let mut cut = spread;
    let mut before = [0; 2];
    for axis in [0, 1] {
        before[axis] = reach[axis].saturating_sub(window.before[axis]);
        let start = window.before[axis].saturating_sub(reach[axis]);
        // The last element that the last window takes.
        let end = window.outputs[axis] + reach[axis] - before[axis] + start;
        if start > 0 || end < lengths[axis] {
            let mut shape = emit.shape(cut);
            let taken: Vec<usize> = (start..end.min(lengths[axis])).collect();
            let outer = batch * channels * if axis == 0 { 1 } else { shape[2] };
            let inner = if axis == 0 { width } else { 1 };
            cut = emit.along(cut, [outer, shape[2 + axis], inner], &taken)?;
            shape[2 + axis] = taken.len();
            cut = emit.reshape(cut, &shape)?;
        }
    }
    let window = Window {
        strides: [1, 1],
        before,
        ..window
    };
    emit.conv(cut, kernel, bias, group, window)
}

/// Every element followed by zeros, up to `strides`.
fn spread(emit: &mut Emitter, data: Value, strides: [usize; 2]) -> anyhow::Result<Value> {
    if strides == [1, 1] {
        return Ok(data);
    }
    let [batch, channels, height, width] = emit.four(data)?;
    let mut mask = vec![0f32; strides[0] * strides[1]];
    if let Some(first) = mask.first_mut() {
        *first = 1.0;
    }
    let mask = emit.constant(mask, &[1, strides[0], 1, strides[1]])?;
    let apart = emit.reshape(data, &[batch * channels * height, 1, width, 1])?;
    let apart = emit.mul(apart, mask)?;
    emit.reshape(
        apart,
        &[batch, channels, height * strides[0], width * strides[1]],
    )
}
