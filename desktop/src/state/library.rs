//! What was opened: files with their content or error, joined into models.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use shared::words::plural;

use super::merging::{Group, Measurements, group};
use super::model::{Model, ModelId, short_hash};

/// One opened file.
#[derive(Clone, Debug)]
pub struct LoadedFile {
    /// Where it is.
    pub path: PathBuf,
    /// When it was last written, where the system tells.
    pub modified: Option<SystemTime>,
    /// Its length.
    pub bytes: u64,
    /// What it holds, or why it cannot be read, in words.
    pub content: Result<Arc<Measurements>, String>,
}

/// All opened files and the models they make, with the published ones.
#[derive(Debug)]
pub struct Library {
    files: BTreeMap<PathBuf, LoadedFile>,
    groups: BTreeMap<[u8; 32], Group>,
    models: Vec<Model>,
    revision: u64,
}

impl Default for Library {
    fn default() -> Self {
        let mut library = Self {
            files: BTreeMap::new(),
            groups: BTreeMap::new(),
            models: Vec::new(),
            revision: 0,
        };
        library.list_models();
        library
    }
}

impl Library {
    /// Adds files, or replaces those that were opened before.
    pub fn insert(&mut self, files: impl IntoIterator<Item = LoadedFile>) {
        let mut touched = BTreeSet::new();
        for file in files {
            touched.extend(hash_of(&file));
            let before = self.files.insert(file.path.clone(), file);
            touched.extend(before.as_ref().and_then(hash_of));
        }
        self.regroup(touched);
    }

    /// Forgets files.
    pub fn remove<'a>(&mut self, paths: impl IntoIterator<Item = &'a Path>) {
        let removed = paths.into_iter().filter_map(|path| self.files.remove(path));
        let touched = removed.filter_map(|file| hash_of(&file)).collect();
        self.regroup(touched);
    }

    /// Forgets all files.
    pub fn clear(&mut self) {
        self.files.clear();
        self.groups.clear();
        self.list_models();
    }

    /// The opened files, in path order.
    pub fn files(&self) -> impl Iterator<Item = &LoadedFile> {
        self.files.values()
    }

    /// The file opened from `path`.
    pub fn file(&self, path: &Path) -> Option<&LoadedFile> {
        self.files.get(path)
    }

    /// Whether nothing was opened.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Why results of one model are kept apart, a sentence each.
    pub fn conflicts(&self) -> impl Iterator<Item = &str> {
        self.groups
            .values()
            .flat_map(|group| group.conflicts.iter().map(String::as_str))
    }

    /// Own results sorted by name, then the published models in the study's order.
    pub fn models(&self) -> &[Model] {
        &self.models
    }

    /// The model of an id, and its position in [`Library::models`].
    pub fn find(&self, id: &ModelId) -> Option<(usize, &Model)> {
        self.models
            .iter()
            .enumerate()
            .find(|(_, model)| model.id == *id)
    }

    /// Own results whose certainty was not computed.
    pub fn uncertain(&self) -> impl Iterator<Item = &Arc<Measurements>> {
        let own = self.models.iter().filter_map(Model::measurements);
        own.filter(|measurements| measurements.certainty().is_none())
    }

    /// Tells that the certainty of results was computed.
    pub fn certainty_changed(&mut self) {
        self.revision += 1;
    }

    /// Computes at once what is otherwise computed beside the user interface.
    pub fn resample(&mut self) {
        self.uncertain().for_each(|results| results.resample());
        self.certainty_changed();
    }

    /// Grows with every change.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    fn regroup(&mut self, hashes: BTreeSet<[u8; 32]>) {
        for hash in hashes {
            let files = self
                .files
                .values()
                .filter(|file| hash_of(file) == Some(hash));
            let parts =
                files.filter_map(|file| Some((file.path.as_path(), file.content.as_ref().ok()?)));
            let group = group(parts);
            if group.variants.is_empty() {
                self.groups.remove(&hash);
            } else {
                self.groups.insert(hash, group);
            }
        }
        self.list_models();
    }

    fn list_models(&mut self) {
        let mut own: Vec<Model> = Vec::new();
        for (hash, group) in &self.groups {
            for (index, variant) in group.variants.iter().enumerate() {
                // Without an image there is nothing to rank.
                if variant.measurements.evaluation.is_costs_only() {
                    continue;
                }
                let detail = match (group.variants.len(), variant.devices().len()) {
                    (1, 0 | 1) => String::new(),
                    (1, devices) => plural(devices as u64, "device"),
                    _ => apart(variant, index),
                };
                own.push(Model::own(ModelId::own(hash, index), variant, detail));
            }
        }
        own.sort_by(|a, b| (&a.name, &a.id).cmp(&(&b.name, &b.id)));
        mark_namesakes(&mut own, &self.groups);
        own.extend(shared::published::models().iter().map(Model::published));
        self.models = own;
        self.revision += 1;
    }
}

fn hash_of(file: &LoadedFile) -> Option<[u8; 32]> {
    Some(file.content.as_ref().ok()?.evaluation.model.hash)
}

/// What tells a result from others of the same model file: the device, or the file.
fn apart(variant: &super::merging::Variant, index: usize) -> String {
    let devices = variant.devices().join(", ");
    let file = variant.files.first().and_then(|path| path.file_stem());
    match file {
        Some(stem) => format!("{} · {devices}", stem.to_string_lossy()),
        None => format!("result {} · {devices}", index + 1),
    }
}

