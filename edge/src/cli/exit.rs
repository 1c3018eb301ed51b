//! Exit codes, one documented constant each.

use std::process::{ExitCode, Termination};

/// How the process ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exit(u8);

impl Exit {
    /// Everything asked for was done.
    pub const SUCCESS: Self = Self(0);
    /// Finished, but some inputs failed: unreadable images, models or result files.
    pub const SOME_INPUTS_FAILED: Self = Self(1);
    /// Could not run: wrong arguments, no data, nothing readable.
    pub const COULD_NOT_RUN: Self = Self(2);
    /// Stopped by Ctrl-C or a termination signal; the same call resumes.
    pub const INTERRUPTED: Self = Self(130);

    /// Success where nothing failed.
    pub fn of(some_failed: bool) -> Self {
        if some_failed {
            Self::SOME_INPUTS_FAILED
        } else {
            Self::SUCCESS
        }
    }
}

impl Termination for Exit {
    fn report(self) -> ExitCode {
        ExitCode::from(self.0)
    }
}

/// The paragraph at the end of `--help`.
pub const HELP: &str = "\
Exit codes:
  0    done
  1    finished, but some inputs failed (unreadable images, models or result files)
  2    could not run (wrong arguments, no data, nothing readable)
  130  interrupted; the same call resumes";
