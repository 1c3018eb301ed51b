//! The arguments of `edge correlate`.

use std::path::PathBuf;

use clap::{ArgGroup, Args};

use crate::cli::args::{FormatArguments, WeightArguments};

/// `edge correlate`.
#[derive(Debug, Args)]
#[command(group(ArgGroup::new("source").required(true).args(["files", "published", "table"])))]
pub struct CorrelateArguments {
    /// Result files, or folders of them
    pub files: Vec<PathBuf>,
    /// The study's 326 models
    #[arg(long)]
    pub published: bool,
    /// Leave out the published models whose figures are distorted
    #[arg(long, requires = "published")]
    pub clean: bool,
    /// Comma-separated values under a header, a model a line
    #[arg(long, value_name = "FILE", requires = "x")]
    pub table: Option<PathBuf>,
    /// The figure to choose models by: acc, adv, …, quba, or a column of the table [default: the
    /// matrix of the nine dimensions]
    #[arg(long, value_name = "FIGURE", requires = "y")]
    pub x: Option<String>,
    /// The figure that matters
    #[arg(long, value_name = "FIGURE", requires = "x")]
    pub y: Option<String>,
    /// Column of the table with the names of the models [default: the first]
    #[arg(long, value_name = "COLUMN", requires = "table")]
    pub name: Option<String>,
    /// Columns of the table of which less is better
    #[arg(
        long,
        value_name = "COLUMN,…",
        value_delimiter = ',',
        requires = "table"
    )]
    pub lower_is_better: Vec<String>,
    /// Also over the models whose x is at least as good as each of these [default: steps of 0.04
    /// for shares, else tenths of the models, while 10 models are left]
    #[arg(
        long,
        value_name = "X,…",
        value_delimiter = ',',
        requires = "x",
        allow_negative_numbers = true
    )]
    pub from: Vec<f64>,
    /// P-values for "y rises with x" alone
    #[arg(long)]
    pub one_sided: bool,
    /// Resamples of the models, and permutations
    #[arg(long, value_name = "N", default_value_t = 5000,
          value_parser = clap::value_parser!(u32).range(100..=100_000))]
    pub resamples: u32,
    /// Seed of the resamples
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub seed: u64,
    #[command(flatten)]
    pub weighting: WeightArguments,
    #[command(flatten)]
    pub format: FormatArguments,
}
