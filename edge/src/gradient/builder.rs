//! Short names for wiring operators.

use anyhow::Context;
use tract_onnx::prelude::*;
use tract_onnx::tract_core::internal::*;
use tract_onnx::tract_core::ops::array::MultiBroadcastTo;
use tract_onnx::tract_core::ops::binary::{BinMiniOp, TypedBinOp};
use tract_onnx::tract_core::ops::cast::Cast;
use tract_onnx::tract_core::ops::einsum::EinSum;
use tract_onnx::tract_core::ops::element_wise::{ElementWiseMiniOp, ElementWiseOp};
use tract_onnx::tract_core::ops::logic::{CompGT, Iff};
use tract_onnx::tract_core::ops::math::{Add, Div, Mul, Neg, Sub};
use tract_onnx::tract_core::ops::nn::{Reduce, Reducer, Softmax, SoftmaxKind};

use super::operators::Slope;

/// Adds operators to a graph under names that tell what they are for.
pub(super) struct Builder<'a> {
    graph: &'a mut TypedModel,
    /// Prefix of the names of new nodes.
    place: String,
}

impl<'a> Builder<'a> {
    pub(super) fn new(graph: &'a mut TypedModel) -> Self {
        let place = String::new();
        Self { graph, place }
    }

    /// New nodes belong to the gradient of the node with this name.
    pub(super) fn within(&mut self, node: &str) {
        self.place = format!("gradient.{node}");
    }

    /// Adds an operator with one output.
    pub(super) fn wire(
        &mut self,
        op: impl Into<Box<dyn TypedOp>>,
        inputs: &[OutletId],
    ) -> TractResult<OutletId> {
        self.wire_all(op, inputs)?
            .first()
            .copied()
            .context("an operator without output")
    }

    /// Adds an operator.
    pub(super) fn wire_all(
        &mut self,
        op: impl Into<Box<dyn TypedOp>>,
        inputs: &[OutletId],
    ) -> TractResult<TVec<OutletId>> {
        let name = format!("{}.{}", self.place, self.graph.nodes().len());
        self.graph.wire_node(name, op, inputs)
    }

    /// Adds an input of this shape and of the type of `like`.
    pub(super) fn source(
        &mut self,
        name: &str,
        like: OutletId,
        shape: &[usize],
    ) -> TractResult<OutletId> {
        let fact = self.kind(like)?.fact(shape);
        self.graph.add_source(name, fact)
    }

    /// Adds a constant.
    pub(super) fn constant(&mut self, tensor: impl IntoArcTensor) -> TractResult<OutletId> {
        let name = format!("{}.{}", self.place, self.graph.nodes().len());
        self.graph.add_const(name, tensor)
    }

    /// Adds a constant of the type of `like`.
    pub(super) fn constant_like(
        &mut self,
        like: OutletId,
        tensor: &Tensor,
    ) -> TractResult<OutletId> {
        let tensor = tensor.cast_to_dt(self.kind(like)?)?.into_owned();
        self.constant(tensor)
    }

    /// A number with the type and rank of `like`.
    pub(super) fn number(&mut self, value: f64, like: OutletId) -> TractResult<OutletId> {
        let rank = self.graph.outlet_fact(like)?.rank();
        let number = tensor0(value).cast_to_dt(self.kind(like)?)?.into_owned();
        self.constant(number.broadcast_into_rank(rank)?)
    }

    /// The value of an outlet that is constant.
    pub(super) fn constant_of(&self, outlet: OutletId) -> TractResult<Option<Arc<Tensor>>> {
        Ok(self.graph.outlet_fact(outlet)?.konst.clone())
    }

    /// The node that an outlet belongs to.
    pub(super) fn node(&self, outlet: OutletId) -> &TypedNode {
        self.graph.node(outlet.node)
    }

    /// The one node that uses a node's output; `None` where none or several do, or it is returned.
    pub(super) fn only_successor(&self, node: &TypedNode) -> Option<&TypedNode> {
        let outlet = OutletId::new(node.id, 0);
        let returned = self.graph.outputs.contains(&outlet);
        match self.graph.outlet_successors(outlet) {
            [next] if !returned => Some(self.graph.node(next.node)),
            _ => None,
        }
    }

    /// Element type.
    pub(super) fn kind(&self, outlet: OutletId) -> TractResult<DatumType> {
        Ok(self.graph.outlet_fact(outlet)?.datum_type)
    }

    /// Concrete shape.
    pub(super) fn shape(&self, outlet: OutletId) -> TractResult<Vec<usize>> {
        let shape = self.graph.outlet_fact(outlet)?.shape.as_concrete();
        Ok(shape
            .context("a shape is not known before running")?
            .to_vec())
    }

    pub(super) fn unary(
        &mut self,
        op: impl ElementWiseMiniOp,
        x: OutletId,
    ) -> TractResult<OutletId> {
        self.wire(ElementWiseOp(Box::new(op), None), &[x])
    }

    pub(super) fn binary(
        &mut self,
        op: impl BinMiniOp,
        a: OutletId,
        b: OutletId,
    ) -> TractResult<OutletId> {
        self.wire(TypedBinOp(Box::new(op), None), &[a, b])
    }

    pub(super) fn add(&mut self, a: OutletId, b: OutletId) -> TractResult<OutletId> {
        self.binary(Add, a, b)
    }

    pub(super) fn sub(&mut self, a: OutletId, b: OutletId) -> TractResult<OutletId> {
        self.binary(Sub, a, b)
    }

    pub(super) fn mul(&mut self, a: OutletId, b: OutletId) -> TractResult<OutletId> {
        self.binary(Mul, a, b)
    }

