//! The desktop analyser: opens result files, ranks models under a person's own weights and weighs
//! size against quality. Everything it computes comes from `shared`.
//!
//! [`state`] is the model, plain and without a window; [`views`] are panels that show it; [`app`]
//! joins them with disk, dialogs and the window.

pub mod analysis;
pub mod app;
pub mod chart;
pub mod cli;
pub mod demo;
mod dialogs;
pub mod export;
pub mod loading;
pub mod raster;
mod resampling;
pub mod screenshot;
pub mod state;
pub mod theme;
pub mod views;
