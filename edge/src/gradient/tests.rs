//! Every rule against finite differences in f64.

use super::*;
use crate::perturb::rng::SplitMix64;

fn random(shape: &[usize], rng: &mut SplitMix64) -> Tensor {
    let values: Vec<f64> = (0..shape.iter().product())
        .map(|_| rng.range(-1.5, 1.5))
        .collect();
    Tensor::from_shape(shape, &values).unwrap()
}

/// `Σ slope · f(x)`, and its gradient by the rules and by central differences.
fn compare(forward: &TypedModel, x: &Tensor, step: f64, rng: &mut SplitMix64) -> f64 {
    let shape = forward
        .output_fact(0)
        .unwrap()
        .shape
        .as_concrete()
        .unwrap()
        .to_vec();
    let slope = random(&shape, rng);
    let mut graph = forward.clone();
    let input = graph.input_outlets().unwrap()[0];
    let output = graph.output_outlets().unwrap()[0];
    let mut builder = Builder::new(&mut graph);
    builder.within("test");
    let wired = builder.constant(slope.clone()).unwrap();
    let gradient = back(&mut builder, forward, (output, wired), input).unwrap();
    graph.select_output_outlets(&[gradient]).unwrap();
    let gradient = run(graph.into_decluttered().unwrap(), x);
    let plan = forward.clone().into_runnable().unwrap();
    let slope = slope
        .try_as_plain_ram()
        .unwrap()
        .as_slice::<f64>()
        .unwrap()
        .to_vec();
    let value = |x: &Tensor| -> f64 {
        let y = plan.run(tvec!(x.clone().into_tvalue())).unwrap();
        let y = y[0]
            .try_as_plain_ram()
            .unwrap()
            .as_slice::<f64>()
            .unwrap()
            .to_vec();
        y.iter().zip(&slope).map(|(y, s)| y * s).sum()
    };
    let mut worst = 0f64;
    for i in 0..x.len() {
        let moved = |by: f64| {
            let mut x = x.clone();
            x.try_as_plain_ram_mut()
                .unwrap()
                .as_slice_mut::<f64>()
                .unwrap()[i] += by;
            value(&x)
        };
        let expected = (moved(step) - moved(-step)) / (2.0 * step);
        worst = worst.max((gradient[i] - expected).abs() / (1.0 + expected.abs()));
    }
    worst
}

fn run(model: TypedModel, x: &Tensor) -> Vec<f64> {
    let outputs = model
        .into_runnable()
        .unwrap()
        .run(tvec!(x.clone().into_tvalue()))
        .unwrap();
    outputs[0]
        .try_as_plain_ram()
        .unwrap()
        .as_slice::<f64>()
        .unwrap()
        .to_vec()
}

/// A graph of one input and what `wire` makes of it.
fn graph(
    shape: &[usize],
    wire: impl FnOnce(&mut Builder, OutletId) -> TractResult<OutletId>,
) -> TypedModel {
    let mut graph = TypedModel::default();
    let x = graph.add_source("x", f64::fact(shape)).unwrap();
    let mut builder = Builder::new(&mut graph);
    builder.within("forward");
    let y = wire(&mut builder, x).unwrap();
    graph.select_output_outlets(&[y]).unwrap();
    graph
}

fn check(
    name: &str,
    shape: &[usize],
    wire: impl FnOnce(&mut Builder, OutletId) -> TractResult<OutletId>,
) {
    check_within(1e-5, 1e-6, name, shape, wire);
}

fn check_within(
    step: f64,
    tolerance: f64,
    name: &str,
    shape: &[usize],
    wire: impl FnOnce(&mut Builder, OutletId) -> TractResult<OutletId>,
) {
    let mut rng = SplitMix64::new(7);
    // As the product does: decluttering changes what some means are divided by.
    let forward = graph(shape, wire).into_decluttered().unwrap();
    assert_eq!(blockers(&forward).unwrap(), []);
    let x = random(shape, &mut rng);
    let worst = compare(&forward, &x, step, &mut rng);
    assert!(worst < tolerance, "{name}: {worst}");
}

