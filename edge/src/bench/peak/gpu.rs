//! What a GPU can do: large products in wonnx, by the kernel that lowered models are made of.

use std::iter::{once, repeat_n};
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use tract_onnx::prelude::*;
use tract_onnx::tract_core::ops::einsum::EinSum;

use crate::model::card::Layout;
use crate::model::probe::test_image;
use crate::model::quiet;
use crate::runtime::gpu::adapters::Adapter;
use crate::runtime::gpu::check::TOLERANCE;
use crate::runtime::gpu::load::lowered;
use crate::runtime::gpu::session::GpuNetwork;

/// Rows and depth of a product.
const SIDE: usize = 1024;
/// Products of a chain, whose results stay on the GPU.
const LAYERS: usize = 4;
/// Rows that go into a chain and come out: few, as what is timed holds moving them.
const NARROW: usize = 16;
/// Columns of the products: a fraction of a second on a small GPU, enough to fill a large one.
const COLUMNS: [usize; 5] = [64, 256, 1024, 4096, 16_384];

/// A run of this length is not made shorter by fewer calls: no larger product is tried.
const LONG: Duration = Duration::from_millis(50);
/// Fewest runs of a chain.
const RUNS: u32 = 3;

/// Multiply–accumulates per second of f32: the most that any chain reaches in its fastest run,
/// moving what goes in and comes out included. Columns are added until a run is long. Each chain
/// gets a quarter of `time`, and [`RUNS`] runs at least.
///
/// # Errors
/// When the GPU fails or computes something else, and where it cannot hold a chain.
pub(super) fn macs_per_s(adapter: &Adapter, time: Duration) -> Result<f64> {
    let mut most = 0.0_f64;
    for columns in COLUMNS {
        let fastest = Chain::new(columns, adapter)?.fastest(time / 4)?;
        let macs = columns * SIDE * (LAYERS * SIDE + 2 * NARROW);
        most = most.max(macs as f64 / fastest.as_secs_f64().max(1e-9));
        if fastest >= LONG {
            break;
        }
    }
    Ok(most)
}

/// Products with constant matrices, one after the other.
struct Chain {
    network: GpuNetwork,
    matrices: Matrices,
    columns: usize,
    /// `NARROW × columns` values.
    input: Vec<f32>,
}

impl Chain {
    fn new(columns: usize, adapter: &Adapter) -> Result<Self> {
        let matrices = Matrices::new();
        let model = quiet::catch(|| lowered(&matrices.graph(columns)?, Layout::Nchw))?;
        Ok(Self {
            network: GpuNetwork::new(model, adapter)?,
            matrices,
            columns,
            input: test_image(4, NARROW * columns),
        })
    }

    /// The shortest of several runs. Setting the network up has warmed it.
    fn fastest(&self, time: Duration) -> Result<Duration> {
        self.check(&self.network.run_batch(&self.input)?)?;
        let start = Instant::now();
        let mut fastest = Duration::MAX;
        let mut runs = 0;
        while runs < RUNS || start.elapsed() < time {
            let begun = Instant::now();
            self.network.run_batch(&self.input)?;
            fastest = fastest.min(begun.elapsed());
            runs += 1;
        }
        Ok(fastest)
    }

    /// Refuses outputs, `NARROW × columns`, of which the first, a middle or the last column is not
    /// the product.
    fn check(&self, outputs: &[f32]) -> Result<()> {
        for column in [0, self.columns / 2, self.columns - 1] {
            let values = self.input.iter().skip(column).step_by(self.columns);
            let expected = self.matrices.product(values.map(|&v| v.into()).collect());
            let scale = expected.iter().fold(0.0_f64, |most, v| most.max(v.abs()));
            let found = outputs.iter().skip(column).step_by(self.columns);
            let right = |(&found, expected): (&f32, &f64)| {
                (f64::from(found) - expected).abs() <= f64::from(TOLERANCE) * scale
            };
            ensure!(
                found.len() == NARROW && found.zip(&expected).all(right),
                "the GPU computes a product of {} columns wrongly",
                self.columns
            );
        }
        Ok(())
    }
}

/// What the chain multiplies by: matrices of outputs × inputs.
struct Matrices {
    first: Vec<f32>,
    middle: Vec<f32>,
    last: Vec<f32>,
}

impl Matrices {
    fn new() -> Self {
        let matrix = |number, outputs, inputs| {
            // The variance of test images is 4/3; that of products is to stay.
            let scale = (0.75 / inputs as f32).sqrt();
            let values = test_image(number, outputs * inputs).into_iter();
            values.map(|value| value * scale).collect()
        };
        Self {
            first: matrix(1, SIDE, NARROW),
            middle: matrix(2, SIDE, SIDE),
            last: matrix(3, NARROW, SIDE),
        }
    }

