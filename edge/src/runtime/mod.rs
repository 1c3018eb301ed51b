//! Inference engines behind one trait.

pub mod gpu;
pub mod gradient;
pub mod tract;

/// A loaded classifier: an immutable plan from which every worker makes its own session.
pub trait Classifier: Send + Sync {
    /// Floats of one preprocessed image, in the layout that [`Session::run`] takes.
    fn input_len(&self) -> usize;

    /// Outputs per image, before any background class is dropped.
    fn output_len(&self) -> usize;

    /// A session with its own state over the shared plan.
    ///
    /// # Errors
    /// When the engine cannot set up a session.
    fn session(&self) -> anyhow::Result<Box<dyn Session + '_>>;
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
