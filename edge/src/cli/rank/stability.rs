//! How sure the order of the models is.

use std::num::NonZeroU32;

use anyhow::{Context, Result};
use clap::Args;
use serde::Serialize;
use shared::Dimension;
use shared::quba::{Reference, Weights};
use shared::statistics::SIGNIFICANCE;
use shared::uncertainty::{Options, Perturbation, Resampled, Stability, Standing, stability};

use crate::cli::resampling::{TWO_SIDED, resamples, too_few};
use crate::cli::words::{NOT_MEASURED, count, plural};

/// Whether and how the order is put to the test.
#[derive(Clone, Copy, Debug, Args)]
#[command(next_help_heading = "Stability")]
pub struct StabilityArguments {
    /// Add how sure the order is: chances of the first places, rank intervals, and ties
    #[arg(long)]
    pub stability: bool,
    /// The k of "in the top k"
    #[arg(long, value_name = "K", default_value = "3", requires = "stability")]
    pub top: NonZeroU32,
    /// How uncertain the weights are: relative deviation of each around the given one, 0 for not
    /// at all
    #[arg(long, value_name = "S", default_value = "0.2", requires = "stability",
          value_parser = spread)]
    pub weight_spread: f64,
    /// Resamples of the images [default: 1000, or more where many models need them]
    #[arg(long, value_name = "N", requires = "stability",
          value_parser = clap::value_parser!(u32).range(100..=100_000))]
    pub resamples: Option<u32>,
    /// Seed of the resamples
    #[arg(long, value_name = "S", default_value_t = 0, requires = "stability")]
    pub seed: u64,
}

fn spread(text: &str) -> Result<f64, String> {
    let spread = text
        .parse::<f64>()
        .ok()
        .filter(|s| (0.0..=10.0).contains(s));
    spread.ok_or_else(|| "expected a number from 0 to 10".to_owned())
}

impl StabilityArguments {
    /// How to resample so many models.
    pub(super) fn options(&self, models: usize) -> Options {
        if !self.stability {
            return Options::default();
        }
        Options {
            seed: self.seed,
            resamples: resamples(self.resamples, models * models.saturating_sub(1) / 2),
            ..Options::default()
        }
    }
}

/// The columns that say how sure the order is.
pub(super) struct Places {
    stability: Stability,
    perturbation: Perturbation,
    options: Options,
}

impl Places {
    /// `None` unless asked for.
    pub(super) fn of(
        arguments: &StabilityArguments,
        models: &[Resampled],
        weights: &Weights,
        reference: &Reference,
    ) -> Result<Option<Self>> {
        let (true, Some(first)) = (arguments.stability, models.first()) else {
            return Ok(None);
        };
        let perturbation = Perturbation {
            weight_spread: arguments.weight_spread,
            top: arguments.top.get() as usize,
        };
        let stability = stability(models, weights, reference, perturbation)
            .context("cannot tell how sure the order is")?;
        Ok(Some(Self {
            stability,
            perturbation,
            options: first.options(),
        }))
    }

    pub(super) fn headings(&self) -> [String; 4] {
        [
            "P first".to_owned(),
            format!("P top {}", self.perturbation.top),
            "ranks".to_owned(),
            "ties".to_owned(),
        ]
    }

    pub(super) fn cells(&self, index: usize) -> [String; 4] {
        let Some(standing) = &self.stability.standings[index] else {
            return [NOT_MEASURED; 4].map(str::to_owned);
        };
        let (low, high) = standing.ranks;
        let ranks = if low == high {
            low.to_string()
        } else {
            format!("{low} to {high}")
        };
        [
            format!("{:.3}", standing.first),
            format!("{:.3}", standing.top),
            ranks,
            letters(standing),
        ]
    }

    /// Fields of [`Places::values`].
    pub(super) const FIELDS: [&str; 5] = ["p_first", "p_top", "rank_low", "rank_high", "ties"];

    /// The same for programs; empty without a score.
    pub(super) fn values(&self, index: usize) -> [String; 5] {
        self.stability.standings[index]
            .as_ref()
            .map_or_else(Default::default, |standing| {
                [
                    standing.first.to_string(),
                    standing.top.to_string(),
                    standing.ranks.0.to_string(),
                    standing.ranks.1.to_string(),
                    letters(standing),
                ]
            })
    }

    pub(super) fn json(&self, index: usize) -> Option<JsonStanding> {
        let standing = self.stability.standings[index].as_ref()?;
        Some(JsonStanding {
            p_first: standing.first,
            p_top: standing.top,
            rank_interval_95: standing.ranks,
            ties: letters(standing),
        })
    }

    pub(super) fn json_settings(&self) -> JsonSettings {
        JsonSettings {
            top: self.perturbation.top,
            weight_spread: self.perturbation.weight_spread,
            resamples: self.options.resamples,
            seed: self.options.seed,
            pairs: self.stability.pairs,
            pairs_separated: self.stability.separated,
            held_fixed: columns(&self.stability.held_fixed),
        }
    }

    /// What the columns mean.
    pub(super) fn notes(&self) -> Vec<String> {
        let resamples = count(self.options.resamples as u64);
        let weights = match self.perturbation.weight_spread {
            0.0 => "under the given weights".to_owned(),
            spread => {
                format!("each under weights {spread} around the given ones (--weight-spread)")
            }
        };
        let fixed = columns(&self.stability.held_fixed);
        let fixed = if fixed.is_empty() {
            String::new()
        } else {
            format!("; {} held fixed, so they look too sure", fixed.join(", "))
        };
        let mut notes = vec![
            format!(
                "P, ranks: chances and middle 95 % over {resamples} resamples of the images, {weights}, \
                 seed {}{fixed}",
                self.options.seed
            ),
            format!(
                "ties: models that share a letter are not separated under the given weights: p above \
                 {SIGNIFICANCE} (paired resamples, corrected by Holm for {})",
                plural(self.stability.pairs as u64, "pair")
            ),
        ];
        notes.extend(too_few(
            self.options.resamples,
            self.stability.pairs,
            TWO_SIDED,
        ));
        notes
    }
}

fn columns(dimensions: &[Dimension]) -> Vec<&'static str> {
    dimensions.iter().map(|d| d.column()).collect()
}

/// Groups as letters; a digit follows where the alphabet does not suffice.
fn letters(standing: &Standing) -> String {
    let letter = |&group: &usize| {
        let letter = char::from(b'a' + (group % 26) as u8);
        match group / 26 {
            0 => letter.to_string(),
            round => format!("{letter}{round}"),
        }
    };
    standing.groups.iter().map(letter).collect()
}

#[derive(Serialize)]
pub(super) struct JsonStanding {
    p_first: f64,
    p_top: f64,
    rank_interval_95: (u32, u32),
    /// Models that share a letter are not separated.
    ties: String,
}

#[derive(Serialize)]
pub(super) struct JsonSettings {
    top: usize,
    weight_spread: f64,
    resamples: usize,
    seed: u64,
    pairs: usize,
    pairs_separated: usize,
    held_fixed: Vec<&'static str>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_as_letters() {
        let standing = |groups| Standing {
            first: 0.0,
            top: 0.0,
            ranks: (1, 1),
            groups,
        };
        assert_eq!(letters(&standing(vec![0, 2, 25])), "acz");
        assert_eq!(letters(&standing(vec![25, 26, 53])), "za1b2");
    }
}
