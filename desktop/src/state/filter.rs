//! Which models are shown.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use shared::Dimension;

use super::model::Model;

/// How the published models appear.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PublishedLayer {
    /// Like own results, among them.
    Shown,
    /// Behind own results: after them in tables, in weak colours everywhere.
    #[default]
    Dimmed,
    /// Not at all.
    Hidden,
}

impl PublishedLayer {
    /// All choices.
    pub const ALL: [Self; 3] = [Self::Shown, Self::Dimmed, Self::Hidden];

    /// The label a person reads.
    pub fn label(self) -> &'static str {
        match self {
            Self::Shown => "Shown",
            Self::Dimmed => "Dimmed",
            Self::Hidden => "Hidden",
        }
    }
}

/// Upper and lower limits; a model whose figure is unknown does not keep a limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Limits {
    /// At most this many million parameters.
    pub parameters: Option<f64>,
    /// At most this many megabytes (10⁶ bytes).
    pub megabytes: Option<f64>,
    /// At most this many billion multiply–accumulates for one image.
    pub giga_macs: Option<f64>,
    /// At most this many milliseconds for one image, on the chosen device.
    pub milliseconds: Option<f64>,
    /// At least this accuracy, in percent.
    pub accuracy: Option<f64>,
}

/// A column by which models are grouped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grouping {
    /// Family of the network.
    Architecture,
    /// Pre-training data.
    PretrainingData,
    /// Training regime.
    Regime,
    /// Engine and machine of the runs.
    Device,
}

impl Grouping {
    /// All groupings, in display order.
    pub const ALL: [Self; 4] = [
        Self::Architecture,
        Self::PretrainingData,
        Self::Regime,
        Self::Device,
    ];

    /// The label a person reads.
    pub fn label(self) -> &'static str {
        match self {
            Self::Architecture => "Architecture",
            Self::PretrainingData => "Pre-training data",
            Self::Regime => "Training regime",
            Self::Device => "Device",
        }
    }

    /// The groups that a model is in; published models are on no device.
    pub fn of(self, model: &Model) -> &[String] {
        match self {
            Self::Architecture => std::slice::from_ref(&model.architecture),
            Self::PretrainingData => std::slice::from_ref(&model.pretraining_data),
            Self::Regime => std::slice::from_ref(&model.regime),
            Self::Device => &model.devices,
        }
    }
}

/// What is shown of all models; the default shows everything.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Filter {
    /// Words that name, detail or groups contain, in any order and case.
    pub search: String,
    /// Groups left out, by grouping in display order.
    hidden: [BTreeSet<String>; 4],
    /// Limits of size and accuracy.
    pub limits: Limits,
    /// How the published models appear.
    pub published: PublishedLayer,
    /// Whether published rows with distorted figures are left out (SPEC §8).
    pub clean_only: bool,
}

impl Filter {
    /// Whether a model is shown. `latency` is that on the chosen device, in milliseconds.
    pub fn admits(&self, model: &Model, latency: Option<f64>) -> bool {
        self.admits_layer(model)
            && self.admits_groups(model)
            && self.limits.admit(model, latency)
            && matches_search(&self.search, model)
    }

    /// Whether a group is shown.
    pub fn shows(&self, grouping: Grouping, group: &str) -> bool {
        !self.hidden[grouping as usize].contains(group)
    }

    /// Shows or hides a group.
    pub fn set_shown(&mut self, grouping: Grouping, group: &str, shown: bool) {
        let hidden = &mut self.hidden[grouping as usize];
        if shown {
            hidden.remove(group);
        } else {
            hidden.insert(group.to_owned());
        }
    }

    /// Whether anything is set that hides models, the published layer apart.
    pub fn is_set(&self) -> bool {
        *self != self.cleared()
    }

    /// A filter that hides nothing but what the published layer does.
    pub fn cleared(&self) -> Self {
        Self {
            published: self.published,
            ..Self::default()
        }
    }

    fn admits_layer(&self, model: &Model) -> bool {
        !model.is_published()
            || (self.published != PublishedLayer::Hidden && (!self.clean_only || model.is_clean()))
    }

