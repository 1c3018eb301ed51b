//! Axes: range, scale and round divisions.

use super::quantity::Quantity;

/// Room around the points, as a share of their extent.
const MARGIN: f64 = 0.06;

/// How figures are laid out along an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// By difference.
    Linear,
    /// By factor; positive figures only.
    Log10,
}

impl Scale {
    fn forward(self, figure: f64) -> f64 {
        match self {
            Self::Linear => figure,
            Self::Log10 => figure.log10(),
        }
    }

    fn back(self, coordinate: f64) -> f64 {
        match self {
            Self::Linear => coordinate,
            Self::Log10 => 10f64.powf(coordinate),
        }
    }
}

/// A line beside which a figure is written.
#[derive(Clone, Debug, PartialEq)]
pub struct Tick {
    /// The figure.
    pub figure: f64,
    /// As a person reads it.
    pub label: String,
}

/// An axis of a chart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Axis {
    /// What it shows.
    pub quantity: Quantity,
    /// How it is divided.
    pub scale: Scale,
    /// First and last coordinate: the figure, or its decimal logarithm.
    pub range: (f64, f64),
}

impl Axis {
    /// An axis on which all finite figures lie with room around them. Figures that have no
    /// logarithm make it linear.
    pub fn fitting(quantity: Quantity, figures: impl Iterator<Item = f64> + Clone) -> Self {
        let scale = if figures.clone().any(|figure| figure <= 0.0) {
            Scale::Linear
        } else {
            quantity.scale()
        };
        let coordinates = figures.map(|figure| scale.forward(figure));
        let (low, high) = coordinates
            .filter(|coordinate| coordinate.is_finite())
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), c| {
                (low.min(c), high.max(c))
            });
        let range = if low > high {
            (0.0, 1.0)
        } else if high - low > 1e-9 * (low.abs() + high.abs()) {
            let room = MARGIN * (high - low);
            (low - room, high + room)
        } else {
            let room = 0.1 * high.abs().max(0.1);
            (low - room, high + room)
        };
        Self {
            quantity,
            scale,
            range,
        }
    }

    /// Where a figure lies: 0 at the start, 1 at the end.
    pub fn position(&self, figure: f64) -> f64 {
        let (low, high) = self.range;
        (self.scale.forward(figure) - low) / (high - low)
    }

    /// The same axis over another part: `share` of the range, kept still at position `at`, and
    /// moved by `by` of the range.
    pub fn moved(&self, share: f64, at: f64, by: f64) -> Self {
        let (low, high) = self.range;
        let length = high - low;
        let still = low + at * length;
        let shift = by * length;
        Self {
            range: (
                still - (still - low) * share + shift,
                still + (high - still) * share + shift,
            ),
            ..*self
        }
    }

    /// Round figures within the range, `most` at most.
    pub fn ticks(&self, most: usize) -> Vec<Tick> {
        let most = most.max(2);
        match self.scale {
            Scale::Linear => self.even(self.range.0, self.range.1, most),
            Scale::Log10 => self.logarithmic(most),
        }
    }

    fn logarithmic(&self, most: usize) -> Vec<Tick> {
        let (low, high) = self.range;
        let decades = low.floor() as i32..=high.ceil() as i32;
        let of = |leading: &[f64], every: usize| -> Vec<f64> {
            let figures = decades.clone().step_by(every).flat_map(|decade| {
                leading
                    .iter()
                    .map(move |digit| digit * 10f64.powi(decade))
                    .collect::<Vec<_>>()
            });
            figures
                .filter(|figure| (low..=high).contains(&figure.log10()))
                .collect()
        };
        let densest_first = [
            of(&[1.0, 2.0, 5.0], 1),
            of(&[1.0, 3.0], 1),
            of(&[1.0], 1),
            of(&[1.0], 2),
            of(&[1.0], 3),
            of(&[1.0], 6),
        ];
        let fits = |least: usize| {
            let mut lists = densest_first.iter();
            lists.find(|figures| (least..=most).contains(&figures.len()))
        };
        match fits(3).or_else(|| fits(2)) {
            Some(figures) => figures
                .iter()
                .map(|&figure| Tick {
                    figure,
                    label: self.quantity.tick(figure, figure_step(figure)),
                })
                .collect(),
            // Too short a range for powers of ten.
            None => self.even(self.scale.back(low), self.scale.back(high), most),
        }
    }

    fn even(&self, low: f64, high: f64, most: usize) -> Vec<Tick> {
        let step = round_step((high - low) / most as f64);
        if !(step.is_finite() && step > 0.0) {
            return Vec::new();
        }
        let first = (low / step).ceil() as i64;
        let figures = (first..).map(|n| n as f64 * step);
        figures
            .take_while(|figure| *figure <= high)
            .take(most + 1)
            .map(|figure| Tick {
                figure,
                label: self.quantity.tick(figure, step),
            })
            .collect()
    }
}

