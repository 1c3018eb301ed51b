//! Inference engines behind one trait.

use std::sync::Arc;

use shared::result::Engine;

pub mod gpu;
pub mod gradient;
pub mod tract;

/// A loaded classifier: an immutable plan from which every worker makes its own session.
pub trait Classifier: Send + Sync {
    /// Floats of one preprocessed image, in the layout that [`Session::run`] takes.
    fn input_len(&self) -> usize;

    /// Outputs per image, before any background class is dropped.
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
    /// When the engine cannot set up a session.
    fn session(&self) -> anyhow::Result<Box<dyn Session + '_>>;
}

impl<C: Classifier + ?Sized> Classifier for Arc<C> {
    fn input_len(&self) -> usize {
        (**self).input_len()
    }

    fn output_len(&self) -> usize {
        (**self).output_len()
    }

    fn engine(&self) -> Engine {
        (**self).engine()
    }

    fn fallbacks(&self) -> Vec<String> {
        (**self).fallbacks()
    }

    fn batch(&self) -> usize {
        (**self).batch()
    }

    fn session(&self) -> anyhow::Result<Box<dyn Session + '_>> {
        (**self).session()
    }
}

/// One worker's state. Not shared between threads.
pub trait Session {
    /// Runs one image: a CHW tensor (always CHW; an NHWC graph is fed transposed by the engine),
    /// and writes its raw outputs into `outputs`.
    ///
    /// # Errors
    /// When the lengths do not fit or the engine fails.
    fn run(&mut self, tensor: &[f32], outputs: &mut Vec<f32>) -> anyhow::Result<()>;
}
