//! Which engines run a model, told from its graph alone: no device is asked.

use std::path::Path;

use serde::Serialize;
use shared::result::OutputKind;

use super::card::Layout;

/// What each engine makes of a model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Backends {
    /// The CPU.
    pub tract: Support,
    /// GPUs. Whether an adapter computes the model correctly is seen only when it is loaded there.
    pub wonnx: Support,
}

/// What an engine makes of a model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Support {
    /// The classifier.
    pub model: Verdict,
    /// The gradient of its loss, for attacks.
    pub gradient: Verdict,
}

/// Whether an engine runs a graph.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// As it is.
    Runs,
    /// Rewritten into the operators that the engine computes correctly.
    RunsLowered {
        /// Operators of the rewritten graph.
        nodes: usize,
        /// Most images at once, up to [`BATCH`](crate::runtime::gpu::BATCH).
        batch: usize,
    },
    /// It does not.
    Cannot {
        /// Why, in words.
        reason: String,
    },
    /// This build has no such engine.
    NotInBuild,
}

/// A graph that tract runs: where it lies, and how it is read.
#[cfg_attr(
    not(feature = "gpu"),
    expect(dead_code, reason = "only a GPU needs the graph again")
)]
pub(super) struct Known<'a> {
    pub(super) path: &'a Path,
    pub(super) layout: Layout,
    pub(super) crop: (u32, u32),
    pub(super) output: &'a str,
    pub(super) kind: OutputKind,
    /// Images per run on tract.
    pub(super) batch: usize,
    /// Why tract computes no gradient, where that is so.
    pub(super) gradient_error: Option<&'a str>,
}

impl Known<'_> {
    pub(super) fn backends(&self) -> Backends {
        let gradient = match self.gradient_error {
            None => Verdict::Runs,
            Some(reason) => cannot(reason),
        };
        Backends {
            tract: Support {
                model: Verdict::Runs,
                gradient,
            },
            wonnx: self.wonnx(),
        }
    }

    #[cfg(feature = "gpu")]
    fn wonnx(&self) -> Support {
        lowered::support(self).unwrap_or_else(|error| {
            let verdict = cannot(format!("{error:#}"));
            Support {
                model: verdict.clone(),
                gradient: verdict,
            }
        })
    }

    #[cfg(not(feature = "gpu"))]
    fn wonnx(&self) -> Support {
        Support {
            model: Verdict::NotInBuild,
            gradient: Verdict::NotInBuild,
        }
    }
}

fn cannot(reason: impl Into<String>) -> Verdict {
    Verdict::Cannot {
        reason: reason.into(),
    }
}

#[cfg(feature = "gpu")]
mod lowered {
    use tract_onnx::prelude::*;

    use super::super::onnx::OnnxFile;
    use super::super::placed::Source;
    use super::super::quiet;
    use super::super::tensor::ImageInput;
    use super::*;
    use crate::runtime::gpu::BATCH;
    use crate::runtime::gpu::lowering::{Refusal, count};
    use crate::runtime::gradient::loss_graph;

    pub(super) fn support(known: &Known) -> anyhow::Result<Support> {
        let file = OnnxFile::read(known.path)?;
        let source = Source {
            input: ImageInput::find(&file.inputs()?, Some(known.layout))?,
            file,
            crop: known.crop,
            output: known.output.to_owned(),
        };
        let batch = source.batch(BATCH, known.batch);
        let model = verdict(batch, |batch| source.graph(batch));
        let gradient = match known.gradient_error {
            None => verdict(batch, |batch| loss_graph(&source.graph(batch)?, known.kind)),
            Some(_) => cannot("there is none"),
        };
        Ok(Support { model, gradient })
    }

    /// Halves the batch as loading would.
    fn verdict(mut batch: usize, build: impl Fn(usize) -> anyhow::Result<TypedModel>) -> Verdict {
        loop {
            let error = match quiet::catch(|| Ok(count(&build(batch)?)?)) {
                Ok(nodes) => return Verdict::RunsLowered { nodes, batch },
                Err(error) => error,
            };
            if batch == 1 || !matches!(error.downcast_ref(), Some(Refusal::Limit { .. })) {
                return cannot(format!("{error:#}"));
            }
            batch /= 2;
        }
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn a_panic_is_a_reason() {
            let panics = |_| -> anyhow::Result<TypedModel> { panic!("index 3 out of range") };
            assert_eq!(
                verdict(8, panics),
                cannot("tract panicked: index 3 out of range")
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn backends(name: &str) -> Backends {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/models");
        super::super::inspect(&folder.join(name)).unwrap().backends
    }

    #[cfg(feature = "gpu")]
    #[test]
    fn the_largest_batch_that_loading_would_take() {
        for (name, expected) in [("dynamic_batch.onnx", 8), ("batch4_baked.onnx", 4)] {
            let Backends { tract, wonnx } = backends(name);
            assert_eq!(
                (tract.model, tract.gradient),
                (Verdict::Runs, Verdict::Runs)
            );
            for verdict in [wonnx.model, wonnx.gradient] {
                let Verdict::RunsLowered { nodes, batch } = verdict else {
                    panic!("{name}: {verdict:?}")
                };
                assert!(nodes > 0 && batch == expected, "{name}: {nodes}, {batch}");
            }
        }
    }

    #[cfg(feature = "gpu")]
    #[test]
    fn reasons() {
        let Backends { tract, wonnx } = backends("rounding.onnx");
        assert_eq!(tract.model, Verdict::Runs);
        assert_eq!(tract.gradient, cannot("no gradient reaches the image"));
        let reason = "cannot lower RoundHalfToEven (node 'round'): no form of it is known to work";
        assert_eq!(wonnx.model, cannot(reason));
        assert_eq!(wonnx.gradient, cannot("there is none"));
    }

    #[cfg(not(feature = "gpu"))]
    #[test]
    fn without_gpus() {
        let Backends { tract, wonnx } = backends("dynamic_batch.onnx");
        assert_eq!(
            (tract.model, tract.gradient),
            (Verdict::Runs, Verdict::Runs)
        );
        let (model, gradient) = (Verdict::NotInBuild, Verdict::NotInBuild);
        assert_eq!(wonnx, Support { model, gradient });
    }
}
