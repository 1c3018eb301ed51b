//! Pooling windows.

use tract_onnx::prelude::*;
use tract_onnx::tract_core::internal::*;
use tract_onnx::tract_core::ops::cnn::{MaxPool, PoolSpec, SumPool};

use super::convolution::{deconv, explicit};
use super::{Parts, layout};
use crate::gradient::builder::Builder;
use crate::gradient::operators::MaxPoolGradient;

pub(super) fn is_plain_max(op: &MaxPool) -> bool {
    op.with_index_outputs.is_none()
}

/// The first maximum of each window gets its `g`.
pub(super) fn max(b: &mut Builder, node: &TypedNode, g: OutletId) -> TractResult<Parts> {
    let op = node.op_as::<MaxPool>().context("a maximum")?;
    let layout = op.pool_spec.data_format;
    let x = layout::to_nchw(b, layout, node.inputs[0])?;
    let g = layout::to_nchw(b, layout, g)?;
    let gradient = MaxPoolGradient {
        pool_spec: layout::spec(&op.pool_spec),
    };
    let part = b.wire(gradient, &[x, g])?;
    Ok(vec![(0, layout::from_nchw(b, layout, part)?)])
}

/// Every element of a window gets its `g`, divided as the sum was.
pub(super) fn sum(b: &mut Builder, node: &TypedNode, g: OutletId) -> TractResult<Parts> {
    let op = node.op_as::<SumPool>().context("a mean")?;
    let layout = op.pool_spec.data_format;
    let x = node.inputs[0];
    let input = layout::shape(layout, &b.shape(x)?);
    let g = layout::to_nchw(b, layout, g)?;
    let op = &SumPool {
        pool_spec: layout::spec(&op.pool_spec),
        ..op.clone()
    };
    let channels = input[1];
    let mut slope = g;
    if op.normalize {
        let share = share(b, op, x, &input)?;
        slope = b.mul(g, share)?;
    }
    let kernel_shape = [&[channels, 1], &op.pool_spec.kernel_shape[..]].concat();
    let kernel = ones(b, &kernel_shape, x)?;
    let bias = b.constant_like(x, &tensor0(0f32))?;
    let padding = explicit(&op.pool_spec, &input[2..]);
    let part = deconv(
        b,
        &op.pool_spec,
        channels,
        slope,
        kernel,
        bias,
        &input,
        &padding,
    )?;
    Ok(vec![(0, layout::from_nchw(b, layout, part)?)])
}

/// One over what each window is divided by: windows that cross the border may count what is inside
/// alone. The mean of ones over their sum.
fn share(b: &mut Builder, op: &SumPool, x: OutletId, input: &[usize]) -> TractResult<OutletId> {
    let single = |normalize| SumPool {
        pool_spec: PoolSpec {
            input_channels: 1,
            output_channels: 1,
            ..op.pool_spec.clone()
        },
        normalize,
        ..op.clone()
    };
    let shape = [&[1, 1], &input[2..]].concat();
    let ones = ones(b, &shape, x)?;
    let mean = b.wire(single(true), &[ones])?;
    let total = b.wire(single(false), &[ones])?;
    b.div(mean, total)
}

/// Ones of the type of `like`.
fn ones(b: &mut Builder, shape: &[usize], like: OutletId) -> TractResult<OutletId> {
    let ones = vec![1f32; shape.iter().product()];
    b.constant_like(like, &Tensor::from_shape(shape, &ones)?)
}
