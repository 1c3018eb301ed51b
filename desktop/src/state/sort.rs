//! The order of the rank table's lines.

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};

use super::model::Model;
use super::row::Row;
use super::table::Column;

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
        Column::Latency => row.latency(model),
        Column::Throughput => row.throughput(model),
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
    use shared::Dimension;

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
}
