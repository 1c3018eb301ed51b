//! Why evaluations cannot be merged.

use crate::dimension::Dimension;
use crate::outcome::PassKind;
use crate::protocol::Protocol;
use crate::result::Inconsistency;

/// Why two evaluations cannot be merged.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MergeError {
    /// They are of different model files.
    #[error(
        "expected one model file, found '{first}' (hash {first_hash}) and '{second}' (hash {second_hash})"
    )]
    Model {
        /// Name of the first model.
        first: String,
        /// Start of the first model's hash.
        first_hash: String,
        /// Name of the second model.
        second: String,
        /// Start of the second model's hash.
        second_hash: String,
    },
    /// The classes or groups differ.
    #[error(
        "expected one label set, found '{first}' (hash {first_hash}) and '{second}' (hash {second_hash})"
    )]
    LabelSet {
        /// Name of the first label set.
        first: String,
        /// Start of the first label set's hash.
        first_hash: String,
        /// Name of the second label set.
        second: String,
        /// Start of the second label set's hash.
        second_hash: String,
    },
    /// The images were prepared or the outputs understood in different ways.
    #[error(
        "expected the model to be fed alike, found {field} {first} and {second}; evaluate again with one model card"
    )]
    Feeding {
        /// What differs, for instance `crop`.
        field: &'static str,
        /// Its value in the first.
        first: String,
        /// Its value in the second.
        second: String,
    },
    /// A dimension was measured by different definitions.
    #[error(
        "expected one protocol for {dimension}, found {first} and {second}; evaluate again with one --protocol"
    )]
    Protocol {
        /// The dimension.
        dimension: Dimension,
        /// Protocol of the first.
        first: Protocol,
        /// Protocol of the second.
        second: Protocol,
    },
    /// The seeds differ.
    #[error("expected one seed, found {first} and {second}; evaluate again with one --seed")]
    Seed {
        /// Seed of the first.
        first: u64,
        /// Seed of the second.
        second: u64,
    },
    /// The images of a pass are not of the same set.
    #[error(
        "pass {pass}: expected one image set, found {field} {first} and {second}; evaluate again on one dataset"
    )]
    Images {
        /// The pass.
        pass: PassKind,
        /// What differs, for instance `fingerprint`.
        field: &'static str,
        /// Its value in the first.
        first: String,
        /// Its value in the second.
        second: String,
    },
    /// The two tell different things of one image.
    #[error(
        "pass {pass}: the parts contradict each other about image {index}: {field} {first} and {second}; leave one part out, or evaluate its images again on one machine"
    )]
    Conflict {
        /// The pass.
        pass: PassKind,
        /// Position of the image in the complete list.
        index: u32,
        /// What differs, for instance `prediction`.
        field: &'static str,
        /// Its value in the first.
        first: String,
        /// Its value in the second.
        second: String,
    },
    /// The two hold other class probabilities of the same images.
    #[error(
        "shard {index} of {count}: the parts hold different class probabilities of the same images; leave one part out, or evaluate the shard again"
    )]
    Shard {
        /// Which shard.
        index: u32,
        /// Of how many.
        count: u32,
    },
    /// One of them contradicts itself.
    #[error("an evaluation to merge is inconsistent")]
    Inconsistent(#[source] Inconsistency),
}
