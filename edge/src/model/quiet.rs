//! Turning an engine's panic into an error.

use std::any::Any;
use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

/// A library panicked.
#[derive(Debug, thiserror::Error)]
#[error("{library} panicked: {message}")]
pub(crate) struct Panicked {
    library: &'static str,
    message: String,
}

thread_local! {
    static QUIET: Cell<bool> = const { Cell::new(false) };
}

/// Runs `action` on tract; a panic inside becomes an error and prints nothing.
///
/// tract indexes maps by names read from the file (an output that no node makes) and has
/// `unimplemented!` arms for rare tensor types, so a malformed ONNX file can make it panic.
pub(crate) fn catch<T>(action: impl FnOnce() -> anyhow::Result<T>) -> anyhow::Result<T> {
    catch_in("tract", action)
}

/// Runs `action` on a library; a panic inside becomes a [`Panicked`] and prints nothing.
///
/// What the action had borrowed is dropped with it, hence unwind safety is not a concern.
pub(crate) fn catch_in<T>(
    library: &'static str,
    action: impl FnOnce() -> anyhow::Result<T>,
) -> anyhow::Result<T> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let usual = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if !QUIET.get() {
                usual(info);
            }
        }));
    });
    let before = QUIET.replace(true);
    let result = panic::catch_unwind(AssertUnwindSafe(action));
    QUIET.set(before);
    result.unwrap_or_else(|payload| {
        let message = words(&*payload).trim().to_owned();
        Err(Panicked { library, message }.into())
    })
}

fn words(payload: &(dyn Any + Send)) -> &str {
    let text = payload.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| payload.downcast_ref::<&str>().copied())
        .unwrap_or("no message")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panics_become_errors() {
        let error = catch::<()>(|| panic!("index {} out of range", 3)).unwrap_err();
        assert_eq!(error.to_string(), "tract panicked: index 3 out of range");
        assert_eq!(catch(|| Ok(7)).unwrap(), 7);
    }
}
