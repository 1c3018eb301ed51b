//! Waiting for a future without an executor.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// Runs a future to its end on this thread. Those of wgpu and wonnx outside browsers block inside
/// and are ready at the first call.
pub(super) fn block_on<T>(future: impl Future<Output = T>) -> T {
    let mut future = pin!(future);
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut context = Context::from_waker(&waker);
    loop {
        if let Poll::Ready(value) = future.as_mut().poll(&mut context) {
            return value;
        }
        thread::park();
    }
}

#[cfg(test)]
mod tests {
    use super::block_on;

    #[test]
    fn waits_until_woken() {
        let mut calls = 0;
        let value = block_on(std::future::poll_fn(|context| {
            calls += 1;
            if calls == 3 {
                return std::task::Poll::Ready(calls);
            }
            let waker = context.waker().clone();
            std::thread::spawn(move || waker.wake());
            std::task::Poll::Pending
        }));
        assert_eq!(value, 3);
    }
}
