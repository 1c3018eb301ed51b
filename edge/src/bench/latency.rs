//! Single-stream latency: one query after the other, each of one image.

use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use shared::result::Latency;

use super::{Settings, milliseconds};
use crate::runtime::Session;

/// Queries before any is timed, at least.
const WARM_UP: u32 = 3;

/// Times queries until both the shortest duration and the fewest queries are reached, after a
/// warm-up of a tenth of that.
pub(super) fn single_stream(
    session: &mut dyn Session,
    images: &[Vec<f32>],
    settings: &Settings,
) -> Result<Latency> {
    let mut outputs = Vec::new();
    let mut query = |image: &Vec<f32>| {
        let start = Instant::now();
        session.run(image, &mut outputs)?;
        anyhow::Ok(start.elapsed())
    };
    let mut images = images.iter().cycle();
    let mut queries = |least: u32, shortest: Duration| {
        let start = Instant::now();
        let mut times = Vec::new();
        while times.len() < least as usize || start.elapsed() < shortest {
            let image = images.next().context("there is no image to run")?;
            times.push(query(image)?);
        }
        anyhow::Ok((times, start.elapsed()))
    };
    queries(WARM_UP, settings.min_duration / 10)?;
    let (mut times, duration) = queries(settings.min_queries.max(1), settings.min_duration)?;
    times.sort_unstable();
    Ok(Latency {
        p50_ms: milliseconds(nearest_rank(&times, 50)),
        p90_ms: milliseconds(nearest_rank(&times, 90)),
        p99_ms: milliseconds(nearest_rank(&times, 99)),
        queries: u32::try_from(times.len()).unwrap_or(u32::MAX),
        duration_ms: u64::try_from(duration.as_millis()).unwrap_or(u64::MAX),
    })
}

/// The smallest of the ascending times that at least `percent` of them do not exceed; zero of none.
fn nearest_rank(ascending: &[Duration], percent: usize) -> Duration {
    let rank = (ascending.len() * percent).div_ceil(100).max(1);
    ascending.get(rank - 1).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rank(values: &[u64], percent: usize) -> u64 {
        let times: Vec<Duration> = values.iter().map(|&s| Duration::from_secs(s)).collect();
        nearest_rank(&times, percent).as_secs()
    }

    #[test]
    fn percentiles_are_nearest_ranks() {
        // The usual example: ranks 2, 2, 3 and 5 of five values.
        let five = [15, 20, 35, 40, 50];
        let ranks = [30, 40, 50, 100].map(|percent| rank(&five, percent));
        assert_eq!(ranks, [20, 20, 35, 50]);
        let hundred: Vec<u64> = (1..=100).collect();
        assert_eq!([50, 90, 99].map(|p| rank(&hundred, p)), [50, 90, 99]);
        assert_eq!([50, 90, 99].map(|p| rank(&[7], p)), [7; 3]);
        assert_eq!(rank(&[], 50), 0);
    }

    /// Counts queries and remembers the images.
    struct Counter(Vec<f32>);

    impl Session for Counter {
        fn run(&mut self, inputs: &[f32], _: &mut Vec<f32>) -> Result<()> {
            self.0.push(inputs[0]);
            Ok(())
        }
    }

    #[test]
    fn the_warm_up_is_not_timed_and_both_limits_hold() {
        let images = [vec![0.0], vec![1.0]];
        let mut settings = Settings {
            threads: 1,
            min_duration: Duration::ZERO,
            min_queries: 10,
        };
        let mut session = Counter(Vec::new());
        let latency = single_stream(&mut session, &images, &settings).unwrap();
        assert_eq!(latency.queries, 10);
        assert_eq!(session.0.len(), 13);
        assert_eq!(session.0[..4], [0.0, 1.0, 0.0, 1.0]);
        settings.min_duration = Duration::from_millis(20);
        let latency = single_stream(&mut session, &images, &settings).unwrap();
        assert!(latency.queries >= 10 && latency.duration_ms >= 20);
        let Latency {
            p50_ms,
            p90_ms,
            p99_ms,
            ..
        } = latency;
        assert!(0.0 < p50_ms && p50_ms <= p90_ms && p90_ms <= p99_ms);
    }
}
