//! The columns of the rank table and the order of its lines.

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};
use shared::Dimension;
use shared::dimension::Direction;

use super::derived::Row;
use super::model::Model;

/// A column of the rank table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Column {
    /// Rank among the shown models.
    Position,
    /// Rank among all models of its layer.
    Rank,
    /// Ranks won against the study's weights.
    Change,
    /// Name.
    Model,
    /// Score.
    Quba,
    /// One of the nine figures.
    Value(Dimension),
    /// Bytes of the model file.
    Bytes,
    /// Multiply–accumulates for one image.
    Macs,
    /// Place of the score among the published models.
    AmongPublished,
    /// Family of the network.
    Architecture,
    /// Pre-training data.
    PretrainingData,
    /// Training regime.
    Regime,
    /// Engine and machine of the runs.
    Device,
}

impl Column {
    /// All columns in display order.
    pub fn all() -> Vec<Self> {
        let mut all = vec![
            Self::Position,
            Self::Rank,
            Self::Change,
            Self::Model,
            Self::Quba,
        ];
        all.extend(Dimension::ALL.map(Self::Value));
        all.extend([
            Self::Bytes,
            Self::Macs,
            Self::AmongPublished,
            Self::Architecture,
            Self::PretrainingData,
            Self::Regime,
            Self::Device,
        ]);
        all
    }

    /// The heading.
    pub fn heading(self) -> &'static str {
        match self {
            Self::Position => "#",
            Self::Rank => "rank",
            Self::Change => "±",
            Self::Model => "model",
            Self::Quba => "QUBA",
            Self::Value(dimension) => dimension.column(),
            Self::Bytes => "size",
            Self::Macs => "MACs",
            Self::AmongPublished => "published",
            Self::Architecture => "architecture",
            Self::PretrainingData => "data",
            Self::Regime => "training",
            Self::Device => "device",
        }
    }

    /// What it holds, in a sentence for hovering and for screen readers.
    pub fn explanation(self) -> String {
        let text = match self {
            Self::Position => "rank among the models shown here",
            Self::Rank => "rank among all own results, or among all published models",
            Self::Change => "ranks won or lost against the study's weights",
            Self::Model => "model",
            Self::Quba => "QUBA score: weighted mean of the z-scores, higher is better",
            Self::Value(d) => {
                let better = match d.direction() {
                    Direction::HigherIsBetter => "higher",
                    Direction::LowerIsBetter => "lower",
                };
                return format!("{} ({}): {better} is better", d.name(), d.unit());
            }
            Self::Bytes => "bytes of the model file: lower is better",
            Self::Macs => "multiply–accumulates for one image: lower is better",
            Self::AmongPublished => "place of the score among the study's models",
            Self::Architecture => "family of the network",
            Self::PretrainingData => "pre-training data",
            Self::Regime => "training regime",
            Self::Device => "engine and machine of the runs",
        };
        text.to_owned()
    }

    /// Whether it can be left out.
    pub fn is_optional(self) -> bool {
        !matches!(self, Self::Position | Self::Model)
    }

    /// Whether the first click on its heading sorts from large to small: best first.
    pub fn starts_descending(self) -> bool {
        match self {
            Self::Quba | Self::Change => true,
            Self::Value(dimension) => dimension.direction() == Direction::HigherIsBetter,
            _ => false,
        }
    }
}

/// How the nine figures are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CellStyle {
    /// In the unit of the dimension.
    #[default]
    Value,
    /// As z-scores, positive where better than the mean.
    ZScore,
}

/// Columns, cells and order of the rank table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct TableChoices {
    /// Columns that are left out.
    pub hidden: Vec<Column>,
    /// How the nine figures are written.
    pub cells: CellStyle,
    /// The order; it stays when filters change.
    pub sort: Sort,
}

impl Default for TableChoices {
    fn default() -> Self {
        Self {
            hidden: vec![
                Column::Bytes,
                Column::Macs,
                Column::AmongPublished,
                Column::Architecture,
                Column::PretrainingData,
                Column::Regime,
                Column::Device,
            ],
            cells: CellStyle::default(),
            sort: Sort::default(),
        }
    }
}

