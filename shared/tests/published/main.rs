//! What is known of the published table, recomputed from it. Claims 9–14 of SPEC §9 are in
//! `correlations`; 27 and 28 need other data, 29 per-trial data.

#![expect(clippy::unwrap_used, reason = "helpers of tests")]

mod correlations;
mod groups;
mod pairs;
mod scores;
mod support;
