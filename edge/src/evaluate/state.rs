//! One model's progress through a run: its slots, its journal, its probabilities; [`result`] makes the
//! evaluation of them.

mod result;

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use shared::outcome::PassKind;
use shared::result::Evaluation;

use super::Settings;
use super::budget::Shown;
use super::existing::{existing_result, holds};
use super::identity::{frame_of, run_key};
use super::journal::{Entry, Journal, Making};
use super::pipeline::Judged;
use super::plan::{Plan, PlannedPass};
use super::probabilities::ProbabilityFile;
use super::slots::Slots;
use crate::dataset::Dataset;
use crate::model::{LoadedModel, OutputView};

/// What is to be done about a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Standing {
    /// To be evaluated.
    Open,
    /// Nothing: the existing result file holds it.
    Carried,
    /// Nothing: it is for other models.
    Foreign,
}

/// A model on its way through the passes.
pub(super) struct ModelState<'a> {
    pub(super) model: &'a LoadedModel,
    pub(super) output: OutputView,
    pub(super) result_path: PathBuf,
    /// By pass of the plan.
    pub(super) slots: Vec<Slots>,
    /// By pass of the plan.
    standings: Vec<Standing>,
    existing: Option<Evaluation>,
    folder: PathBuf,
    journal: Journal,
    probabilities: Option<ProbabilityFile>,
    waiting: Vec<Entry>,
    /// How what is journalled came about.
    making: Making,
    flushed: Instant,
    /// Images known before this call: journalled or in the existing result file.
    pub(super) known: u64,
}

impl<'a> ModelState<'a> {
    /// Opens the state of `model`, with everything an earlier call left behind unless `fresh`.
    pub(super) fn open(
        model: &'a LoadedModel,
        dataset: &Dataset,
        plan: &Plan,
        settings: &Settings,
    ) -> Result<Self> {
        let output = model.check_labels(dataset.labels.classes.len())?;
        let stem = model.path.file_stem().unwrap_or_default();
        let mut result_path = settings.out.join(stem);
        if let Some(part) = settings.shard {
            result_path = result_path.with_added_extension(part.suffix());
        }
        let result_path = result_path.with_added_extension("quba");
        let frame = frame_of(model, dataset, settings, 0);
        let existing = existing_result(&result_path, &frame, settings.fresh)?;
        let standing = |pass: &PlannedPass| -> Result<Standing> {
            if !pass.is_for(model.has_gradients()) {
                return Ok(Standing::Foreign);
            }
            let held = holds(existing.as_ref(), dataset, pass, settings)?;
            Ok(if held {
                Standing::Carried
            } else {
                Standing::Open
            })
        };
        let standings = plan.passes.iter().map(standing);
        let standings = standings.collect::<Result<Vec<_>>>()?;

        let wants_ace =
            settings.wants_ace() && plan.passes.iter().any(|p| p.kind == PassKind::Clean);
        let key = run_key(model, output, dataset, plan, settings, wants_ace)?;
        let name = format!(
            "{}-{}",
            result_path
                .file_stem()
                .unwrap_or_default()
                .to_string_lossy(),
            &blake3::Hash::from(key).to_hex()[..12]
        );
        let folder = settings.out.join(".journal").join(name);
        if settings.fresh && folder.exists() {
            std::fs::remove_dir_all(&folder)
                .with_context(|| format!("cannot remove the old journal: {}", folder.display()))?;
        }
        create_folder(&folder)
            .with_context(|| format!("cannot create the folder: {}", folder.display()))?;
        let probabilities = wants_ace
            .then(|| {
                ProbabilityFile::open(&folder.join("probabilities"), dataset.labels.classes.len())
            })
            .transpose()?;
        let rows = probabilities
            .as_ref()
            .map(ProbabilityFile::rows)
            .transpose()?;
        let empty = |p: &PlannedPass| Slots::new(p.kind, p.positions.len());
        let mut slots: Vec<Slots> = plan.passes.iter().map(empty).collect();
        let mut known = images_of(plan, &standings, |s| s == Standing::Carried);
        let (journal, making) = Journal::open(&folder.join("journal"), &key, |entry| {
            known += u64::from(replay(&mut slots, &entry, dataset, plan, rows));
        })?;
        Ok(Self {
            model,
            output,
            result_path,
            slots,
            standings,
            existing,
            folder,
            journal,
            probabilities,
            waiting: Vec::new(),
            making,
            flushed: Instant::now(),
            known,
        })
    }

