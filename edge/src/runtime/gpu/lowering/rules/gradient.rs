//! The operators of our own that gradients use.

use std::f32::consts::{FRAC_1_SQRT_2, PI};

use anyhow::ensure;
use tract_onnx::prelude::*;

use super::super::emit::{Emitter, Reduction, Unary, Window};
use super::super::program::Value;
use super::{Lowering, convolution, layout};
use crate::gradient::operators::{MaxPoolGradient, Slope};

/// Far below every value: what lies outside of an image.
const OUTSIDE: f32 = -1e30;

/// `None` where the node is none of them.
pub(super) fn lower(l: &mut Lowering, node: &TypedNode) -> Option<anyhow::Result<Value>> {
    if let Some(op) = node.op_as::<Slope>() {
        Some(slope(l, node, op))
    } else {
        let op = node.op_as::<MaxPoolGradient>()?;
        Some(max_pool(l, node, op))
    }
}

/// The second input times a slope at the first.
fn slope(l: &mut Lowering, node: &TypedNode, op: &Slope) -> anyhow::Result<Value> {
    let (x, g) = (l.input(node, 0)?, l.input(node, 1)?);
    let emit = &mut l.emit;
    let slope = match op {
        Slope::Within(bounds) => {
            let [low, high] = bounds.map(|bits| f64::from_bits(bits) as f32);
            return within(emit, x, low, high, g);
        }
        Slope::Silu => {
            let sigmoid = emit.unary(Unary::Sigmoid, x);
            let rest = emit.number_minus(1.0, sigmoid)?;
            let bend = emit.mul(x, rest)?;
            let bend = emit.shifted(bend, 1.0)?;
            emit.mul(sigmoid, bend)?
        }
        Slope::Gelu => {
            let scaled = emit.scaled(x, FRAC_1_SQRT_2)?;
            let erf = emit.erf(scaled)?;
            let half = emit.scaled(erf, 0.5)?;
            let area = emit.shifted(half, 0.5)?;
            let square = emit.mul(scaled, scaled)?;
            let bell = emit.unary(Unary::Neg, square);
            let bell = emit.unary(Unary::Exp, bell);
            let bell = emit.scaled(bell, (2.0 * PI).sqrt().recip())?;
            let tail = emit.mul(x, bell)?;
            emit.add(area, tail)?
        }
    };
    emit.mul(g, slope)
}

/// `g` where `low < x < high`, else 0.
fn within(
    emit: &mut Emitter,
    x: Value,
    low: f32,
    high: f32,
    mut g: Value,
) -> anyhow::Result<Value> {
    if low.is_finite() {
        let low = emit.scalar(low);
        let above = emit.greater(x, low)?;
        g = emit.mul(g, above)?;
    }
    if high.is_finite() {
        let high = emit.scalar(high);
        let below = emit.greater(high, x)?;
        g = emit.mul(g, below)?;
    }
    Ok(g)
}

/// The first maximum of each window gets its gradient: windows are laid out as channels by a
/// convolution with ones at single places, and put together again by its transpose.
fn max_pool(l: &mut Lowering, node: &TypedNode, op: &MaxPoolGradient) -> anyhow::Result<Value> {
    let spec = &op.pool_spec;
    let shape = l.input_shape(node, 0)?;
    let [batch, channels, height, width] = layout::four(spec.data_format, &shape)?;
    ensure!(!spec.data_format.c_is_last(), "its channels are last");
    let window = layout::window(spec, [height, width])?;
    let [rows, columns] = window.outputs;
    let planes = batch * channels;
    let places = window.kernel[0] * window.kernel[1];
    let (x, g) = (l.input(node, 0)?, l.input(node, 1)?);
    let emit = &mut l.emit;
    let image = emit.reshape(x, &[planes, 1, height, width])?;
    let mut single = vec![0f32; places * places];
    for place in 0..places {
        single[place * places + place] = 1.0;
    }
    let single: std::sync::Arc<[f32]> = single.into();
    let [tall, wide] = window.kernel;
    let kernel = emit.constant(single.clone(), &[places, 1, tall, wide])?;
    let mut laid = emit.conv(image, kernel, None, 1, window)?;
    let outside = outside(&window, [height, width]);
    if outside.iter().any(|&v| v != 0.0) {
        let outside = emit.constant(outside, &[1, places, rows, columns])?;
        laid = emit.add(laid, outside)?;
    }
    let first = first_maxima(emit, laid, [planes, places, rows * columns])?;
    let g = emit.reshape(g, &[planes, 1, rows * columns])?;
    let parts = emit.mul(first, g)?;
    let parts = emit.reshape(parts, &[planes, places, rows, columns])?;
    let kernel = emit.constant(single, &[1, places, tall, wide])?;
    let back = Window {
        outputs: [height, width],
        ..window
    };
    convolution::transposed(emit, parts, kernel, None, 1, back)
}

/// 1 at the first largest element along the middle, else 0.
fn first_maxima(emit: &mut Emitter, value: Value, shape: [usize; 3]) -> anyhow::Result<Value> {
    let value = emit.reshape(value, &shape)?;
    let most = emit.reduce(Reduction::Max, value, shape)?;
    let largest = emit.equal(value, most)?;
    // Earlier places weigh more.
    let weights: Vec<f32> = (0..shape[1])
        .rev()
        .map(|place| place as f32 + 1.0)
        .collect();
    let weights = emit.constant(weights, &[1, shape[1], 1])?;
    let weighed = emit.mul(largest, weights)?;
    let heaviest = emit.reduce(Reduction::Max, weighed, shape)?;
    emit.equal(weighed, heaviest)
}

/// By place in the window and window: 0 inside of the image, far below outside.
fn outside(window: &Window, space: [usize; 2]) -> Vec<f32> {
    let [tall, wide] = window.kernel;
    let [rows, columns] = window.outputs;
    let inside = |axis: usize, at: usize, offset: usize| {
        let at = at * window.strides[axis] + offset * window.dilations[axis];
        at.checked_sub(window.before[axis])
            .is_some_and(|at| at < space[axis])
    };
    let mut found = Vec::with_capacity(tall * wide * rows * columns);
    for place in 0..tall * wide {
        for at in 0..rows * columns {
            let there =
                inside(0, at / columns, place / wide) && inside(1, at % columns, place % wide);
            found.push(if there { 0.0 } else { OUTSIDE });
        }
    }
    found
}
