//! The label set that a `data.toml` describes.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, ensure};
use shared::labels::{Class, Groups, LabelSet};

use super::config::{FILE_NAME, GroupConfig, LabelsConfig};

/// The described label set, or ImageNet's.
///
/// # Errors
/// When a class file cannot be read, or the description is no valid label set.
pub(super) fn build(root: &Path, config: Option<&LabelsConfig>) -> anyhow::Result<Arc<LabelSet>> {
    let Some(config) = config else {
        return Ok(LabelSet::imagenet());
    };
    let read = || {
        let classes = classes(root, config)?;
        from_classes(classes, config)
    };
    let context = || format!("cannot use [labels] of {}", root.join(FILE_NAME).display());
    read().map(Arc::new).with_context(context)
}

fn from_classes(classes: Vec<Class>, config: &LabelsConfig) -> anyhow::Result<LabelSet> {
    let index = |id: &String| -> anyhow::Result<u32> {
        let position = classes.iter().position(|class| class.id == *id);
        let position = position
            .with_context(|| format!("class '{id}' is not among the {} classes", classes.len()))?;
        Ok(u32::try_from(position)?)
    };
    let indices = |ids: &[String]| ids.iter().map(index).collect::<anyhow::Result<Vec<u32>>>();
    let groups = |groups: &[GroupConfig], what: &str| -> anyhow::Result<Groups> {
        let members = groups.iter().map(|group| {
            indices(&group.classes).with_context(|| format!("{what} '{}'", group.name))
        });
        Ok(Groups {
            members: members.collect::<anyhow::Result<_>>()?,
            names: groups.iter().map(|group| group.name.clone()).collect(),
        })
    };
    let mut rendition_classes = match &config.rendition_classes {
        Some(ids) => indices(ids).context("rendition_classes")?,
        None => (0u32..).zip(&classes).map(|(index, _)| index).collect(),
    };
    rendition_classes.sort_unstable();
    let shape_groups = groups(&config.shape_groups, "shape group")?;
    let foreground_groups = groups(&config.foreground_groups, "foreground group")?;
    let name = config.name.clone();
    let labels = LabelSet {
        name,
        classes,
        shape_groups,
        foreground_groups,
        rendition_classes,
    };
    labels.validate()?;
    Ok(labels)
}

fn classes(root: &Path, config: &LabelsConfig) -> anyhow::Result<Vec<Class>> {
    let Some(file) = &config.class_file else {
        ensure!(
            config.names.is_empty() || config.names.len() == config.classes.len(),
            "{} names for {} classes, expected one each or none",
            config.names.len(),
            config.classes.len()
        );
        let names = if config.names.is_empty() {
            &config.classes
        } else {
            &config.names
        };
        let pairs = config.classes.iter().zip(names);
        return Ok(pairs
            .map(|(id, name)| Class {
                id: id.clone(),
                name: name.clone(),
            })
            .collect());
    };
    ensure!(
        config.classes.is_empty() && config.names.is_empty(),
        "both class_file and a class list are given, expected one of them"
    );
    let path = root.join(file);
    let text = std::fs::read_to_string(&path)
        .with_context(|| format!("cannot read the classes {}", path.display()))?;
    let lines = text.trim_start_matches('\u{feff}').lines();
    Ok(lines
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .map(class_of_line)
        .collect())
}

/// `id` or `id,name`; the name may be quoted and hold commas.
fn class_of_line(line: &str) -> Class {
    let (id, name) = line.split_once(',').unwrap_or((line, line));
    let name = name.trim().trim_matches('"');
    Class {
        id: id.trim().to_owned(),
        name: name.to_owned(),
    }
}
