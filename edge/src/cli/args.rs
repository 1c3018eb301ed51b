//! What the command line accepts.

use std::num::{NonZeroU32, NonZeroUsize};
use std::path::PathBuf;
use std::time::Duration;

use clap::builder::{BoolishValueParser, PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};
use shared::outcome::{Corruption, Severity};
use shared::{Dimension, Protocol};

use super::attacks::AttackArguments;
use super::budget::BudgetArguments;
use super::correlate::CorrelateArguments;
use super::exit;
use super::rank::StabilityArguments;
use super::shard::ShardArguments;
use crate::bench::Settings;
use crate::evaluate::CorruptionSource;
use crate::perturb::corruption::Frost;
use crate::perturb::generate::{MAX_SIDE, PUBLISHED_SIDE};
use crate::runtime::gpu::choice::Backend;

/// Evaluates ONNX image classifiers on nine quality dimensions and ranks them by QUBA.
#[derive(Debug, Parser)]
#[command(name = "edge", version, after_help = exit::HELP, arg_required_else_help = true)]
pub struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The subcommands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Evaluate models on a folder of image sets and write one result file each
    Eval(EvalArguments),
    /// Evaluate the bundled models on the built-in data set: no download, one ranked table
    Demo(DemoArguments),
    /// Measure what running models costs on this machine: latency, throughput, memory, energy
    Bench(BenchArguments),
    /// One measurement of `edge bench`, which starts it
    #[command(hide = true)]
    Measure(MeasureArguments),
    /// Rank result files by QUBA under your weights
    Rank(RankArguments),
    /// Compare models image by image: differences, their intervals, and which are significant
    Compare(CompareArguments),
    /// Correlate figures over models: does one predict the other, and what does trusting it cost?
    Correlate(CorrelateArguments),
    /// Show everything a result file holds
    Show(ShowArguments),
    /// Join result files of the same model
    Merge(MergeArguments),
    /// Print what was understood of a model, without evaluating it
    Inspect(InspectArguments),
    /// Print which image sets a folder holds and which dimensions that leaves unmeasured
    Data(DataArguments),
    /// Write the corrupted copies of images that an evaluation shows, or a contact sheet
    Corrupt(CorruptArguments),
    /// List the GPU adapters of this machine and whether each computes correctly
    Devices(DevicesArguments),
    /// Print the completion script of a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
}

/// `edge eval`.
#[derive(Debug, Args)]
pub struct EvalArguments {
    /// ONNX files; a card MODEL.toml or a timm configuration beside each is used
    #[arg(required = true, value_name = "MODEL.onnx")]
    pub models: Vec<PathBuf>,
    /// Root of the image sets (see `edge data ROOT`)
    #[arg(long, value_name = "ROOT")]
    pub data: PathBuf,
    #[command(flatten)]
    pub run: RunArguments,
    #[command(flatten)]
    pub shard: ShardArguments,
}

/// What `edge eval` and `edge demo` share.
#[derive(Debug, Args)]
pub struct RunArguments {
    /// Dimensions to measure: acc, adv, cor, ood, cal, bal, obj, shape, params [default: all]
    #[arg(long, value_name = "DIM,…", value_delimiter = ',')]
    pub dims: Vec<Dimension>,
    /// Folder of the result files
    #[arg(long, value_name = "DIR", default_value = "quba-out")]
    pub out: PathBuf,
    /// Evaluate at most N images of each set: stratified by class, the same for every model
    #[arg(long, value_name = "N")]
    pub images: Option<NonZeroU32>,
    /// Worker threads [default: all cores]
    #[arg(long, value_name = "N")]
    pub threads: Option<NonZeroUsize>,
    /// Seed of everything random
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub seed: u64,
    /// Definition used where the study's text and its code differ
    #[arg(long, value_enum, default_value_t = ProtocolArgument::Correct)]
    pub protocol: ProtocolArgument,
    /// Stop at the first image that cannot be read, instead of counting it
    #[arg(long)]
    pub strict: bool,
    /// Ignore and replace earlier results and interrupted runs
    #[arg(long)]
    pub fresh: bool,
    /// Print the metrics as JSON
    #[arg(long)]
    pub json: bool,
    /// What models run on; auto takes the best hardware GPU, else the CPU
    #[arg(long, value_enum, default_value_t = BackendArgument::Auto)]
    pub backend: BackendArgument,
    /// GPU adapter: a name, a part of one, or an index (see `edge devices`)
    #[arg(long, value_name = "NAME|INDEX")]
    pub device: Option<String>,
    #[command(flatten)]
    pub budget: BudgetArguments,
    #[command(flatten)]
    pub attacks: AttackArguments,
    #[command(flatten)]
    pub corruptions: CorruptionArguments,
    #[command(flatten)]
    pub costs: CostArguments,
}