    pub(super) fn div(&mut self, a: OutletId, b: OutletId) -> TractResult<OutletId> {
        self.binary(Div, a, b)
    }

    pub(super) fn neg(&mut self, x: OutletId) -> TractResult<OutletId> {
        self.unary(Neg {}, x)
    }

    /// `x · value`.
    pub(super) fn scaled(&mut self, x: OutletId, value: f64) -> TractResult<OutletId> {
        let number = self.number(value, x)?;
        self.mul(x, number)
    }

    /// `x + value`.
    pub(super) fn shifted(&mut self, x: OutletId, value: f64) -> TractResult<OutletId> {
        let number = self.number(value, x)?;
        self.add(x, number)
    }

    /// Whether `a > b`, element by element.
    pub(super) fn greater(&mut self, a: OutletId, b: OutletId) -> TractResult<OutletId> {
        self.binary(CompGT, a, b)
    }

    /// `value` where `condition` holds, else 0.
    pub(super) fn keep(&mut self, condition: OutletId, value: OutletId) -> TractResult<OutletId> {
        let zero = self.number(0.0, value)?;
        self.choose(condition, value, zero)
    }

    /// `value` where `low < x < high`, else 0; both have one shape.
    pub(super) fn within_bounds(
        &mut self,
        x: OutletId,
        low: f64,
        high: f64,
        value: OutletId,
    ) -> TractResult<OutletId> {
        self.wire(Slope::within(low, high), &[x, value])
    }

    /// `value` where `condition` does not hold, else 0.
    pub(super) fn drop(&mut self, condition: OutletId, value: OutletId) -> TractResult<OutletId> {
        let zero = self.number(0.0, value)?;
        self.choose(condition, zero, value)
    }

    /// `a` where `condition` holds, else `b`.
    pub(super) fn choose(
        &mut self,
        condition: OutletId,
        a: OutletId,
        b: OutletId,
    ) -> TractResult<OutletId> {
        self.wire(Iff, &[condition, a, b])
    }

    /// Sum along axes, which stay with length 1.
    pub(super) fn sum(&mut self, x: OutletId, axes: &[usize]) -> TractResult<OutletId> {
        if axes.is_empty() {
            return Ok(x);
        }
        self.reduce(Reducer::Sum, x, axes)
    }

    pub(super) fn reduce(
        &mut self,
        reducer: Reducer,
        x: OutletId,
        axes: &[usize],
    ) -> TractResult<OutletId> {
        let axes = axes.into();
        self.wire(Reduce { axes, reducer }, &[x])
    }

    pub(super) fn softmax(
        &mut self,
        x: OutletId,
        axis: usize,
        kind: SoftmaxKind,
    ) -> TractResult<OutletId> {
        let softmax = Softmax {
            axes: tvec!(axis),
            quant_output_dt: None,
            kind,
        };
        self.wire(softmax, &[x])
    }

    /// Repeats `x` along its axes of length 1.
    pub(super) fn broadcast(&mut self, x: OutletId, shape: &[usize]) -> TractResult<OutletId> {
        if self.shape(x)? == shape {
            return Ok(x);
        }
        let shape = shape.iter().map(|d| d.to_dim()).collect();
        self.wire(MultiBroadcastTo { shape }, &[x])
    }

    /// What was repeated to the shape of `slope` gets the sum of its parts: the sum over the axes
    /// along which `like` has length 1.
    pub(super) fn gathered(&mut self, slope: OutletId, like: OutletId) -> TractResult<OutletId> {
        let (from, to) = (self.shape(slope)?, self.shape(like)?);
        let axes: Vec<usize> = (0..to.len())
            .filter(|&axis| from[axis] != to[axis])
            .collect();
        self.sum(slope, &axes)
    }

    pub(super) fn cast(&mut self, x: OutletId, to: DatumType) -> TractResult<OutletId> {
        self.wire(Cast { to }, &[x])
    }

    /// The product of operands whose axes are named by letters, summed over those that are not in
    /// `result`.
    pub(super) fn product(
        &mut self,
        operands: &[(&str, OutletId)],
        result: &str,
        kind: DatumType,
    ) -> TractResult<OutletId> {
        let names: Vec<&str> = operands.iter().map(|(axes, _)| *axes).collect();
        // tract takes an empty result for every letter that occurs once, so one axis is kept first.
        let any = names.iter().find_map(|axes| axes.get(..1));
        if let ("", Some(any)) = (result, any) {
            let product = self.product(operands, any, kind)?;
            let sum = self.sum(product, &[0])?;
            return self.wire(AxisOp::Rm(0), &[sum]);
        }
        let axes = AxesMapping::from_strs(&names, &[result])?;
        let outlets: Vec<OutletId> = operands.iter().map(|(_, outlet)| *outlet).collect();
        self.wire(EinSum::new(axes, kind), &outlets)
    }

    /// `x` with `matrix` (`[from, to]`) applied along one axis.
    pub(super) fn matrix_along(
        &mut self,
        x: OutletId,
        matrix: OutletId,
        axis: usize,
    ) -> TractResult<OutletId> {
        let rank = self.shape(x)?.len();
        let letters: Vec<char> = ('a'..='z').take(rank).collect();
        let from: String = letters.iter().collect();
        let to: String = (0..rank)
            .map(|i| if i == axis { 'z' } else { letters[i] })
            .collect();
        let kind = self.kind(x)?;
        let pair = format!("{}z", letters[axis]);
        self.product(&[(&from, x), (&pair, matrix)], &to, kind)
    }
}
