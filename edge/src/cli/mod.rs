//! cli

pub mod data;
