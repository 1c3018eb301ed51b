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
    passes: Vec<Pass>,
    groups: Vec<Group>,
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

/// One pass as it is counted.
pub(crate) struct Pass {
    /// What it is called.
    pub(crate) name: String,
    /// Images to evaluate.
    pub(crate) images: u64,
    /// Passes of one group advance together, image by image.
    pub(crate) group: usize,
}

/// Passes that advance together.
#[derive(Clone, Default)]
struct Group {
    /// The first pass, and how many follow it.
    first: String,
    others: usize,
    done: u64,
    total: u64,
}

impl Group {
    /// What is being done, for instance `clean and 75 copies, now fog/3`.
    fn words(&self, pass: &str) -> String {
        match self.others {
            0 => pass.to_owned(),
            1 => format!("{} and 1 copy, now {pass}", self.first),
            others => format!("{} and {others} copies, now {pass}", self.first),
        }
    }
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
            groups: Vec::new(),
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
                "generating {copies} corrupted copies of each clean image: {evaluations} evaluations \
                 of each model in all (--images takes a sample, --dims leaves cor out)"
            );
        }
    }

    /// Starts the clock over `passes`.
    pub(crate) fn start(&mut self, passes: Vec<Pass>) {
        let count = passes.iter().map(|p| p.group + 1).max().unwrap_or(0);
        self.groups = vec![Group::default(); count];
        for pass in passes.iter().filter(|p| p.images > 0) {
            let group = &mut self.groups[pass.group];
            if group.total == 0 {
                group.first.clone_from(&pass.name);
            } else {
                group.others += 1;
            }
            group.total += pass.images;
        }
        self.total = passes.iter().map(|p| p.images).sum();
        self.passes = passes;
        self.done = 0;
        self.started = Instant::now();
    }

    /// Counts one image of pass number `pass`.
    pub(crate) fn advance(&mut self, pass: usize) {
        let Some(Pass { name, group, .. }) = self.passes.get(pass) else {
            return;
        };
        self.done += 1;
        let count = self.groups.len();
        let (index, group) = (*group, &mut self.groups[*group]);
        group.done += 1;
        let group = &*group;
        let finished = self.done == self.total;
        match &mut self.shown {
            Shown::Nothing => {}
            Shown::Bar { bar, named } => {
                if named.is_none_or(|at| at.elapsed() >= NAME_EVERY) || finished {
                    *named = Some(Instant::now());
                    bar.set_length(group.total);
                    bar.set_position(group.done);
                    bar.set_prefix(format!("[{}/{count}] {}", index + 1, group.words(name)));
                    bar.set_message(rate(self.started, self.done, self.total));
                }
            }
            Shown::Lines { last } => {
                if finished || last.elapsed() >= LINE_EVERY {
                    *last = Instant::now();
                    let rate = rate(self.started, self.done, self.total);
                    let Group { done, total, .. } = group;
                    eprintln!(
                        "[{}/{count}] {}: {done}/{total} images  {rate}",
                        index + 1,
                        group.words(name)
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