    /// By pass and slot, what is still to be done, of all or of what is to be shown.
    pub(super) fn pending(&self, plan: &Plan, shown: Option<&Shown>) -> Vec<Vec<bool>> {
        let passes = plan.passes.iter().zip(&self.slots).enumerate();
        passes
            .map(|(index, (pass, slots))| {
                let open = self.standings[index] == Standing::Open;
                let is_shown = |s: u32| shown.is_none_or(|shown| shown.0[index][s as usize]);
                let slot = |s| open && !slots.is_done(s) && is_shown(s);
                (0..pass.positions.len() as u32).map(slot).collect()
            })
            .collect()
    }

    /// Images to evaluate in all calls together.
    pub(super) fn total(&self, plan: &Plan) -> u64 {
        images_of(plan, &self.standings, |s| s != Standing::Foreign)
    }

    /// Images whose outcome is known by now.
    pub(super) fn done(&self, plan: &Plan) -> u64 {
        let pending = self.pending(plan, None);
        let left = pending.iter().flatten().filter(|&&pending| pending).count();
        self.total(plan) - left as u64
    }

    /// Whether clean probabilities must be kept.
    pub(super) fn keeps_probabilities(&self) -> bool {
        self.probabilities.is_some()
    }

    /// Takes one record; it is journalled at the next flush.
    pub(super) fn record(
        &mut self,
        pass: u16,
        slot: u32,
        judged: Result<Judged, String>,
        dataset: &Dataset,
        kind: PassKind,
    ) -> Result<()> {
        let outcome = match judged {
            Ok(judged) => {
                if let (Some(file), Some(p)) = (&mut self.probabilities, &judged.probabilities) {
                    file.write_row(slot, p)?;
                }
                Ok(judged.record)
            }
            Err(reason) => Err(reason),
        };
        let entry = Entry {
            pass,
            slot,
            outcome,
        };
        if fill(&mut self.slots, &entry, dataset, kind) {
            self.waiting.push(entry);
        }
        Ok(())
    }

    /// Writes what is waiting: probabilities first, so that the journal never promises a row that
    /// is not on disk.
    pub(super) fn flush(&mut self) -> Result<()> {
        if self.waiting.is_empty() {
            return Ok(());
        }
        let making = Making {
            wall_ms: self.flushed.elapsed().as_millis() as u64,
            told_ms: 0,
            fallbacks: self.model.fallbacks().into_iter().collect(),
        };
        self.flushed = Instant::now();
        self.making.add(&making);
        if let Some(file) = &self.probabilities {
            file.sync()?;
        }
        self.journal
            .append(std::mem::take(&mut self.waiting), making)
    }

    /// Time spent on what is journalled, in all calls.
    pub(super) fn spent(&self) -> Duration {
        Duration::from_millis(self.making.wall_ms)
    }

    /// Whether nothing is to be done about an image of a pass.
    pub(super) fn is_done(&self, pass: usize, slot: u32) -> bool {
        self.standings[pass] != Standing::Open || self.slots[pass].is_done(slot)
    }
}

/// Creates a folder in `.journal`, which other runs remove as they finish.
fn create_folder(folder: &Path) -> std::io::Result<()> {
    for _ in 0..100 {
        match std::fs::create_dir_all(folder) {
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            other => return other,
        }
    }
    std::fs::create_dir_all(folder)
}

/// Images of the passes that stand so.
fn images_of(plan: &Plan, standings: &[Standing], wanted: impl Fn(Standing) -> bool) -> u64 {
    let passes = plan.passes.iter().zip(standings);
    let wanted = passes.filter(|(_, standing)| wanted(**standing));
    wanted.map(|(pass, _)| pass.positions.len() as u64).sum()
}

/// Takes a journalled entry; false where it cannot be used. `rows` is the length of the file of
/// probabilities, if they are wanted.
fn replay(
    slots: &mut [Slots],
    entry: &Entry,
    dataset: &Dataset,
    plan: &Plan,
    rows: Option<u64>,
) -> bool {
    let Some(pass) = plan.passes.get(entry.pass as usize) else {
        return false;
    };
    // A clean record whose probabilities are gone cannot serve ACE: evaluate it again.
    let row_lost = pass.kind == PassKind::Clean
        && entry.outcome.is_ok()
        && rows.is_some_and(|rows| u64::from(entry.slot) >= rows);
    // Unreadable images are tried again: they may have been repaired.
    let again = row_lost || entry.outcome.is_err();
    !again && fill(slots, entry, dataset, pass.kind)
}

fn fill(slots: &mut [Slots], entry: &Entry, dataset: &Dataset, kind: PassKind) -> bool {
    let no_decision = match kind {
        PassKind::Clean => dataset.labels.classes.len(),
        _ => dataset.labels.shape_groups.names.len(),
    };
    slots[entry.pass as usize].fill(entry, no_decision as u32)
}
