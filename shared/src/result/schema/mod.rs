//! The recorded evaluation, format 2. Enums may gain variants at their end (a minor version);
//! any other change of these types is a new major version with its own structs, as [`v1`] has them.

mod cost;
mod shard;
pub(super) mod v1;

use serde::{Deserialize, Serialize};

use crate::dimension::PerDimension;
use crate::outcome::{ImageList, Pass, PassKind};
use crate::protocol::Protocol;

pub use cost::{Cost, Energy, Latency, Throughput};
pub use shard::{Probabilities, Shard};

/// One model evaluated on one dataset: everything a result file holds. Costs can also stand alone
/// ([`Evaluation::of_costs`]).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Evaluation {
    /// The model and how it was fed.
    pub model: Model,
    /// The definition used for each dimension.
    pub protocols: PerDimension<Protocol>,
    /// The label set that the ground truth refers to.
    pub label_set: LabelSetRecord,
    /// The data root as found on disk.
    pub dataset: Dataset,
    /// Seed of everything random.
    pub seed: u64,
    /// The sample rule, or `None` where every image was used.
    pub subset: Option<Subset>,
    /// The runs that contributed, sorted; one, unless files were merged.
    pub runs: Vec<Run>,
    /// Image lists, sorted; passes refer to them by position.
    pub lists: Vec<ImageList>,
    /// Passes, sorted by kind; each kind at most once.
    pub passes: Vec<Pass>,
    /// What a reader of the numbers must know, sorted.
    pub warnings: Vec<Warning>,
    /// What running the model costs, sorted; each [`Cost::key`] at most once.
    pub costs: Vec<Cost>,
    /// The shards of split runs that this is made of, sorted by [`Shard::key`], for as long as others
    /// of them are missing.
    pub shards: Vec<Shard>,
}

impl Evaluation {
    /// Costs of a model on a machine that evaluated no images: to be joined with an evaluation of
    /// the same model by [`merge`](super::merge). It has no label set, no data and no runs.
    pub fn of_costs(model: Model, costs: Vec<Cost>) -> Self {
        Self {
            model,
            protocols: PerDimension::from_fn(|_| Protocol::Correct),
            label_set: LabelSetRecord {
                name: String::new(),
                classes: 0,
                shape_groups: Vec::new(),
                hash: [0; 32],
            },
            dataset: Dataset {
                name: String::new(),
                counts: Vec::new(),
            },
            seed: 0,
            subset: None,
            runs: Vec::new(),
            lists: Vec::new(),
            passes: Vec::new(),
            warnings: Vec::new(),
            costs,
            shards: Vec::new(),
        }
    }

    /// Whether this is [costs alone](Self::of_costs): there is no label set to evaluate on.
    pub fn is_costs_only(&self) -> bool {
        self.label_set.classes == 0
    }
}

/// The model file and what is known of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Model {
    /// Display name: from the card, else the file stem.
    pub name: String,
    /// BLAKE3 of the ONNX file followed by its external data files.
    pub hash: [u8; 32],
    /// Bytes of the ONNX file and its external data.
    pub bytes: u64,
    /// ONNX opset of the default domain.
    pub opset: u32,
    /// Trained parameters.
    pub parameters: Parameters,
    /// Multiply–accumulates for one image, where every operator could be counted.
    pub macs: Option<u64>,
    /// Groups to filter and colour by, from the card.
    pub grouping: Grouping,
    /// Number of outputs of the graph.
    pub outputs: u32,
    /// What the outputs are.
    pub output_kind: OutputKind,
    /// How images become tensors.
    pub preprocessing: Preprocessing,
}

/// Number of parameters and where it was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Parameters {
    /// Elements of all trained tensors, normalisation statistics excluded.
    pub count: u64,
    /// Where the count comes from.
    pub source: ParameterSource,
}

/// Where a parameter count comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ParameterSource {
    /// The model card.
    Card,
    /// The float initializers of the ONNX file (SPEC §1.9).
    Initializers,
}

/// Grouping metadata of a model card; empty strings are "not stated".
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Grouping {
    /// Architecture family, for instance `cnn` or `transformer`.
    pub architecture: String,
    /// Pre-training data, for instance `in1k`.
    pub pretraining_data: String,
    /// Training regime, for instance `sl` or `at`.
    pub training: String,
    /// Paper or report title.
    pub paper: String,
}

/// What a graph's outputs are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum OutputKind {
    /// Unnormalised scores: softmax is applied.
    Logits,
    /// Probabilities: no second softmax is applied.
    Probabilities,
    /// Probabilities that the published protocol passes through softmax again (quirk S1).
    DoubleSoftmax,
}