/// The smallest of 1, 2 and 5 times a power of ten that is not below `least`.
fn round_step(least: f64) -> f64 {
    let power = 10f64.powf(least.log10().floor());
    let factor = least / power;
    let round = [1.0, 2.0, 5.0, 10.0].into_iter();
    let round = round.into_iter().find(|round| factor <= round + 1e-9);
    round.unwrap_or(10.0) * power
}

/// The power of ten at or below a figure.
fn figure_step(figure: f64) -> f64 {
    10f64.powf((figure.log10() + 1e-9).floor())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use shared::Dimension;

    use super::*;

    const ACCURACY: Quantity = Quantity::Value(Dimension::Accuracy);
    const PARAMETERS: Quantity = Quantity::Value(Dimension::Parameters);

    fn labels(quantity: Quantity, figures: &[f64], most: usize) -> Vec<String> {
        let axis = Axis::fitting(quantity, figures.iter().copied());
        let ticks = axis.ticks(most).into_iter();
        ticks.map(|tick| tick.label).collect()
    }

    #[test]
    fn linear_ticks_are_round() {
        assert_eq!(
            labels(ACCURACY, &[0.52, 0.91], 6),
            ["0.5", "0.6", "0.7", "0.8", "0.9"]
        );
        assert_eq!(
            labels(Quantity::Quba, &[-1.0, 1.0], 6),
            ["-1.0", "-0.5", "0.0", "0.5", "1.0"]
        );
    }

    #[test]
    fn logarithmic_ticks_are_powers_and_their_round_parts() {
        assert_eq!(
            labels(PARAMETERS, &[0.01, 1000.0], 8),
            ["0.01", "0.1", "1", "10", "100", "1000"]
        );
        assert_eq!(labels(PARAMETERS, &[0.04, 900.0], 3), ["1", "100"]);
        assert_eq!(
            labels(Quantity::Bytes, &[9e4, 2.1e6], 8),
            ["100 kB", "200 kB", "500 kB", "1 MB", "2 MB"]
        );
        // Less than a power of ten.
        assert_eq!(
            labels(PARAMETERS, &[11.0, 14.0], 8),
            ["11.0", "11.5", "12.0", "12.5", "13.0", "13.5", "14.0"]
        );
    }

    #[test]
    fn what_has_no_logarithm_is_shown_by_difference() {
        let axis = Axis::fitting(PARAMETERS, [0.0, 10.0].into_iter());
        assert_eq!(axis.scale, Scale::Linear);
        assert!(axis.position(0.0) > 0.0);
    }

    #[test]
    fn one_figure_and_none() {
        let axis = Axis::fitting(ACCURACY, std::iter::once(0.7));
        assert!((axis.position(0.7) - 0.5).abs() < 1e-9);
        assert!(!axis.ticks(6).is_empty());
        let axis = Axis::fitting(ACCURACY, std::iter::empty());
        assert_eq!(axis.range, (0.0, 1.0));
    }

    #[test]
    fn zooming_keeps_the_point_under_the_pointer() {
        let axis = Axis::fitting(PARAMETERS, [1.0, 100.0].into_iter());
        let at = axis.position(30.0);
        let near = axis.moved(0.5, at, 0.0);
        assert!((near.position(30.0) - at).abs() < 1e-9);
        assert!((near.position(100.0) - at) > (axis.position(100.0) - at));
    }

    proptest! {
        /// No point is cut off, and the lines lie within the axis.
        #[test]
        fn all_points_and_ticks_lie_within(
            figures in prop::collection::vec(1e-6f64..1e12, 1..50),
            logarithmic: bool,
            most in 3usize..12,
        ) {
            let quantity = if logarithmic { PARAMETERS } else { Quantity::Quba };
            let axis = Axis::fitting(quantity, figures.iter().copied());
            for figure in figures {
                let position = axis.position(figure);
                prop_assert!((0.01..=0.99).contains(&position), "{position}");
            }
            let ticks = axis.ticks(most);
            prop_assert!(ticks.len() <= most + 1);
            for tick in ticks {
                prop_assert!((-1e-9..=1.0 + 1e-9).contains(&axis.position(tick.figure)));
            }
        }
    }
}