/// Whether and how long to measure costs beside an evaluation.
#[derive(Clone, Copy, Debug, Args)]
#[command(next_help_heading = "Measuring costs")]
pub struct CostArguments {
    /// Also measure what running each model costs, as `edge bench` does, on what it ran on
    #[arg(long)]
    pub bench: bool,
    #[command(flatten)]
    pub settings: MeasuringArguments,
}

/// [`Backend`] on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum BackendArgument {
    /// The best hardware GPU, else the CPU
    Auto,
    /// A GPU, a software one too
    Gpu,
    /// tract on the processor
    Cpu,
}

impl From<BackendArgument> for Backend {
    fn from(argument: BackendArgument) -> Self {
        match argument {
            BackendArgument::Auto => Self::Auto,
            BackendArgument::Gpu => Self::Gpu,
            BackendArgument::Cpu => Self::Cpu,
        }
    }
}

/// Which corrupted images are shown, and how they are made.
#[derive(Debug, Args)]
#[command(next_help_heading = "Corruptions")]
pub struct CorruptionArguments {
    /// Where corrupted images come from
    #[arg(long, value_enum, default_value_t = SourceArgument::Auto)]
    pub corruptions: SourceArgument,
    /// Also evaluate speckle_noise, gaussian_blur, spatter and saturate, which are not scored
    #[arg(long)]
    pub extra_corruptions: bool,
    #[command(flatten)]
    pub generation: GenerationArguments,
}

/// How corrupted images are made of clean ones.
#[derive(Debug, Args)]
pub struct GenerationArguments {
    /// Bring images to PIXELS before they are corrupted, as ImageNet-C does; smaller ones keep
    /// their size
    #[arg(long, value_name = "PIXELS", default_value_t = PUBLISHED_SIDE,
          value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_SIDE)))]
    pub corruption_size: u32,
    /// Store generated images as JPEG of quality 85, as ImageNet-C does [default: off; on with
    /// `edge eval --protocol published`]
    #[arg(long, value_name = "on|off", hide_possible_values = true,
          value_parser = BoolishValueParser::new())]
    pub jpeg85: Option<bool>,
    /// Make frost with the first five pictures of DIR, for instance the published ones [default:
    /// synthetic textures]
    #[arg(long, value_name = "DIR")]
    pub frost: Option<PathBuf>,
}

impl GenerationArguments {
    /// The pictures that frost is made with.
    ///
    /// # Errors
    /// When those that were asked for cannot be used.
    pub fn read_frost(&self) -> anyhow::Result<Frost> {
        self.frost
            .as_deref()
            .map_or_else(|| Ok(Frost::synthetic()), Frost::read)
    }
}

/// The source of corrupted images as a word on the command line.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum SourceArgument {
    /// Stored folders where there are any, else generated from the clean images
    Auto,
    /// Stored folders only
    Stored,
    /// Generated from the clean images, whatever is stored
    Generated,
}

impl From<SourceArgument> for CorruptionSource {
    fn from(word: SourceArgument) -> Self {
        match word {
            SourceArgument::Auto => Self::Auto,
            SourceArgument::Stored => Self::Stored,
            SourceArgument::Generated => Self::Generated,
        }
    }
}

/// The protocol as a word on the command line.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum ProtocolArgument {
    /// What the definitions mean
    Correct,
    /// What the study's code does, quirks included
    Published,
}

impl From<ProtocolArgument> for Protocol {
    fn from(word: ProtocolArgument) -> Self {
        match word {
            ProtocolArgument::Correct => Self::Correct,
            ProtocolArgument::Published => Self::Published,
        }
    }
}

/// `edge demo`.
#[derive(Debug, Args)]
pub struct DemoArguments {
    /// Only write the data set (and the bundled models) into this folder
    #[arg(long, value_name = "DIR")]
    pub write: Option<PathBuf>,
    /// With --write: also render N training images per class, plain and randomised
    #[arg(long, value_name = "N", requires = "write")]
    pub train: Option<NonZeroU32>,
    #[command(flatten)]
    pub run: RunArguments,
}

