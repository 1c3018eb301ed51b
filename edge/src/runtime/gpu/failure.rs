//! What can go wrong on a GPU, so that a caller can decide what to do next.

use std::fmt;
use std::time::Duration;

use thiserror::Error;

use crate::model::quiet::Panicked;

/// A model could not be set up or run on a GPU.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{stage} failed: {cause} ({message})")]
pub struct Failure {
    /// When it happened.
    pub stage: Stage,
    /// What it was.
    pub cause: Cause,
    /// The words of the library.
    pub message: String,
}

/// When a GPU failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// While buffers and shaders were made.
    Creation,
    /// While a batch ran.
    Run,
}

/// How a GPU failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// The driver reset or lost the device.
    DeviceLost,
    /// Memory ran out: a smaller batch may fit.
    OutOfMemory,
    /// A batch took longer than wgpu waits, so its outputs may be those of an earlier moment: a
    /// smaller batch may be fast enough.
    TooSlow,
    /// The library panicked.
    Panic,
    /// Anything else, for instance an operator that wonnx does not have.
    Refused,
}

impl Failure {
    /// The failure behind an error of the engine or a panic inside it.
    pub(super) fn of(stage: Stage, error: &anyhow::Error) -> Self {
        let message = format!("{error:#}");
        let words = message.to_lowercase();
        let cause = if words.contains("is lost") || words.contains("device lost") {
            Cause::DeviceLost
        } else if words.contains("not enough memory") || words.contains("out of memory") {
            Cause::OutOfMemory
        } else if error.is::<Panicked>() {
            Cause::Panic
        } else {
            Cause::Refused
        };
        Self {
            stage,
            cause,
            message,
        }
    }

    /// A batch that took too long.
    pub(super) fn too_slow(stage: Stage, took: Duration) -> Self {
        Self {
            stage,
            cause: Cause::TooSlow,
            message: format!("{:.1} s for one batch", took.as_secs_f32()),
        }
    }

    /// Whether a smaller batch may do.
    pub fn is_about_size(&self) -> bool {
        matches!(self.cause, Cause::OutOfMemory | Cause::TooSlow)
    }
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Creation => "setting the model up on the GPU",
            Self::Run => "running a batch on the GPU",
        })
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::DeviceLost => "the device was lost",
            Self::OutOfMemory => "out of memory",
            Self::TooSlow => "too slow to be waited for",
            Self::Panic => "a panic",
            Self::Refused => "an error",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::quiet;

    /// The messages are those of wgpu 0.16.
    #[test]
    fn causes_are_told_apart() {
        let panic = |text: &'static str| {
            let error = quiet::catch_in("wonnx", || -> anyhow::Result<()> { panic!("{text}") });
            Failure::of(Stage::Run, &error.unwrap_err()).cause
        };
        assert_eq!(
            panic("Error in Device::poll: Parent device is lost"),
            Cause::DeviceLost
        );
        assert_eq!(
            panic("wgpu error: Out of Memory\n\nCaused by:\n    Not enough memory left"),
            Cause::OutOfMemory
        );
        assert_eq!(panic("No GPU found given preference"), Cause::Panic);
        let failure = Failure::of(
            Stage::Creation,
            &anyhow::anyhow!("op Erf is not implemented"),
        );
        assert_eq!(
            failure.to_string(),
            "setting the model up on the GPU failed: an error (op Erf is not implemented)"
        );
    }
}