#[test]
fn functions_of_one_element() {
    use tract_onnx::tract_core::ops::math::*;
    macro_rules! check_all {
        ($($op:expr),* $(,)?) => {
            $(check(stringify!($op), &[3, 4], |b, x| b.unary($op, x));)*
        };
    }
    check_all!(Neg {}, Abs {}, Exp {}, Square {}, Sin {}, Cos {}, Recip {});
    let positive = |b: &mut Builder, x| {
        let x = b.unary(Square {}, x)?;
        b.shifted(x, 0.3)
    };
    macro_rules! check_positive {
        ($($op:expr),* $(,)?) => {
            $(check(stringify!($op), &[3, 4], |b, x| {
                let x = positive(b, x)?;
                b.unary($op, x)
            });)*
        };
    }
    check_positive!(Ln {}, Sqrt {}, Rsqrt {});
}

#[test]
fn functions_of_two_elements_with_broadcasting() {
    use tract_onnx::tract_core::ops::math::*;
    let other = |b: &mut Builder, shape: &[usize]| {
        let mut rng = SplitMix64::new(3);
        b.constant(random(shape, &mut rng))
    };
    macro_rules! check_all {
        ($($op:expr),* $(,)?) => {$(
            check(stringify!($op), &[3, 4], |b, x| {
                let c = other(b, &[3, 4])?;
                b.binary($op, x, c)
            });
            check(concat!(stringify!($op), " repeated"), &[1, 4], |b, x| {
                let c = other(b, &[3, 1])?;
                b.binary($op, c, x)
            });
            check(concat!(stringify!($op), " of itself"), &[2, 3], |b, x| {
                let y = b.unary(Sin {}, x)?;
                let sum = b.sum(x, &[0])?;
                b.binary($op, y, sum)
            });
        )*};
    }
    check_all!(Add, Sub, SubF, Mul, Div, Max, Min);
    check("where", &[3, 4], |b, x| {
        let c = other(b, &[3, 4])?;
        let condition = b.greater(x, c)?;
        let square = b.mul(x, x)?;
        b.choose(condition, square, x)
    });
}

#[test]
fn reductions_and_normalisations() {
    use tract_onnx::tract_core::ops::nn::{Reducer, RmsNorm};
    for reducer in [Reducer::Sum, Reducer::Max, Reducer::Min] {
        check(&format!("{reducer:?}"), &[2, 3, 4], |b, x| {
            b.reduce(reducer, x, &[1])
        });
    }
    for kind in [SoftmaxKind::Softmax, SoftmaxKind::LogSoftmax] {
        check(&format!("{kind:?}"), &[3, 4], |b, x| b.softmax(x, 1, kind));
    }
    // tract computes these two in f32.
    check_within(1e-2, 1e-3, "mean of squares", &[2, 3, 4], |b, x| {
        b.reduce(Reducer::MeanOfSquares, x, &[1])
    });
    check_within(1e-2, 1e-3, "root mean square", &[3, 4], |b, x| {
        let eps = tensor0(0.1f64).into_arc_tensor();
        b.wire(RmsNorm { axis: 1, eps }, &[x])
    });
}

