//! Offline throughput: everything busy, images as fast as they go.

use std::sync::Barrier;
use std::time::{Duration, Instant};

use anyhow::Result;
use shared::result::Throughput;

use super::energy::Meter;
use super::joined;
use crate::runtime::Network;

/// Images per second, and what the meter read meanwhile.
pub(super) struct Offline {
    pub(super) throughput: Throughput,
    pub(super) joules: Option<f64>,
}

/// Runs images in `streams` threads, each with a session of its own, for at least `shortest`.
///
/// # Errors
/// When a session cannot be set up or fails.
pub(super) fn offline(
    network: &dyn Network,
    streams: usize,
    images: &[Vec<f32>],
    shortest: Duration,
    meter: Option<&Meter>,
) -> Result<Offline> {
    let gate = Barrier::new(streams + 1);
    std::thread::scope(|scope| {
        let stream = || stream(network, images, &gate, shortest);
        let threads = (0..streams).map(|_| scope.spawn(stream)).collect();
        // Nothing is measured before every session has warmed up.
        gate.wait();
        let work = || {
            let start = Instant::now();
            gate.wait();
            (joined(threads), start.elapsed())
        };
        let ((counts, duration), joules) = match meter {
            Some(meter) => meter.during(work),
            None => (work(), None),
        };
        let images: u32 = counts?.into_iter().sum();
        let throughput = Throughput {
            images_per_s: f64::from(images) / duration.as_secs_f64().max(1e-9),
            batch: u32::try_from(network.batch()).unwrap_or(u32::MAX),
            images,
        };
        Ok(Offline { throughput, joules })
    })
}

/// One thread's images: at least one. Passes the gate twice, whatever happens, or the others would
/// wait for ever.
fn stream(
    network: &dyn Network,
    images: &[Vec<f32>],
    gate: &Barrier,
    shortest: Duration,
) -> Result<u32> {
    let mut outputs = Vec::new();
    let mut images = images.iter().cycle();
    let warm = network.session().and_then(|mut session| {
        images
            .next()
            .map_or(Ok(()), |image| session.run(image, &mut outputs))?;
        Ok(session)
    });
    gate.wait();
    gate.wait();
    let mut session = warm?;
    let start = Instant::now();
    let mut count = 0;
    for image in images {
        session.run(image, &mut outputs)?;
        count += 1;
        if start.elapsed() >= shortest {
            break;
        }
    }
    Ok(count)
}
