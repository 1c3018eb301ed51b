//! Pooling windows.

use anyhow::ensure;
use tract_onnx::prelude::*;
use tract_onnx::tract_core::ops::cnn::{MaxPool, PoolSpec, SumPool};
use tract_onnx::tract_core::ops::nn::DataFormat;

use super::super::program::Value;
use super::{Lowering, layout};

pub(super) fn max(l: &mut Lowering, node: &TypedNode, op: &MaxPool) -> anyhow::Result<Value> {
    ensure!(op.with_index_outputs.is_none(), "it returns places");
    let format = op.pool_spec.data_format;
    let [_, _, height, width] = layout::four(format, &l.input_shape(node, 0)?)?;
    let window = layout::window(&op.pool_spec, [height, width])?;
    let data = l.input(node, 0)?;
    let data = layout::to_nchw(&mut l.emit, format, data)?;
    let found = l.emit.max_pool(data, window)?;
    layout::from_nchw(&mut l.emit, format, found)
}

/// A depthwise convolution with ones, and what each window is divided by.
pub(super) fn sum(l: &mut Lowering, node: &TypedNode, op: &SumPool) -> anyhow::Result<Value> {
    let format = op.pool_spec.data_format;
    let [_, channels, height, width] = layout::four(format, &l.input_shape(node, 0)?)?;
    let window = layout::window(&op.pool_spec, [height, width])?;
    let data = l.input(node, 0)?;
    let data = layout::to_nchw(&mut l.emit, format, data)?;
    let shares = if op.normalize {
        shares(op, [height, width])?
    } else {
        vec![1.0]
    };
    // One share for all windows goes into the kernel.
    let one = shares.first().copied();
    let one = one.filter(|one| shares.iter().all(|share| share == one));
    let [rows, columns] = window.kernel;
    let kernel = vec![one.unwrap_or(1.0); channels * rows * columns];
    let kernel = l.emit.constant(kernel, &[channels, 1, rows, columns])?;
    let mut found = l.emit.conv(data, kernel, None, channels, window)?;
    if one.is_none() {
        let [height, width] = window.outputs;
        let shares = l.emit.constant(shares, &[1, 1, height, width])?;
        found = l.emit.mul(found, shares)?;
    }
    layout::from_nchw(&mut l.emit, format, found)
}

/// One over what tract divides each window by: its mean of ones over its sum of them.
fn shares(op: &SumPool, space: [usize; 2]) -> anyhow::Result<Vec<f32>> {
    let space = &space[2 - op.pool_spec.rank().min(2)..];
    let ones: usize = space.iter().product();
    let ones = Tensor::from_shape(&[&[1, 1], space].concat(), &vec![1f32; ones])?;
    let pooled = |normalize| -> TractResult<Vec<f32>> {
        let op = SumPool {
            pool_spec: PoolSpec {
                data_format: DataFormat::NCHW,
                input_channels: 1,
                output_channels: 1,
                ..op.pool_spec.clone()
            },
            normalize,
            ..op.clone()
        };
        let mut graph = TypedModel::default();
        let x = graph.add_source("ones", f32::fact(ones.shape()))?;
        let y = graph.wire_node("pool", op, &[x])?;
        graph.select_output_outlets(&y)?;
        let found = graph
            .into_runnable()?
            .run(tvec!(ones.clone().into_tvalue()))?;
        Ok(found[0].try_as_plain_ram()?.as_slice::<f32>()?.to_vec())
    };
    let (means, sums) = (pooled(true)?, pooled(false)?);
    let share = |(mean, sum): (f32, f32)| if sum == 0.0 { 0.0 } else { mean / sum };
    Ok(means.into_iter().zip(sums).map(share).collect())
}
