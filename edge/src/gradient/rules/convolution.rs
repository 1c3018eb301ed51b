//! Convolutions with constant kernels.
//!
//! `y = Σ x(s·p + d·k − before) w(k)`, so `x` gets the transposed convolution of `g`: for stride 1
//! a convolution with the kernel mirrored and its channels exchanged, which tract runs faster;
//! else tract's own transposed one.

use tract_onnx::prelude::*;
use tract_onnx::tract_core::internal::*;
use tract_onnx::tract_core::ops::cnn::{Conv, Deconv, KernelFormat, PaddingSpec, PoolSpec};

use super::{Parts, layout};
use crate::gradient::builder::Builder;

pub(super) fn is_plain(op: &Conv) -> bool {
    op.q_params.is_none() && op.kernel_fmt == KernelFormat::OIHW
}

pub(super) fn conv(b: &mut Builder, node: &TypedNode, g: OutletId) -> TractResult<Parts> {
    let op = node.op_as::<Conv>().context("a convolution")?;
    let kernel = b
        .constant_of(node.inputs[1])?
        .context("a constant kernel")?;
    let layout = op.pool_spec.data_format;
    let input = layout::shape(layout, &b.shape(node.inputs[0])?);
    let padding = explicit(&op.pool_spec, &input[2..]);
    let op = Conv {
        pool_spec: layout::spec(&op.pool_spec),
        ..op.clone()
    };
    let g = layout::to_nchw(b, layout, g)?;
    let part = transposed(b, &op, &kernel, g, &input, &padding)?;
    Ok(vec![(0, layout::from_nchw(b, layout, part)?)])
}

/// Padding before and after, by spatial axis.
pub(super) fn explicit(spec: &PoolSpec, input: &[usize]) -> Vec<(usize, usize)> {
    let padding = spec.computed_padding(input);
    padding
        .iter()
        .map(|p| (p.pad_before, p.pad_after))
        .collect()
}

pub(super) fn is_plain_transposed(op: &Deconv) -> bool {
    op.kernel_format == KernelFormat::OIHW
}

/// For a transposed convolution, the convolution it is the transpose of.
pub(super) fn deconvolution(b: &mut Builder, node: &TypedNode, g: OutletId) -> TractResult<Parts> {
    let op = node.op_as::<Deconv>().context("a transposed convolution")?;
    let kernel = b
        .constant_of(node.inputs[1])?
        .context("a constant kernel")?;
    let spec = layout::spec(&op.pool_spec);
    let layout = op.pool_spec.data_format;
    let input = layout::shape(layout, &b.shape(node.inputs[0])?);
    let padding = spec.padding.compute_for_deconv(
        &input[2..],
        &spec.kernel_shape,
        &spec.dilations(),
        &spec.strides(),
        &op.adjustments,
    )?;
    let before = padding.iter().map(|p| p.pad_before).collect();
    let after = padding.iter().map(|p| p.pad_after).collect();
    let pool_spec = PoolSpec {
        padding: PaddingSpec::Explicit(before, after),
        ..mirrored(&spec)
    };
    let g = layout::to_nchw(b, layout, g)?;
    let kernel = b.constant(exchange_channels(&kernel, op.group)?)?;
    let bias = b.constant_like(g, &tensor0(0f32))?;
    let conv = Conv::new(pool_spec, KernelFormat::OIHW, op.group, None);
    let part = b.wire(conv, &[g, kernel, bias])?;
    Ok(vec![(0, layout::from_nchw(b, layout, part)?)])
}

