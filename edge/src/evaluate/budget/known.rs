//! What the outcomes so far tell about the intervals, and about the images that would tighten them.

use anyhow::Result;
use shared::comparison::{Entry, default_reference};
use shared::outcome::PassKind;
use shared::quba::Weights;
use shared::result::Evaluation;
use shared::uncertainty::{Options, contributions, resample};

use super::arms::Arms;
use crate::evaluate::run::Call;
use crate::evaluate::state::ModelState;

/// Resamples behind a choice of images.
const RESAMPLES: usize = 256;

/// What the outcomes so far tell.
pub(super) struct Known {
    /// By two arms, what an image of each adds to the variance of QUBA: see [`super::allocation::Allocation`]. The sum over
    /// all models.
    pub(super) covariance: Vec<Vec<f64>>,
    /// By model, its name and the width of its interval of QUBA.
    widths: Vec<(String, Option<f64>)>,
}

impl Known {
    pub(super) fn of(
        call: &Call,
        states: &mut [ModelState],
        arms: &Arms,
        sizes: &[usize],
    ) -> Result<Self> {
        let shown = arms.shown(sizes);
        let evaluations = states
            .iter_mut()
            .map(|s| s.evaluation(call.dataset, call.plan, call.settings, Some(&shown)))
            .collect::<Result<Vec<Evaluation>>>()?;
        let entries: Vec<Entry> = evaluations.iter().map(Entry::of).collect();
        let (reference, weights) = (default_reference(&entries), Weights::default());
        let widths = evaluations.iter().map(|evaluation| {
            let resampled = resample(evaluation, Options::default());
            let interval = resampled.quba_interval(&weights, &reference);
            let width = interval.map(|quba| quba.interval.high - quba.interval.low);
            (evaluation.model.name.clone(), width)
        });
        let widths = widths.collect();
        let options = Options {
            resamples: RESAMPLES,
            ..Options::default()
        };
        let count = arms.all.len();
        let arm_of = |kind: PassKind| {
            let pass = call.plan.passes.iter().position(|pass| pass.kind == kind)?;
            arms.arm_of(pass)
        };
        let mut covariance = vec![vec![0.0; count]; count];
        for evaluation in &evaluations {
            let of_model = contributions(evaluation, options, &weights, &reference, count, arm_of);
            for (a, row) in of_model.into_iter().flatten().enumerate() {
                for (b, value) in row.into_iter().enumerate() {
                    // Of other images they covary by chance alone.
                    if arms.all[a].identity == arms.all[b].identity {
                        covariance[a][b] += value * sizes[a].max(sizes[b]) as f64;
                    }
                }
            }
        }
        Ok(Self { covariance, widths })
    }

    /// Whether the interval of every model is at most as wide.
    pub(super) fn is_within(&self, width: f64) -> bool {
        let mut widths = self.widths.iter();
        widths.all(|(_, own)| own.is_some_and(|own| own <= width))
    }

    /// The widest interval, in words.
    pub(super) fn words(&self) -> String {
        let with_width = |(name, width): &(String, Option<f64>)| Some((name.clone(), (*width)?));
        let known: Option<Vec<(String, f64)>> = self.widths.iter().map(with_width).collect();
        let widest = known.and_then(|all| all.into_iter().max_by(|a, b| a.1.total_cmp(&b.1)));
        match widest {
            None => "no interval of QUBA yet".to_owned(),
            Some((_, width)) if self.widths.len() == 1 => {
                format!("interval of QUBA {width:.3} wide")
            }
            Some((name, width)) => {
                let models = self.widths.len();
                format!("interval of QUBA {width:.3} wide (widest of {models}: {name})")
            }
        }
    }
}
