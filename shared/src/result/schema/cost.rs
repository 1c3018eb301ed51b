//! What running a model costs on one machine: format 2.

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};

use super::{Device, Engine};

/// What running the model costs on one machine by one engine. A result holds the latest one of
/// each [`key`](Self::key).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cost {
    /// What executed the model.
    pub engine: Engine,
    /// The machine.
    pub device: Device,
    /// Version of this tool.
    pub tool_version: String,
    /// When it was measured, seconds since 1970 (UTC).
    pub measured: u64,
    /// Processor threads that run the throughput: 1 for a GPU, which one thread drives. A latency is
    /// that of one query at a time whatever this is.
    pub threads: u32,
    /// Time of one image.
    pub latency: Latency,
    /// Images per time, where it was measured.
    pub throughput: Option<Throughput>,
    /// From the model file to a session that is ready, in milliseconds.
    pub load_ms: f64,
    /// Most bytes of main memory that the process held while the model was loaded and running;
    /// `None` where the system does not tell.
    pub peak_memory: Option<u64>,
    /// Multiply–accumulates per second of large matrix products by the same engine, on as many
    /// threads or on the same GPU: what the machine can do. `None` where that was not measured.
    pub machine_macs_per_s: Option<f64>,
    /// The governor of the processor's clock, or empty where the system does not tell.
    pub governor: String,
    /// The highest temperature in words, or empty where the system does not tell.
    pub thermal: String,
    /// Energy, where the system has a counter.
    pub energy: Option<Energy>,
    /// Bytes of the model's weights by element type, sorted by type.
    pub weight_bytes: Vec<(String, u64)>,
}

/// Times of single images, one after the other (MLPerf's single-stream scenario), decoding and
/// preprocessing left out. Percentiles are nearest ranks.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Latency {
    /// Median, milliseconds.
    pub p50_ms: f64,
    /// 90th percentile, milliseconds.
    pub p90_ms: f64,
    /// 99th percentile, milliseconds.
    pub p99_ms: f64,
    /// Images timed, after those that warmed up.
    pub queries: u32,
    /// Time of all of them, milliseconds.
    pub duration_ms: u64,
}

/// Images per time with everything busy (MLPerf's offline scenario), decoding and preprocessing
/// left out.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Throughput {
    /// Images per second.
    pub images_per_s: f64,
    /// Images that the engine runs at once.
    pub batch: u32,
    /// Images run.
    pub images: u32,
}

/// Energy by a counter of the system, over the time in which the throughput was measured; what
/// else the machine did meanwhile is in it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Energy {
    /// Joules per image.
    pub joules_per_image: f64,
    /// The counter and what it counts, for instance `RAPL package-0`.
    pub source: String,
}

impl Cost {
    /// What a result holds one cost of.
    pub fn key(&self) -> (&Engine, &Device, u32) {
        (&self.engine, &self.device, self.threads)
    }

    /// By key; of one key the latest first. Costs measured in the same second are put in an order
    /// that has no meaning but is always the same.
    pub(in crate::result) fn order(&self, other: &Self) -> Ordering {
        let bytes = |cost: &Self| postcard::to_stdvec(cost).unwrap_or_default();
        self.key()
            .cmp(&other.key())
            .then_with(|| other.measured.cmp(&self.measured))
            .then_with(|| bytes(self).cmp(&bytes(other)))
    }

    /// Share of the measured machine peak that the throughput makes use of, given the
    /// multiply–accumulates of one image.
    pub fn share_of_peak(&self, macs: Option<u64>) -> Option<f64> {
        let done = self.throughput?.images_per_s * macs? as f64;
        Some(done / self.machine_macs_per_s?)
    }
}
