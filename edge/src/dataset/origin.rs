//! What a folder of corrupted images says about itself.
//!
//! `edge corrupt` leaves a `generated.toml` with the pictures of each cell, so that a later
//! evaluation does not take them for the published ones:
//!
//! ```toml
//! side = 224            # pixels; see `Generation::side`
//! jpeg85 = false
//! frost = "synthetic"   # only with frost: that, or the BLAKE3 of the pictures in hexadecimal
//! ```

use std::fs;
use std::path::Path;

use anyhow::{Context, ensure};
use serde::{Deserialize, Serialize};
use shared::outcome::{Corruption, FrostSource, Generation, Origin};

/// File name of the description.
pub(crate) const FILE_NAME: &str = "generated.toml";

const SYNTHETIC: &str = "synthetic";

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Description {
    side: u32,
    jpeg85: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    frost: Option<String>,
}

/// Where the pictures of `corruption` in `folder` came from: stored, unless a description says
/// otherwise.
///
/// # Errors
/// When there is a description that cannot be read, holds something else, or is of another
/// corruption: a result file would refuse it.
pub(super) fn read(folder: &Path, corruption: Corruption) -> anyhow::Result<Origin> {
    let path = folder.join(FILE_NAME);
    let text = match fs::read_to_string(&path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Origin::Stored),
        text => text,
    };
    let context = || {
        format!(
            "cannot use {}; remove it to count the images as stored",
            path.display()
        )
    };
    let description: Description =
        toml::from_str(&text.with_context(context)?).with_context(context)?;
    let is_frost = corruption == Corruption::Frost;
    check(&description, is_frost).with_context(context)?;
    let frost = description.frost.as_deref().map(parse_frost);
    Ok(Origin::Generated(Generation {
        side: description.side,
        jpeg85: description.jpeg85,
        frost: frost.transpose().with_context(context)?,
    }))
}

/// Describes the pictures in `folder`, which must exist; stored ones need no description.
///
/// # Errors
/// When the file cannot be written.
pub(crate) fn write(folder: &Path, origin: Origin) -> anyhow::Result<()> {
    let Origin::Generated(generation) = origin else {
        return Ok(());
    };
    let description = Description {
        side: generation.side,
        jpeg85: generation.jpeg85,
        frost: generation.frost.map(|source| match source {
            FrostSource::Synthetic => SYNTHETIC.to_owned(),
            FrostSource::Pictures(hash) => blake3::Hash::from(hash).to_hex().to_string(),
        }),
    };
    let path = folder.join(FILE_NAME);
    fs::write(&path, toml::to_string(&description)?)
        .with_context(|| format!("cannot write {}", path.display()))
}

fn check(description: &Description, is_frost: bool) -> anyhow::Result<()> {
    let Description { side, frost, .. } = description;
    ensure!(*side > 0, "side is 0, expected a number of pixels");
    ensure!(
        frost.is_some() == is_frost,
        "expected frost to be stated for the corruption frost alone"
    );
    Ok(())
}

fn parse_frost(word: &str) -> anyhow::Result<FrostSource> {
    if word == SYNTHETIC {
        return Ok(FrostSource::Synthetic);
    }
    let hash = blake3::Hash::from_hex(word)
        .with_context(|| format!("frost is '{word}', expected '{SYNTHETIC}' or a BLAKE3 hash"))?;
    Ok(FrostSource::Pictures(hash.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptions_survive_and_their_absence_means_stored() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(
            read(folder.path(), Corruption::Fog).unwrap(),
            Origin::Stored
        );
        for frost in [
            None,
            Some(FrostSource::Synthetic),
            Some(FrostSource::Pictures([0xa7; 32])),
        ] {
            let origin = Origin::Generated(Generation {
                side: 384,
                jpeg85: true,
                frost,
            });
            write(folder.path(), origin).unwrap();
            let [here, elsewhere] = match frost {
                None => [Corruption::Fog, Corruption::Frost],
                Some(_) => [Corruption::Frost, Corruption::Fog],
            };
            assert_eq!(read(folder.path(), here).unwrap(), origin);
            assert!(read(folder.path(), elsewhere).is_err());
        }
        for bad in [
            "side = 224",
            "side = 0\njpeg85 = true\nfrost = \"synthetic\"\n",
            "side = 1\njpeg85 = true\nfrost = \"ice\"\n",
            "\u{1}",
        ] {
            fs::write(folder.path().join(FILE_NAME), bad).unwrap();
            let message = format!("{:#}", read(folder.path(), Corruption::Frost).unwrap_err());
            assert!(
                message.contains("remove it to count the images as stored"),
                "{message}"
            );
        }
    }
}
