//! Small graphs, of one operator each or a block, and whole networks, against what onnxruntime made of them: on tract,
//! lowered and read again by tract, and lowered on wonnx.
//!
//! `tests/conformance/export.py` makes the cases. Each passes everywhere or is refused, by tract
//! when it is loaded or by the lowering; who refuses what and why is a snapshot per family.

mod archive;
mod merge;

use std::fmt::Write;
use std::panic::resume_unwind;

use anyhow::Context;
use tract_onnx::pb::ModelProto;
use tract_onnx::prelude::*;

use super::super::{Lowered, lower};
use super::engines::{Session, has_adapter, reread};
use crate::model::{quiet, quirks};
use archive::{Array, Case};

/// Largest differences, see [`gap`], on tract and on wonnx. The error function of lowered models is
/// a formula within 1.5e-7; everything else only sums in another order.
const ON_TRACT: f32 = 1e-5;
const ON_WONNX: f32 = 1e-4;
/// More than [`ON_TRACT`], and why.
const LOOSE: [(&str, f32); 1] = [
    // tract's tanh misses −1 by 6e-7, and the input multiplies that.
    ("gelu_tanh_large", 1e-4),
];
/// Cases that share a session.
const TOGETHER: usize = 64;

/// Types a graph as the product does, for the shapes of its inputs.
fn load(model: &ModelProto) -> anyhow::Result<TypedModel> {
    quirks::check(model.graph.as_ref().context("no graph")?)?;
    let mut model = model.clone();
    quirks::amend(&mut model);
    quiet::catch(|| {
        let parsed = tract_onnx::onnx()
            .with_ignore_value_info(true)
            .parse(&model, None)?;
        let mut inference = parsed.model;
        for index in 0..inference.output_outlets()?.len() {
            inference.set_output_fact(index, InferenceFact::default())?;
        }
        crate::model::lower::decluttered(inference.into_typed()?)
    })
}

/// The outputs of a graph on the product's plan.
fn on_tract(graph: &TypedModel, inputs: &[Array]) -> anyhow::Result<Vec<Array>> {
    quiet::catch(|| {
        let plan = crate::runtime::tract::arranged(graph.clone())
            .into_optimized()?
            .into_runnable()?;
        let inputs = inputs.iter().map(|input| {
            let tensor = Tensor::from_shape(&input.shape, &input.numbers)?;
            Ok(tensor.into_tvalue())
        });
        let inputs: TractResult<TVec<TValue>> = inputs.collect();
        let outputs = plan.run(inputs?)?;
        let array = |output: &TValue| {
            Ok(Array {
                shape: output.shape().to_vec(),
                numbers: output.try_as_plain_ram()?.as_slice::<f32>()?.to_vec(),
            })
        };
        outputs.iter().map(array).collect()
    })
}

/// The largest difference of a number to the one expected: over that one, or over the largest
/// expected where that is larger but not beyond 1; of whole networks, whose small scores are sums of
/// large numbers, over the largest in any case. Infinity where a number is not finite and not the
/// expected one, or shapes differ.
fn gap(case: &Case, found: &[Array]) -> f32 {
    let expected = &case.outputs;
    if expected.len() != found.len() {
        return f32::INFINITY;
    }
    let mut worst = 0f32;
    for (expected, found) in expected.iter().zip(found) {
        // A lowered number on its own has an axis.
        let single = expected.shape.is_empty() && found.shape == [1];
        if expected.shape != found.shape && !single {
            return f32::INFINITY;
        }
        let finite = expected.numbers.iter().filter(|number| number.is_finite());
        let size = finite.fold(1e-6f32, |most, number| most.max(number.abs()));
        for (a, b) in expected.numbers.iter().zip(&found.numbers) {
            let gap = if a == b || a.is_nan() && b.is_nan() {
                0.0
            } else if a.is_finite() && b.is_finite() {
                (a - b).abs() / a.abs().max(if case.whole { size } else { size.min(1.0) })
            } else {
                f32::INFINITY
            };
            worst = worst.max(gap);
        }
    }
    worst
}

/// The numbers of lowered outputs with their shapes.
fn arrays(lowered: &Lowered, outputs: Vec<Vec<f32>>) -> Vec<Array> {
    let ports = lowered.outputs.iter().zip(outputs);
    ports
        .map(|(port, numbers)| Array {
            shape: port.shape.clone(),
            numbers,
        })
        .collect()
}

/// What became of the cases of a family.
#[derive(Default)]
struct Tally {
    /// Cases and why they are refused, one a line.
    by_tract: String,
    by_lowering: String,
    wrong: Vec<String>,
    passed_on_tract: usize,
    passed_on_wonnx: usize,
    lowered: Vec<(Case, Lowered)>,
}

