//! Joining the files of one model file: shards become one result, the same images on another device
//! stand beside it, what contradicts it stays apart.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use shared::PerDimension;
use shared::comparison::Entry;
use shared::comparison::costs::label;
use shared::metrics::{Measured, measure};
use shared::result::{Cost, Evaluation, MergeError, merge};
use shared::uncertainty::{Interval, NoInterval, Options, Resampled, resample};

/// One evaluation with its figures, of one file or joined from several.
#[derive(Clone, Debug)]
pub struct Measurements {
    /// Everything that was recorded.
    pub evaluation: Arc<Evaluation>,
    /// The nine values with their parts, or why there is none.
    pub measured: PerDimension<Measured>,
    /// The nine values and what they compare with.
    pub entry: Entry,
    /// How sure the values are, once that was computed.
    certainty: OnceLock<Certainty>,
}

/// What resampling the images tells of the values: takes a while for large evaluations.
#[derive(Clone, Debug)]
pub struct Certainty {
    /// The values of every resample.
    pub resampled: Resampled,
    /// The 95 % interval of each value, or why there is none.
    pub intervals: PerDimension<Result<Interval, NoInterval>>,
}

impl Certainty {
    fn of(evaluation: &Evaluation) -> Self {
        let resampled = resample(evaluation, Options::default());
        Self {
            intervals: PerDimension::from_fn(|d| resampled.interval(d)),
            resampled,
        }
    }
}

impl Measurements {
    /// Measures an evaluation: takes a while for large ones.
    pub fn of(evaluation: Evaluation) -> Self {
        let measured = measure(&evaluation);
        Self {
            entry: Entry::measured(&evaluation, &measured),
            measured,
            evaluation: Arc::new(evaluation),
            certainty: OnceLock::new(),
        }
    }

    /// How sure the values are, where that was computed.
    pub fn certainty(&self) -> Option<&Certainty> {
        self.certainty.get()
    }

    /// Computes how sure the values are, unless that was done.
    pub fn resample(&self) {
        self.certainty
            .get_or_init(|| Certainty::of(&self.evaluation));
    }

    /// Machines and engines of the runs, each once, in the order of the runs.
    pub fn devices(&self) -> Vec<String> {
        let mut devices: Vec<String> = Vec::new();
        for run in &self.evaluation.runs {
            let words = label(&run.engine, &run.device);
            if !devices.contains(&words) {
                devices.push(words);
            }
        }
        devices
    }

    fn dimensions(&self) -> usize {
        self.entry
            .values
            .iter()
            .filter(|(_, v)| v.is_some())
            .count()
    }

    fn shares_a_device(&self, other: &Self) -> bool {
        let devices = self.devices();
        other
            .devices()
            .iter()
            .any(|device| devices.contains(device))
    }
}

/// One result of a model: the files that could be joined.
#[derive(Clone, Debug)]
pub struct Variant {
    /// The files, in path order.
    pub files: Vec<PathBuf>,
    /// What they hold together.
    pub measurements: Arc<Measurements>,
    /// The same images measured alike on other devices, where outputs differ in the last digits.
    pub elsewhere: Vec<Arc<Measurements>>,
}

/// All results of one model file.
#[derive(Clone, Debug, Default)]
pub struct Group {
    /// What contradicts each other is apart; one variant where nothing does.
    pub variants: Vec<Variant>,
    /// Why there is more than one variant, in words.
    pub conflicts: Vec<String>,
}

/// Joins the files of one model file, given in path order.
///
/// A file joins the first variant that it does not contradict, so nothing incomparable is averaged.
pub fn group<'a>(files: impl IntoIterator<Item = (&'a Path, &'a Arc<Measurements>)>) -> Group {
    let (costs, evaluations): (Vec<_>, Vec<_>) = files
        .into_iter()
        .partition(|(_, part)| part.evaluation.is_costs_only());
    let mut group = Group::default();
    for (path, part) in evaluations {
        place(&mut group, path, part);
    }
    for (path, part) in costs {
        attach(&mut group, path, part);
    }
    for variant in &mut group.variants {
        variant.lead_with_the_most_complete();
    }
    group
}