/// Decoded image → tensor.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Preprocessing {
    /// First step.
    pub resize: Resize,
    /// Second step: centre crop, `(width, height)`, which is also the model's input size.
    pub crop: (u32, u32),
    /// Filter of the resize, antialiased as PIL does it.
    pub interpolation: Interpolation,
    /// Per-channel mean of the `[0,1]` image, in the model's channel order.
    pub mean: [f32; 3],
    /// Per-channel deviation of the `[0,1]` image, in the model's channel order.
    pub std: [f32; 3],
    /// Order of the colour channels in the tensor.
    pub channels: ChannelOrder,
    /// Where these values were read.
    pub source: PreprocessingSource,
}

/// How an image is resized before the crop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Resize {
    /// Keep the image as it is.
    None,
    /// Shorter side to this length, longer side in proportion (truncated, as torchvision does).
    ShorterSide(u32),
    /// Both sides to `(width, height)`, whatever the proportion.
    Exact(u32, u32),
}

/// Resampling filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Interpolation {
    /// Nearest pixel.
    Nearest,
    /// Triangle filter.
    Bilinear,
    /// Cubic filter, a = −0.5 as PIL uses.
    Bicubic,
    /// Lanczos filter, three lobes.
    Lanczos,
}

/// Order of the colour channels in the tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ChannelOrder {
    /// Red first.
    Rgb,
    /// Blue first.
    Bgr,
}

/// Where preprocessing values were read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum PreprocessingSource {
    /// The model card.
    Card,
    /// A timm configuration.
    Timm,
    /// ImageNet defaults, because nothing was given.
    Defaults,
}

/// The label set of the ground truth.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LabelSetRecord {
    /// Name, for instance `imagenet-1k`.
    pub name: String,
    /// Number of classes.
    pub classes: u32,
    /// Names of the groups that shape and texture are decided between.
    pub shape_groups: Vec<String>,
    /// BLAKE3 of classes and groups.
    pub hash: [u8; 32],
}

/// The data root of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dataset {
    /// Display name: from `data.toml`, else the folder name.
    pub name: String,
    /// Image sets found, with their complete counts, sorted by kind.
    pub counts: Vec<(PassKind, u32)>,
}

/// How a sample was drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Subset {
    /// At most this many images of each set, stratified by class, nested, chosen by hash and seed.
    pub images_per_set: u32,
}

/// One run of `edge eval`: where and when.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Run {
    /// What executed the model.
    pub engine: Engine,
    /// The machine.
    pub device: Device,
    /// Version of this tool.
    pub tool_version: String,
    /// Start, seconds since 1970 (UTC).
    pub started: u64,
    /// Duration in milliseconds, resumed parts included.
    pub wall_ms: u64,
    /// Worker threads.
    pub threads: u32,
}

/// An inference engine with its version.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Engine {
    /// tract on the CPU.
    Tract {
        /// Crate version.
        version: String,
    },
    /// wonnx on a GPU; what it did not run, tract ran, and a [`Warning::GpuFallback`] says so.
    Wonnx {
        /// Crate version.
        version: String,
        /// Name of the adapter.
        adapter: String,
        /// The API that reaches the adapter, for instance `Vulkan`.
        api: String,
        /// Driver and its version, or empty where the API does not tell.
        driver: String,
    },
}

/// The machine of a run.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Device {
    /// Host name.
    pub host: String,
    /// Operating system, for instance `linux`.
    pub os: String,
    /// Processor architecture, for instance `aarch64`.
    pub arch: String,
    /// Processor name as the system tells it, or empty.
    pub processor: String,
    /// Logical cores available to the process.
    pub cores: u32,
}

/// A circumstance that a reader of the numbers must know.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Warning {
    /// No card and no timm configuration: ImageNet preprocessing was assumed.
    DefaultPreprocessing,
    /// Images of a pass were skipped because they could not be read.
    SkippedImages {
        /// The pass.
        pass: PassKind,
        /// How many.
        count: u32,
    },
    /// Only a sample of a set was evaluated.
    Sampled {
        /// The pass.
        pass: PassKind,
        /// Images evaluated.
        images: u32,
        /// Images in the set.
        population: u32,
    },
    /// Accuracy is near chance: the class order or the preprocessing may be wrong.
    NearChance,
    /// Classes without an image were left out of class balance.
    EmptyClasses {
        /// How many.
        count: u32,
    },
    /// The parameter count was read from the file, where folded normalisation may hide some.
    ParametersFromInitializers,
    /// A pass returned values that are not finite; those images count as wrong.
    NonFiniteOutputs {
        /// The pass.
        pass: PassKind,
        /// How many images.
        count: u32,
    },
    /// The adaptive calibration error was lost by merging disjoint parts.
    AceLostByMerge,
    /// The model has no gradient: adversarial robustness is that under a black-box attack.
    BlackBoxAttack,
    /// A GPU was chosen, but smaller batches or the CPU had to do, from the start or from a failure on.
    GpuFallback {
        /// What failed and what was done instead, in words.
        reason: String,
    },
}