/// `edge bench`.
#[derive(Debug, Args)]
pub struct BenchArguments {
    /// ONNX files
    #[arg(required = true, value_name = "MODEL.onnx")]
    pub models: Vec<PathBuf>,
    /// Folder of the result files: costs join the results of the same model there, or stand in a
    /// file of their own that `edge merge` joins with results from elsewhere
    #[arg(long, value_name = "DIR", default_value = "quba-out")]
    pub out: PathBuf,
    /// Threads of the throughput on the CPU [default: all cores]
    #[arg(long, value_name = "N")]
    pub threads: Option<NonZeroUsize>,
    /// What models run on; auto takes the CPU and every hardware GPU
    #[arg(long, value_enum, default_value_t = BackendArgument::Auto, hide_possible_values = true)]
    pub backend: BackendArgument,
    /// This GPU adapter alone: a name, a part of one, or an index (see `edge devices`)
    #[arg(long, value_name = "NAME|INDEX")]
    pub device: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub settings: MeasuringArguments,
}

/// How long to measure costs.
#[derive(Clone, Copy, Debug, Args)]
#[command(next_help_heading = "Measuring costs")]
pub struct MeasuringArguments {
    /// Shortest time of the latency, and of the throughput (MLPerf's single stream: 600)
    #[arg(long, value_name = "SECONDS", default_value = "3", value_parser = seconds)]
    pub min_duration: Duration,
    /// Fewest queries of the latency (MLPerf's single stream: 1024)
    #[arg(long, value_name = "N", default_value = "64")]
    pub min_queries: NonZeroU32,
}

impl MeasuringArguments {
    /// With a number of threads, by default one per core.
    pub fn with_threads(self, threads: Option<NonZeroUsize>) -> Settings {
        Settings {
            threads: threads.map_or_else(cores, NonZeroUsize::get),
            min_duration: self.min_duration,
            min_queries: self.min_queries.get(),
        }
    }
}

/// Cores that this process may use.
pub(super) fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, NonZeroUsize::get)
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse::<f64>().map_err(|error| error.to_string())?;
    Duration::try_from_secs_f64(seconds).map_err(|error| error.to_string())
}

/// `edge measure`.
#[derive(Debug, Args)]
pub struct MeasureArguments {
    /// The ONNX file
    pub model: PathBuf,
    /// File for the measurement
    #[arg(long)]
    pub into: PathBuf,
    /// Threads of the throughput
    #[arg(long)]
    pub threads: Option<NonZeroUsize>,
    #[command(flatten)]
    pub settings: MeasuringArguments,
}

/// `edge rank`.
#[derive(Debug, Args)]
pub struct RankArguments {
    /// Result files, or folders of them
    #[arg(required = true)]
    pub files: Vec<PathBuf>,
    #[command(flatten)]
    pub weighting: WeightArguments,
    /// Means and deviations behind the scores: `published`, or result files to fit them on
    /// [default: published; the ranked models themselves where the data is not ImageNet-1k]
    #[arg(long, value_name = "published|FILES", num_args = 1..)]
    pub reference: Vec<PathBuf>,
    /// Place each model among the 326 published ones
    #[arg(long)]
    pub against_published: bool,
    #[command(flatten)]
    pub format: FormatArguments,
    #[command(flatten)]
    pub limits: LimitArguments,
    #[command(flatten)]
    pub stability: StabilityArguments,
}

/// What models may cost.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Costs")]
pub struct LimitArguments {
    /// Rank only models of at most N parameters, for instance 5M
    #[arg(long, value_name = "N", value_parser = size)]
    pub max_params: Option<u64>,
    /// Rank only models whose files have at most N bytes, for instance 20M
    #[arg(long, value_name = "N", value_parser = size)]
    pub max_bytes: Option<u64>,
    /// Rank only models with a latency (90th percentile, see `edge bench`) of at most MS
    #[arg(long, value_name = "MS", value_parser = milliseconds)]
    pub max_latency: Option<f64>,
    /// The device of that latency, by its name or a part of it; latency then stands in place of
    /// bytes in the Pareto column [default: the only device there is]
    #[arg(long, value_name = "DEVICE")]
    pub latency_on: Option<String>,
}

/// A count, with k, M or G for thousands, millions and billions.
fn size(text: &str) -> Result<u64, String> {
    let (number, unit) = match text.char_indices().next_back() {
        Some((i, 'k' | 'K')) => (&text[..i], 1e3),
        Some((i, 'M')) => (&text[..i], 1e6),
        Some((i, 'G')) => (&text[..i], 1e9),
        _ => (text, 1.0),
    };
    let count = number
        .parse::<f64>()
        .ok()
        .filter(|n| n.is_finite() && *n >= 0.0);
    let count = count.ok_or("expected a number, or one with k, M or G")?;
    Ok((count * unit).round() as u64)
}

