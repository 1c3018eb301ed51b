//! What models may cost, and which give the best score for what they cost.

use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use shared::Direction::{HigherIsBetter, LowerIsBetter};
use shared::comparison::costs::{choose_device, devices, latency_on};
use shared::quba::Ranking;
use shared::result::Evaluation;
use shared::statistics::pareto_front;

use crate::cli::args::LimitArguments;
use crate::cli::words::count;

/// A result and where it was read.
type Input = (PathBuf, Evaluation);

/// What to compare scores with.
pub(super) struct Costs {
    /// The device of the latencies; without one, costs are bytes of the model file.
    device: Option<String>,
}

impl Costs {
    /// Bytes, unless a latency is asked for or limited.
    ///
    /// # Errors
    /// When it is not clear on which device.
    pub(super) fn choose(limits: &LimitArguments, inputs: &[Input]) -> Result<Self> {
        let wanted = limits.latency_on.as_deref();
        if wanted.is_none() && limits.max_latency.is_none() {
            return Ok(Self { device: None });
        }
        let known = devices(inputs.iter().flat_map(|(_, evaluation)| &evaluation.costs));
        let device = choose_device(&known, wanted).context("which --latency-on")?;
        Ok(Self {
            device: Some(device),
        })
    }

    /// Bytes, or milliseconds where they were measured.
    fn of(&self, evaluation: &Evaluation) -> Option<f64> {
        match &self.device {
            None => Some(evaluation.model.bytes as f64),
            Some(device) => latency_on(evaluation, device),
        }
    }

    /// Heading of the column of figures.
    fn heading(&self) -> &'static str {
        match self.device {
            None => "MB",
            Some(_) => "p90 ms",
        }
    }
}

/// Takes out models that cost too much, or of which a limited figure is not known, and costs without
/// an evaluation; says which and why.
///
/// # Errors
/// When nothing is left.
pub(super) fn within(
    limits: &LimitArguments,
    costs: &Costs,
    inputs: Vec<Input>,
) -> Result<(Vec<Input>, Vec<String>)> {
    let mut left_out = Vec::new();
    let mut kept = Vec::new();
    for (path, evaluation) in inputs {
        match refusal(limits, costs, &evaluation) {
            None => kept.push((path, evaluation)),
            Some(reason) => left_out.push(format!("{}: {reason}", evaluation.model.name)),
        }
    }
    ensure!(!kept.is_empty(), "nothing to rank: {}", left_out.join("; "));
    Ok((kept, left_out))
}

fn refusal(limits: &LimitArguments, costs: &Costs, evaluation: &Evaluation) -> Option<String> {
    if evaluation.is_costs_only() {
        return Some("no images evaluated (`edge merge` joins its costs with results)".to_owned());
    }
    let model = &evaluation.model;
    let sizes = [
        ("parameters", model.parameters.count, limits.max_params),
        ("bytes", model.bytes, limits.max_bytes),
    ];
    for (what, size, limit) in sizes {
        if limit.is_some_and(|limit| size > limit) {
            return Some(format!("{} {what}", count(size)));
        }
    }
    let limit = limits.max_latency?;
    match costs.of(evaluation) {
        None => Some("its latency was not measured on this device".to_owned()),
        Some(latency) => (latency > limit).then(|| format!("{latency:.2} ms")),
    }
}

/// A ranking's models by score and cost.
pub(super) struct Front<'a> {
    costs: &'a Costs,
    /// By position among the models that are ranked.
    figures: Vec<Option<f64>>,
    /// Likewise: whether no other model is better in score or cost without being worse in the other.
    best: Vec<bool>,
}

impl<'a> Front<'a> {
    pub(super) fn new(costs: &'a Costs, inputs: &[Input], ranking: &Ranking) -> Self {
        let figures: Vec<Option<f64>> = inputs.iter().map(|(_, e)| costs.of(e)).collect();
        let mut points = vec![[f64::NAN; 2]; figures.len()];
        for model in &ranking.models {
            let score = model.score.as_ref().map(|score| score.value);
            let cost = figures[model.index];
            points[model.index] = [cost, score].map(|figure| figure.unwrap_or(f64::NAN));
        }
        let front = pareto_front(&points, [LowerIsBetter, HigherIsBetter]);
        Self {
            costs,
            best: (0..figures.len()).map(|i| front.contains(&i)).collect(),
            figures,
        }
    }

    pub(super) fn headings(&self) -> [&'static str; 2] {
        [self.costs.heading(), "Pareto"]
    }

    /// The figure, and a mark where the model is on the front.
    pub(super) fn cells(&self, index: usize) -> [String; 2] {
        let digits = |figure: f64| match self.costs.device {
            None => format!("{:.2}", figure / 1e6),
            Some(_) => format!("{figure:.2}"),
        };
        let figure = self.figures[index].map_or(super::NOT_MEASURED.to_owned(), digits);
        let mark = if self.best[index] { "●" } else { "" };
        [figure, mark.to_owned()]
    }

    /// What the figures are, for programs.
    pub(super) fn field(&self) -> &'static str {
        match self.costs.device {
            None => "bytes",
            Some(_) => "latency_ms",
        }
    }

    /// The figure, and whether the model is on the front.
    pub(super) fn values(&self, index: usize) -> (Option<f64>, bool) {
        (self.figures[index], self.best[index])
    }

    /// The device of the figures, where they are latencies.
    pub(super) fn device(&self) -> Option<&'a str> {
        self.costs.device.as_deref()
    }

    pub(super) fn note(&self) -> String {
        let cost = match &self.costs.device {
            None => "file size".to_owned(),
            Some(device) => format!("latency (90th percentile) on {device}"),
        };
        format!("● no other model is better in QUBA or {cost} without being worse in the other")
    }
}
