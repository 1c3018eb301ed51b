//! Two operators of our own, where a gradient made of tract's costs more than the rest of it.
//!
//! tract compares, selects and scatters through generic indexing, element by element, and passes
//! over the memory once for each operator of a slope; these pass once.

use std::f32::consts::{FRAC_1_SQRT_2, PI};

use anyhow::Context;
use tract_onnx::prelude::*;
use tract_onnx::tract_core::internal::*;
use tract_onnx::tract_core::ops::cnn::PoolSpec;
use tract_onnx::tract_core::tract_linalg::routines::Func;
use tract_onnx::tract_core::{as_op, op_as_typed_op, op_out_of_plan};

/// Of `x` and a second input of its shape: the second times a slope at `x`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Slope {
    /// 1 where `low < x < high`, else 0. Bits of the bounds, so that operators can be compared.
    Within([u64; 2]),
    /// `s (1 + x (1 − s))` with `s` the sigmoid of `x`.
    Silu,
    /// `Φ(x) + x φ(x)`, with the normal distribution and its density.
    Gelu,
}

impl Slope {
    pub(crate) fn within(low: f64, high: f64) -> Self {
        Self::Within([low.to_bits(), high.to_bits()])
    }

    fn multiply(&self, x: &Tensor, slope: &mut Tensor) -> TractResult<()> {
        let x = x.try_as_plain_ram()?;
        let mut slope = slope.try_as_plain_ram_mut()?;
        let (x, slopes) = (x.as_slice::<f32>()?, slope.as_slice_mut::<f32>()?);
        match self {
            Self::Within(bounds) => {
                let [low, high] = bounds.map(|bits| f64::from_bits(bits) as f32);
                keep(x, slopes, low, high);
            }
            Self::Silu => {
                let sigmoid = Func::Sigmoid.ew_f32()?;
                in_blocks(x, slopes, |x, g, [s, _]| {
                    s.copy_from_slice(x);
                    sigmoid.run(s)?;
                    for ((g, x), s) in g.iter_mut().zip(x).zip(s) {
                        *g *= *s * (1.0 + x * (1.0 - *s));
                    }
                    Ok(())
                })?;
            }
            Self::Gelu => {
                let (erf, exp) = (Func::Erf.ew_f32()?, Func::Exp.ew_f32()?);
                let peak = (2.0 * PI).sqrt().recip();
                in_blocks(x, slopes, |x, g, [e, bell]| {
                    for ((x, e), bell) in x.iter().zip(e.iter_mut()).zip(bell.iter_mut()) {
                        *e = x * FRAC_1_SQRT_2;
                        *bell = -0.5 * x * x;
                    }
                    erf.run(e)?;
                    exp.run(bell)?;
                    for (((g, x), e), bell) in g.iter_mut().zip(x).zip(e).zip(bell) {
                        *g *= 0.5 + 0.5 * *e + x * peak * *bell;
                    }
                    Ok(())
                })?;
            }
        }
        Ok(())
    }
}

/// Works on parts that fit into the cache, each with room for two functions of `x`.
fn in_blocks(
    x: &[f32],
    slopes: &mut [f32],
    mut work: impl FnMut(&[f32], &mut [f32], [&mut [f32]; 2]) -> TractResult<()>,
) -> TractResult<()> {
    let (mut first, mut second) = ([0f32; BLOCK], [0f32; BLOCK]);
    for (x, slopes) in x.chunks(BLOCK).zip(slopes.chunks_mut(BLOCK)) {
        work(x, slopes, [&mut first[..x.len()], &mut second[..x.len()]])?;
    }
    Ok(())
}

const BLOCK: usize = 1024;

/// Both bounds are compared: a choice without branches is made for many elements at once.
fn keep<T: Copy + PartialOrd + Default>(x: &[T], slopes: &mut [T], low: T, high: T) {
    for (slope, &x) in slopes.iter_mut().zip(x) {
        let inside = (x > low) & (x < high);
        *slope = if inside { *slope } else { T::default() };
    }
}

impl Op for Slope {
    fn name(&self) -> StaticName {
        match self {
            Self::Within(_) => "Within".into(),
            Self::Silu => "SiluGradient".into(),
            Self::Gelu => "GeluGradient".into(),
        }
    }

    op_as_typed_op!();
}

impl EvalOp for Slope {
    op_out_of_plan!();

    /// In place, so that no memory is asked for where nothing else takes the second input.
    fn eval(&self, _: &EvalContext, mut inputs: TVec<TValue>) -> TractResult<TVec<TValue>> {
        ensure!(inputs.len() == 2, "expected two inputs");
        let mut slope = inputs.remove(1).into_tensor();
        let kind = slope.datum_type();
        let x = &inputs[0];
        if let (Self::Within(bounds), true) = (self, kind == f64::datum_type()) {
            let [low, high] = bounds.map(f64::from_bits);
            let x = x.try_as_plain_ram()?;
            let mut slopes = slope.try_as_plain_ram_mut()?;
            keep(x.as_slice::<f64>()?, slopes.as_slice_mut()?, low, high);
        } else if kind == f32::datum_type() {
            self.multiply(x, &mut slope)?;
        } else {
            let mut single = slope.cast_to::<f32>()?.into_owned();
            self.multiply(&*x.cast_to::<f32>()?, &mut single)?;
            slope = single.cast_to_dt(kind)?.into_owned();
        }
        Ok(tvec!(slope.into_tvalue()))
    }
}

