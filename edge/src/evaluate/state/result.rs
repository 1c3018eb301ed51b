//! What is known of one model → the evaluation, and its file.

use std::path::PathBuf;

use anyhow::{Context, Result};
use shared::outcome::PassKind;
use shared::result::{Evaluation, Probabilities, Shard, Warning};

use super::{ModelState, Standing};
use crate::dataset::{Dataset, ImageSet};
use crate::evaluate::Settings;
use crate::evaluate::assemble::{finish, push_pass};
use crate::evaluate::budget::Shown;
use crate::evaluate::identity::frame_of;
use crate::evaluate::journal::Making;
use crate::evaluate::plan::{Plan, PlannedPass};
use crate::evaluate::probabilities::ProbabilityFile;
use crate::evaluate::slots::Slots;

impl ModelState<'_> {
    /// The evaluation of what is known, or of the `kept` images of it alone, joined with the existing
    /// result.
    pub(in crate::evaluate) fn evaluation(
        &mut self,
        dataset: &Dataset,
        plan: &Plan,
        settings: &Settings,
        kept: Option<&Shown>,
    ) -> Result<Evaluation> {
        let wall_ms = self.untold_ms();
        let mut evaluation = frame_of(self.model, dataset, settings, wall_ms);
        let mut shard = settings.shard_record();
        for (index, planned) in plan.passes.iter().enumerate() {
            if self.standings[index] != Standing::Open {
                continue;
            }
            let slots = match kept {
                Some(shown) if !shown.0[index].contains(&true) => continue,
                Some(shown) => &self.slots[index].only(&shown.0[index]),
                None => &self.slots[index],
            };
            let set = planned.set(dataset);
            let ace = match (&mut self.probabilities, planned.kind) {
                (Some(file), PassKind::Clean) => ace(file, set, planned, slots, shard.as_mut())?,
                _ => None,
            };
            push_pass(&mut evaluation, set, planned, slots, ace);
            if let Some(shard) = &mut shard {
                shard.passes.push((planned.kind, slots.not_finite()));
            }
        }
        evaluation
            .shards
            .extend(shard.filter(|shard| !shard.passes.is_empty()));
        finish(&mut evaluation, &self.warnings());
        self.joined(evaluation)
    }

    /// Milliseconds spent that no result file tells yet.
    fn untold_ms(&self) -> u64 {
        self.making.wall_ms.saturating_sub(self.making.told_ms)
    }

    fn warnings(&self) -> Vec<Warning> {
        let fallbacks = self.making.fallbacks.iter().cloned();
        let fallbacks = fallbacks.map(|reason| Warning::GpuFallback { reason });
        let of_model = self.model.warnings.iter().cloned();
        of_model.chain(fallbacks).collect()
    }

    fn joined(&self, evaluation: Evaluation) -> Result<Evaluation> {
        let Some(existing) = &self.existing else {
            return Ok(evaluation);
        };
        let mut joined = shared::result::merge(existing, &evaluation)
            .with_context(|| format!("cannot join with {}", self.result_path.display()))?;
        let is_told = self.making.told_ms > 0 && self.untold_ms() == 0;
        let nothing_new = is_told || !self.standings.contains(&Standing::Open);
        if nothing_new && !existing.is_costs_only() {
            // A call that had nothing to evaluate is no run.
            joined.runs.clone_from(&existing.runs);
        }
        Ok(joined)
    }

    /// Writes the evaluation of what is known, or of the `kept` images of it alone. Where that is all
    /// there is to do, the journal goes; else it stays, for a call that does more.
    pub(in crate::evaluate) fn finish(
        mut self,
        dataset: &Dataset,
        plan: &Plan,
        settings: &Settings,
        kept: Option<&Shown>,
    ) -> Result<(PathBuf, Evaluation)> {
        let mut evaluation = self.evaluation(dataset, plan, settings, kept)?;
        shared::result::write_atomic(&self.result_path, &evaluation)?;
        if kept.is_some_and(|kept| !kept.is_all()) {
            let told = Making {
                told_ms: self.untold_ms(),
                ..Making::default()
            };
            self.journal.append(Vec::new(), told)?;
        } else {
            drop(self.journal);
            drop(self.probabilities);
            // The result is safe; a journal that cannot be removed only costs space.
            let _ = std::fs::remove_dir_all(&self.folder);
            if let Some(parent) = self.folder.parent() {
                let _ = std::fs::remove_dir(parent);
            }
        }
        // Of use in the file alone, and large.
        let shards = evaluation.shards.iter_mut();
        shards.for_each(|shard| shard.probabilities = None);
        Ok((self.result_path, evaluation))
    }
}

/// The adaptive calibration error of the clean images; a shard keeps what that of all shards together
/// is computed from.
fn ace(
    file: &mut ProbabilityFile,
    set: &ImageSet,
    planned: &PlannedPass,
    slots: &Slots,
    shard: Option<&mut Shard>,
) -> Result<Option<f64>> {
    let position = |&slot: &u32| planned.positions[slot as usize];
    let slots: Vec<u32> = slots.evaluated().collect();
    let label = |slot: &u32| set.items[position(slot) as usize].label;
    let labels: Vec<u32> = slots.iter().map(label).collect();
    if let Some(shard) = shard {
        let keys = file.keys(&slots, &labels)?;
        let images = slots.iter().map(position).collect();
        shard.probabilities = Some(Probabilities::new(images, keys));
    }
    let ace = file.ace(&slots, &labels)?;
    Ok((!slots.is_empty()).then_some(ace))
}