impl Tally {
    fn case(&mut self, case: Case) {
        let loaded = load(&case.model).and_then(|graph| {
            let found = on_tract(&graph, &case.inputs)?;
            Ok((graph, found))
        });
        let (graph, found) = match loaded {
            Ok(loaded) => loaded,
            Err(error) => {
                let (top, root) = (error.to_string(), error.root_cause().to_string());
                let reason = if top == root {
                    top
                } else {
                    format!("{top}: {root}")
                };
                let reason = reason.lines().next().unwrap_or_default();
                let _ = writeln!(self.by_tract, "{}: {reason}", case.name);
                return;
            }
        };
        if self.fits("on tract", &case, &found, ON_TRACT) {
            self.passed_on_tract += 1;
        }
        match lower(&graph) {
            Ok(lowered) => {
                let inputs: Vec<_> = case.inputs.iter().map(|x| x.numbers.clone()).collect();
                let found = arrays(&lowered, reread(&lowered, &inputs));
                self.fits("read again", &case, &found, ON_TRACT);
                self.lowered.push((case, lowered));
            }
            Err(refusal) => {
                let _ = writeln!(self.by_lowering, "{}: {refusal}", case.name);
            }
        }
    }

    fn fits(&mut self, how: &str, case: &Case, found: &[Array], most: f32) -> bool {
        let gap = gap(case, found);
        let loose = LOOSE.iter().find(|(name, _)| *name == case.name);
        let most = loose.map_or(most, |(_, loose)| loose.max(most));
        if gap > most {
            let shapes: Vec<_> = found.iter().map(|found| &found.shape).collect();
            self.wrong.push(format!(
                "{} {how}: off by {gap}, found {shapes:?}",
                case.name
            ));
        }
        gap <= most
    }

    /// Runs the lowered cases, many in a session.
    fn on_wonnx(&mut self) {
        let lowered = std::mem::take(&mut self.lowered);
        for cases in lowered.chunks(TOGETHER) {
            if let Some(found) = run_together(cases) {
                self.count_fits(cases, found);
                continue;
            }
            // One by one, to tell which is to blame.
            for case in cases.chunks(1) {
                match run_together(case) {
                    Some(found) => self.count_fits(case, found),
                    None => self
                        .wrong
                        .push(format!("{} fails on wonnx", case[0].0.name)),
                }
            }
        }
    }

    fn count_fits(&mut self, cases: &[(Case, Lowered)], found: Vec<Vec<Array>>) {
        for ((case, _), found) in cases.iter().zip(found) {
            let fits = self.fits("on wonnx", case, &found, ON_WONNX);
            self.passed_on_wonnx += usize::from(fits);
        }
    }
}

/// The outputs of each case, from one session.
fn run_together(cases: &[(Case, Lowered)]) -> Option<Vec<Vec<Array>>> {
    let models: Vec<&Lowered> = cases.iter().map(|(_, lowered)| lowered).collect();
    let together = merge::merged(&models);
    let inputs = cases.iter().flat_map(|(case, _)| &case.inputs);
    let inputs: Vec<Vec<f32>> = inputs.map(|input| input.numbers.clone()).collect();
    let session = Session::new(&together).ok()?;
    let mut outputs = session.run(&inputs).ok()?.into_iter();
    let found = models.iter().map(|lowered| {
        let own = outputs.by_ref().take(lowered.outputs.len()).collect();
        arrays(lowered, own)
    });
    Some(found.collect())
}

/// Runs a family; what is refused, in the words of those who refuse.
fn check(family: &str) -> String {
    let mut tally = Tally::default();
    let cases = archive::read(family);
    let count = cases.len();
    for case in cases {
        tally.case(case);
    }
    let lowered = tally.lowered.len();
    if has_adapter() {
        tally.on_wonnx();
    }
    let (passed, on_wonnx) = (tally.passed_on_tract, tally.passed_on_wonnx);
    println!(
        "{family}: {count} cases, {passed} pass on tract, which refuses {}; {lowered} are lowered, \
         {} refused; {on_wonnx} pass on wonnx",
        tally.by_tract.lines().count(),
        tally.by_lowering.lines().count()
    );
    assert!(tally.wrong.is_empty(), "{family}: {:#?}", tally.wrong);
    format!(
        "{count} cases\n\ntract refuses\n{}\nthe lowering refuses\n{}",
        tally.by_tract, tally.by_lowering
    )
}

macro_rules! families {
    ($($family:ident)*) => {
        $(
            #[test]
            fn $family() {
                let family = stringify!($family);
                // wonnx walks graphs recursively.
                let thread = std::thread::Builder::new().stack_size(64 << 20);
                let checked = thread.spawn(move || check(family)).unwrap().join();
                insta::assert_snapshot!(checked.unwrap_or_else(|fault| resume_unwind(fault)));
            }
        )*

        #[test]
        fn every_family_is_run() {
            assert_eq!(archive::families(), [$(stringify!($family)),*]);
        }
    };
}

families!(backbones binary blocks functions layout products reductions resizing windows);