/// Costs that stand alone belong to every result of their model; without any they are one.
fn attach(group: &mut Group, path: &Path, costs: &Arc<Measurements>) {
    if group
        .variants
        .iter()
        .all(|v| v.measurements.evaluation.is_costs_only())
    {
        return place(group, path, costs);
    }
    for variant in &mut group.variants {
        match join(&mut variant.measurements, costs) {
            Ok(()) => variant.files.push(path.to_owned()),
            Err(error) => group.conflicts.push(kept_apart(path, variant, &error)),
        }
    }
}

fn kept_apart(path: &Path, variant: &Variant, error: &MergeError) -> String {
    let with = variant.files.first().map(|file| name(file));
    format!(
        "{} is kept apart from {}: {error}",
        name(path),
        with.unwrap_or_default()
    )
}

fn place(group: &mut Group, path: &Path, part: &Arc<Measurements>) {
    let mut reasons = Vec::new();
    for variant in &mut group.variants {
        match variant.take(part) {
            Ok(()) => {
                variant.files.push(path.to_owned());
                return;
            }
            Err(error) => reasons.push(kept_apart(path, variant, &error)),
        }
    }
    group.conflicts.extend(reasons);
    group.variants.push(Variant {
        files: vec![path.to_owned()],
        measurements: Arc::clone(part),
        elsewhere: Vec::new(),
    });
}

impl Variant {
    /// Machines and engines of all runs, those that the figures come from first.
    pub fn devices(&self) -> Vec<String> {
        let mut devices = self.measurements.devices();
        for other in &self.elsewhere {
            devices.extend(other.devices());
        }
        devices
    }

    /// Figures come from the device that measured the most dimensions, of several from the first.
    fn lead_with_the_most_complete(&mut self) {
        for other in &mut self.elsewhere {
            if other.dimensions() > self.measurements.dimensions() {
                std::mem::swap(other, &mut self.measurements);
            }
        }
    }

    /// The costs of all devices.
    pub fn costs(&self) -> Vec<Cost> {
        let all = std::iter::once(&self.measurements).chain(&self.elsewhere);
        let costs = all.flat_map(|m| m.evaluation.costs.iter().cloned());
        let mut found: Vec<Cost> = Vec::new();
        for cost in costs {
            if !found.contains(&cost) {
                found.push(cost);
            }
        }
        found
    }

    /// Joins a part, or puts it beside what other devices measured.
    fn take(&mut self, part: &Arc<Measurements>) -> Result<(), MergeError> {
        let Err(error) = join(&mut self.measurements, part) else {
            return Ok(());
        };
        let is_repetition = matches!(
            error,
            MergeError::Conflict { .. } | MergeError::Shard { .. }
        );
        let other_device = |own: &Arc<Measurements>| !part.shares_a_device(own);
        if !is_repetition || !other_device(&self.measurements) {
            return Err(error);
        }
        for other in &mut self.elsewhere {
            if join(other, part).is_ok() {
                return Ok(());
            }
        }
        if !self.elsewhere.iter().all(other_device) {
            return Err(error);
        }
        self.elsewhere.push(Arc::clone(part));
        Ok(())
    }
}

fn join(whole: &mut Arc<Measurements>, part: &Arc<Measurements>) -> Result<(), MergeError> {
    let merged = merge(&whole.evaluation, &part.evaluation)?;
    if merged != *whole.evaluation {
        *whole = Arc::new(Measurements::of(merged));
    }
    Ok(())
}

fn name(path: &Path) -> String {
    path.file_name()
        .unwrap_or(path.as_os_str())
        .to_string_lossy()
        .into_owned()
}