impl TypedOp for Slope {
    fn output_facts(&self, inputs: &[&TypedFact]) -> TractResult<TVec<TypedFact>> {
        let [x, slope] = inputs else {
            bail!("expected two inputs, found {}", inputs.len())
        };
        ensure!(
            x.shape == slope.shape && x.datum_type == slope.datum_type,
            "{x:?} and {slope:?} differ"
        );
        Ok(tvec!(slope.without_value()))
    }

    fn axes_mapping(
        &self,
        inputs: &[&TypedFact],
        outputs: &[&TypedFact],
    ) -> TractResult<AxesMapping> {
        AxesMapping::natural(inputs, outputs)
    }

    fn change_axes(
        &self,
        model: &TypedModel,
        node: &TypedNode,
        _: InOut,
        change: &AxisOp,
    ) -> TractResult<Option<AxisChangeConsequence>> {
        Ok(Some(AxisChangeConsequence::new(model, node, None, change)))
    }

    as_op!();
}

/// Of `x` and the gradient in its pooled maxima, both batch × channels × space: the gradient in
/// `x`. The first maximum of each window gets it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct MaxPoolGradient {
    pub(crate) pool_spec: PoolSpec,
}

impl Op for MaxPoolGradient {
    fn name(&self) -> StaticName {
        "MaxPoolGradient".into()
    }

    op_as_typed_op!();
}

impl EvalOp for MaxPoolGradient {
    op_out_of_plan!();

    fn eval(&self, _: &EvalContext, inputs: TVec<TValue>) -> TractResult<TVec<TValue>> {
        ensure!(inputs.len() == 2, "expected two inputs");
        let space = inputs[0].shape().get(2..).context("an image")?;
        let windows = Windows::new(&self.pool_spec, space);
        let (x, slope) = (&inputs[0], &inputs[1]);
        let kind = slope.datum_type();
        let found = if kind == f64::datum_type() {
            scattered::<f64>(x, slope, &windows)?
        } else {
            let (x, slope) = (x.cast_to::<f32>()?, slope.cast_to::<f32>()?);
            let found = scattered::<f32>(&x, &slope, &windows)?;
            if kind == f32::datum_type() {
                found
            } else {
                found.cast_to_dt(kind)?.into_owned()
            }
        };
        Ok(tvec!(found.into_tvalue()))
    }
}

impl TypedOp for MaxPoolGradient {
    fn output_facts(&self, inputs: &[&TypedFact]) -> TractResult<TVec<TypedFact>> {
        let [x, slope] = inputs else {
            bail!("expected two inputs, found {}", inputs.len())
        };
        let pooled = self.pool_spec.output_shape(&x.shape)?.shape;
        ensure!(
            pooled[..] == slope.shape[..] && x.datum_type == slope.datum_type,
            "{slope:?} is not pooled from {x:?}"
        );
        Ok(tvec!(x.without_value()))
    }

    as_op!();
}

/// The elements of a plane that each window covers, in the order in which they are compared.
struct Windows {
    elements: Vec<usize>,
    /// Where the elements of each window end.
    ends: Vec<usize>,
}

impl Windows {
    fn new(spec: &PoolSpec, space: &[usize]) -> Self {
        let padding = spec.computed_padding(space);
        let outputs: Vec<usize> = padding.iter().map(|p| p.convoluted).collect();
        let (mut elements, mut ends) = (Vec::new(), Vec::new());
        for window in positions(&outputs) {
            for offset in positions(&spec.kernel_shape) {
                let mut element = Some(0);
                for axis in 0..space.len() {
                    let at = window[axis] * spec.stride(axis) + offset[axis] * spec.dilation(axis);
                    let inside = at
                        .checked_sub(padding[axis].pad_before)
                        .filter(|&at| at < space[axis]);
                    element = element
                        .zip(inside)
                        .map(|(element, at)| element * space[axis] + at);
                }
                elements.extend(element);
            }
            ends.push(elements.len());
        }
        Self { elements, ends }
    }

    fn iter(&self) -> impl Iterator<Item = &[usize]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts
            .zip(&self.ends)
            .map(|(start, &end)| &self.elements[start..end])
    }
}

/// Every position in a grid, the last axis fastest.
fn positions(grid: &[usize]) -> impl Iterator<Item = Vec<usize>> {
    (0..grid.iter().product()).map(move |mut rest: usize| {
        let mut position = vec![0; grid.len()];
        for (at, &length) in position.iter_mut().zip(grid).rev() {
            *at = rest % length;
            rest /= length;
        }
        position
    })
}

fn scattered<T: Datum + Copy + PartialOrd + std::ops::AddAssign>(
    x: &Tensor,
    slope: &Tensor,
    windows: &Windows,
) -> TractResult<Tensor> {
    let mut found = Tensor::zero_dt(T::datum_type(), x.shape())?;
    let plane: usize = x.shape()[2..].iter().product();
    let pooled: usize = slope.shape()[2..].iter().product();
    {
        let (x, slope) = (x.try_as_plain_ram()?, slope.try_as_plain_ram()?);
        let mut found = found.try_as_plain_ram_mut()?;
        let planes = x.as_slice::<T>()?.chunks_exact(plane.max(1));
        let slopes = slope.as_slice::<T>()?.chunks_exact(pooled.max(1));
        let founds = found.as_slice_mut::<T>()?.chunks_exact_mut(plane.max(1));
        for ((x, slope), found) in planes.zip(slopes).zip(founds) {
            for (window, &slope) in windows.iter().zip(slope) {
                let first = |best: (T, usize), &at: &usize| {
                    let value = x[at];
                    if value > best.0 { (value, at) } else { best }
                };
                if let Some((&start, rest)) = window.split_first() {
                    let (_, best) = rest.iter().fold((x[start], start), first);
                    found[best] += slope;
                }
            }
        }
    }
    Ok(found)
}
