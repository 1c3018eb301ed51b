//! Sums of products, as 1×1 convolutions.

use anyhow::{Context, bail, ensure};
use tract_onnx::prelude::*;
use tract_onnx::tract_core::ops::einsum::EinSum;

use super::super::emit::{Emitter, Reduction, Window};
use super::super::program::Value;
use super::{Lowering, around};

/// A value whose axes have names; axes of length 1 are left out.
#[derive(Clone)]
struct Operand {
    value: Value,
    axes: Vec<char>,
}

/// Lengths of named axes.
type Lengths = std::collections::BTreeMap<char, usize>;

pub(super) fn einsum(l: &mut Lowering, node: &TypedNode, op: &EinSum) -> anyhow::Result<Value> {
    ensure!(op.q_params.is_none(), "it is quantised");
    let (inputs, outputs) = op.axes.to_strs();
    let [output] = &outputs[..] else {
        bail!("it has {} results", outputs.len())
    };
    let mut lengths = Lengths::new();
    let mut operands = Vec::new();
    for (slot, axes) in inputs.iter().enumerate() {
        let shape = l.input_shape(node, slot)?;
        let axes: Vec<char> = axes.chars().collect();
        ensure!(axes.len() == shape.len(), "{axes:?} name {shape:?}");
        let named = axes
            .into_iter()
            .zip(shape)
            .filter(|(_, length)| *length != 1);
        let named: Vec<(char, usize)> = named.collect();
        let value = l.input(node, slot)?;
        let shape: Vec<usize> = named.iter().map(|(_, length)| *length).collect();
        let value = l.emit.reshape(value, &shape)?;
        let axes: Vec<char> = named.iter().map(|(axis, _)| *axis).collect();
        let twice = axes
            .iter()
            .enumerate()
            .any(|(i, axis)| axes[..i].contains(axis));
        ensure!(!twice, "it takes a diagonal");
        lengths.extend(named);
        operands.push(Operand { value, axes });
    }
    let output: Vec<char> = output
        .chars()
        .filter(|axis| lengths.contains_key(axis))
        .collect();
    let emit = &mut l.emit;
    let found = match &operands[..] {
        [single] => summed(emit, single.clone(), &lengths, |axis| {
            output.contains(&axis)
        })?,
        [a, b] => {
            let keep = |other: &Operand| {
                let other = other.axes.clone();
                let output = output.clone();
                move |axis| output.contains(&axis) || other.contains(&axis)
            };
            let a_summed = summed(emit, a.clone(), &lengths, keep(b))?;
            let b_summed = summed(emit, b.clone(), &lengths, keep(a))?;
            product(emit, a_summed, b_summed, &lengths, &output)?
        }
        _ => bail!("it takes {} operands", operands.len()),
    };
    Ok(ordered(emit, &found, &output)?.value)
}

/// The operand with its axes in another order.
fn ordered(emit: &mut Emitter, operand: &Operand, axes: &[char]) -> anyhow::Result<Operand> {
    let place = |axis: &char| operand.axes.iter().position(|a| a == axis);
    let order: Option<Vec<usize>> = axes.iter().map(place).collect();
    let order = order.context("an axis that no operand has")?;
    Ok(Operand {
        value: emit.transpose(operand.value, &order)?,
        axes: axes.to_vec(),
    })
}

/// Sums along axes that are not kept.
fn summed(
    emit: &mut Emitter,
    mut operand: Operand,
    lengths: &Lengths,
    kept: impl Fn(char) -> bool,
) -> anyhow::Result<Operand> {
    while let Some(axis) = operand.axes.iter().position(|&axis| !kept(axis)) {
        let shape: Vec<usize> = operand.axes.iter().map(|axis| lengths[axis]).collect();
        let split = around(&shape, axis, 1);
        operand.value = emit.reduce(Reduction::Sum, operand.value, split)?;
        operand.axes.remove(axis);
        let shape: Vec<usize> = operand.axes.iter().map(|axis| lengths[axis]).collect();
        operand.value = emit.reshape(operand.value, &shape)?;
    }
    Ok(operand)
}

fn product(
    emit: &mut Emitter,
    a: Operand,
    b: Operand,
    lengths: &Lengths,
    output: &[char],
) -> anyhow::Result<Operand> {
    let both = |axis: &&char| a.axes.contains(axis) && b.axes.contains(axis);
    let summed: Vec<char> = a
        .axes
        .iter()
        .filter(both)
        .filter(|x| !output.contains(x))
        .copied()
        .collect();
    if summed.is_empty() {
        return multiplied(emit, &a, &b, lengths, output);
    }
    let shared: Vec<char> = output.iter().filter(both).copied().collect();
    if shared.is_empty() {
        if emit.numbers(b.value).is_some() {
            return weighted(emit, &a, &b, &summed, lengths, output);
        }
        if emit.numbers(a.value).is_some() {
            return weighted(emit, &b, &a, &summed, lengths, output);
        }
    }
    // The result has the axes of the first operand first.
    let first = output.iter().find(|axis| !shared.contains(axis));
    let (x, y) = match first {
        Some(axis) if b.axes.contains(axis) => (b, a),
        _ => (a, b),
    };
    grouped(emit, &x, &y, &summed, &shared, lengths, output)
}

