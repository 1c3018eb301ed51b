//! Progress for a person: a bar on a terminal, a plain line now and then elsewhere.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{HumanDuration, ProgressBar, ProgressStyle};

const LINE_EVERY: Duration = Duration::from_secs(10);

/// Shortest time for which a pass is named: a file is shown by one pass after the other.
const NAME_EVERY: Duration = Duration::from_millis(200);

/// Progress over the passes of one run.
pub struct Progress {
    shown: Shown,
    passes: Vec<PassProgress>,
    started: Instant,
    done: u64,
    total: u64,
}

enum Shown {
    Nothing,
    Lines {
        last: Instant,
    },
    Bar {
        bar: ProgressBar,
        named: Option<Instant>,
    },
}

struct PassProgress {
    name: String,
    done: u64,
    total: u64,
}

impl Progress {
    /// A bar where stderr is a terminal, else lines.
    pub fn on_stderr() -> Self {
        if std::io::stderr().is_terminal() {
            let bar = ProgressBar::no_length();
            let template = "{prefix} {wide_bar} {pos}/{len} images  {msg}";
            // An invalid template would be a bug; the default style is a usable fallback.
            if let Ok(style) = ProgressStyle::with_template(template) {
                bar.set_style(style);
            }
            Self::with(Shown::Bar { bar, named: None })
        } else {
            Self::with(Shown::Lines {
                last: Instant::now(),
            })
        }
    }

    /// No output.
    pub fn hidden() -> Self {
        Self::with(Shown::Nothing)
    }

    fn with(shown: Shown) -> Self {
        Self {
            shown,
            passes: Vec::new(),
            started: Instant::now(),
            done: 0,
            total: 0,
        }
    }

    /// Says what an earlier call has already done of `name`.
    pub(super) fn resumed(&self, name: &str, known: u64, images: u64) {
        if known == 0 || matches!(self.shown, Shown::Nothing) {
            return;
        }
        if known >= images {
            eprintln!("already evaluated: {name} (--fresh evaluates again)");
        } else {
            eprintln!("resuming {name}: {known} of {images} image evaluations done before");
        }
    }

    /// Says what corruption robustness costs where no corrupted images are stored.
    pub(super) fn generating(&self, copies: usize, evaluations: u64) {
        if copies > 0 && !matches!(self.shown, Shown::Nothing) {
            eprintln!(
                "generating {copies} corrupted copies of each clean image, {evaluations} in all \
                 (--images takes a sample, --dims leaves cor out)"
            );
        }
    }

    /// Starts the clock over passes of `(name, images to evaluate)`.
    pub(crate) fn start(&mut self, passes: impl IntoIterator<Item = (String, u64)>) {
        self.passes = passes
            .into_iter()
            .map(|(name, total)| PassProgress {
                name,
                done: 0,
                total,
            })
            .collect();
        self.total = self.passes.iter().map(|p| p.total).sum();
        self.done = 0;
        self.started = Instant::now();
    }

    /// Counts one image of pass number `pass`.
    pub(crate) fn advance(&mut self, pass: usize) {
        let Some(current) = self.passes.get_mut(pass) else {
            return;
        };
        current.done += 1;
        self.done += 1;
        let current = &self.passes[pass];
        match &mut self.shown {
            Shown::Nothing => {}
            Shown::Bar { bar, named } => {
                if named.is_none_or(|at| at.elapsed() >= NAME_EVERY) {
                    *named = Some(Instant::now());
                    bar.set_length(current.total);
                    bar.set_position(current.done);
                    bar.set_prefix(format!(
                        "[{}/{}] {}",
                        pass + 1,
                        self.passes.len(),
                        current.name
                    ));
                    bar.set_message(rate(self.started, self.done, self.total));
                }
            }
            Shown::Lines { last } => {
                let finished = self.done == self.total;
                if finished || last.elapsed() >= LINE_EVERY {
                    *last = Instant::now();
                    let rate = rate(self.started, self.done, self.total);
                    let PassProgress { name, done, total } = current;
                    eprintln!(
                        "[{}/{}] {name}: {done}/{total} images  {rate}",
                        pass + 1,
                        self.passes.len()
                    );
                }
            }
        }
    }

    /// Takes the bar away.
    pub(crate) fn finish(&mut self) {
        if let Shown::Bar { bar, .. } = &self.shown {
            bar.finish_and_clear();
        }
    }
}

/// Images per second so far and the time left for all passes.
fn rate(started: Instant, done: u64, total: u64) -> String {
    let elapsed = started.elapsed().as_secs_f64();
    let per_second = done as f64 / elapsed.max(1e-3);
    let left = Duration::from_secs_f64((total - done.min(total)) as f64 / per_second.max(1e-3));
    format!("{per_second:.1} images/s, {} left", HumanDuration(left))
}
