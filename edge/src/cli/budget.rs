//! `--budget` and `--target-ci`: when to be content with fewer images.

use std::time::Duration;

use clap::Args;

use crate::evaluate::Budget;

/// Limits of an evaluation.
#[derive(Clone, Copy, Debug, Args)]
#[command(next_help_heading = "Limited time")]
pub struct BudgetArguments {
    /// Evaluate for TIME, for instance 30m or 1h30m, the images that tighten the interval of QUBA
    /// most; calls of one run share the time, and a longer one goes on
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub budget: Option<Duration>,
    /// Evaluate until the 95 % interval of QUBA of every model is at most WIDTH wide
    #[arg(long, value_name = "WIDTH", value_parser = width)]
    pub target_ci: Option<f64>,
}

impl BudgetArguments {
    /// The limits, if there are any.
    pub fn limits(self) -> Option<Budget> {
        let budget = Budget {
            time: self.budget,
            width: self.target_ci,
        };
        (budget.time.is_some() || budget.width.is_some()).then_some(budget)
    }
}

fn time(text: &str) -> Result<Duration, String> {
    let time = humantime::parse_duration(text)
        .ok()
        .filter(|t| !t.is_zero());
    time.ok_or_else(|| "expected a time with its unit, for instance 90s, 30m or 1h30m".to_owned())
}

fn width(text: &str) -> Result<f64, String> {
    let width = text
        .parse::<f64>()
        .ok()
        .filter(|w| w.is_finite() && *w > 0.0);
    width.ok_or_else(|| "expected a width of QUBA above 0, for instance 0.2".to_owned())
}
