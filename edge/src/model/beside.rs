//! The files beside an ONNX file that say how to use it.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};

use super::card::Card;
use super::timm::TimmConfig;

/// What lies beside the ONNX file.
#[derive(Default)]
pub(super) struct Beside {
    pub(super) card: Option<Card>,
    pub(super) timm: Option<TimmConfig>,
    /// The file that gave the preprocessing, or else the card.
    pub(super) path: Option<PathBuf>,
}

impl Beside {
    /// Reads `name.toml`; where that gives no preprocessing, also `name.json` or `config.json`.
    pub(super) fn read(model: &Path) -> anyhow::Result<Self> {
        let mut beside = Self::default();
        let path = model.with_extension("toml");
        if let Some(text) = read_optional(&path)? {
            let card = Card::parse(&text);
            let card =
                card.map_err(|error| anyhow!("in the model card {}: {error}", path.display()));
            beside.card = Some(card?);
            beside.path = Some(path);
        }
        if beside
            .card
            .as_ref()
            .is_some_and(|card| card.preprocessing.is_some())
        {
            return Ok(beside);
        }
        for path in [
            model.with_extension("json"),
            model.with_file_name("config.json"),
        ] {
            let Some(text) = read_optional(&path)? else {
                continue;
            };
            let config = TimmConfig::parse(&text);
            let config = config.map_err(|error| {
                anyhow!("in the timm configuration {}: {error}", path.display())
            })?;
            if config.is_some() {
                beside.timm = config;
                beside.path = Some(path);
                break;
            }
        }
        Ok(beside)
    }

    /// The card; without one, or where it names no architecture, with that of the configuration.
    pub(super) fn card(&self) -> Card {
        let mut card = self.card.clone().unwrap_or_default();
        let architecture = self.timm.as_ref().and_then(|t| t.architecture.clone());
        if let Some(architecture) = architecture
            && card.grouping.architecture.is_empty()
        {
            card.grouping.architecture = architecture;
        }
        card
    }
}

fn read_optional(path: &Path) -> anyhow::Result<Option<String>> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).with_context(|| format!("cannot read {}", path.display())),
    }
}