fn transposed(
    b: &mut Builder,
    op: &Conv,
    kernel: &Tensor,
    g: OutletId,
    input: &[usize],
    padding: &[(usize, usize)],
) -> TractResult<OutletId> {
    let spec = &op.pool_spec;
    let exchanged = exchange_channels(kernel, op.group)?;
    let reach: Vec<usize> = (0..spec.rank())
        .map(|axis| spec.dilation(axis) * spec.kernel_shape[axis].saturating_sub(1))
        .collect();
    let fits = padding
        .iter()
        .zip(&reach)
        .all(|(&(before, after), &reach)| before.max(after) <= reach);
    let bias = b.constant_like(g, &tensor0(0f32))?;
    if fits && (0..spec.rank()).all(|axis| spec.stride(axis) == 1) {
        let rest = |pick: fn(&(usize, usize)) -> usize| {
            padding
                .iter()
                .zip(&reach)
                .map(|(p, reach)| reach - pick(p))
                .collect()
        };
        let back = Conv {
            pool_spec: PoolSpec {
                padding: PaddingSpec::Explicit(rest(|p| p.0), rest(|p| p.1)),
                ..mirrored(spec)
            },
            ..op.clone()
        };
        let kernel = b.constant(mirror(exchanged)?)?;
        return b.wire(back, &[g, kernel, bias]);
    }
    let kernel = b.constant(exchanged)?;
    deconv(b, spec, op.group, g, kernel, bias, input, padding)
}

/// The geometry with input and output exchanged.
fn mirrored(spec: &PoolSpec) -> PoolSpec {
    PoolSpec {
        input_channels: spec.output_channels,
        output_channels: spec.input_channels,
        ..spec.clone()
    }
}

/// tract's transposed convolution, back to the size of `input`.
#[expect(clippy::too_many_arguments, reason = "the operator has them all")]
pub(super) fn deconv(
    b: &mut Builder,
    spec: &PoolSpec,
    group: usize,
    g: OutletId,
    kernel: OutletId,
    bias: OutletId,
    input: &[usize],
    padding: &[(usize, usize)],
) -> TractResult<OutletId> {
    let output = b.shape(g)?;
    // How far windows reach, and what there is to reach.
    let extents = (0..spec.rank()).map(|axis| {
        let window = spec.dilation(axis) * spec.kernel_shape[axis].saturating_sub(1) + 1;
        let reached = output[2 + axis].saturating_sub(1) * spec.stride(axis) + window;
        (reached, input[2 + axis] + padding[axis].0 + padding[axis].1)
    });
    let extents: Vec<(usize, usize)> = extents.collect();
    // What no window reached gets nothing; what windows reached beyond the padding is cut off.
    let unreached = |&(reached, there): &(usize, usize)| there.saturating_sub(reached);
    let beyond = |&(reached, there): &(usize, usize)| reached.saturating_sub(there);
    let adjustments = extents.iter().map(unreached).collect();
    let cut = padding.iter().zip(&extents);
    let pool_spec = PoolSpec {
        padding: PaddingSpec::Explicit(
            padding.iter().map(|p| p.0).collect(),
            cut.map(|(p, extent)| p.1 + beyond(extent)).collect(),
        ),
        ..mirrored(spec)
    };
    let op = Deconv::new(pool_spec, KernelFormat::OIHW, adjustments, group);
    b.wire(op, &[g, kernel, bias])
}

/// From `[group · outputs, inputs, …]` to `[group · inputs, outputs, …]`.
fn exchange_channels(kernel: &Tensor, group: usize) -> TractResult<Tensor> {
    let mut shape = kernel.shape().to_vec();
    let (outputs, inputs) = (shape[0] / group, shape[1]);
    let split = [&[group, outputs, inputs], &shape[2..]].concat();
    let mut kernel = kernel.clone();
    kernel.set_shape(&split)?;
    let mut kernel = kernel.move_axis(1, 2)?;
    shape[0] = group * inputs;
    shape[1] = outputs;
    kernel.set_shape(&shape)?;
    Ok(kernel)
}

/// Reversed along every spatial axis.
fn mirror(kernel: Tensor) -> TractResult<Tensor> {
    let kind = kernel.datum_type();
    let values = kernel.cast_to::<f64>()?;
    let shape = kernel.shape().to_vec();
    let window: usize = shape[2..].iter().product();
    let mut values = values.try_as_plain_ram()?.as_slice::<f64>()?.to_vec();
    for window in values.chunks_exact_mut(window.max(1)) {
        window.reverse();
    }
    Ok(Tensor::from_shape(&shape, &values)?
        .cast_to_dt(kind)?
        .into_owned())
}