    /// The chain as a graph of one input and one output, `1 × NARROW × columns × 1` both.
    fn graph(&self, columns: usize) -> Result<TypedModel> {
        let mut graph = TypedModel::default();
        let mut data = graph.add_source("data", f32::fact([1, NARROW, columns, 1]))?;
        let mut constant = |name: &str, outputs: usize, values: &[f32]| {
            let shape = [outputs, values.len() / outputs];
            graph.add_const(name, Tensor::from_shape(&shape, values)?)
        };
        let first = constant("first", SIDE, &self.first)?;
        let middle = constant("middle", SIDE, &self.middle)?;
        let last = constant("last", NARROW, &self.last)?;
        let chain = once(first).chain(repeat_n(middle, LAYERS)).chain([last]);
        for (layer, matrix) in chain.enumerate() {
            let product = EinSum::new("niyx,oi->noyx".parse()?, f32::datum_type());
            data = graph.wire_node(format!("product.{layer}"), product, &[data, matrix])?[0];
        }
        graph.select_output_outlets(&[data])?;
        Ok(graph)
    }

    /// What the chain makes of one column.
    fn product(&self, column: Vec<f64>) -> Vec<f64> {
        let chain = once(&self.first)
            .chain(repeat_n(&self.middle, LAYERS))
            .chain([&self.last]);
        chain.fold(column, |column, matrix| {
            let rows = matrix.chunks_exact(column.len());
            let dot = |row: &[f32]| {
                row.iter()
                    .zip(&column)
                    .map(|(&a, b)| f64::from(a) * b)
                    .sum()
            };
            rows.map(dot).collect()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runtime::gpu::lowering::count;
    use crate::runtime::gpu::test_adapter;

    #[test]
    fn a_chain_is_products_alone() {
        let graph = Matrices::new().graph(COLUMNS[0]).unwrap();
        assert_eq!(count(&graph).unwrap(), LAYERS + 2);
        let largest = Matrices::new().graph(COLUMNS[4]).unwrap();
        assert_eq!(count(&largest).unwrap(), LAYERS + 2);
    }

    #[test]
    fn the_product_is_one() {
        // Element by element, the matrices multiplied before they meet the column.
        let matrices = Matrices::new();
        let wide = |matrix: &[f32]| matrix.iter().map(|&v| f64::from(v)).collect::<Vec<_>>();
        let mut left = wide(&matrices.last);
        for matrix in repeat_n(&matrices.middle, LAYERS).chain([&matrices.first]) {
            let inner = left.len() / NARROW;
            let width = matrix.len() / inner;
            let mut next = vec![0.0; NARROW * width];
            for row in 0..NARROW {
                for k in 0..inner {
                    for x in 0..width {
                        let factor = f64::from(matrix[k * width + x]);
                        next[row * width + x] += left[row * inner + k] * factor;
                    }
                }
            }
            left = next;
        }
        let column: Vec<f64> = test_image(5, NARROW).into_iter().map(f64::from).collect();
        for (row, found) in matrices.product(column.clone()).into_iter().enumerate() {
            let expected: f64 = (0..NARROW)
                .map(|k| left[row * NARROW + k] * column[k])
                .sum();
            assert!((found - expected).abs() < 1e-9, "{found} {expected}");
            assert!(found.abs() < 100.0);
        }
    }

    #[test]
    fn a_gpu_multiplies() {
        let Some(adapter) = test_adapter() else {
            return;
        };
        let chain = Chain::new(COLUMNS[0], &adapter).unwrap();
        let mut outputs = chain.network.run_batch(&chain.input).unwrap();
        for column in 0..COLUMNS[0] {
            let values = chain.input.iter().skip(column).step_by(COLUMNS[0]);
            let expected = chain.matrices.product(values.map(|&v| v.into()).collect());
            for (row, expected) in expected.into_iter().enumerate() {
                let found = f64::from(outputs[row * COLUMNS[0] + column]);
                assert!((found - expected).abs() < 1e-3, "{found} {expected}");
            }
        }
        chain.check(&outputs).unwrap();
        let last = outputs.len() - 1;
        outputs[last] = f32::NAN;
        let error = chain.check(&outputs).unwrap_err().to_string();
        assert_eq!(error, "the GPU computes a product of 64 columns wrongly");
        chain.check(&outputs[1..]).unwrap_err();
        chain.check(&[]).unwrap_err();
        let peak = macs_per_s(&adapter, Duration::ZERO).unwrap();
        println!("{adapter}: {:.2} GMAC/s", peak / 1e9);
        assert!(peak > 0.0);
    }
}
