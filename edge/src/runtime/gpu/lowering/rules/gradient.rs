//! The operators of our own that gradients use.

use tract_onnx::prelude::*;

use super::super::program::Value;
use super::Lowering;

/// `None` where the node is none of them.
pub(super) fn lower(_: &mut Lowering, _: &TypedNode) -> Option<anyhow::Result<Value>> {
    None
}
