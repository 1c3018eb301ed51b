//! The axes of parallel coordinates: positions of values, and brushes that pick models.

use serde::{Deserialize, Serialize};
use shared::Dimension;
use shared::dimension::{Direction, Values};

/// Number of axes: nine dimensions and the score.
pub const AXES: usize = 10;

/// One value per axis: the nine dimensions, then the score.
pub type Point = [Option<f64>; AXES];

/// The point of a model.
pub fn point(values: &Values, score: Option<f64>) -> Point {
    let mut point = [None; AXES];
    point[..9].copy_from_slice(&values.0);
    point[9] = score;
    point
}

/// Values of an axis that are picked, from the lower to the higher; `None` picks all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Brushes(pub [Option<(f64, f64)>; AXES]);

impl Brushes {
    /// Whether any axis picks.
    pub fn any(&self) -> bool {
        self.0.iter().any(Option::is_some)
    }

    /// Whether a model passes every brush; a missing value passes none.
    pub fn pick(&self, point: &Point) -> bool {
        self.0.iter().zip(point).all(|(brush, value)| {
            brush.is_none_or(|(low, high)| value.is_some_and(|v| (low..=high).contains(&v)))
        })
    }
}

/// A vertical axis: better values lie higher.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Axis {
    /// What it shows; `None` is the score.
    pub dimension: Option<Dimension>,
    low: f64,
    high: f64,
    logarithmic: bool,
}

impl Axis {
    /// The axes that hold all points; an axis without any value spans 0 to 1.
    pub fn all<'a>(points: impl Iterator<Item = &'a Point> + Clone) -> [Self; AXES] {
        std::array::from_fn(|index| {
            let values = points
                .clone()
                .filter_map(|point| point[index])
                .filter(|v| v.is_finite());
            Self::spanning(Dimension::ALL.get(index).copied(), values)
        })
    }

    fn spanning(dimension: Option<Dimension>, values: impl Iterator<Item = f64>) -> Self {
        let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
            (low.min(value), high.max(value))
        });
        let (low, high) = match (low, high) {
            _ if low > high => (0.0, 1.0),
            // One value alone lies in the middle.
            _ if low == high => (
                low - low.abs().max(1.0) * 0.05,
                high + high.abs().max(1.0) * 0.05,
            ),
            _ => (low, high),
        };
        // Sizes and errors span orders of magnitude.
        let skewed = matches!(
            dimension,
            Some(Dimension::Parameters | Dimension::CalibrationError)
        );
        Self {
            dimension,
            low,
            high,
            logarithmic: skewed && low > 0.0,
        }
    }

    /// The values at the lower and the upper end.
    pub fn ends(&self) -> (f64, f64) {
        if self.is_flipped() {
            (self.high, self.low)
        } else {
            (self.low, self.high)
        }
    }

    /// Position of a value: 0 at the worse end, 1 at the better.
    pub fn position(&self, value: f64) -> f64 {
        let scale = |v: f64| {
            if self.logarithmic {
                v.max(f64::MIN_POSITIVE).ln()
            } else {
                v
            }
        };
        let (low, high) = (scale(self.low), scale(self.high));
        let position = ((scale(value) - low) / (high - low)).clamp(0.0, 1.0);
        if self.is_flipped() {
            1.0 - position
        } else {
            position
        }
    }

    /// The value at a position within 0 to 1.
    pub fn value(&self, position: f64) -> f64 {
        let position = if self.is_flipped() {
            1.0 - position
        } else {
            position
        }
        .clamp(0.0, 1.0);
        if self.logarithmic {
            (self.low.ln() + position * (self.high / self.low).ln()).exp()
        } else {
            self.low + position * (self.high - self.low)
        }
    }

    /// The values between two positions, the lower value first; ends take in all that lies there.
    pub fn brush(&self, from: f64, to: f64) -> (f64, f64) {
        // Rounding must not lose the model at the end of the axis.
        let end = |position: f64| match position {
            p if p <= 0.0 => self.ends().0,
            p if p >= 1.0 => self.ends().1,
            p => self.value(p),
        };
        let (a, b) = (end(from), end(to));
        (a.min(b), a.max(b))
    }

    fn is_flipped(&self) -> bool {
        self.dimension
            .is_some_and(|d| d.direction() == Direction::LowerIsBetter)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points() -> Vec<Point> {
        let mut points = vec![[None; AXES]; 3];
        for (index, point) in points.iter_mut().enumerate() {
            point[0] = Some(0.5 + 0.1 * index as f64);
            point[8] = Some(10f64.powi(index as i32));
            point[9] = (index > 0).then_some(index as f64);
        }
        points
    }

    #[test]
    fn better_lies_higher_and_positions_come_back() {
        let points = points();
        let axes = Axis::all(points.iter());
        assert_eq!((axes[0].position(0.5), axes[0].position(0.7)), (0.0, 1.0));
        assert_eq!((axes[8].position(100.0), axes[8].position(1.0)), (0.0, 1.0));
        assert!((axes[8].position(10.0) - 0.5).abs() < 1e-12);
        for axis in axes {
            for position in [0.0, 0.25, 0.5, 1.0] {
                assert!((axis.position(axis.value(position)) - position).abs() < 1e-9);
            }
        }
        assert_eq!(axes[9].ends(), (1.0, 2.0));
        assert_eq!(axes[3].ends(), (0.0, 1.0));
    }

    #[test]
    fn brushes_pick_what_lies_within_all_of_them() {
        let points = points();
        let axes = Axis::all(points.iter());
        let mut brushes = Brushes::default();
        let picked = |brushes: &Brushes| points.iter().map(|p| brushes.pick(p)).collect::<Vec<_>>();
        assert_eq!(picked(&brushes), [true; 3]);
        // The better half of the sizes is the smaller.
        brushes.0[8] = Some(axes[8].brush(0.45, 1.0));
        assert_eq!(picked(&brushes), [true, true, false]);
        brushes.0[9] = Some(axes[9].brush(1.0, -0.5));
        assert_eq!(picked(&brushes), [false, true, false]);
        assert!(brushes.any());
    }
}
