//! tract's operators in proven forms, by family.

mod binary;
mod convolution;
mod elementwise;
mod gradient;
mod layout;
mod pick;
mod pooling;
mod product;
mod reduction;
mod resample;

use std::collections::BTreeMap;

use anyhow::{Context, bail, ensure};
use tract_onnx::prelude::*;
use tract_onnx::tract_core::internal::*;
use tract_onnx::tract_core::ops::array::{Gather, MultiBroadcastTo, Pad, Slice, TypedConcat};
use tract_onnx::tract_core::ops::binary::TypedBinOp;
use tract_onnx::tract_core::ops::cast::Cast;
use tract_onnx::tract_core::ops::cnn::{Conv, Deconv, MaxPool, SumPool};
use tract_onnx::tract_core::ops::downsample::Downsample;
use tract_onnx::tract_core::ops::einsum::EinSum;
use tract_onnx::tract_core::ops::element_wise::ElementWiseOp;
use tract_onnx::tract_core::ops::identity::Identity;
use tract_onnx::tract_core::ops::logic::Iff;
use tract_onnx::tract_core::ops::nn::{Reduce, RmsNorm, Softmax};
use tract_onnx::tract_core::ops::source::TypedSource;

use super::emit::{Emitter, Unary};
use super::program::Value;

/// A source graph, and what was made of its nodes so far.
pub(super) struct Lowering<'a> {
    pub(super) graph: &'a TypedModel,
    pub(super) emit: Emitter,
    pub(super) values: BTreeMap<OutletId, Value>,
}

