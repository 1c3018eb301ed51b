//! The result file: what is recorded of an evaluation, how it is written, read and merged.
//!
//! [`Evaluation`] is the content, [`write_atomic`] and [`read`] move it to disk and back,
//! [`encode`] and [`decode`] to bytes and back, [`merge`] and [`merge_all`] join parts.

mod canonical;
mod codec;
mod corruptions;
mod error;
mod file;
mod foreign;
mod merge;
mod schema;
mod shards;
#[cfg(test)]
pub(crate) mod testing;
mod validate;
mod version;
mod warnings;

pub use codec::{HEADER_LEN, SIGNATURE, decode, encode};
pub use error::{FileError, ReadError};
pub use file::{read, replace, write_atomic};
pub use foreign::FirstBytes;
pub use merge::{MergeAllError, MergeError, merge, merge_all};
pub use schema::{
    ChannelOrder, Cost, Dataset, Device, Energy, Engine, Evaluation, Grouping, Interpolation,
    LabelSetRecord, Latency, Model, OutputKind, ParameterSource, Parameters, Preprocessing,
    PreprocessingSource, Probabilities, Resize, Run, Shard, Subset, Throughput, Warning,
};
pub use validate::Inconsistency;
pub use version::FormatVersion;
