//! What a data root holds, what it lacks, and what that leaves unmeasured.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde::Serialize;
use shared::Dimension;
use shared::outcome::{Corruption, Origin, PassKind, Severity};

use super::config::SetName;
use super::note::Note;
use super::{Dataset, ImageSet};

/// The answer of `edge data ROOT`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// Display name of the data.
    pub name: String,
    /// The folder that was opened.
    pub root: String,
    /// Label set in a line: name and counts.
    pub labels: String,
    /// The sets found; a corruption with all its severities is one.
    pub sets: Vec<SetReport>,
    /// The sets not found, with the folders where they were expected.
    pub missing: Vec<(SetName, &'static str)>,
    /// What each dimension lacks, in column order; nothing: it can be measured.
    pub dimensions: Vec<(Dimension, Vec<String>)>,
    /// Scored corruption cells that are not stored, in words; they are generated from the clean
    /// images, where there are any.
    pub generated: Option<String>,
    /// What looks wrong about sets that were found.
    pub doubts: Vec<String>,
    /// What listing came across.
    pub notes: Vec<Note>,
}

/// One set of a report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SetReport {
    /// Name of the pass, or of the corruption.
    pub name: String,
    /// Folder, relative to the data root where it lies under it.
    pub folder: String,
    /// Number of images; of all severities together.
    pub images: usize,
    /// Labels with an image, of how many, for instance `200 of 1000 classes`.
    pub labels: String,
    /// Severities of a corruption and how it was generated, conflicts of cue conflict; else empty.
    pub remark: String,
}

const OOD: [PassKind; 5] = [
    PassKind::Edge,
    PassKind::Silhouette,
    PassKind::Sketch,
    PassKind::Stylized,
    PassKind::Rendition,
];

impl Dataset {
    /// Sums up what was found and which dimensions can be measured with it.
    pub fn report(&self) -> Report {
        let labels = &self.labels;
        Report {
            name: self.name.clone(),
            root: self.root.display().to_string(),
            labels: format!(
                "{}: {} classes, {} of them renditions, {} shape groups, {} foreground groups",
                labels.name,
                labels.classes.len(),
                labels.rendition_classes.len(),
                labels.shape_groups.names.len(),
                labels.foreground_groups.names.len()
            ),
            sets: self.set_reports(),
            missing: self.missing(),
            dimensions: Dimension::ALL.map(|d| (d, self.lacking(d))).to_vec(),
            generated: self.missing_cells(),
            doubts: self.doubts(),
            notes: self.notes.clone(),
        }
    }

    fn set_reports(&self) -> Vec<SetReport> {
        let mut rows = Vec::new();
        let mut corruptions: BTreeMap<Corruption, Vec<(Severity, &ImageSet)>> = BTreeMap::new();
        for (&kind, set) in &self.sets {
            if let PassKind::Corruption(corruption, severity) = kind {
                corruptions
                    .entry(corruption)
                    .or_default()
                    .push((severity, set));
                continue;
            }
            rows.push(self.row(kind, kind.to_string(), &[set], remark(kind, set)));
        }
        let at = rows.iter().take_while(|row| row.name == "clean").count();
        let corruption_rows = corruptions.into_iter().filter_map(|(corruption, cells)| {
            let kind = PassKind::Corruption(corruption, cells.first()?.0);
            let severities: Vec<String> = cells
                .iter()
                .map(|(severity, _)| severity.get().to_string())
                .collect();
            let sets: Vec<&ImageSet> = cells.iter().map(|(_, set)| *set).collect();
            let mut remark = format!("severities {}", severities.join(" "));
            if let Some(set) = sets.iter().find(|set| set.origin != Origin::Stored) {
                remark += &format!(", {}", set.origin);
            }
            Some(self.row(kind, corruption.to_string(), &sets, remark))
        });
        rows.splice(at..at, corruption_rows);
        rows
    }

