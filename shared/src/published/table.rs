//! Reading the table.

use std::sync::LazyLock;

use serde::Deserialize;

use super::{Architecture, Flags, PretrainingData, Regime, Setup};
use crate::dimension::{PerDimension, Values};

/// One published model.
#[derive(Clone, Debug, PartialEq)]
pub struct PublishedModel {
    /// Unique key.
    pub id: String,
    /// Position on the study's results page, from 0.
    pub row: u32,
    /// Display name; not unique.
    pub name: String,
    /// Family of the network.
    pub architecture: Architecture,
    /// Pre-training data.
    pub data: PretrainingData,
    /// Training setup as the study groups it.
    pub setup: Setup,
    /// Training regime, a finer split of the setup.
    pub regime: Regime,
    /// Title of the paper that introduced the model.
    pub paper: String,
    /// The nine figures; every one is present.
    pub values: Values,
    /// What to know before comparing.
    pub flags: Flags,
}

impl PublishedModel {
    /// Whether all nine figures were measured as defined: neither batch normalisation in training
    /// mode nor a double softmax.
    pub fn is_clean(&self) -> bool {
        !self.flags.bn_train && !self.flags.double_softmax
    }
}

#[derive(Deserialize)]
struct Row {
    id: String,
    row: u32,
    name: String,
    arch: Architecture,
    data: PretrainingData,
    setup: Setup,
    regime: Regime,
    paper: String,
    acc: f64,
    adv: f64,
    cor: f64,
    ood: f64,
    cal: f64,
    bal: f64,
    obj: f64,
    shape: f64,
    params: f64,
    flags: Flags,
}

impl From<Row> for PublishedModel {
    fn from(row: Row) -> Self {
        let values = [
            row.acc, row.adv, row.cor, row.ood, row.cal, row.bal, row.obj, row.shape, row.params,
        ];
        Self {
            id: row.id,
            row: row.row,
            name: row.name,
            architecture: row.arch,
            data: row.data,
            setup: row.setup,
            regime: row.regime,
            paper: row.paper,
            values: PerDimension(values.map(Some)),
            flags: row.flags,
        }
    }
}

const TABLE: &str = include_str!(concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../models/published.csv"
));

static MODELS: LazyLock<Vec<PublishedModel>> = LazyLock::new(|| {
    #[expect(
        clippy::expect_used,
        reason = "the table is part of the program and a test reads all of it"
    )]
    parse(TABLE).expect("the embedded table of published models is well formed")
});

/// The 326 published models, in the order of the study's results page.
pub fn models() -> &'static [PublishedModel] {
    &MODELS
}

fn parse(table: &str) -> Result<Vec<PublishedModel>, csv::Error> {
    csv::Reader::from_reader(table.as_bytes())
        .deserialize::<Row>()
        .map(|row| row.map(PublishedModel::from))
        .collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::dimension::Dimension;
    use crate::published::Flag;

    fn count(matches: impl Fn(&PublishedModel) -> bool) -> usize {
        models().iter().filter(|model| matches(model)).count()
    }

    /// Counts of SPEC §3.
    #[test]
    fn the_table_has_the_documented_counts() {
        assert_eq!(models().len(), 326);
        let ids: BTreeSet<_> = models().iter().map(|model| &model.id).collect();
        assert_eq!(ids.len(), 326);
        assert!(
            models()
                .iter()
                .zip(0..)
                .all(|(model, row)| model.row == row)
        );
        assert_eq!(count(|m| m.flags.bn_train), 81);
        assert_eq!(count(|m| m.flags.double_softmax), 30);
        assert_eq!(count(|m| m.flags.mislabelled), 7);
        assert_eq!(count(PublishedModel::is_clean), 219);
        assert_eq!(
            count(|m| m.architecture == Architecture::VisionLanguage),
            29
        );
        for (regime, models) in [
            (Regime::Supervised, 174),
            (Regime::FineTuned, 31),
            (Regime::LinearProbe, 13),
            (Regime::ZeroShot, 25),
            (Regime::Adversarial, 12),
            (Regime::SemiSupervised, 14),
            (Regime::A1, 19),
            (Regime::A2, 19),
            (Regime::A3, 19),
        ] {
            assert_eq!(count(|m| m.regime == regime), models, "{regime}");
        }
    }

    #[test]
    fn every_cell_is_filled_and_within_the_range_of_its_dimension() {
        for model in models() {
            assert!(!model.id.is_empty() && !model.name.is_empty() && !model.paper.is_empty());
            for dimension in Dimension::ALL {
                let (low, high) = dimension.range();
                let value = model.values[dimension].unwrap();
                assert!((low..=high).contains(&value), "{} {dimension}", model.id);
            }
        }
    }

    #[test]
    fn regimes_refine_setups() {
        for model in models() {
            let setup = match model.regime {
                Regime::Supervised => Setup::Supervised,
                Regime::Adversarial => Setup::Adversarial,
                Regime::SemiSupervised => Setup::SemiSupervised,
                Regime::A1 | Regime::A2 | Regime::A3 => Setup::A123,
                Regime::FineTuned | Regime::LinearProbe | Regime::ZeroShot => Setup::SelfSupervised,
            };
            assert_eq!(model.setup, setup, "{}", model.id);
        }
    }

    #[test]
    fn mislabelled_rows_carry_the_corrected_name() {
        let named = |id: &str| {
            let model = models().iter().find(|model| model.id == id).unwrap();
            (model.name.as_str(), model.flags.iter().collect::<Vec<_>>())
        };
        assert_eq!(named("vit-b-32-21k"), ("ViT-b/32", vec![Flag::Mislabelled]));
        assert_eq!(
            named("bcos-convnext-base"),
            ("ConvNeXt-B", vec![Flag::Mislabelled])
        );
    }

    #[test]
    fn a_damaged_table_is_an_error() {
        assert!(parse(&TABLE.replace("bn-train", "bn-off")).is_err());
        assert!(parse(&TABLE.replace("0.5652", "fifty")).is_err());
        assert!(parse(&TABLE.replace(",cnn,", ",rnn,")).is_err());
    }
}
