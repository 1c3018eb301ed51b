//! Printing that survives a closed pipe, and the words that all commands share.

use std::io::Write;

use anyhow::Result;

pub(super) use shared::words::{NOT_MEASURED, count, held_fixed, interval, plural, value, weights};

/// Writes `text` to stdout.
pub(super) fn print(text: &str) -> Result<()> {
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()?;
    Ok(())
}