    /// One line for sets that share a folder: one set, or the severities of a corruption.
    fn row(&self, kind: PassKind, name: String, sets: &[&ImageSet], remark: String) -> SetReport {
        let seen: BTreeSet<u32> = sets
            .iter()
            .flat_map(|set| set.items.iter().map(|item| item.label))
            .collect();
        let (count, noun) = match kind {
            PassKind::Clean | PassKind::Corruption(..) => (self.labels.classes.len(), "classes"),
            PassKind::Rendition => (self.labels.rendition_classes.len(), "rendition classes"),
            PassKind::MixedSame | PassKind::MixedRand => (
                self.labels.foreground_groups.names.len(),
                "foreground groups",
            ),
            _ => (self.labels.shape_groups.names.len(), "shape groups"),
        };
        let folder = sets.first().map_or(Path::new(""), |set| set.root.as_path());
        let folder = match kind {
            PassKind::Corruption(..) => folder.parent().unwrap_or(folder),
            _ => folder,
        };
        SetReport {
            name,
            folder: folder
                .strip_prefix(&self.root)
                .unwrap_or(folder)
                .display()
                .to_string(),
            images: sets.iter().map(|set| set.items.len()).sum(),
            labels: format!("{} of {count} {noun}", seen.len()),
            remark,
        }
    }

    fn missing(&self) -> Vec<(SetName, &'static str)> {
        let found: BTreeSet<SetName> = self.sets.keys().map(|&kind| SetName::of(kind)).collect();
        let missing = SetName::ALL.into_iter().filter(|set| !found.contains(set));
        missing.map(|set| (set, set.default_path())).collect()
    }

    /// What keeps a dimension from being measured.
    fn lacking(&self, dimension: Dimension) -> Vec<String> {
        let needed: &[PassKind] = match dimension {
            Dimension::Accuracy
            | Dimension::AdversarialRobustness
            | Dimension::CorruptionRobustness
            | Dimension::CalibrationError
            | Dimension::ClassBalance => &[PassKind::Clean],
            Dimension::OodRobustness => &[PassKind::Clean, OOD[0], OOD[1], OOD[2], OOD[3], OOD[4]],
            Dimension::ObjectFocus => &[PassKind::Clean, PassKind::MixedSame, PassKind::MixedRand],
            Dimension::ShapeBias => &[PassKind::CueConflict],
            Dimension::Parameters => &[],
        };
        let mut lacking: Vec<String> = needed
            .iter()
            .filter(|kind| !self.sets.contains_key(kind))
            .map(ToString::to_string)
            .collect();
        if let Some(set) = self.sets.get(&PassKind::CueConflict)
            && dimension == Dimension::ShapeBias
            && conflicts(set) == 0
        {
            lacking.push("an image whose shape and texture differ".to_owned());
        }
        lacking
    }

    /// The scored corruption cells that are not stored, summed up.
    fn missing_cells(&self) -> Option<String> {
        let cells: Vec<PassKind> = Corruption::SCORED
            .into_iter()
            .flat_map(|c| Severity::ALL.map(|severity| PassKind::Corruption(c, severity)))
            .collect();
        let missing: Vec<&PassKind> = cells
            .iter()
            .filter(|kind| !self.sets.contains_key(kind))
            .collect();
        let first = missing.first()?;
        let all = cells.len();
        Some(match missing.len() {
            count if count == all => format!("all {all} corruption cells"),
            1 => format!("1 of {all} corruption cells ({first})"),
            count => format!("{count} of {all} corruption cells ({first}, …)"),
        })
    }

    fn doubts(&self) -> Vec<String> {
        let mut doubts = Vec::new();
        if let Some(clean) = self.sets.get(&PassKind::Clean) {
            let is_cell = |kind: &PassKind| matches!(kind, PassKind::Corruption(..));
            let cells = self.sets.iter().filter(|(kind, _)| is_cell(kind));
            let strangers: Vec<_> = cells
                .filter(|(_, set)| set.identity != clean.identity)
                .collect();
            if let Some((kind, set)) = strangers.first() {
                doubts.push(format!(
                    "corruption cells with other images than the clean set: {} \
                     (first: {kind} has {}, clean has {} images)",
                    strangers.len(),
                    set.items.len(),
                    clean.items.len()
                ));
            }
        }
        let mixed = [PassKind::MixedSame, PassKind::MixedRand].map(|kind| self.sets.get(&kind));
        if let [Some(same), Some(rand)] = mixed
            && same.items.len() != rand.items.len()
        {
            doubts.push(format!(
                "images in mixed-same: {}, in mixed-rand: {}, expected the same foregrounds in both",
                same.items.len(),
                rand.items.len()
            ));
        }
        doubts
    }
}

fn remark(kind: PassKind, set: &ImageSet) -> String {
    match kind {
        PassKind::CueConflict => format!("{} with a conflict", conflicts(set)),
        _ => String::new(),
    }
}

/// Images whose shape and texture differ: the others say nothing about shape bias.
fn conflicts(set: &ImageSet) -> usize {
    set.items
        .iter()
        .filter(|item| item.texture != Some(item.label))
        .count()
}
