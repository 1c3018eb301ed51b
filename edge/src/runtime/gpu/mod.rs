//! Models on GPUs: which adapters there are, which one is used, and models on it through wonnx.
//!
//! What needs no GPU library (the types, the choice) is in every build; the rest needs the feature
//! `gpu`.

pub mod adapters;
#[cfg(feature = "gpu")]
pub mod check;
pub mod choice;
#[cfg(feature = "gpu")]
mod enumerate;
#[cfg(feature = "gpu")]
pub mod environment;
#[cfg(feature = "gpu")]
pub mod failure;
#[cfg(feature = "gpu")]
pub mod fallback;
#[cfg(feature = "gpu")]
pub(crate) mod load;
#[cfg(feature = "gpu")]
pub mod lowering;
#[cfg(feature = "gpu")]
mod owner;
#[cfg(feature = "gpu")]
pub mod session;
#[cfg(feature = "gpu")]
mod wait;

use adapters::Adapter;
use choice::{Backend, Choice, choose};

/// Images that a GPU runs at once, where the model's size allows it.
pub const BATCH: usize = 8;

/// Decides what models run on. Where that is a GPU the program starts again, with the environment
/// that makes wonnx take the chosen adapter: to be called before anything else is done.
///
/// # Errors
/// When what was asked for is not there or cannot be used. Where nothing was asked for, the CPU is
/// always there.
pub fn settle(backend: Backend, device: Option<&str>) -> anyhow::Result<Choice> {
    #[cfg(feature = "gpu")]
    if let Some(choice) = environment::carried()? {
        return Ok(choice);
    }
    let adapters: Vec<Adapter> = match backend {
        Backend::Cpu => Vec::new(),
        Backend::Auto | Backend::Gpu => adapters::list(),
    };
    let choice = choose(&adapters, backend, device)?;
    #[cfg(feature = "gpu")]
    if matches!(choice, Choice::Gpu { .. })
        && let Err(error) = environment::restart(&choice)
    {
        if backend == Backend::Auto && device.is_none() {
            let reason = format!("{error:#}");
            return Ok(Choice::Cpu { reason });
        }
        return Err(error);
    }
    Ok(choice)
}

/// Makes `command`, another start of this program, [`settle`] on `choice`.
///
/// # Errors
/// When the choice cannot be handed over.
pub fn hand_over(command: &mut std::process::Command, choice: &Choice) -> anyhow::Result<()> {
    #[cfg(feature = "gpu")]
    environment::prepare(command, choice)?;
    #[cfg(not(feature = "gpu"))]
    // There is nothing else to settle on.
    let _ = (command, choice);
    Ok(())
}

/// An adapter to test on; `None`, with a printed reason, where this machine has none.
///
/// # Panics
/// Instead of `None` where the environment has `EDGE_TEST_GPU=required`.
#[cfg(test)]
#[cfg(feature = "gpu")]
pub(crate) fn test_adapter() -> Option<Adapter> {
    // Where the environment says nothing, wonnx takes no GL adapter.
    let named = std::env::var_os("WGPU_BACKEND").is_some();
    let first = adapters::list()
        .into_iter()
        .find(|adapter| named || adapter.api != adapters::Api::Gl);
    let required = std::env::var("EDGE_TEST_GPU").is_ok_and(|word| word == "required");
    assert!(first.is_some() || !required, "no GPU adapter");
    if first.is_none() {
        println!("skipped: no GPU adapter");
    }
    first
}