fn milliseconds(text: &str) -> Result<f64, String> {
    let time = text
        .parse::<f64>()
        .ok()
        .filter(|t| t.is_finite() && *t > 0.0);
    time.ok_or_else(|| "expected milliseconds above 0".to_owned())
}

/// The weights of a score.
#[derive(Debug, Args)]
#[group(multiple = false)]
pub struct WeightArguments {
    /// Weights, for instance acc=1,adv=0.5; dimensions left out keep their default
    #[arg(long, value_name = "DIM=W,…")]
    pub weights: Option<String>,
    /// Named weights: study, accuracy-first, safety-critical, fairness, small-device, equal
    #[arg(long, value_name = "NAME")]
    pub preset: Option<String>,
}

/// The form of a table.
#[derive(Clone, Copy, Debug, Default, Args)]
#[group(multiple = false)]
pub struct FormatArguments {
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    /// Print comma-separated values
    #[arg(long)]
    pub csv: bool,
    /// Print a Markdown table
    #[arg(long)]
    pub markdown: bool,
}

/// `edge compare`.
#[derive(Debug, Args)]
pub struct CompareArguments {
    /// Result files, or folders of them: two or more models evaluated on the same images
    #[arg(required = true)]
    pub files: Vec<PathBuf>,
    /// Compare each model with each other one, not all with the first
    #[arg(long)]
    pub all_pairs: bool,
    /// Resamples of the images [default: 1000, or more where many comparisons need them]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(100..=100_000))]
    pub resamples: Option<u32>,
    /// Seed of the resamples
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub seed: u64,
    #[command(flatten)]
    pub weighting: WeightArguments,
    /// Means and deviations behind the scores: `published`, or result files to fit them on
    /// [default: published; the compared models themselves where the data is not ImageNet-1k]
    #[arg(long, value_name = "published|FILES", num_args = 1..)]
    pub reference: Vec<PathBuf>,
    #[command(flatten)]
    pub format: FormatArguments,
}

/// `edge show`.
#[derive(Debug, Args)]
pub struct ShowArguments {
    /// The result file
    pub file: PathBuf,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// `edge merge`.
#[derive(Debug, Args)]
pub struct MergeArguments {
    /// Result files of one or more models, shards too, or folders of them
    #[arg(required = true)]
    pub files: Vec<PathBuf>,
    /// Folder of the joined result files, one per model
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
}

/// `edge inspect`.
#[derive(Debug, Args)]
pub struct InspectArguments {
    /// The ONNX file
    pub model: PathBuf,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// `edge data`.
#[derive(Debug, Args)]
pub struct DataArguments {
    /// Root of the image sets
    pub root: PathBuf,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// `edge devices`.
#[derive(Debug, Args)]
pub struct DevicesArguments {
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// `edge corrupt`.
#[derive(Debug, Args)]
pub struct CorruptArguments {
    /// An image, or a folder of images (flat or class folders)
    #[arg(value_name = "IMAGE|FOLDER")]
    pub images: PathBuf,
    /// Folder of the pictures: <corruption>-<severity>.png and clean.png of an image, the layout
    /// of ImageNet-C of a folder. Pictures that are there already are replaced
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
    /// Corruptions [default: the 15 that are scored]
    #[arg(long, value_name = "NAME,…", value_delimiter = ',', value_parser = corruption_parser())]
    pub corruption: Vec<Corruption>,
    /// Severities, 1 to 5 [default: all]
    #[arg(long, value_name = "N,…", value_delimiter = ',', value_parser = severity_parser())]
    pub severity: Vec<Severity>,
    /// Add the four corruptions that are not scored
    #[arg(long, conflicts_with = "corruption")]
    pub extra_corruptions: bool,
    /// Write one contact sheet of the image, sheet.png, and nothing else
    #[arg(long)]
    pub sheet: bool,
    /// Seed of everything random
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub seed: u64,
    #[command(flatten)]
    pub generation: GenerationArguments,
}

fn corruption_parser() -> impl TypedValueParser<Value = Corruption> {
    PossibleValuesParser::new(Corruption::ALL.map(Corruption::name))
        .try_map(|name| name.parse::<Corruption>())
}

fn severity_parser() -> impl TypedValueParser<Value = Severity> {
    clap::value_parser!(u8)
        .range(1..=5)
        .try_map(Severity::try_from)
}
