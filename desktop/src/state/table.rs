//! The columns of the rank table.

use serde::{Deserialize, Serialize};
use shared::Dimension;
use shared::dimension::Direction;

use super::sort::Sort;

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
    /// Time of one image on the chosen device.
    Latency,
    /// Images per second on the chosen device.
    Throughput,
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
            Self::Latency,
            Self::Throughput,
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
            Self::Latency => "latency",
            Self::Throughput => "images/s",
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
            Self::Latency => {
                "time of one image on the chosen device, 90th percentile: lower is better"
            }
            Self::Throughput => "images per second on the chosen device: higher is better",
            Self::AmongPublished => "place of the score among the study's models",
            Self::Architecture => "family of the network",
            Self::PretrainingData => "pre-training data",
            Self::Regime => "training regime",
            Self::Device => "engine and machine of the runs",
        };
        text.to_owned()
    }

    /// Whether it holds what was measured on a device.
    pub fn is_on_device(self) -> bool {
        matches!(self, Self::Latency | Self::Throughput)
    }

    /// Whether it can be left out.
    pub fn is_optional(self) -> bool {
        !matches!(self, Self::Position | Self::Model)
    }

    /// Whether the first click on its heading sorts from large to small: best first.
    pub fn starts_descending(self) -> bool {
        match self {
            Self::Quba | Self::Change | Self::Throughput => true,
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
    /// As shares of the published models that they beat.
    Percentile,
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
                Column::Macs,
                Column::Throughput,
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
    /// The columns to show; those of a device only where one was `measured`.
    pub fn columns(&self, measured: bool) -> Vec<Column> {
        let mut columns = Column::all();
        columns.retain(|column| !column.is_optional() || !self.hidden.contains(column));
        columns.retain(|column| measured || !column.is_on_device());
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn model_and_position_always_show() {
        let mut table = TableChoices::default();
        for column in Column::all() {
            table.set_shown(column, false);
        }
        assert_eq!(table.columns(true), [Column::Position, Column::Model]);
        table.set_shown(Column::Quba, true);
        table.set_shown(Column::Latency, true);
        assert_eq!(table.columns(false).len(), 3);
        assert_eq!(table.columns(true).len(), 4);
    }
}