/// A product without a sum.
fn multiplied(
    emit: &mut Emitter,
    a: &Operand,
    b: &Operand,
    lengths: &Lengths,
    output: &[char],
) -> anyhow::Result<Operand> {
    let mut parts = Vec::new();
    for operand in [a, b] {
        let axes: Vec<char> = output
            .iter()
            .filter(|x| operand.axes.contains(x))
            .copied()
            .collect();
        let part = ordered(emit, operand, &axes)?;
        let shape = output
            .iter()
            .map(|x| if axes.contains(x) { lengths[x] } else { 1 });
        let shape: Vec<usize> = shape.collect();
        parts.push(emit.reshape(part.value, &shape)?);
    }
    Ok(Operand {
        value: emit.mul(parts[0], parts[1])?,
        axes: output.to_vec(),
    })
}

/// Constant weights: the axes of the data around the summed ones become batch and space.
fn weighted(
    emit: &mut Emitter,
    data: &Operand,
    weights: &Operand,
    summed: &[char],
    lengths: &Lengths,
    output: &[char],
) -> anyhow::Result<Operand> {
    let length = |axes: &[char]| axes.iter().map(|axis| lengths[axis]).product::<usize>();
    let first = data
        .axes
        .iter()
        .position(|axis| summed.contains(axis))
        .unwrap_or(0);
    let neighbours = data.axes[first..]
        .iter()
        .take_while(|axis| summed.contains(axis));
    let data = if neighbours.count() == summed.len() {
        data.clone()
    } else {
        let free = output.iter().filter(|axis| data.axes.contains(axis));
        let axes: Vec<char> = free.chain(summed).copied().collect();
        ordered(emit, data, &axes)?
    };
    let first = data
        .axes
        .iter()
        .position(|axis| summed.contains(axis))
        .unwrap_or(0);
    let (before, rest) = data.axes.split_at(first);
    let (summed, behind) = rest.split_at(summed.len());
    let made = output.iter().filter(|axis| weights.axes.contains(axis));
    let made: Vec<char> = made.copied().collect();
    let weights = ordered(emit, weights, &[&made[..], summed].concat())?;
    let weights = emit.reshape(weights.value, &[length(&made), length(summed), 1, 1])?;
    let shape = [length(before), length(summed), length(behind), 1];
    let value = emit.reshape(data.value, &shape)?;
    let window = Window::point([length(behind), 1]);
    let value = emit.conv(value, weights, None, 1, window)?;
    let axes = [before, &made, behind].concat();
    let shape: Vec<usize> = axes.iter().map(|axis| lengths[axis]).collect();
    Ok(Operand {
        value: emit.reshape(value, &shape)?,
        axes,
    })
}

/// `X[g, m, k] · Y[g, k, n]` as a convolution in `g` groups: `Y` is the image, `X` the weights.
fn grouped(
    emit: &mut Emitter,
    x: &Operand,
    y: &Operand,
    summed: &[char],
    shared: &[char],
    lengths: &Lengths,
    output: &[char],
) -> anyhow::Result<Operand> {
    let length = |axes: &[char]| axes.iter().map(|axis| lengths[axis]).product::<usize>();
    let free = |operand: &Operand| -> Vec<char> {
        let free = output.iter().filter(|axis| operand.axes.contains(axis));
        free.filter(|axis| !shared.contains(axis))
            .copied()
            .collect()
    };
    let (rows, columns) = (free(x), free(y));
    let x = ordered(emit, x, &[shared, &rows, summed].concat())?;
    let y = ordered(emit, y, &[shared, summed, &columns].concat())?;
    let (g, m, k, n) = (
        length(shared),
        length(&rows),
        length(summed),
        length(&columns),
    );
    let weights = emit.reshape(x.value, &[g * m, k, 1, 1])?;
    let image = emit.reshape(y.value, &[1, g * k, n, 1])?;
    let value = emit.conv(image, weights, None, g, Window::point([n, 1]))?;
    let axes = [shared, &rows, &columns].concat();
    let shape: Vec<usize> = axes.iter().map(|axis| lengths[axis]).collect();
    Ok(Operand {
        value: emit.reshape(value, &shape)?,
        axes,
    })
}
