//! Two operators of our own, where a gradient made of tract's costs more than the rest of it.
//!
//! tract compares, selects and scatters through generic indexing, element by element; these pass
//! once over the memory.

use anyhow::Context;
use tract_onnx::prelude::*;
use tract_onnx::tract_core::internal::*;
use tract_onnx::tract_core::ops::cnn::PoolSpec;
use tract_onnx::tract_core::{as_op, op_as_typed_op, op_out_of_plan};

/// Of `x` and a second input of its shape: the second where `low < x < high`, else 0.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Within {
    /// Bits of the bounds, so that operators can be compared.
    bounds: [u64; 2],
}

impl Within {
    pub(super) fn new(low: f64, high: f64) -> Self {
        Self {
            bounds: [low.to_bits(), high.to_bits()],
        }
    }
}

impl Op for Within {
    fn name(&self) -> StaticName {
        "Within".into()
    }

    op_as_typed_op!();
}

impl EvalOp for Within {
    op_out_of_plan!();

    fn eval(&self, _: &EvalContext, mut inputs: TVec<TValue>) -> TractResult<TVec<TValue>> {
        ensure!(inputs.len() == 2, "expected two inputs");
        let slope = inputs.remove(1).into_tensor();
        let kind = slope.datum_type();
        let x = &inputs[0];
        let [low, high] = self.bounds.map(f64::from_bits);
        let kept = if kind == f64::datum_type() {
            kept(x, slope, low, high)?
        } else if kind == f32::datum_type() {
            kept(x, slope, low as f32, high as f32)?
        } else {
            let slope = slope.cast_to::<f32>()?.into_owned();
            let kept = kept(&*x.cast_to::<f32>()?, slope, low as f32, high as f32)?;
            kept.cast_to_dt(kind)?.into_owned()
        };
        Ok(tvec!(kept.into_tvalue()))
    }
}

impl TypedOp for Within {
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

/// In place, so that no memory is asked for where nothing else takes `slope`.
fn kept<T: Datum + Copy + PartialOrd + Default>(
    x: &Tensor,
    mut slope: Tensor,
    low: T,
    high: T,
) -> TractResult<Tensor> {
    {
        let x = x.try_as_plain_ram()?;
        let mut slopes = slope.try_as_plain_ram_mut()?;
        for (slope, &x) in slopes
            .as_slice_mut::<T>()?
            .iter_mut()
            .zip(x.as_slice::<T>()?)
        {
            // Both are compared: a choice without branches is made for many elements at once.
            let inside = (x > low) & (x < high);
            *slope = if inside { *slope } else { T::default() };
        }
    }
    Ok(slope)
}

/// Of `x` and the gradient in its pooled maxima, both batch × channels × space: the gradient in
/// `x`. The first maximum of each window gets it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct MaxPoolGradient {
    pub(super) pool_spec: PoolSpec,
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