#[test]
fn moved_and_picked_elements() {
    use tract_onnx::tract_core::ops::array::{Gather, Pad, PadMode, Slice, TypedConcat};
    use tract_onnx::tract_core::ops::downsample::Downsample;
    check("move", &[2, 3, 4], |b, x| b.wire(AxisOp::Move(0, 2), &[x]));
    check("add", &[2, 3], |b, x| b.wire(AxisOp::Add(1), &[x]));
    check("reshape", &[2, 6], |b, x| {
        let (from, to) = (tvec!(6.to_dim()), tvec!(2.to_dim(), 3.to_dim()));
        b.wire(AxisOp::Reshape(1, from, to), &[x])
    });
    check("broadcast", &[2, 1, 3], |b, x| b.broadcast(x, &[2, 4, 3]));
    check("concat", &[2, 3], |b, x| {
        let y = b.mul(x, x)?;
        b.wire(TypedConcat { axis: 1 }, &[y, x])
    });
    check("slice", &[2, 5], |b, x| b.wire(Slice::new(1, 1, 4), &[x]));
    check("pad", &[2, 3], |b, x| {
        let mode = PadMode::Constant(tensor0(2f64).into_arc_tensor());
        let pads = vec![(1, 0), (2, 1)];
        b.wire(Pad { pads, mode }, &[x])
    });
    check("gather", &[2, 5], |b, x| {
        let indices = b.constant(tensor2(&[[4i64, 0, -1], [1, 1, 4]]))?;
        b.wire(
            Gather {
                axis: 1,
                output_type: None,
            },
            &[x, indices],
        )
    });
    for (stride, modulo, length) in [(2, 0, 7), (3, 1, 8), (2, 1, 6)] {
        check("downsample", &[2, length], |b, x| {
            b.wire(
                Downsample {
                    axis: 1,
                    stride,
                    modulo,
                },
                &[x],
            )
        });
    }
}

#[test]
fn sums_of_products() {
    for (left, right, shape, other) in [
        ("mk,kn->mn", "", [3, 4], vec![4, 2]),
        ("mk,nk->nm", "", [3, 4], vec![2, 4]),
        ("mk,mk->m", "", [3, 4], vec![3, 4]),
        ("mk,n->mn", "", [3, 4], vec![2]),
    ] {
        let _ = right;
        check(left, &shape, |b, x| {
            let mut rng = SplitMix64::new(3);
            let c = b.constant(random(&other, &mut rng))?;
            let (operands, result) = left.split_once("->").unwrap();
            let (first, second) = operands.split_once(',').unwrap();
            b.product(&[(first, x), (second, c)], result, f64::datum_type())
        });
    }
    check("attention", &[3, 4], |b, x| {
        let scores = b.product(&[("mk", x), ("nk", x)], "mn", f64::datum_type())?;
        let shares = b.softmax(scores, 1, SoftmaxKind::Softmax)?;
        b.product(&[("mn", shares), ("nk", x)], "mk", f64::datum_type())
    });
}

#[test]
fn convolutions() {
    use tract_onnx::tract_core::ops::cnn::{Conv, KernelFormat, PaddingSpec, PoolSpec};
    use tract_onnx::tract_core::ops::nn::DataFormat;
    // inputs, outputs, group, kernel, stride, dilation, padding before, after
    for case in [
        (3, 4, 1, [1, 1], [1, 1], [1, 1], [0, 0], [0, 0]),
        (3, 4, 1, [3, 3], [1, 1], [1, 1], [1, 1], [1, 1]),
        (3, 4, 1, [3, 2], [2, 3], [1, 1], [1, 0], [0, 1]),
        (4, 6, 2, [3, 3], [2, 2], [1, 1], [1, 1], [1, 1]),
        (4, 4, 4, [3, 3], [1, 1], [1, 1], [1, 1], [1, 1]),
        (4, 4, 4, [3, 3], [2, 2], [1, 1], [0, 0], [1, 1]),
        (4, 8, 4, [3, 3], [1, 1], [2, 1], [2, 1], [2, 1]),
        (3, 2, 1, [2, 2], [2, 2], [1, 1], [0, 0], [0, 0]),
        (2, 2, 1, [1, 1], [2, 2], [1, 1], [0, 0], [0, 0]),
        (2, 2, 1, [1, 1], [1, 1], [1, 1], [1, 1], [1, 1]),
        (2, 3, 1, [3, 3], [2, 2], [2, 2], [1, 1], [2, 2]),
    ] {
        let (inputs, outputs, group, kernel, stride, dilation, before, after) = case;
        let spec = PoolSpec::new(
            DataFormat::NCHW,
            kernel.iter().copied().collect(),
            PaddingSpec::Explicit(
                before.iter().copied().collect(),
                after.iter().copied().collect(),
            ),
            Some(dilation.iter().copied().collect()),
            Some(stride.iter().copied().collect()),
            inputs,
            outputs,
        );
        check(&format!("{case:?}"), &[2, inputs, 7, 6], |b, x| {
            let mut rng = SplitMix64::new(3);
            let shape = [outputs, inputs / group, kernel[0], kernel[1]];
            let kernel = b.constant(random(&shape, &mut rng))?;
            let bias = b.constant(random(&[outputs], &mut rng))?;
            let conv = Conv::new(spec, KernelFormat::OIHW, group, None);
            b.wire(conv, &[x, kernel, bias])
        });
    }
}

