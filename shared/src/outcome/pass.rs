//! A pass: one image set, one perturbation, one model.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::{Attack, Bits, Origin};

/// What a pass shows to the model. The order is the order of evaluation and of output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum PassKind {
    /// The clean validation images.
    Clean,
    /// A corrupted copy of the clean images (ImageNet-C).
    Corruption(Corruption, Severity),
    /// Renditions of some of the classes (ImageNet-R).
    Rendition,
    /// Edge drawings, decided between the shape groups.
    Edge,
    /// Filled silhouettes, decided between the shape groups.
    Silhouette,
    /// Sketches, decided between the shape groups (`sketch16`, not ImageNet-Sketch).
    Sketch,
    /// Stylised images, decided between the shape groups (`stylized16`, not Stylized-ImageNet).
    Stylized,
    /// Shape of one group with the texture of another.
    CueConflict,
    /// Foreground over a background of the same group (IN-9).
    MixedSame,
    /// Foreground over a background of a random group (IN-9).
    MixedRand,
    /// The clean images, changed to be misclassified (since format 1.2).
    Attack(Attack),
}

impl fmt::Display for PassKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Clean => f.pad("clean"),
            Self::Corruption(corruption, severity) => {
                f.pad(&format!("{corruption}/{}", severity.get()))
            }
            Self::Rendition => f.pad("rendition"),
            Self::Edge => f.pad("edge"),
            Self::Silhouette => f.pad("silhouette"),
            Self::Sketch => f.pad("sketch16"),
            Self::Stylized => f.pad("stylized16"),
            Self::CueConflict => f.pad("cue-conflict"),
            Self::MixedSame => f.pad("mixed-same"),
            Self::MixedRand => f.pad("mixed-rand"),
            Self::Attack(attack) => f.pad(&attack.to_string()),
        }
    }
}

