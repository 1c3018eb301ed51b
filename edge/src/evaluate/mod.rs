//! From a plan to result files: which passes, the worker pipeline, the journal, the assembly.
//!
//! [`plan`] decides the passes, in [`pipeline`] each [`worker`] decodes an image once and runs all models
//! on it and on its copies, [`budget`] chooses images where time is short, [`attacked`] is a model as attacks see it,
//! [`judge`] turns outputs into records, [`journal`] makes an interrupted run resumable,
//! [`probabilities`] keeps what ACE needs on disk, [`assemble`] builds the result.

mod assemble;
mod attacked;
mod budget;
mod device;
mod existing;
mod identity;
mod journal;
mod judge;
mod pipeline;
mod plan;
mod probabilities;
mod progress;
mod run;
mod settings;
mod slots;
mod state;
mod worker;

pub use device::this_device;
pub use plan::{Plan, PlannedPass};
pub(crate) use progress::Pass;
pub use progress::Progress;
pub use run::{Ended, Finished, run};
pub use settings::{Budget, CorruptionSource, Part, Settings};
