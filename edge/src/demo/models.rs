//! The bundled backbones, embedded in the binary.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;

macro_rules! bundled {
    ($($name:literal),* $(,)?) => {
        /// Name, ONNX file and card of each bundled model.
        const BUNDLED: &[(&str, &[u8], &str)] = &[$((
            $name,
            include_bytes!(concat!("../../../models/", $name, ".onnx")),
            include_str!(concat!("../../../models/", $name, ".toml")),
        )),*];
    };
}

bundled!(
    "adversarial",
    "degraded",
    "depthwise",
    "patch-transformer",
    "plain-small",
    "plain-wide",
    "randomised",
    "residual",
);

/// Writes the bundled models with their cards into `folder` and returns the ONNX files, sorted.
///
/// # Errors
/// When a file cannot be written.
pub fn write_models(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    fs::create_dir_all(folder)
        .with_context(|| format!("cannot create the folder: {}", folder.display()))?;
    let mut paths = Vec::new();
    for (name, onnx, card) in BUNDLED {
        let path = folder.join(name).with_added_extension("onnx");
        write(&path.with_extension("toml"), card.as_bytes())?;
        write(&path, onnx)?;
        paths.push(path);
    }
    paths.sort();
    Ok(paths)
}

fn write(path: &Path, content: &[u8]) -> anyhow::Result<()> {
    fs::write(path, content).with_context(|| format!("cannot write the file: {}", path.display()))
}