macro_rules! corruptions {
    ($($(#[$doc:meta])* $variant:ident = $name:literal),* $(,)?) => {
        /// The corruptions of ImageNet-C: the 15 that are scored, then the four extra ones.
        #[derive(
            Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
        )]
        pub enum Corruption { $($(#[$doc])* $variant),* }

        impl Corruption {
            /// All 19, the scored ones first.
            pub const ALL: [Self; 19] = [$(Self::$variant),*];

            /// The folder name.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name),* }
            }
        }
    };
}

corruptions! {
    /// Additive Gaussian noise.
    GaussianNoise = "gaussian_noise",
    /// Poisson noise.
    ShotNoise = "shot_noise",
    /// Salt and pepper noise.
    ImpulseNoise = "impulse_noise",
    /// Blur by a disk.
    DefocusBlur = "defocus_blur",
    /// Local shuffling between two blurs.
    GlassBlur = "glass_blur",
    /// Blur along a line.
    MotionBlur = "motion_blur",
    /// Average over enlargements.
    ZoomBlur = "zoom_blur",
    /// Streaks of snow.
    Snow = "snow",
    /// A frost texture blended in.
    Frost = "frost",
    /// Plasma fog.
    Fog = "fog",
    /// Raised HSV value.
    Brightness = "brightness",
    /// Lowered contrast.
    Contrast = "contrast",
    /// Smooth local displacement.
    ElasticTransform = "elastic_transform",
    /// Block averaging.
    Pixelate = "pixelate",
    /// Strong JPEG compression.
    JpegCompression = "jpeg_compression",
    /// Multiplicative noise (extra, not scored).
    SpeckleNoise = "speckle_noise",
    /// Gaussian blur (extra, not scored).
    GaussianBlur = "gaussian_blur",
    /// Water or mud on the lens (extra, not scored).
    Spatter = "spatter",
    /// Changed saturation (extra, not scored).
    Saturate = "saturate",
}

impl Corruption {
    /// The 15 corruptions that make up corruption robustness.
    pub const SCORED: [Self; 15] = {
        let mut scored = [Self::GaussianNoise; 15];
        let mut i = 0;
        while i < 15 {
            scored[i] = Self::ALL[i];
            i += 1;
        }
        scored
    };

    /// The four that are not scored.
    pub const EXTRA: [Self; 4] = [
        Self::SpeckleNoise,
        Self::GaussianBlur,
        Self::Spatter,
        Self::Saturate,
    ];
}

impl fmt::Display for Corruption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A word that names no corruption.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown corruption '{0}'")]
pub struct UnknownCorruption(pub String);

impl FromStr for Corruption {
    type Err = UnknownCorruption;

    fn from_str(word: &str) -> Result<Self, UnknownCorruption> {
        Self::ALL
            .into_iter()
            .find(|c| c.name() == word)
            .ok_or_else(|| UnknownCorruption(word.to_owned()))
    }
}

/// A corruption severity, 1 to 5.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "u8", into = "u8")]
pub struct Severity(u8);

impl Severity {
    /// The five severities, mildest first.
    pub const ALL: [Self; 5] = [Self(1), Self(2), Self(3), Self(4), Self(5)];

    /// The number, 1 to 5.
    pub fn get(self) -> u8 {
        self.0
    }
}

impl TryFrom<u8> for Severity {
    type Error = String;

    fn try_from(value: u8) -> Result<Self, String> {
        match value {
            1..=5 => Ok(Self(value)),
            _ => Err(format!("severity {value} is not within 1 to 5")),
        }
    }
}

impl From<Severity> for u8 {
    fn from(severity: Severity) -> Self {
        severity.0
    }
}

/// One pass of one model: which images, what happened, what could not be read.
#[derive(Clone, Debug, PartialEq, PartialOrd, Serialize, Deserialize)]
pub struct Pass {
    /// What was shown.
    pub kind: PassKind,
    /// Where the images came from.
    pub origin: Origin,
    /// BLAKE3 of the complete list's names, labels and byte sizes.
    pub fingerprint: [u8; 32],
    /// Position in `Evaluation::lists` of the images that were evaluated.
    pub list: u32,
    /// One record per image of the list, in its order.
    pub outcomes: Outcomes,
    /// Images that could not be evaluated, in index order; they are not in the list.
    pub skipped: Vec<SkippedImage>,
}

/// An image that could not be read or decoded.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct SkippedImage {
    /// Position in the complete list, so that merging can tell whether another part has it.
    pub index: u32,
    /// Path relative to the set's folder, with `/` between names.
    pub path: String,
    /// Why, in words.
    pub reason: String,
}

/// Per-image records; every vector has one entry per evaluated image.
#[derive(Clone, Debug, PartialEq, PartialOrd, Serialize, Deserialize)]
pub enum Outcomes {
    /// The clean set: enough for accuracy, ECE, both balances and their intervals.
    Classified {
        /// Top-1 class; the number of classes where outputs were not finite, which counts as wrong.
        predictions: Vec<u32>,
        /// Softmax probability of the top-1 class.
        confidences: Vec<f32>,
        /// Softmax probability of the true class.
        true_confidences: Vec<f32>,
        /// Adaptive calibration error, computed at evaluation time from all probabilities; `None`
        /// where it is not known (for instance after merging disjoint parts).
        ace: Option<f64>,
    },
    /// Whether top-1 (over the classes or groups that the set decides between) was right.
    Correct(Bits),
    /// The group decided for; the number of groups where outputs were not finite.
    Decided(Vec<u32>),
}

impl Outcomes {
    /// Number of images.
    pub fn len(&self) -> usize {
        match self {
            Self::Classified { predictions, .. } => predictions.len(),
            Self::Correct(bits) => bits.len(),
            Self::Decided(decisions) => decisions.len(),
        }
    }

    /// Whether there is no image.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What is recorded, in words.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Classified { .. } => "classified images",
            Self::Correct(_) => "right or wrong answers",
            Self::Decided(_) => "decisions",
        }
    }
}
