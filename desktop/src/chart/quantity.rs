//! What axes can show.

use serde::{Deserialize, Serialize};
use shared::Dimension;
use shared::dimension::Direction;
use shared::metrics::accuracy::wilson;
use shared::words::value;

use super::axis::Scale;
use crate::state::derived::Derived;
use crate::state::model::Model;
use crate::state::row::Row;
use crate::state::words;

/// A figure that models have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Quantity {
    /// The score under the current weights.
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
    /// Most main memory while running on the chosen device.
    Memory,
    /// Energy of one image on the chosen device.
    Energy,
}

impl Quantity {
    /// All quantities, in display order.
    pub fn all() -> Vec<Self> {
        let mut all = vec![Self::Quba];
        all.extend(Dimension::ALL.map(Self::Value));
        all.extend([Self::Bytes, Self::Macs]);
        all.extend(Self::ON_DEVICE);
        all
    }

    /// Those measured on a device.
    pub const ON_DEVICE: [Self; 4] = [Self::Latency, Self::Throughput, Self::Memory, Self::Energy];

    /// Whether it is measured on a device.
    pub fn is_on_device(self) -> bool {
        Self::ON_DEVICE.contains(&self)
    }

    /// Whether it is what deploying a model costs, not what it is good for.
    pub fn is_cost(self) -> bool {
        match self {
            Self::Value(dimension) => dimension == Dimension::Parameters,
            Self::Quba => false,
            _ => true,
        }
    }

    /// The name a person reads.
    pub fn name(self) -> &'static str {
        match self {
            Self::Quba => "QUBA score",
            Self::Value(dimension) => dimension.name(),
            Self::Bytes => "file size",
            Self::Macs => "MACs per image",
            Self::Latency => "latency",
            Self::Throughput => "throughput",
            Self::Memory => "memory",
            Self::Energy => "energy per image",
        }
    }

    /// The heading of a column.
    pub fn heading(self) -> &'static str {
        match self {
            Self::Quba => "QUBA",
            Self::Value(dimension) => dimension.column(),
            Self::Bytes => "size",
            Self::Macs => "MACs",
            Self::Latency => "latency",
            Self::Throughput => "images/s",
            Self::Memory => "memory",
            Self::Energy => "energy",
        }
    }

    /// The name with unit and direction, for an axis.
    pub fn title(self) -> String {
        let unit = match self {
            Self::Value(dimension) => format!(" ({})", dimension.unit()),
            Self::Latency => " (90th percentile)".to_owned(),
            _ => String::new(),
        };
        let better = match self.direction() {
            Direction::HigherIsBetter => "higher",
            Direction::LowerIsBetter => "lower",
        };
        format!("{}{unit}, {better} is better", self.name())
    }

    /// Whether larger is better.
    pub fn direction(self) -> Direction {
        match self {
            Self::Quba | Self::Throughput => Direction::HigherIsBetter,
            Self::Value(dimension) => dimension.direction(),
            _ => Direction::LowerIsBetter,
        }
    }

    /// How its axis is divided: logarithmically where figures differ by factors.
    pub fn scale(self) -> Scale {
        if self.is_cost() || self == Self::Value(Dimension::CalibrationError) {
            Scale::Log10
        } else {
            Scale::Linear
        }
    }

    /// The figure of a model, where it has one.
    pub fn of(self, model: &Model, row: &Row) -> Option<f64> {
        let figure = match self {
            Self::Quba => Some(row.score.as_ref()?.value),
            Self::Value(dimension) => model.values[dimension],
            Self::Bytes => model.bytes.map(|bytes| bytes as f64),
            Self::Macs => model.macs.map(|macs| macs as f64),
            Self::Latency => row.latency(model),
            Self::Throughput => row.throughput(model),
            Self::Memory => row.cost(model)?.peak_memory.map(|bytes| bytes as f64),
            Self::Energy => Some(row.cost(model)?.energy.as_ref()?.joules_per_image),
        };
        figure.filter(|figure| figure.is_finite())
    }

    /// The 95 % interval of the figure, where the result allows one.
    pub fn interval(self, derived: &Derived, model: &Model, row: &Row) -> Option<(f64, f64)> {
        match self {
            Self::Quba => {
                let found = derived.interval(model, row)?;
                Some((found.interval.low, found.interval.high))
            }
            Self::Value(dimension) => dimension_interval(model, dimension),
            _ => None,
        }
    }

    /// A figure with its unit.
    pub fn text(self, figure: f64) -> String {
        match self {
            Self::Quba => format!("{figure:.4}"),
            Self::Value(dimension) => {
                let unit = if dimension == Dimension::Parameters {
                    " M"
                } else {
                    ""
                };
                value(dimension, Some(figure)) + unit
            }
            Self::Bytes | Self::Memory => words::bytes(figure.round() as u64),
            Self::Macs => words::macs(figure.round() as u64),
            Self::Latency => words::milliseconds(figure),
            Self::Throughput => words::images_per_s(figure),
            Self::Energy => words::joules(figure),
        }
    }

    /// How far two figures are apart, with the digits that the larger of them has.
    pub fn difference(self, a: f64, b: f64) -> String {
        let apart = (a - b).abs();
        match self {
            Self::Value(Dimension::Parameters) if a.max(b) >= 1.0 => format!("{apart:.1} M"),
            _ => self.text(apart),
        }
    }

    /// A figure beside an axis whose lines are `step` apart, without digits that say nothing.
    pub fn tick(self, figure: f64, step: f64) -> String {
        let text = match self {
            Self::Bytes | Self::Macs | Self::Memory => self.text(figure.max(0.0)),
            Self::Latency | Self::Energy => self.text(figure.max(0.0)),
            Self::Quba | Self::Value(_) | Self::Throughput => {
                let digits = (-step.log10() - 1e-9).ceil().clamp(0.0, 9.0) as usize;
                // Not "-0.0".
                return format!("{:.digits$}", figure + 0.0);
            }
        };
        let (number, unit) = text.split_once(' ').unwrap_or((&text, ""));
        let number = if number.contains('.') {
            number.trim_end_matches('0').trim_end_matches('.')
        } else {
            number
        };
        format!("{number} {unit}").trim_end().to_owned()
    }
}

