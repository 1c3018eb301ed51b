//! quba
