//! Sums, means, maxima and softmax along one of three axes.

use anyhow::ensure;

use super::{Attribute, Emitter, Numbers, Value};

/// What elements are reduced to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Reduction {
    Sum,
    Mean,
    Max,
    Min,
    Prod,
}

impl Emitter {
    /// Reduces `[outer, length, inner]` along the middle, which stays with length 1.
    pub(in super::super) fn reduce(
        &mut self,
        op: Reduction,
        value: Value,
        [outer, length, inner]: [usize; 3],
    ) -> anyhow::Result<Value> {
        ensure!(length > 0, "a reduction of nothing");
        // wonnx takes wrong elements where an axis of length 1 follows the reduced one.
        let mut shape = vec![outer, length];
        if inner != 1 {
            shape.push(inner);
        }
        let value = self.reshape(value, &shape)?;
        shape[1] = 1;
        let mut inputs = vec![value];
        let mut attributes = vec![("keepdims", Attribute::Int(1))];
        let operator = match op {
            Reduction::Sum => "ReduceSum",
            Reduction::Mean => "ReduceMean",
            Reduction::Max => "ReduceMax",
            Reduction::Min => "ReduceMin",
            Reduction::Prod => "ReduceProd",
        };
        if op == Reduction::Sum {
            let axes = Numbers::Size([1].into());
            inputs.push(self.program.value(&[1], Some(axes)));
        } else {
            attributes.push(("axes", Attribute::Ints(vec![1])));
        }
        let found = self.node(operator, &inputs, &shape, attributes);
        self.reshape(found, &[outer, 1, inner])
    }

    /// Softmax of `[outer, length, inner]` along the middle.
    pub(in super::super) fn softmax(
        &mut self,
        value: Value,
        [outer, length, inner]: [usize; 3],
    ) -> anyhow::Result<Value> {
        let shape = [outer, length, inner];
        let kept = if inner == 1 { &shape[..2] } else { &shape[..] };
        let value = self.reshape(value, kept)?;
        let axis = vec![("axis", Attribute::Int(1))];
        let found = self.node("Softmax", &[value], kept, axis);
        self.reshape(found, &shape)
    }
}
