//! Image tensors of any layout, seen as batch × channels × space.

use tract_onnx::prelude::*;
use tract_onnx::tract_core::internal::*;
use tract_onnx::tract_core::ops::cnn::PoolSpec;
use tract_onnx::tract_core::ops::nn::DataFormat;

use crate::gradient::builder::Builder;

/// The geometry for batch × channels × space.
pub(super) fn spec(spec: &PoolSpec) -> PoolSpec {
    PoolSpec {
        data_format: DataFormat::NCHW,
        ..spec.clone()
    }
}

/// `x`, which has the layout, as batch × channels × space.
pub(super) fn to_nchw(b: &mut Builder, layout: DataFormat, x: OutletId) -> TractResult<OutletId> {
    let x = if layout.has_n() {
        x
    } else {
        b.wire(AxisOp::Add(0), &[x])?
    };
    let last = b.shape(x)?.len() - 1;
    if layout.c_is_last() {
        b.wire(AxisOp::Move(last, 1), &[x])
    } else {
        Ok(x)
    }
}

/// `x`, which is batch × channels × space, in the layout.
pub(super) fn from_nchw(b: &mut Builder, layout: DataFormat, x: OutletId) -> TractResult<OutletId> {
    let last = b.shape(x)?.len() - 1;
    let x = if layout.c_is_last() {
        b.wire(AxisOp::Move(1, last), &[x])?
    } else {
        x
    };
    if layout.has_n() {
        Ok(x)
    } else {
        b.wire(AxisOp::Rm(0), &[x])
    }
}

/// A shape in the layout as batch × channels × space.
pub(super) fn shape(layout: DataFormat, shape: &[usize]) -> Vec<usize> {
    let mut shape = shape.to_vec();
    if !layout.has_n() {
        shape.insert(0, 1);
    }
    if layout.c_is_last() {
        let channels = shape.remove(shape.len() - 1);
        shape.insert(1, channels);
    }
    shape
}
