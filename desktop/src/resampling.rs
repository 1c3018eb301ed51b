//! Computing how sure figures are, beside the user interface.

use std::io;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Weak};
use std::thread;

use crate::state::library::Library;
use crate::state::merging::Measurements;

/// A thread that resamples the images of results.
pub struct Resampler {
    orders: Sender<Weak<Measurements>>,
    finished: Receiver<()>,
    /// Results that are with the thread.
    waiting: Vec<Weak<Measurements>>,
    /// The library's revision that was looked at.
    revision: u64,
}

impl Resampler {
    /// Starts the thread; `wake` is called when a result is done. It ends with the resampler.
    ///
    /// # Errors
    /// The system starts no thread.
    pub fn start(wake: impl Fn() + Send + 'static) -> io::Result<Self> {
        let (orders, ordered) = channel::<Weak<Measurements>>();
        let (report, finished) = channel();
        thread::Builder::new()
            .name("resampling".to_owned())
            .spawn(move || {
                for results in ordered {
                    // Files may have been closed meanwhile.
                    if let Some(results) = results.upgrade() {
                        results.resample();
                    }
                    if report.send(()).is_err() {
                        return;
                    }
                    wake();
                }
            })?;
        Ok(Self {
            orders,
            finished,
            waiting: Vec::new(),
            revision: 0,
        })
    }

    /// Hands new results over, and tells the library of those that are done.
    pub fn update(&mut self, library: &mut Library) {
        if self.finished.try_iter().count() > 0 {
            self.waiting.retain(|results| {
                let results = results.upgrade();
                results.is_some_and(|results| results.certainty().is_none())
            });
            library.certainty_changed();
        }
        if self.revision == library.revision() {
            return;
        }
        self.revision = library.revision();
        for results in library.uncertain() {
            let is_known = |other: &Weak<_>| other.as_ptr() == Arc::as_ptr(results);
            if !self.waiting.iter().any(is_known) {
                self.waiting.push(Arc::downgrade(results));
                // The thread lives as long as this end.
                let _ = self.orders.send(Arc::downgrade(results));
            }
        }
    }
}
