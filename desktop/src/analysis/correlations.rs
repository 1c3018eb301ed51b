//! How the nine dimensions go together over one layer of models.

use serde::{Deserialize, Serialize};
use shared::dimension::Values;
use shared::statistics::{CorrelationMatrix, spearman_matrix};

use crate::state::model::Model;

/// The models that correlations are computed over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Layer {
    /// The study's models whose figures were measured as defined.
    #[default]
    Clean,
    /// All models of the study, as in its figure.
    Published,
    /// Own results.
    Own,
}

impl Layer {
    /// All layers.
    pub const ALL: [Self; 3] = [Self::Clean, Self::Published, Self::Own];

    /// The label a person reads.
    pub fn label(self) -> &'static str {
        match self {
            Self::Clean => "Published, clean rows",
            Self::Published => "Published, all rows",
            Self::Own => "Own results",
        }
    }

    /// Whether a model is of the layer.
    pub fn holds(self, model: &Model) -> bool {
        match self {
            Self::Clean => model.is_published() && model.is_clean(),
            Self::Published => model.is_published(),
            Self::Own => !model.is_published(),
        }
    }
}

/// The correlations over a layer.
#[derive(Clone, Debug)]
pub struct Correlations {
    /// Models of the layer.
    pub models: usize,
    /// Spearman's correlation of each two dimensions.
    pub matrix: CorrelationMatrix,
}

impl Correlations {
    /// Computes them; groups and limits of the filter do not matter.
    pub fn of(models: &[Model], layer: Layer) -> Self {
        let values: Vec<Values> = models
            .iter()
            .filter(|m| layer.holds(m))
            .map(|model| model.values)
            .collect();
        Self {
            models: values.len(),
            matrix: spearman_matrix(&values),
        }
    }
}

#[cfg(test)]
mod tests {
    use shared::Dimension;

    use super::*;
    use crate::state::library::Library;
    use crate::state::testing;

    /// The study's figure (SPEC 9): the lower triangle over all 326 rows.
    #[rustfmt::skip]
    const FIGURE: [&[f64]; 8] = [
        &[0.4400],
        &[0.6238, 0.0115],
        &[0.3523, -0.0808, 0.7958],
        &[-0.1186, 0.0639, 0.0778, 0.2520],
        &[0.5339, 0.0822, 0.7349, 0.7627, 0.4897],
        &[0.7172, 0.4488, 0.6400, 0.4712, 0.0879, 0.5694],
        &[0.2612, 0.1669, 0.6073, 0.6230, 0.2394, 0.5400, 0.5213],
        &[0.3121, 0.1781, 0.4356, 0.4339, 0.1096, 0.4749, 0.4822, 0.5299],
    ];

    #[test]
    fn the_published_layer_reproduces_the_study_s_figure() {
        let mut library = Library::default();
        library.insert(testing::demo());
        let all = Correlations::of(library.models(), Layer::Published);
        assert_eq!(all.models, 326);
        for (row, expected) in Dimension::ALL[1..].iter().zip(FIGURE) {
            for (column, expected) in Dimension::ALL.iter().zip(expected) {
                let found = all.matrix[*row][*column].unwrap();
                assert!(
                    (found.rho - expected).abs() < 5e-4,
                    "{row} {column}: {found:?}"
                );
                assert_eq!(found.n, 326);
            }
        }
    }

    /// SPEC 8.1: what the flagged rows hide.
    #[test]
    fn layers_differ() {
        let mut library = Library::default();
        library.insert(testing::demo());
        let clean = Correlations::of(library.models(), Layer::Clean);
        let found = clean.matrix[Dimension::AdversarialRobustness][Dimension::CorruptionRobustness];
        assert_eq!(clean.models, 219);
        assert!((found.unwrap().rho - 0.654).abs() < 1e-3);
        let own = Correlations::of(library.models(), Layer::Own);
        assert_eq!(own.models, 8);
    }
}
