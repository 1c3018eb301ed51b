//! Convolutions and pooling over two axes.

use anyhow::{Context, ensure};

use super::{Attribute, Emitter, Value};

/// Numbers that one buffer holds.
const LARGEST: usize = (128 << 20) / 4;

/// A window that moves over two axes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) struct Window {
    pub(in super::super) kernel: [usize; 2],
    pub(in super::super) strides: [usize; 2],
    pub(in super::super) dilations: [usize; 2],
    /// Padding in front of each axis; what is needed behind follows from `outputs`.
    pub(in super::super) before: [usize; 2],
    /// Lengths of the result.
    pub(in super::super) outputs: [usize; 2],
}

impl Window {
    /// A single element.
    pub(in super::super) fn point(outputs: [usize; 2]) -> Self {
        Self {
            kernel: [1; 2],
            strides: [1; 2],
            dilations: [1; 2],
            before: [0; 2],
            outputs,
        }
    }

    fn attributes(&self, input: [usize; 2]) -> anyhow::Result<Vec<(&'static str, Attribute)>> {
        let lengths = [self.kernel, self.strides, self.dilations, self.outputs];
        ensure!(
            !lengths.as_flattened().contains(&0),
            "an empty window or result"
        );
        let behind = |axis: usize| {
            let window = (self.kernel[axis] - 1) * self.dilations[axis] + 1;
            let reached = (self.outputs[axis] - 1) * self.strides[axis] + window;
            reached.saturating_sub(input[axis] + self.before[axis])
        };
        let pads = [self.before[0], self.before[1], behind(0), behind(1)];
        Ok(vec![
            ("kernel_shape", Attribute::ints(&self.kernel)),
            ("strides", Attribute::ints(&self.strides)),
            ("dilations", Attribute::ints(&self.dilations)),
            ("pads", Attribute::ints(&pads)),
        ])
    }
}

impl Emitter {
    /// A convolution of `[batch, channels, height, width]` with `[outputs, channels / group, height,
    /// width]`, and a constant added to each output channel.
    pub(in super::super) fn conv(
        &mut self,
        data: Value,
        weights: Value,
        bias: Option<Value>,
        group: usize,
        mut window: Window,
    ) -> anyhow::Result<Value> {
        let [batch, channels, height, width] = self.four(data)?;
        let [outputs, inputs, rows, columns] = self.four(weights)?;
        ensure!(
            group > 0 && channels == inputs * group && outputs.is_multiple_of(group),
            "weights {:?} in {group} groups do not fit {channels} channels",
            self.shape(weights)
        );
        ensure!([rows, columns] == window.kernel, "a kernel of another size");
        if self.len(weights) > LARGEST && group == 1 {
            let each = (self.len(weights) / outputs).max(1);
            return self.split_conv(data, weights, bias, window, LARGEST / each / 4 * 4);
        }
        let mut weights = weights;
        if window.kernel == [3, 3]
            && (window.dilations != [1, 1] || self.numbers(weights).is_none())
        {
            // wonnx lays the weights out for its fast 3×3 kernel, and then takes another one.
            weights = self.with_empty_column(weights)?;
            window.kernel[1] += 1;
        }
        let bias = match bias {
            Some(bias) => self.reshape(bias, &[outputs])?,
            // Without one, wonnx does not lay the weights out, and takes the fast kernel.
            None => self.zeros(outputs),
        };
        let mut attributes = window.attributes([height, width])?;
        attributes.push(("group", Attribute::Int(group as i64)));
        let shape = [batch, outputs, window.outputs[0], window.outputs[1]];
        Ok(self.node("Conv", &[data, weights, bias], &shape, attributes))
    }

    /// A convolution with more weights than one buffer holds, `step` output channels at a time.
    pub(in super::super) fn split_conv(
        &mut self,
        data: Value,
        weights: Value,
        bias: Option<Value>,
        window: Window,
        step: usize,
    ) -> anyhow::Result<Value> {
        let [outputs, inputs, rows, columns] = self.four(weights)?;
        let each = inputs * rows * columns;
        let numbers = self
            .numbers(weights)
            .context("weights that change and are too large")?;
        let bias = bias.and_then(|bias| self.numbers(bias));
        ensure!(step > 0, "{each} weights for one output");
        let mut parts = Vec::new();
        for first in (0..outputs).step_by(step) {
            let count = step.min(outputs - first);
            let part = &numbers[first * each..][..count * each];
            let part = self.constant(part, &[count, inputs, rows, columns])?;
            let bias = match &bias {
                Some(bias) => Some(self.constant(&bias[first..][..count], &[count])?),
                None => None,
            };
            let made = self.conv(data, part, bias, 1, window)?;
            let [batch, channels, height, width] = self.four(made)?;
            parts.push((made, [batch, channels, height * width]));
        }
        let batch = self.four(data)?[0];
        let made = self.concat(&parts)?;
        self.reshape(
            made,
            &[batch, outputs, window.outputs[0], window.outputs[1]],
        )
    }

    /// Weights with a column of zeros behind the last.
    fn with_empty_column(&mut self, weights: Value) -> anyhow::Result<Value> {
        let [outputs, inputs, rows, columns] = self.four(weights)?;
        let numbers = self.numbers(weights).context("3×3 weights that change")?;
        let wide = numbers
            .chunks_exact(columns)
            .flat_map(|row| row.iter().copied().chain([0.0]));
        let wide: Vec<f32> = wide.collect();
        self.constant(wide, &[outputs, inputs, rows, columns + 1])
    }

    /// The largest element of each window.
    pub(in super::super) fn max_pool(
        &mut self,
        data: Value,
        window: Window,
    ) -> anyhow::Result<Value> {
        let [batch, channels, height, width] = self.four(data)?;
        let shape = [batch, channels, window.outputs[0], window.outputs[1]];
        let attributes = window.attributes([height, width])?;
        Ok(self.node("MaxPool", &[data], &shape, attributes))
    }

    /// A shape of four axes.
    pub(in super::super) fn four(&self, value: Value) -> anyhow::Result<[usize; 4]> {
        let shape = self.shape(value);
        let found = shape.as_slice().try_into();
        found
            .ok()
            .with_context(|| format!("{shape:?} has not four axes"))
    }
}
