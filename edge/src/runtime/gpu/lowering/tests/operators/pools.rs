//! Pooling windows and the gradient of maxima.

use tract_onnx::tract_core::ops::cnn::{MaxPool, PaddingSpec, PoolSpec, SumPool};
use tract_onnx::tract_core::ops::math::Floor;

use super::*;
use crate::gradient::operators::MaxPoolGradient;

#[test]
fn pools() {
    let mut cases = Cases::default();
    for channels in [4, 6] {
        for batch in [1, 2] {
            for (kernel, stride, pads) in [(2, 2, 0), (3, 2, 1), (3, 1, 1), (2, 3, 0)] {
                let name = format!("{batch} {channels} {kernel} {stride} {pads}");
                let shape = [batch, channels, 7, 9];
                let spec = spec([channels; 2], &[kernel, kernel], stride, 1, pads);
                let rounded_up = PoolSpec {
                    padding: PaddingSpec::ExplicitOnnxPool(tvec!(pads; 2), tvec!(pads; 2), true),
                    ..spec.clone()
                };
                for (how, pool_spec) in [("", spec), (" up", rounded_up)] {
                    let max = MaxPool {
                        pool_spec: pool_spec.clone(),
                        with_index_outputs: None,
                    };
                    cases.add(format!("max {name}{how}"), &shape, |g, x| {
                        wire(g, max, &[x])
                    });
                    for (count_include_pad, normalize) in
                        [(false, true), (true, true), (true, false)]
                    {
                        let sum = SumPool {
                            pool_spec: pool_spec.clone(),
                            count_include_pad,
                            normalize,
                        };
                        let name = format!("sum {name}{how} {count_include_pad} {normalize}");
                        cases.add(name, &shape, |g, x| wire(g, sum, &[x]));
                    }
                    cases.add(format!("max gradient {name}{how}"), &shape, |g, x| {
                        let pooled = pool_spec.output_shape(&shape)?.shape;
                        // Steps make ties.
                        let x = wire(g, unary(Floor {}), &[x])?;
                        let slope = constant(g, 6, &pooled)?;
                        wire(g, MaxPoolGradient { pool_spec }, &[x, slope])
                    });
                }
            }
        }
    }
    cases.check();
}
