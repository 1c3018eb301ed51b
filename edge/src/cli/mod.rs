//! cli

pub mod inspect;