/// The 95 % interval of a figure: Wilson's for accuracy, for the others that of resampled images,
/// once these were.
pub fn dimension_interval(model: &Model, dimension: Dimension) -> Option<(f64, f64)> {
    let own = model.measurements()?;
    if dimension == Dimension::Accuracy {
        let accuracy = own.measured[dimension].as_ref().ok()?;
        let right = (accuracy.value * f64::from(accuracy.images)).round() as u32;
        return Some(wilson(right, accuracy.images));
    }
    let interval = own.certainty()?.intervals[dimension].as_ref().ok()?;
    Some((interval.low, interval.high))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_have_the_digits_of_their_step() {
        let accuracy = Quantity::Value(Dimension::Accuracy);
        assert_eq!(accuracy.tick(0.6000001, 0.05), "0.60");
        assert_eq!(accuracy.tick(-0.0, 0.5), "0.0");
        assert_eq!(Quantity::Quba.tick(-1.0, 1.0), "-1");
        let parameters = Quantity::Value(Dimension::Parameters);
        assert_eq!(parameters.tick(0.01, 0.01), "0.01");
        assert_eq!(parameters.tick(1000.0, 1000.0), "1000");
        assert_eq!(Quantity::Bytes.tick(2e6, 2e6), "2 MB");
        assert_eq!(Quantity::Bytes.tick(2.5e5, 5e4), "250 kB");
        assert_eq!(Quantity::Macs.tick(1e9, 1e9), "1 G");
    }

    #[test]
    fn differences_claim_no_more_digits_than_the_figures() {
        let parameters = Quantity::Value(Dimension::Parameters);
        assert_eq!(parameters.difference(1.4, 1.2), "0.2 M");
        assert_eq!(parameters.difference(0.037, 0.140), "0.103 M");
        assert_eq!(Quantity::Quba.difference(-1.5, 0.5), "2.0000");
    }

    #[test]
    fn titles_name_unit_and_direction() {
        assert_eq!(
            Quantity::Value(Dimension::CalibrationError).title(),
            "calibration error (error), lower is better"
        );
        assert_eq!(Quantity::Bytes.title(), "file size, lower is better");
    }
}
