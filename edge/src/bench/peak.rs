//! What this machine can do, by the engine that runs models: a large matrix product in tract's own
//! kernels, or several on a GPU. Not what a data sheet promises.

#[cfg(feature = "gpu")]
mod gpu;

use std::sync::{Arc, Barrier};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use tract_onnx::prelude::*;
use tract_onnx::tract_core::ops::einsum::EinSum;

use super::joined;
use crate::model::probe::test_image;
use crate::model::quiet;
use crate::runtime::gpu::adapters::Adapter;

/// Rows, columns and depth of the product: too large for the caches of a core to matter, small
/// enough for a fraction of a second on a small board.
const SIDE: usize = 768;

/// Longest time that is spent on it.
const LONGEST: Duration = Duration::from_secs(1);

/// Multiply–accumulates per second of f32 on `threads` threads: the sum of what each does in its
/// fastest product while the others are busy too.
///
/// # Errors
/// When tract fails.
pub(super) fn macs_per_s(threads: usize, time: Duration) -> Result<f64> {
    let product = quiet::catch(product)?;
    let gate = Barrier::new(threads);
    let fastest = std::thread::scope(|scope| {
        let run = || fastest(&product, &gate, time.min(LONGEST));
        joined((0..threads).map(|_| scope.spawn(run)).collect())
    })?;
    let macs = (SIDE * SIDE * SIDE) as f64;
    let rates = fastest
        .iter()
        .map(|time| macs / time.as_secs_f64().max(1e-9));
    Ok(rates.sum())
}

/// Multiply–accumulates per second of f32 that wonnx reaches in large products on the adapter of this
/// process.
///
/// # Errors
/// When the GPU fails or computes something else, cannot hold the products, or is not in this build.
pub(super) fn macs_per_s_on(adapter: &Adapter, time: Duration) -> Result<f64> {
    #[cfg(feature = "gpu")]
    return gpu::macs_per_s(adapter, time.min(LONGEST));
    #[cfg(not(feature = "gpu"))]
    anyhow::bail!("{adapter} for {time:?}: this build runs no models on GPUs")
}

/// A product with a constant, which tract packs beforehand as it does with weights.
fn product() -> Result<Arc<TypedRunnableModel>> {
    let mut graph = TypedModel::default();
    let shape = [SIDE, SIDE];
    let matrix = graph.add_source("matrix", f32::fact(shape))?;
    let weights = graph.add_const("weights", operand(1)?)?;
    let product = EinSum::new("mk,kn->mn".parse()?, f32::datum_type());
    let outputs = graph.wire_node("product", product, &[matrix, weights])?;
    graph.select_output_outlets(&outputs)?;
    graph.into_optimized()?.into_runnable()
}

fn operand(number: usize) -> Result<Tensor> {
    Tensor::from_shape(&[SIDE, SIDE], &test_image(number, SIDE * SIDE))
}

/// The shortest of one thread's products: two at least.
fn fastest(product: &Arc<TypedRunnableModel>, gate: &Barrier, time: Duration) -> Result<Duration> {
    let warm = ready(product);
    gate.wait();
    let (mut state, matrix) = warm?;
    let start = Instant::now();
    let mut fastest = Duration::MAX;
    let mut runs = 0;
    while runs < 2 || start.elapsed() < time {
        let begun = Instant::now();
        state.run(tvec!(matrix.clone()))?;
        fastest = fastest.min(begun.elapsed());
        runs += 1;
    }
    Ok(fastest)
}

type Ready = (tract_onnx::tract_core::internal::TypedSimpleState, TValue);

fn ready(product: &Arc<TypedRunnableModel>) -> Result<Ready> {
    let mut state = product.spawn().context("tract cannot set up its state")?;
    let matrix = operand(2)?.into_tvalue();
    state.run(tvec!(matrix.clone()))?;
    Ok((state, matrix))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_product_is_one() {
        let mut state = product().unwrap().spawn().unwrap();
        let (a, b) = (operand(2).unwrap(), operand(1).unwrap());
        let result = state.run(tvec!(a.clone().into_tvalue())).unwrap();
        let [a, b, c] = [&a, &b, &*result[0]].map(|tensor| {
            let values = tensor.try_as_plain_ram().unwrap();
            values.as_slice::<f32>().unwrap().to_vec()
        });
        for (row, column) in [(0, 0), (3, 700), (767, 1)] {
            let terms =
                (0..SIDE).map(|k| f64::from(a[row * SIDE + k]) * f64::from(b[k * SIDE + column]));
            let expected: f64 = terms.sum();
            assert!((f64::from(c[row * SIDE + column]) - expected).abs() < 1e-2);
        }
        assert!(macs_per_s(2, Duration::ZERO).unwrap() > 0.0);
    }
}
