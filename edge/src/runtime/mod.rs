//! Inference engines behind one trait.

use anyhow::ensure;
use shared::result::Engine;

pub mod gpu;
pub mod gradient;
mod rows;
pub mod tract;

/// A graph on an engine, shared read-only by all workers: a function of one image at a time.
///
/// Values go in and come out as one row: those of the graph's inputs one after the other, those of
/// its outputs likewise. A classifier takes an image and gives its scores; with gradients see
/// [`gradient`]. Images are CHW, whatever the graph's layout is.
pub trait Network: Send + Sync {
    /// Values that go in for one image.
    fn input_len(&self) -> usize;

    /// Values that come out for one image: of a classifier, before any background class is dropped.
    fn output_len(&self) -> usize;

    /// What a result records as the engine.
    fn engine(&self) -> Engine;

    /// What went wrong on a GPU so far, in words, where something else took over.
    fn fallbacks(&self) -> Vec<String> {
        Vec::new()
    }

    /// Images that are best asked for at once, from as many sessions.
    fn batch(&self) -> usize {
        1
    }

    /// A session with its own state over the shared plan.
    ///
    /// # Errors
    /// When the engine cannot set up its state.
    fn session(&self) -> anyhow::Result<Box<dyn Session + '_>>;
}

/// One worker's state. Not shared between threads.
pub trait Session {
    /// Runs one image: replaces `outputs` by what comes out for the row `inputs`.
    ///
    /// # Errors
    /// When the length does not fit or the engine fails.
    fn run(&mut self, inputs: &[f32], outputs: &mut Vec<f32>) -> anyhow::Result<()>;
}

/// Refuses a row of the wrong length.
fn check_row(row: &[f32], expected: usize) -> anyhow::Result<()> {
    let found = row.len();
    ensure!(
        found == expected,
        "an image tensor has {found} values, expected {expected}"
    );
    Ok(())
}