#[test]
fn pooling_windows() {
    use tract_onnx::tract_core::ops::cnn::{MaxPool, PaddingSpec, PoolSpec, SumPool};
    use tract_onnx::tract_core::ops::nn::DataFormat;
    for ceil in [false, true] {
        for (kernel, stride, padding) in [(2, 2, 0), (3, 2, 1), (3, 1, 1), (2, 3, 0)] {
            let pads = PaddingSpec::ExplicitOnnxPool(tvec![padding; 2], tvec![padding; 2], ceil);
            let spec = PoolSpec::new(
                DataFormat::NCHW,
                tvec![kernel; 2],
                pads,
                None,
                Some(tvec![stride; 2]),
                3,
                3,
            );
            let shape = [2, 3, 7, 6];
            check(&format!("maximum {spec:?}"), &shape, |b, x| {
                b.wire(MaxPool::new(spec.clone(), None), &[x])
            });
            for (count, normalize) in [(true, true), (false, true), (false, false)] {
                check(
                    &format!("mean {count} {normalize} {spec:?}"),
                    &shape,
                    |b, x| b.wire(SumPool::new(spec.clone(), count, normalize), &[x]),
                );
            }
        }
    }
}

/// Gradients that PyTorch computed, from a folder that `GRADIENT_REFERENCE` names.
#[test]
fn whole_networks_agree_with_the_reference() {
    let Some(folder) = std::env::var_os("GRADIENT_REFERENCE") else {
        println!("skipped: GRADIENT_REFERENCE names no folder");
        return;
    };
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .flatten()
        .map(|e| e.path())
        .collect();
    files.retain(|p| p.extension().is_some_and(|e| e == "onnx"));
    files.sort();
    for file in files {
        let name = file.file_stem().unwrap().to_string_lossy().into_owned();
        match std::panic::catch_unwind(|| reference(&file)) {
            Ok(Ok(text)) => println!("{name:28} {text}"),
            Ok(Err(error)) => println!("{name:28} error: {error:#}"),
            Err(_) => println!("{name:28} panic"),
        }
    }
}