/// Models of one name but different files get part of their hash as detail.
fn mark_namesakes(models: &mut [Model], groups: &BTreeMap<[u8; 32], Group>) {
    let mut hashes: BTreeMap<String, BTreeSet<[u8; 32]>> = BTreeMap::new();
    for (hash, group) in groups {
        for variant in &group.variants {
            let name = variant.measurements.evaluation.model.name.clone();
            hashes.entry(name).or_default().insert(*hash);
        }
    }
    for model in models {
        let many = hashes.get(&model.name).is_some_and(|all| all.len() > 1);
        if let (true, Some(own)) = (many, model.measurements()) {
            let hash = short_hash(&own.evaluation.model.hash);
            model.detail = match model.detail.as_str() {
                "" => hash,
                detail => format!("{hash} · {detail}"),
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use shared::Dimension;
    use shared::outcome::PassKind;

    use super::*;
    use crate::state::testing;

    fn own(library: &Library) -> Vec<&Model> {
        library
            .models()
            .iter()
            .filter(|m| !m.is_published())
            .collect()
    }

    #[test]
    fn the_published_models_are_always_there() {
        assert_eq!(Library::default().models().len(), 326);
    }

    #[test]
    fn a_broken_file_is_listed_and_disturbs_nothing() {
        let mut library = Library::default();
        library.insert(testing::demo());
        let before = library.models().len();
        library.insert([testing::broken("broken.quba")]);
        assert_eq!(library.models().len(), before);
        let file = library.file(Path::new("broken.quba")).unwrap();
        assert_eq!(file.content.as_ref().unwrap_err(), "damaged");
    }

    #[test]
    fn shards_of_one_run_become_one_model() {
        let [a, b] = testing::shards();
        let mut library = Library::default();
        library.insert([testing::file("a.quba", a), testing::file("b.quba", b)]);
        let models = own(&library);
        assert_eq!(models.len(), 1);
        let merged = &models[0].measurements().unwrap().evaluation;
        assert_eq!(
            merged.lists[0].indices.len(),
            testing::whole().lists[0].indices.len()
        );
        assert_eq!(library.conflicts().count(), 0);
        library.remove([Path::new("b.quba")]);
        assert_eq!(own(&library).len(), 1);
        library.clear();
        assert_eq!(own(&library).len(), 0);
    }

    #[test]
    fn contradicting_preprocessing_is_kept_apart_with_the_reason() {
        let mut other = testing::whole();
        other.model.preprocessing.crop = (32, 32);
        let mut library = Library::default();
        library.insert([
            testing::file("a.quba", testing::whole()),
            testing::file("b.quba", other),
        ]);
        assert_eq!(own(&library).len(), 2);
        let conflicts: Vec<&str> = library.conflicts().collect();
        assert_eq!(
            conflicts,
            [
                "b.quba is kept apart from a.quba: expected the model to be fed alike, found crop \
              64x64 and 32x32; evaluate again with one model card"
            ]
        );
        let details: Vec<&str> = own(&library).iter().map(|m| m.detail.as_str()).collect();
        assert!(
            details[0].starts_with("a · ") && details[1].starts_with("b · "),
            "{details:?}"
        );
    }

    #[test]
    fn a_model_on_several_devices_is_one_model() {
        let mut other = testing::whole();
        testing::flip_a_prediction(&mut other);
        let again = other.clone();
        other.runs[0].device.host = "elsewhere".to_owned();
        let mut library = Library::default();
        library.insert([
            testing::file("a.quba", testing::part(&|p| p.kind == PassKind::Clean)),
            testing::file("b.quba", other),
        ]);
        let models = own(&library);
        assert_eq!(models.len(), 1);
        assert_eq!(models[0].devices.len(), 2);
        assert!(
            models[0].devices[0].contains("elsewhere"),
            "the complete one leads"
        );
        assert_eq!(models[0].detail, "2 devices");
        assert_eq!(library.conflicts().count(), 0);
        // The same device must not contradict itself.
        library.insert([testing::file("c.quba", again)]);
        assert_eq!(own(&library).len(), 2);
        assert_eq!(library.conflicts().count(), 1);
    }

    #[test]
    fn costs_of_a_board_join_every_result_of_their_model() {
        let mut other = testing::whole();
        other.model.preprocessing.mean = [0.1; 3];
        let board = testing::costs_only(vec![testing::cost("board", 20.0)]);
        let mut library = Library::default();
        library.insert([testing::file("a.quba", board)]);
        assert!(own(&library).is_empty(), "no image was evaluated");
        library.insert([
            testing::file("b.quba", testing::whole()),
            testing::file("c.quba", other),
        ]);
        let models = own(&library);
        assert_eq!(models.len(), 2);
        for model in models {
            assert_eq!(model.costs, [testing::cost("board", 20.0)]);
            assert!(model.values[Dimension::Accuracy].is_some());
        }
        assert_eq!(library.conflicts().count(), 1, "b and c alone");
    }

    #[test]
    fn the_same_name_with_other_weights_is_told_apart() {
        let mut other = testing::whole();
        other.model.hash = [0xab; 32];
        let mut library = Library::default();
        library.insert([
            testing::file("a.quba", testing::whole()),
            testing::file("b.quba", other),
        ]);
        let details: Vec<&str> = own(&library).iter().map(|m| m.detail.as_str()).collect();
        assert!(details.contains(&"abababab"), "{details:?}");
    }

    #[test]
    fn a_changed_file_replaces_what_it_held() {
        let mut library = Library::default();
        library.insert([testing::file("a.quba", testing::whole())]);
        let mut renamed = testing::whole();
        renamed.model.name = "renamed".to_owned();
        renamed.model.hash = [1; 32];
        let revision = library.revision();
        library.insert([testing::file("a.quba", renamed)]);
        let names: Vec<&str> = own(&library).iter().map(|m| m.name.as_str()).collect();
        assert_eq!(names, ["renamed"]);
        assert!(library.revision() > revision);
    }
}
