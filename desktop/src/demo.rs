//! The results that come with the program, so that the first window is not empty.

use std::path::Path;
use std::sync::Arc;

use shared::result::decode;

use crate::state::library::LoadedFile;
use crate::state::merging::Measurements;

/// Stands for a folder in the paths of the demo results.
const FOLDER: &str = "demo";

macro_rules! results {
    ($($name:literal),* $(,)?) => {
        [$(($name, include_bytes!(concat!("../assets/demo/", $name)).as_slice())),*]
    };
}

const RESULTS: [(&str, &[u8]); 8] = results![
    "adversarial.quba",
    "degraded.quba",
    "depthwise.quba",
    "patch-transformer.quba",
    "plain-small.quba",
    "plain-wide.quba",
    "randomised.quba",
    "residual.quba",
];

/// What `edge demo` measured on its procedural images.
pub fn files() -> Vec<LoadedFile> {
    let file = |(name, bytes): (&str, &[u8])| LoadedFile {
        path: Path::new(FOLDER).join(name),
        modified: None,
        bytes: bytes.len() as u64,
        content: match decode(bytes) {
            Ok(evaluation) => Ok(Arc::new(Measurements::of(evaluation))),
            Err(error) => Err(error.to_string()),
        },
    };
    RESULTS.into_iter().map(file).collect()
}

/// Whether a path stands for a demo result.
pub fn is_demo(path: &Path) -> bool {
    path.parent() == Some(Path::new(FOLDER)) && RESULTS.iter().any(|(name, _)| path.ends_with(name))
}
