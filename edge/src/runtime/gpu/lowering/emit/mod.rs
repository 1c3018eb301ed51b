//! The forms of operators that wonnx computes correctly, and nothing else.

mod broadcast;
mod constants;
mod convolution;
mod elementwise;
mod reduction;
mod rows;

use std::collections::BTreeMap;
use std::sync::Arc;

use anyhow::ensure;
use tract_onnx::prelude::*;

pub(super) use broadcast::Binary;
pub(super) use convolution::Window;
pub(super) use elementwise::Unary;
pub(super) use reduction::Reduction;

use super::barrier;
use super::program::{Attribute, Node, Numbers, Program, Value};

/// Adds proven nodes to a program.
#[derive(Default)]
pub(super) struct Emitter {
    program: Program,
    /// Name of the source node that new nodes belong to.
    place: String,
    /// What reshaped values were before.
    bases: BTreeMap<Value, Value>,
    reshaped: BTreeMap<(Value, Vec<usize>), Value>,
    scalars: BTreeMap<u32, Value>,
}

impl Emitter {
    /// New nodes belong to the source node with this name.
    pub(super) fn within(&mut self, place: &str) {
        place.clone_into(&mut self.place);
    }

    /// Adds an input of the model.
    pub(super) fn input(&mut self, shape: &[usize]) -> Value {
        let value = self.program.value(shape, None);
        let name = format!("x{}", self.program.inputs.len());
        self.program.inputs.push((name, value));
        value
    }

    /// Adds a constant; its numbers fill the shape.
    pub(super) fn constant(
        &mut self,
        numbers: impl Into<Arc<[f32]>>,
        shape: &[usize],
    ) -> anyhow::Result<Value> {
        let numbers = numbers.into();
        let length: usize = shape.iter().product();
        ensure!(
            numbers.len() == length,
            "a constant of {} numbers has the shape {shape:?}",
            numbers.len()
        );
        Ok(self.program.value(shape, Some(Numbers::Float(numbers))))
    }

    /// Adds tract's constant as numbers; true is 1.
    pub(super) fn tensor(&mut self, tensor: &Tensor) -> anyhow::Result<Value> {
        let cast = tensor.cast_to::<f32>()?;
        let numbers = cast.try_as_plain_ram()?.as_slice::<f32>()?.to_vec();
        self.constant(numbers, tensor.shape())
    }

    /// A constant of one number, of shape `[1]`.
    pub(super) fn scalar(&mut self, number: f32) -> Value {
        if let Some(&value) = self.scalars.get(&number.to_bits()) {
            return value;
        }
        let numbers = Numbers::Float(Arc::new([number]));
        let value = self.program.value(&[1], Some(numbers));
        self.scalars.insert(number.to_bits(), value);
        value
    }

    /// As many zeros in one axis.
    fn zeros(&mut self, length: usize) -> Value {
        let numbers: Arc<[f32]> = vec![0f32; length].into();
        self.program.value(&[length], Some(Numbers::Float(numbers)))
    }

    /// Concrete shape.
    pub(super) fn shape(&self, value: Value) -> Vec<usize> {
        self.program.shape(value).to_vec()
    }

    /// Number of elements.
    pub(super) fn len(&self, value: Value) -> usize {
        self.program.len(value)
    }

    /// The numbers of a constant.
    pub(super) fn numbers(&self, value: Value) -> Option<Arc<[f32]>> {
        self.program.floats(value).cloned()
    }