    fn admits_groups(&self, model: &Model) -> bool {
        Grouping::ALL.into_iter().all(|grouping| {
            let groups = grouping.of(model);
            groups.is_empty() || groups.iter().any(|group| self.shows(grouping, group))
        })
    }
}

impl Limits {
    fn admit(&self, model: &Model, latency: Option<f64>) -> bool {
        let at_most = |limit: Option<f64>, value: Option<f64>| {
            limit.is_none_or(|limit| value.is_some_and(|value| value <= limit))
        };
        let percent = model.values[Dimension::Accuracy].map(|a| a * 100.0);
        at_most(self.parameters, model.values[Dimension::Parameters])
            && at_most(self.megabytes, model.bytes.map(|b| b as f64 / 1e6))
            && at_most(self.giga_macs, model.macs.map(|m| m as f64 / 1e9))
            && at_most(self.milliseconds, latency)
            && self
                .accuracy
                .is_none_or(|limit| percent.is_some_and(|p| p >= limit))
    }
}

fn matches_search(search: &str, model: &Model) -> bool {
    search.split_whitespace().all(|word| {
        let word = word.to_lowercase();
        let texts = [
            &model.name,
            &model.detail,
            &model.architecture,
            &model.pretraining_data,
            &model.regime,
        ];
        let mut all = texts.into_iter().chain(&model.devices);
        all.any(|text| text.to_lowercase().contains(&word))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::library::Library;
    use crate::state::testing;

    fn shown(filter: &Filter) -> (usize, usize) {
        let mut library = Library::default();
        library.insert(testing::demo());
        let shown: Vec<&Model> = library
            .models()
            .iter()
            .filter(|m| filter.admits(m, None))
            .collect();
        let published = shown.iter().filter(|m| m.is_published()).count();
        (shown.len() - published, published)
    }

    #[test]
    fn nothing_set_shows_everything() {
        assert!(!Filter::default().is_set());
        assert_eq!(shown(&Filter::default()), (8, 326));
    }

    #[test]
    fn layers() {
        let clean = Filter {
            clean_only: true,
            ..Filter::default()
        };
        assert_eq!(shown(&clean), (8, 219));
        let hidden = Filter {
            published: PublishedLayer::Hidden,
            ..Filter::default()
        };
        assert_eq!(shown(&hidden), (8, 0));
    }

    #[test]
    fn search_takes_words_in_any_order_and_case() {
        let search = |text: &str| Filter {
            search: text.to_owned(),
            ..Filter::default()
        };
        assert_eq!(shown(&search("CNN residual")), (2, 0));
        assert_eq!(shown(&search("eva02")), (0, 3));
        assert_eq!(shown(&search("no such model")), (0, 0));
    }

    #[test]
    fn groups_are_hidden_one_by_one() {
        let mut filter = Filter::default();
        for group in ["convolutional", "B-cos", "vision-language"] {
            filter.set_shown(Grouping::Architecture, group, false);
        }
        let (own, published) = shown(&filter);
        assert_eq!(own, 1);
        assert!(published > 0 && published < 326);
        assert!(filter.is_set());
        for group in ["convolutional", "B-cos", "vision-language"] {
            filter.set_shown(Grouping::Architecture, group, true);
        }
        assert_eq!(filter, Filter::default());
    }

    #[test]
    fn limits_need_a_known_figure() {
        let limits = |limits| Filter {
            limits,
            ..Filter::default()
        };
        let small = limits(Limits {
            parameters: Some(0.05),
            ..Limits::default()
        });
        assert_eq!(shown(&small), (2, 0));
        let light = limits(Limits {
            megabytes: Some(1e6),
            ..Limits::default()
        });
        assert_eq!(shown(&light), (8, 0));
        let unknown = limits(Limits {
            milliseconds: Some(1e9),
            ..Limits::default()
        });
        assert_eq!(shown(&unknown), (0, 0));
        let exact = limits(Limits {
            accuracy: Some(90.0),
            ..Limits::default()
        });
        assert_eq!(shown(&exact), (2, 0));
    }
}
