//! The selected models: one for the model page, several to compare.

use serde::{Deserialize, Serialize};

use super::model::ModelId;

/// Most models that can be compared at once.
pub const MOST: usize = 6;

/// Selected models, in the order they were selected.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Selection(Vec<ModelId>);

impl Selection {
    /// Selects one model alone, or nothing where it was selected alone.
    pub fn toggle_only(&mut self, id: &ModelId) {
        if self.0 == [id.clone()] {
            self.0.clear();
        } else {
            self.0 = vec![id.clone()];
        }
    }

    /// Selects one model alone.
    pub fn select_only(&mut self, id: &ModelId) {
        self.0 = vec![id.clone()];
    }

    /// Adds a model or takes it away; of too many the earliest goes.
    pub fn toggle(&mut self, id: &ModelId) {
        if self.contains(id) {
            self.0.retain(|other| other != id);
        } else {
            self.0.push(id.clone());
            if self.0.len() > MOST {
                self.0.remove(0);
            }
        }
    }

    /// Selects nothing.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Whether a model is selected.
    pub fn contains(&self, id: &ModelId) -> bool {
        self.0.contains(id)
    }

    /// The selected models, first selected first.
    pub fn ids(&self) -> &[ModelId] {
        &self.0
    }

    /// The model selected last.
    pub fn last(&self) -> Option<&ModelId> {
        self.0.last()
    }

    /// Keeps only models that are there.
    pub fn retain(&mut self, exists: impl Fn(&ModelId) -> bool) {
        self.0.retain(|id| exists(id));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clicks_select_alone_and_with_others() {
        let id = |n: usize| ModelId::own(&[n as u8; 32], 0);
        let mut selection = Selection::default();
        selection.toggle_only(&id(1));
        selection.toggle(&id(2));
        assert_eq!(selection.ids(), [id(1), id(2)]);
        selection.toggle(&id(1));
        assert_eq!(selection.ids(), [id(2)]);
        selection.toggle_only(&id(2));
        assert_eq!(selection.last(), None);
        for n in 0..8 {
            selection.toggle(&id(n));
        }
        assert_eq!(selection.ids().len(), MOST);
        assert_eq!(selection.last(), Some(&id(7)));
    }
}