impl TableChoices {
    /// The columns to show.
    pub fn columns(&self) -> Vec<Column> {
        let mut columns = Column::all();
        columns.retain(|column| !column.is_optional() || !self.hidden.contains(column));
        columns
    }

    /// Shows or hides a column.
    pub fn set_shown(&mut self, column: Column, shown: bool) {
        self.hidden.retain(|other| *other != column);
        if !shown {
            self.hidden.push(column);
        }
    }
}

/// The order of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sort {
    /// What is compared.
    pub column: Column,
    /// Whether large values come first.
    pub descending: bool,
}

impl Default for Sort {
    fn default() -> Self {
        Self::by(Column::Quba)
    }
}

impl Sort {
    /// By a column, best first.
    pub fn by(column: Column) -> Self {
        Self {
            column,
            descending: column.starts_descending(),
        }
    }

    /// After a click on the heading of a column.
    pub fn clicked(self, column: Column) -> Self {
        if self.column == column {
            Self {
                descending: !self.descending,
                ..self
            }
        } else {
            Self::by(column)
        }
    }

    /// Order of two lines; what has no value comes last either way.
    pub fn compare(self, a: (&Model, &Row), b: (&Model, &Row)) -> Ordering {
        let by = match key(self.column, a) {
            Key::Number(x) => match key(self.column, b) {
                Key::Number(y) => self.numbers(x, y),
                Key::Text(_) => Ordering::Equal,
            },
            Key::Text(x) => match key(self.column, b) {
                Key::Text(y) => self.directed(x.cmp(&y)),
                Key::Number(_) => Ordering::Equal,
            },
        };
        by.then_with(|| a.0.name.cmp(&b.0.name))
    }

    fn numbers(self, x: Option<f64>, y: Option<f64>) -> Ordering {
        match (x, y) {
            (Some(x), Some(y)) => self.directed(x.total_cmp(&y)),
            (x, y) => y.is_some().cmp(&x.is_some()),
        }
    }

    fn directed(self, order: Ordering) -> Ordering {
        if self.descending {
            order.reverse()
        } else {
            order
        }
    }
}

enum Key {
    Number(Option<f64>),
    Text(String),
}

fn key(column: Column, (model, row): (&Model, &Row)) -> Key {
    let number = match column {
        Column::Position => row.position.map(f64::from),
        Column::Rank => row.rank.map(f64::from),
        Column::Change => row.change().map(|change| change as f64),
        Column::Quba => row.score.as_ref().map(|score| score.value),
        Column::Value(dimension) => model.values[dimension],
        Column::Bytes => model.bytes.map(|bytes| bytes as f64),
        Column::Macs => model.macs.map(|macs| macs as f64),
        Column::AmongPublished => row.place.map(|place| f64::from(place.rank)),
        Column::Model => return Key::Text(model.name.to_lowercase()),
        Column::Architecture => return Key::Text(model.architecture.clone()),
        Column::PretrainingData => return Key::Text(model.pretraining_data.clone()),
        Column::Regime => return Key::Text(model.regime.clone()),
        Column::Device => return Key::Text(model.devices.join(", ")),
    };
    Key::Number(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_click_puts_the_best_first_and_the_second_turns_round() {
        let cal = Column::Value(Dimension::CalibrationError);
        let sort = Sort::default().clicked(cal);
        assert!(!sort.descending);
        assert!(sort.clicked(cal).descending);
        assert!(
            Sort::default()
                .clicked(Column::Value(Dimension::Accuracy))
                .descending
        );
    }

    #[test]
    fn model_and_position_always_show() {
        let mut table = TableChoices::default();
        for column in Column::all() {
            table.set_shown(column, false);
        }
        assert_eq!(table.columns(), [Column::Position, Column::Model]);
        table.set_shown(Column::Quba, true);
        assert_eq!(table.columns().len(), 3);
    }
}
