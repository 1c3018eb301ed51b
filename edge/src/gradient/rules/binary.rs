//! Functions of two elements, with broadcasting: an input that was repeated gets the sum.

use tract_onnx::prelude::*;
use tract_onnx::tract_core::ops::binary::TypedBinOp;
use tract_onnx::tract_core::ops::logic::{CompEq, CompGT};
use tract_onnx::tract_core::ops::math::{Add, Div, Ln, Max, Min, Mul, Pow, Sub, SubF};

use super::{Parts, Rule, first_fit};
use crate::gradient::builder::Builder;

pub(super) fn rule_of(op: &TypedBinOp) -> Option<Rule> {
    let op = &*op.0;
    let rules: [(bool, Rule); 8] = [
        (op.is::<Add>(), |b, n, g| split(b, n, [|_, g| Ok(g); 2], g)),
        (op.is::<Sub>(), |b, n, g| {
            split(b, n, [|_, g| Ok(g), |b, g| b.neg(g)], g)
        }),
        (op.is::<SubF>(), |b, n, g| {
            split(b, n, [|b, g| b.neg(g), |_, g| Ok(g)], g)
        }),
        (op.is::<Mul>(), mul),
        (op.is::<Div>(), div),
        (op.is::<Max>(), max),
        (op.is::<Min>(), min),
        (op.is::<Pow>(), pow),
    ];
    first_fit(rules)
}

type Part = fn(&mut Builder, OutletId) -> TractResult<OutletId>;

fn split(b: &mut Builder, node: &TypedNode, parts: [Part; 2], g: OutletId) -> TractResult<Parts> {
    let mut found = Vec::new();
    for (slot, part) in parts.into_iter().enumerate() {
        let part = part(b, g)?;
        push(b, &mut found, node, slot, part)?;
    }
    Ok(found)
}

/// Adds the gradient of a non-constant input, summed where it was repeated.
fn push(
    b: &mut Builder,
    parts: &mut Parts,
    node: &TypedNode,
    slot: usize,
    part: OutletId,
) -> TractResult<()> {
    let input = node.inputs[slot];
    parts.push((slot, b.gathered(part, input)?));
    Ok(())
}

/// Whether an input may depend on the image.
fn varies(b: &Builder, node: &TypedNode, slot: usize) -> TractResult<bool> {
    Ok(b.constant_of(node.inputs[slot])?.is_none())
}

/// `g b`, `g a`
fn mul(b: &mut Builder, node: &TypedNode, g: OutletId) -> TractResult<Parts> {
    let mut parts = Vec::new();
    for slot in 0..2 {
        if varies(b, node, slot)? {
            let part = b.mul(g, node.inputs[1 - slot])?;
            push(b, &mut parts, node, slot, part)?;
        }
    }
    Ok(parts)
}

/// `g / b`, `−g y / b`
fn div(b: &mut Builder, node: &TypedNode, g: OutletId) -> TractResult<Parts> {
    let mut parts = Vec::new();
    let quotient = b.div(g, node.inputs[1])?;
    push(b, &mut parts, node, 0, quotient)?;
    if varies(b, node, 1)? {
        let product = b.mul(quotient, OutletId::new(node.id, 0))?;
        let part = b.neg(product)?;
        push(b, &mut parts, node, 1, part)?;
    }
    Ok(parts)
}

/// `g p x^(p − 1)`, `g y ln x`; the latter 0 where `y` is, as the power of 0 stays 0.
fn pow(b: &mut Builder, node: &TypedNode, g: OutletId) -> TractResult<Parts> {
    let [x, exponent] = [node.inputs[0], node.inputs[1]];
    let mut parts = Vec::new();
    if varies(b, node, 0)? {
        let less = b.shifted(exponent, -1.0)?;
        let power = b.binary(Pow, x, less)?;
        let slope = b.mul(power, exponent)?;
        let part = b.mul(g, slope)?;
        push(b, &mut parts, node, 0, part)?;
    }
    if varies(b, node, 1)? {
        let y = OutletId::new(node.id, 0);
        let log = b.unary(Ln {}, x)?;
        let slope = b.mul(y, log)?;
        let zero = b.number(0.0, y)?;
        let still = b.binary(CompEq, y, zero)?;
        let slope = b.drop(still, slope)?;
        let part = b.mul(g, slope)?;
        push(b, &mut parts, node, 1, part)?;
    }
    Ok(parts)
}

/// `g` above a bound. Known from `y`, so that `x` need not be kept, and left to a bound from above
/// that follows.
fn max(b: &mut Builder, node: &TypedNode, g: OutletId) -> TractResult<Parts> {
    let Some((slot, low)) = bound(b, node)? else {
        return choice(b, node, g, |b, x, other| b.greater(x, other));
    };
    if b.only_successor(node)
        .is_some_and(|next| lower(b, next).is_some())
    {
        return Ok(vec![(slot, g)]);
    }
    let y = OutletId::new(node.id, 0);
    Ok(vec![(slot, b.within_bounds(y, low, f64::INFINITY, g)?)])
}

