//! The result file: what is recorded of an evaluation, how it is written, read and merged.

mod schema;

pub use schema::{
    ChannelOrder, Dataset, Device, Engine, Evaluation, Grouping, Interpolation, LabelSetRecord,
    Model, OutputKind, ParameterSource, Parameters, Preprocessing, PreprocessingSource, Resize,
    Run, Subset, Warning,
};
