//! Progress for a person: a bar on a terminal, a plain line now and then elsewhere.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{HumanDuration, ProgressBar, ProgressStyle};

const LINE_EVERY: Duration = Duration::from_secs(10);

/// Time between two drawings of the bar: a file is shown by one pass after the other, and their names
/// must be read.
const DRAW_EVERY: Duration = Duration::from_millis(200);

/// Progress over the passes of one run.
pub struct Progress {
    shown: Shown,
    passes: Vec<Pass>,
    groups: Vec<Group>,
    started: Instant,
    done: u64,
    total: u64,
    /// All there is to do, in units of [`Pass::cost`].
    cost: u64,
    /// The pass that advanced last.
    latest: usize,
    /// What to say beside each place, where `passes` are one round of several.
    round: Option<String>,
}

enum Shown {
    Nothing,
    Lines { last: Instant },
    Bar { bar: ProgressBar, drawn: Instant },
}

/// One pass as it is counted.
pub(crate) struct Pass {
    /// What it is called.
    pub(crate) name: String,
    /// Images to evaluate.
    pub(crate) images: u64,
    /// What they cost, in units that are the same for all passes.
    pub(crate) cost: u64,
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
    /// What is being done, for instance `clean and 75 more, now fog/3`.
    fn words(&self, pass: &str) -> String {
        match self.others {
            0 => pass.to_owned(),
            others => format!("{} and {others} more, now {pass}", self.first),
        }
    }
}

impl Progress {
    /// A bar where stderr is a terminal, else lines.
    pub fn on_stderr() -> Self {
        if std::io::stderr().is_terminal() {
            let bar = ProgressBar::no_length();
            let template = "{prefix} {wide_bar} {msg}";
            // An invalid template would be a bug; the default style is a usable fallback.
            if let Ok(style) = ProgressStyle::with_template(template) {
                bar.set_style(style);
            }
            Self::with(Shown::Bar {
                bar,
                drawn: Instant::now(),
            })
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
            cost: 0,
            latest: 0,
            round: None,
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

    /// Says how far a limited evaluation has come; what is shown until the next time is a round of it.
    pub(super) fn between_rounds(&mut self, state: &str, images: &str) {
        if !matches!(self.shown, Shown::Nothing) {
            eprintln!("budget: {state}{images}");
        }
        self.round = Some(state.to_owned());
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
        self.cost = passes.iter().map(|p| p.cost).sum();
        self.passes = passes;
        (self.done, self.latest) = (0, 0);
        self.started = Instant::now();
    }

    /// Counts one image of pass number `pass`.
    pub(crate) fn advance(&mut self, pass: usize) {
        let Some(Pass { group, .. }) = self.passes.get(pass) else {
            return;
        };
        self.latest = pass;
        self.done += 1;
        self.groups[*group].done += 1;
    }

    /// Images that are done.
    pub(crate) fn done(&self) -> u64 {
        self.done
    }

    /// Shows what is done: `spent` of the cost of all passes, which can grow within an image.
    pub(crate) fn show(&mut self, spent: u64) {
        let finished = self.done == self.total && self.round.is_none();
        let due = match &mut self.shown {
            Shown::Nothing => false,
            Shown::Bar { drawn, .. } => is_due(drawn, DRAW_EVERY),
            Shown::Lines { last } => is_due(last, LINE_EVERY),
        };
        if !due && !finished {
            return;
        }
        let Some((place, rate)) = self.words(spent) else {
            return;
        };
        match &self.shown {
            Shown::Nothing => {}
            Shown::Lines { .. } => eprintln!("{place}: {rate}"),
            Shown::Bar { bar, .. } => {
                bar.set_length(self.cost);
                bar.set_position(spent);
                bar.set_prefix(place);
                bar.set_message(rate);
            }
        }
    }

    /// Where the run is, and how far.
    fn words(&self, spent: u64) -> Option<(String, String)> {
        let Pass { name, group, .. } = self.passes.get(self.latest)?;
        let (number, count) = (group + 1, self.groups.len());
        let group = &self.groups[*group];
        let Group { done, total, .. } = group;
        let elapsed = self.started.elapsed().as_secs_f64();
        let per_second = self.done as f64 / elapsed.max(1e-3);
        let share = spent as f64 / self.cost.max(1) as f64;
        let mut rate = format!(
            "{done}/{total} images, {:.0} %  {per_second:.1} images/s",
            100.0 * share
        );
        if let Some(state) = &self.round {
            rate += &format!(" of this round; {state}");
        } else if share > 0.0 {
            let left = Duration::from_secs_f64(elapsed / share * (1.0 - share).max(0.0));
            rate += &format!(", {} left", HumanDuration(left));
        }
        Some((format!("[{number}/{count}] {}", group.words(name)), rate))
    }

    /// Takes the bar away.
    pub(crate) fn finish(&mut self) {
        if let Shown::Bar { bar, .. } = &self.shown {
            bar.finish_and_clear();
        }
    }
}

/// Whether `every` has passed since the last time; then this is the last time.
fn is_due(last: &mut Instant, every: Duration) -> bool {
    let due = last.elapsed() >= every;
    if due {
        *last = Instant::now();
    }
    due
}