    fn node(
        &mut self,
        operator: &'static str,
        inputs: &[Value],
        shape: &[usize],
        attributes: Vec<(&'static str, Attribute)>,
    ) -> Value {
        let output = self.program.value(shape, None);
        self.program.nodes.push(Node {
            operator,
            inputs: inputs.to_vec(),
            output,
            attributes,
            place: self.place.clone(),
        });
        output
    }

    /// The same elements in another shape: free, wonnx hands the memory on.
    pub(super) fn reshape(&mut self, value: Value, shape: &[usize]) -> anyhow::Result<Value> {
        ensure!(
            self.len(value) == shape.iter().product::<usize>(),
            "{:?} does not fit into {shape:?}",
            self.shape(value)
        );
        let base = self.bases.get(&value).copied().unwrap_or(value);
        // A shape of no axes would be a constant of no elements, which wonnx cannot hold.
        let single = shape.is_empty() && !self.program.shape(base).is_empty();
        let shape = if single { &[1] } else { shape };
        if self.program.shape(base) == shape {
            return Ok(base);
        }
        if let Some(&found) = self.reshaped.get(&(base, shape.to_vec())) {
            return Ok(found);
        }
        let reshaped = match self.program.constant(base).cloned() {
            Some(numbers) => self.program.value(shape, Some(numbers)),
            None => {
                let sizes = shape.iter().map(|&dim| dim as i64).collect();
                let sizes = Numbers::Size(sizes);
                let target = self.program.value(&[shape.len()], Some(sizes));
                self.node("Reshape", &[base, target], shape, Vec::new())
            }
        };
        self.bases.insert(reshaped, base);
        self.reshaped.insert((base, shape.to_vec()), reshaped);
        Ok(reshaped)
    }

    /// Moves axes: axis `i` of the result is axis `order[i]` of the value.
    pub(super) fn transpose(&mut self, value: Value, order: &[usize]) -> anyhow::Result<Value> {
        let shape = self.shape(value);
        if order.is_empty() && self.len(value) == 1 {
            return Ok(value);
        }
        ensure!(
            order.len() == shape.len(),
            "{order:?} does not order {shape:?}"
        );
        let moved: Vec<usize> = order.iter().map(|&axis| shape[axis]).collect();
        let (grouped, order) = merged(&shape, order);
        if order.is_sorted() {
            return self.reshape(value, &moved);
        }
        let to: Vec<usize> = order.iter().map(|&axis| grouped[axis]).collect();
        if let Some(numbers) = self.numbers(value) {
            let numbers = transposed(&numbers, &grouped, &order);
            return self.constant(numbers, &moved);
        }
        let from = self.reshape(value, &grouped)?;
        let order = Attribute::ints(&order);
        let turned = self.node("Transpose", &[from], &to, vec![("perm", order)]);
        self.reshape(turned, &moved)
    }

    /// Makes a value an output.
    pub(super) fn output(&mut self, value: Value) -> anyhow::Result<()> {
        let base = self.bases.get(&value).copied().unwrap_or(value);
        let made = self.program.nodes.iter().any(|node| node.output == base);
        let again = self.program.outputs.contains(&value);
        ensure!(
            made && !again,
            "an output that no operator of its own makes"
        );
        self.program.outputs.push(value);
        Ok(())
    }

    pub(super) fn finish(mut self) -> Program {
        self.program.prune();
        barrier::add_barriers(&mut self.program);
        self.program
    }
}

/// Drops axes of length 1 and joins axes that stay together.
fn merged(shape: &[usize], order: &[usize]) -> (Vec<usize>, Vec<usize>) {
    let order: Vec<usize> = order.iter().copied().filter(|&a| shape[a] != 1).collect();
    // Runs of the order that are neighbours in the source: first axis and length.
    let next = |axis: usize| (axis + 1..shape.len()).find(|&a| shape[a] != 1);
    let mut runs: Vec<(usize, usize)> = Vec::new();
    let mut last = None;
    for axis in order {
        match runs.last_mut() {
            Some(run) if last.and_then(next) == Some(axis) => run.1 *= shape[axis],
            _ => runs.push((axis, shape[axis])),
        }
        last = Some(axis);
    }
    let mut sorted = runs.clone();
    sorted.sort_unstable();
    let place = |run: &(usize, usize)| sorted.iter().position(|s| s == run).unwrap_or(0);
    let places = runs.iter().map(place).collect();
    (sorted.iter().map(|run| run.1).collect(), places)
}

fn transposed(numbers: &[f32], shape: &[usize], order: &[usize]) -> Vec<f32> {
    let mut strides = vec![1; shape.len()];
    for axis in (1..shape.len()).rev() {
        strides[axis - 1] = strides[axis] * shape[axis];
    }
    let mut found = vec![0];
    for &axis in order {
        let steps = (0..shape[axis]).map(|at| at * strides[axis]);
        let steps: Vec<usize> = steps.collect();
        found = found
            .iter()
            .flat_map(|start| steps.iter().map(move |step| start + step))
            .collect();
    }
    found.iter().map(|&at| numbers[at]).collect()
}