/// `g` below a bound, and above that of a bound from below that comes before.
fn min(b: &mut Builder, node: &TypedNode, g: OutletId) -> TractResult<Parts> {
    let Some((slot, high)) = bound(b, node)? else {
        return choice(b, node, g, |b, x, other| b.greater(other, x));
    };
    let low = lower(b, node).unwrap_or(f64::NEG_INFINITY);
    let y = OutletId::new(node.id, 0);
    Ok(vec![(slot, b.within_bounds(y, low, high, g)?)])
}

/// The bound from below in front of a bound from above, which alone uses it: a clip.
fn lower(b: &Builder, node: &TypedNode) -> Option<f64> {
    if !is(node, |op| op.0.is::<Min>()) {
        return None;
    }
    let (slot, _) = bound(b, node).ok()??;
    let before = b.node(node.inputs[slot]);
    let used_here = b.only_successor(before)?.id == node.id;
    if !used_here || !is(before, |op| op.0.is::<Max>()) {
        return None;
    }
    bound(b, before).ok()?.map(|(_, low)| low)
}

fn is(node: &TypedNode, fits: fn(&TypedBinOp) -> bool) -> bool {
    node.op_as().is_some_and(fits)
}

/// Where one input is a single constant number, the slot of the other and that number.
fn bound(b: &Builder, node: &TypedNode) -> TractResult<Option<(usize, f64)>> {
    let shape = b.shape(OutletId::new(node.id, 0))?;
    for (slot, &input) in node.inputs.iter().enumerate() {
        let Some(value) = b.constant_of(node.inputs[1 - slot])? else {
            continue;
        };
        if value.len() == 1 && b.shape(input)? == shape {
            return Ok(Some((slot, value.cast_to_scalar::<f64>()?)));
        }
    }
    Ok(None)
}

/// The input that was taken gets `g`. Of two equal ones each gets half, but a constant leaves the
/// other nothing: rectifiers and clips have no slope at their kinks.
fn choice(
    b: &mut Builder,
    node: &TypedNode,
    g: OutletId,
    wins: fn(&mut Builder, OutletId, OutletId) -> TractResult<OutletId>,
) -> TractResult<Parts> {
    let [x, y] = [node.inputs[0], node.inputs[1]];
    let mut parts = Vec::new();
    if !varies(b, node, 0)? || !varies(b, node, 1)? {
        let slot = usize::from(!varies(b, node, 0)?);
        let [x, other] = [node.inputs[slot], node.inputs[1 - slot]];
        let won = wins(b, x, other)?;
        let part = b.keep(won, g)?;
        push(b, &mut parts, node, slot, part)?;
        return Ok(parts);
    }
    let half = b.scaled(g, 0.5)?;
    for (slot, a, other) in [(0, x, y), (1, y, x)] {
        // Half where it has not lost, and another half where it has won.
        let (won, lost) = (wins(b, a, other)?, wins(b, other, a)?);
        let first = b.drop(lost, half)?;
        let second = b.keep(won, half)?;
        let part = b.add(first, second)?;
        push(b, &mut parts, node, slot, part)?;
    }
    Ok(parts)
}

/// `g` where the condition holds, and where it does not.
pub(super) fn iff(b: &mut Builder, node: &TypedNode, g: OutletId) -> TractResult<Parts> {
    let condition = node.inputs[0];
    let mut parts = Vec::new();
    let [taken, left] = if is_leaky(b, node)? {
        // At 0, PyTorch takes the slope of the left side.
        let x = node.inputs[2];
        let zero = b.number(0.0, x)?;
        let above = b.greater(x, zero)?;
        [b.drop(above, g)?, b.keep(above, g)?]
    } else {
        [b.keep(condition, g)?, b.drop(condition, g)?]
    };
    push(b, &mut parts, node, 1, taken)?;
    push(b, &mut parts, node, 2, left)?;
    Ok(parts)
}

/// Whether a choice is what tract makes of a PReLU: `w x` where `0 > x`, else `x`.
fn is_leaky(b: &Builder, node: &TypedNode) -> TractResult<bool> {
    let [condition, product, x] = node.inputs[..] else {
        return Ok(false);
    };
    let [condition, product] = [condition, product].map(|outlet| b.node(outlet));
    let compares = is(condition, |op| op.0.is::<CompGT>()) && condition.inputs[1] == x;
    if !compares || !is(product, |op| op.0.is::<Mul>()) || !product.inputs.contains(&x) {
        return Ok(false);
    }
    let zero = b.constant_of(condition.inputs[0])?;
    Ok(zero.is_some_and(|zero| zero.is_all_zero().unwrap_or(false)))
}