fn reference(file: &std::path::Path) -> anyhow::Result<String> {
    let bytes = std::fs::read(file.with_extension("bin"))?;
    let mut at = 0;
    let mut word = || {
        at += 4;
        <[u8; 4]>::try_from(&bytes[at - 4..at]).unwrap()
    };
    let label = u32::from_le_bytes(word()) as usize;
    let count = u32::from_le_bytes(word()) as usize;
    let logits: Vec<f32> = (0..count).map(|_| f32::from_le_bytes(word())).collect();
    let count = u32::from_le_bytes(word()) as usize;
    let x: Vec<f32> = (0..count).map(|_| f32::from_le_bytes(word())).collect();
    let expected: Vec<f32> = (0..count).map(|_| f32::from_le_bytes(word())).collect();

    let forward = tract_onnx::onnx()
        .with_ignore_value_info(true)
        .model_for_path(file)?
        .into_typed()?
        .into_decluttered()?;
    let shape = forward
        .input_fact(0)?
        .shape
        .as_concrete()
        .context("shape")?
        .to_vec();
    let x = Tensor::from_shape(&shape, &x)?;
    let time = |model: &TypedModel, inputs: TVec<TValue>| -> anyhow::Result<(TVec<TValue>, f64)> {
        let plan = model.clone().into_optimized()?.into_runnable()?;
        let mut best = f64::INFINITY;
        let mut out = tvec!();
        for _ in 0..3 {
            let started = std::time::Instant::now();
            out = plan.run(inputs.clone())?;
            best = best.min(started.elapsed().as_secs_f64() * 1e3);
        }
        Ok((out, best))
    };
    let (_, forward_ms) = time(&forward, tvec!(x.clone().into_tvalue()))?;
    let graph = with_loss_gradient(&forward)?.into_decluttered()?;
    let classes = logits.len() / shape[0];
    let mut target = vec![0f32; logits.len()];
    for row in target.chunks_exact_mut(classes) {
        row[label] = 1.0;
    }
    let target = Tensor::from_shape(&[shape[0], classes], &target)?;
    if std::env::var_os("GRADIENT_PROFILE").is_some() {
        profile(&graph, tvec!(x.clone().into_tvalue(), target.clone().into_tvalue()))?;
    }
    let (outputs, gradient_ms) = time(&graph, tvec!(x.into_tvalue(), target.into_tvalue()))?;
    let values = |i: usize| -> anyhow::Result<Vec<f32>> {
        Ok(outputs[i].try_as_plain_ram()?.as_slice::<f32>()?.to_vec())
    };
    let found = values(2)?;
    let gap = values(0)?
        .iter()
        .zip(&logits)
        .map(|(a, b)| (a - b).abs())
        .fold(0f32, f32::max);
    let dot = |a: &[f32], b: &[f32]| -> f64 {
        a.iter()
            .zip(b)
            .map(|(a, b)| f64::from(*a) * f64::from(*b))
            .sum()
    };
    let cosine = dot(&found, &expected) / (dot(&found, &found) * dot(&expected, &expected)).sqrt();
    let largest = expected.iter().fold(0f32, |m, v| m.max(v.abs()));
    let matter = || {
        found
            .iter()
            .zip(&expected)
            .filter(|(_, e)| e.abs() > 1e-4 * largest)
    };
    let agree = matter().filter(|(f, e)| f.signum() == e.signum()).count();
    let norm = (dot(&found, &found) / dot(&expected, &expected)).sqrt();
    Ok(format!(
        "logits {gap:.1e}  1-cosine {:.1e}  signs {:.5}  norm ratio {norm:.5}  {forward_ms:.1} ms, gradient {gradient_ms:.1} ms, {:.2}",
        1.0 - cosine,
        agree as f64 / matter().count().max(1) as f64,
        gradient_ms / forward_ms
    ))
}

/// Prints what nodes take longest, and how long each kind takes.
fn profile(graph: &TypedModel, inputs: TVec<TValue>) -> anyhow::Result<()> {
    use tract_onnx::tract_core::plan::{SimplePlan, SimpleState};
    let plan = graph.clone().into_optimized()?;
    let plan = SimplePlan::new(plan)?;
    let mut state = SimpleState::new(&plan)?;
    state.run(inputs.clone())?;
    let mut kinds: BTreeMap<String, f64> = BTreeMap::new();
    let mut nodes: Vec<(f64, String)> = Vec::new();
    state.run_plan_with_eval(inputs, |ctx, op, node, inputs| {
        let started = std::time::Instant::now();
        let out = tract_onnx::tract_core::plan::eval(ctx, op, node, inputs);
        let took = started.elapsed().as_secs_f64() * 1e3;
        let side = if node.name.starts_with("gradient") { "back" } else { "fore" };
        *kinds.entry(format!("{side} {}", node.op.name())).or_default() += took;
        nodes.push((took, format!("{side} {} {} {:?}", node.op.name(), node.name, node.outputs[0].fact)));
        out
    })?;
    let mut kinds: Vec<_> = kinds.into_iter().map(|(k, t)| (t, k)).collect();
    for list in [&mut kinds, &mut nodes] {
        list.sort_by(|a, b| b.0.total_cmp(&a.0));
        for (took, name) in list.iter().take(14) {
            println!("  {took:8.2} {name}");
        }
    }
    Ok(())
}