impl Lowering<'_> {
    /// Lowers one node, after those that it takes. Constants wait until something takes them.
    pub(super) fn node(&mut self, node: &TypedNode) -> anyhow::Result<()> {
        ensure!(
            node.outputs.len() == 1,
            "it has {} outputs",
            node.outputs.len()
        );
        let outlet = OutletId::new(node.id, 0);
        let fact = self.graph.outlet_fact(outlet)?;
        if fact.konst.is_some() {
            return Ok(());
        }
        let kind = fact.datum_type;
        // tract takes powers with a whole exponent in f64; f32 is as near as engines are.
        let kinds = [f32::datum_type(), f64::datum_type(), bool::datum_type()];
        ensure!(kinds.contains(&kind), "its result is {kind:?}, not f32");
        let shape = self.shape(outlet)?;
        let value = if node.op_is::<TypedSource>() {
            self.emit.input(&shape)
        } else {
            self.operator(node)?
        };
        let value = self.emit.reshape(value, &shape)?;
        self.values.insert(outlet, value);
        Ok(())
    }

    fn operator(&mut self, node: &TypedNode) -> anyhow::Result<Value> {
        if let Some(op) = node.op_as::<Conv>() {
            return convolution::conv(self, node, op);
        } else if let Some(op) = node.op_as::<Deconv>() {
            return convolution::deconv(self, node, op);
        } else if let Some(op) = node.op_as::<EinSum>() {
            return product::einsum(self, node, op);
        } else if let Some(op) = node.op_as::<TypedBinOp>() {
            return binary::binary(self, node, op);
        } else if node.op_is::<Iff>() {
            return binary::choice(self, node);
        } else if let Some(op) = node.op_as::<ElementWiseOp>() {
            return elementwise::elementwise(self, node, op);
        } else if let Some(op) = node.op_as::<Reduce>() {
            return reduction::reduce(self, node, op);
        } else if let Some(op) = node.op_as::<Softmax>() {
            return reduction::softmax(self, node, op);
        } else if let Some(op) = node.op_as::<RmsNorm>() {
            return reduction::rms_norm(self, node, op);
        } else if let Some(op) = node.op_as::<MaxPool>() {
            return pooling::max(self, node, op);
        } else if let Some(op) = node.op_as::<SumPool>() {
            return pooling::sum(self, node, op);
        }
        self.moving(node)
    }

    fn moving(&mut self, node: &TypedNode) -> anyhow::Result<Value> {
        if let Some(op) = node.op_as::<AxisOp>() {
            return pick::axes(self, node, op);
        } else if let Some(op) = node.op_as::<TypedConcat>() {
            return pick::concat(self, node, op);
        } else if let Some(op) = node.op_as::<Slice>() {
            return pick::slice(self, node, op);
        } else if let Some(op) = node.op_as::<Downsample>() {
            return pick::downsample(self, node, op);
        } else if let Some(op) = node.op_as::<Gather>() {
            return pick::gather(self, node, op);
        } else if let Some(op) = node.op_as::<Pad>() {
            return pick::pad(self, node, op);
        } else if node.op_is::<MultiBroadcastTo>() {
            let value = self.input(node, 0)?;
            let shape = self.shape(OutletId::new(node.id, 0))?;
            return self.emit.repeat(value, &shape);
        } else if node.op_is::<Identity>() {
            return self.input(node, 0);
        } else if node.op_is::<Cast>() {
            return self.cast(node);
        }
        let ours = gradient::lower(self, node);
        match ours.or_else(|| resample::lower(self, node)) {
            Some(value) => value,
            None => bail!("no form of it is known to work"),
        }
    }

    /// Truth is 1 or 0 already.
    fn cast(&mut self, node: &TypedNode) -> anyhow::Result<Value> {
        let value = self.input(node, 0)?;
        let from = self.graph.outlet_fact(node.inputs[0])?.datum_type;
        let to = self.graph.outlet_fact(node.id.into())?.datum_type;
        if to != bool::datum_type() || from == to {
            return Ok(value);
        }
        let sign = self.emit.unary(Unary::Sign, value);
        Ok(self.emit.unary(Unary::Abs, sign))
    }

    /// What a node takes in a slot.
    fn input(&mut self, node: &TypedNode, slot: usize) -> anyhow::Result<Value> {
        let outlet = node.inputs.get(slot).context("an input is missing")?;
        self.value(*outlet)
    }

    pub(super) fn value(&mut self, outlet: OutletId) -> anyhow::Result<Value> {
        if let Some(&value) = self.values.get(&outlet) {
            return Ok(value);
        }
        let fact = self.graph.outlet_fact(outlet)?;
        let constant = fact.konst.clone();
        let constant = constant.context("a value that nothing makes")?;
        let value = self.emit.tensor(&constant)?;
        self.values.insert(outlet, value);
        Ok(value)
    }

    /// The constant that a node takes in a slot.
    fn constant(&self, node: &TypedNode, slot: usize) -> anyhow::Result<Option<Arc<Tensor>>> {
        let outlet = node.inputs.get(slot).context("an input is missing")?;
        Ok(self.graph.outlet_fact(*outlet)?.konst.clone())
    }

    /// The number that a node takes in a slot, if it is a constant of one.
    fn number(&self, node: &TypedNode, slot: usize) -> anyhow::Result<Option<f32>> {
        match self.constant(node, slot)? {
            Some(constant) if constant.len() == 1 => Ok(Some(constant.cast_to_scalar::<f32>()?)),
            _ => Ok(None),
        }
    }

    fn shape(&self, outlet: OutletId) -> anyhow::Result<Vec<usize>> {
        let shape = &self.graph.outlet_fact(outlet)?.shape;
        let shape = shape.as_concrete();
        Ok(shape
            .context("a shape that is not known before running")?
            .to_vec())
    }

    fn input_shape(&self, node: &TypedNode, slot: usize) -> anyhow::Result<Vec<usize>> {
        let outlet = node.inputs.get(slot).context("an input is missing")?;
        self.shape(*outlet)
    }
}

/// The elements in front of, in and behind some neighbouring axes.
fn around(shape: &[usize], first: usize, count: usize) -> [usize; 3] {
    [
        shape[..first].iter().product(),
        shape[first..first + count].iter().product(),
        shape[first + count..].iter().product(),
    ]
}
