//! The result file of an earlier call: what it already answers, and whether new passes may join.

use std::path::Path;

use anyhow::{Result, anyhow, bail};
use shared::outcome::{IndexRuns, Outcomes, SkippedImage};
use shared::result::Evaluation;

use super::Settings;
use super::plan::PlannedPass;
use crate::dataset::Dataset;
use crate::perturb::generate::Source;

/// The evaluation at `path`, if there is one and it can be joined with the run framed by `frame`; where
/// it is to be replaced, its costs alone, which no evaluation measures again.
///
/// # Errors
/// When a file is there but unreadable, or of another model or other settings: overwriting it
/// would lose results, so the caller must ask for that.
pub(super) fn existing_result(
    path: &Path,
    frame: &Evaluation,
    fresh: bool,
) -> Result<Option<Evaluation>> {
    if !path.exists() {
        return Ok(None);
    }
    if fresh {
        return Ok(costs_of(path, frame));
    }
    let refused = |cause: anyhow::Error| {
        anyhow!(
            "new results cannot join those of an earlier call ({cause:#}); use --fresh to replace \
             them, or another --out: {}",
            path.display()
        )
    };
    let existing = shared::result::read(path).map_err(|error| refused(error.into()))?;
    shared::result::merge(&existing, frame).map_err(|error| refused(error.into()))?;
    Ok(Some(existing))
}

/// The costs of the result at `path`, if any and of the same model.
fn costs_of(path: &Path, frame: &Evaluation) -> Option<Evaluation> {
    let Evaluation { model, costs, .. } = shared::result::read(path).ok()?;
    let costs = (!costs.is_empty()).then(|| Evaluation::of_costs(model, costs))?;
    shared::result::merge(&costs, frame)
        .is_ok()
        .then_some(costs)
}

/// Whether `existing` already answers the planned pass: it was shown all images but those that
/// could not be read and cannot be read now. Under `strict`, unreadable images must be met again.
///
/// # Errors
/// When it holds the pass over other images than those of this call.
pub(super) fn holds(
    existing: Option<&Evaluation>,
    dataset: &Dataset,
    planned: &PlannedPass,
    settings: &Settings,
) -> Result<bool> {
    let Some(existing) = existing else {
        return Ok(false);
    };
    let Some(pass) = existing.passes.iter().find(|p| p.kind == planned.kind) else {
        return Ok(false);
    };
    if pass.origin != planned.origin {
        bail!(
            "the {} images of the result file are {}, those of this call {}; use --fresh, another \
             --out, or the earlier call's options",
            planned.kind,
            pass.origin,
            planned.origin
        );
    }
    let set = planned.set(dataset);
    if pass.fingerprint != set.fingerprint {
        bail!(
            "the {} images differ from those of the result file; use --fresh or another --out",
            planned.kind
        );
    }
    let lacks_ace =
        settings.wants_ace() && matches!(pass.outcomes, Outcomes::Classified { ace: None, .. });
    let still_unreadable = |skipped: &SkippedImage| {
        let path = set.root.join(&skipped.path);
        !settings.strict && Source::read(&path).is_err()
    };
    if lacks_ace || !pass.skipped.iter().all(still_unreadable) {
        return Ok(false);
    }
    let wanted: IndexRuns = planned.positions.iter().copied().collect();
    let evaluated = existing.lists[pass.list as usize].indices.iter();
    let answered: IndexRuns = evaluated
        .chain(pass.skipped.iter().map(|skipped| skipped.index))
        .collect();
    Ok(answered == wanted)
}
