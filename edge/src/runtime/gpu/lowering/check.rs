//! What every lowered model is checked for, whatever made it.

use super::Refusal;
use tract_onnx::pb::ModelProto;

pub(super) fn check(_model: &ModelProto) -> Result<(), Refusal> {
    Ok(())
}
