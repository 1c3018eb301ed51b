//! Spending a limited time where it tightens the interval of QUBA most.
//!
//! Passes form [`arms`] whose images are evaluated together, in the order in which `--images` takes
//! them: what a budget leaves of a pass is what `--images N` would have given, with an N for each arm.
//! After a few images of everything, rounds follow, each a third as long as all before: the outcomes so
//! far tell how much of the variance of QUBA each arm makes, the clock what its images cost, and
//! [`allocation`] which to add.

mod allocation;
mod arms;
mod known;
mod prices;

use std::time::{Duration, Instant};

use anyhow::Result;

use super::run::Call;
use super::settings::Budget;
use super::state::ModelState;
use allocation::Allocation;
use arms::Arms;
pub(super) use arms::{Round, Shown};
use known::Known;
use prices::Prices;

/// Images of every arm that the first round evaluates.
const FIRST: usize = 16;

/// Clean images per class that are seen to early: with fewer, class balance has no interval.
const PER_CLASS: usize = 2;

/// Part of the time that has passed which the next round takes.
const GROWTH: f64 = 1.0 / 3.0;

/// Shortest round, where there is time.
const SHORTEST: f64 = 2.0;

/// Evaluates until the time is spent, the intervals are as narrow as wanted, or all images are done;
/// what counts of it.
pub(super) fn spend(call: &mut Call, states: &mut [ModelState], budget: &Budget) -> Result<Shown> {
    let arms = Arms::of(call.plan, call.dataset, call.settings.seed);
    let before = states.iter().map(ModelState::spent).max();
    let mut spending = Spending {
        prices: Prices::new(&arms, call.plan),
        arms,
        budget,
        before: before.unwrap_or_default(),
        started: Instant::now(),
    };
    call.progress.between_rounds(&spending.announced(), "");
    let mut sizes = spending.arms.evaluated(states);
    let mut target = spending.first(&sizes);
    let reason = loop {
        if sizes.iter().zip(&target).any(|(has, wants)| has < wants) {
            sizes = spending.round(call, states, &target)?;
        }
        if call.is_stopped() {
            break Reason::Stopped;
        }
        let known = Known::of(call, states, &spending.arms, &sizes)?;
        let state = format!("{}: {}", duration(spending.spent()), known.words());
        call.progress
            .between_rounds(&state, &spending.images(&sizes));
        if budget.width.is_some_and(|width| known.is_within(width)) {
            break Reason::Narrow;
        }
        if sizes == spending.arms.limits() {
            break Reason::Complete;
        }
        match spending.next(call, &known, &sizes) {
            Some(next) => target = next,
            None => break Reason::Spent,
        }
    };
    call.progress.between_rounds(reason.words(), "");
    Ok(spending.arms.shown(&sizes))
}

/// Why no more is evaluated.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reason {
    Stopped,
    Narrow,
    Complete,
    Spent,
}

impl Reason {
    fn words(self) -> &'static str {
        match self {
            Self::Stopped => "stopped",
            Self::Narrow => "the interval of QUBA is as narrow as wanted",
            Self::Complete => "all images are evaluated",
            Self::Spent => "the time is spent; the same call with a longer one goes on from here",
        }
    }
}

/// A budget being spent.
struct Spending<'a> {
    arms: Arms,
    prices: Prices,
    budget: &'a Budget,
    /// Time that earlier calls spent.
    before: Duration,
    started: Instant,
}

impl Spending<'_> {
    fn spent(&self) -> Duration {
        self.before + self.started.elapsed()
    }

    /// What is left of the time, if it is limited.
    fn left(&self) -> Option<Duration> {
        self.budget
            .time
            .map(|time| time.saturating_sub(self.spent()))
    }

    /// A few images of every arm; at least some, so that each has a price.
    fn first(&self, sizes: &[usize]) -> Vec<usize> {
        if self.left().is_some_and(|left| left.is_zero()) {
            return sizes.to_vec();
        }
        let limits = self.arms.limits().into_iter();
        let first = limits
            .zip(sizes)
            .map(|(limit, &n)| FIRST.max(n + 2).min(limit));
        first.collect()
    }

    /// Evaluates the images up to `target`, or as many as the time allows; how many there are then.
    fn round(
        &mut self,
        call: &mut Call,
        states: &mut [ModelState],
        target: &[usize],
    ) -> Result<Vec<usize>> {
        let started = Instant::now();
        let deadline = self.left().map(|left| started + left);
        let round = self.arms.round(target, deadline);
        let tallies = call.evaluate(states, Some(&round))?;
        self.prices.learn(&self.arms, &tallies, started.elapsed());
        Ok(self.arms.evaluated(states))
    }

    /// How many images each arm should have next; `None` where the time does not suffice for any.
    fn next(&self, call: &Call, known: &Known, sizes: &[usize]) -> Option<Vec<usize>> {
        let left = self.left().map_or(f64::INFINITY, |left| left.as_secs_f64());
        if let Some(early) = self.two_per_class(call, sizes, left / 4.0) {
            return Some(early);
        }
        let mut time = (self.spent().as_secs_f64() * GROWTH).max(SHORTEST);
        if left < 1.25 * time {
            // No crumbs.
            time = left;
        }
        let seconds = self.prices.seconds();
        let limits = self.arms.limits();
        let allocation = Allocation {
            covariance: &known.covariance,
            limits: &limits,
            seconds: &seconds,
            base: &self.arms.bases(),
        };
        allocation.next(sizes, time, left)
    }

    /// Two clean images of each class, where they fit into `time` seconds.
    fn two_per_class(&self, call: &Call, sizes: &[usize], time: f64) -> Option<Vec<usize>> {
        let clean = self.arms.clean()?;
        let wanted = PER_CLASS * call.dataset.labels.classes.len();
        let wanted = wanted.min(self.arms.all[clean].images);
        let missing = wanted.checked_sub(sizes[clean]).filter(|&n| n > 0)?;
        let mut next = sizes.to_vec();
        next[clean] = wanted;
        (missing as f64 * self.prices.seconds()[clean] <= time).then_some(next)
    }

    fn announced(&self) -> String {
        let limits = [
            self.budget
                .time
                .map(|time| format!("{} at most", duration(time))),
            self.budget
                .width
                .map(|w| format!("an interval of QUBA at most {w} wide")),
        ];
        let limits: Vec<String> = limits.into_iter().flatten().collect();
        let before = if self.before.is_zero() {
            String::new()
        } else {
            format!(", {} of which are spent", duration(self.before))
        };
        format!("{}{before}", limits.join(", or "))
    }

    /// How many images each arm has.
    fn images(&self, sizes: &[usize]) -> String {
        let arms = self.arms.all.iter().zip(sizes);
        let images: Vec<String> = arms.map(|(arm, n)| format!("{} {n}", arm.name)).collect();
        format!("; images: {}", images.join(", "))
    }
}

/// A duration in whole seconds.
fn duration(time: Duration) -> String {
    humantime::format_duration(Duration::from_secs(time.as_secs_f64().round() as u64)).to_string()
}
