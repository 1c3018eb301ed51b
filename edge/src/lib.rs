//! Evaluates ONNX image classifiers on nine quality dimensions.
//!
//! Data flows one way: [`dataset`] lists items, [`preprocess`] turns files into tensors,
//! [`runtime`] turns tensors into outputs, [`evaluate`] turns outputs into outcomes and a result
//! file; [`bench`] measures what running a model costs; [`cli`] parses requests and prints what
//! came of them.

pub mod bench;
pub mod cli;
pub mod dataset;
pub mod demo;
pub mod evaluate;
pub mod gradient;
pub mod model;
pub mod perturb;
pub mod preprocess;
pub mod runtime;
