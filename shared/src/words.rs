//! Numbers and lists as people read them, alike in tables on a terminal and on a screen.

use crate::dimension::Dimension;
use crate::quba::{Preset, Weights};
use crate::uncertainty::Interval;

/// Marks a value that was not measured; tables that use it say so beneath.
pub const NOT_MEASURED: &str = "–";

/// A dimension's value with the digits that the study publishes.
pub fn value(dimension: Dimension, value: Option<f64>) -> String {
    match value {
        None => NOT_MEASURED.to_owned(),
        Some(v) if dimension == Dimension::Parameters && v < 1.0 => format!("{v:.3}"),
        Some(v) if dimension == Dimension::Parameters => format!("{v:.1}"),
        Some(v) if dimension == Dimension::CalibrationError => format!("{v:.5}"),
        Some(v) => format!("{v:.4}"),
    }
}

/// A count in groups of three digits.
pub fn count(n: u64) -> String {
    let digits = n.to_string();
    let mut grouped = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// `1 image`, `2 images`, `2 passes`.
pub fn plural(n: u64, thing: &str) -> String {
    let ending = match (n, thing.ends_with('s')) {
        (1, _) => "",
        (_, true) => "es",
        _ => "s",
    };
    format!("{} {thing}{ending}", count(n))
}

/// The name of a preset with these weights, else the weights with up to four digits.
pub fn weights(weights: &Weights) -> String {
    if let Some(preset) = Preset::ALL.into_iter().find(|p| p.weights() == *weights) {
        return preset.name().to_owned();
    }
    let pair = |d: Dimension| {
        let rounded = (weights.get(d) * 1e4).round() / 1e4;
        format!("{}={rounded}", d.column())
    };
    Dimension::ALL.map(pair).join(",")
}

/// An interval with the digits of its dimension.
pub fn interval(dimension: Dimension, interval: Interval) -> String {
    let limit = |limit| value(dimension, Some(limit));
    format!("{} to {}", limit(interval.low), limit(interval.high))
}

/// The note to an interval of QUBA that leaves the uncertainty of some dimensions out.
pub fn held_fixed(dimensions: &[Dimension]) -> Option<String> {
    let columns: Vec<&str> = dimensions.iter().map(|d| d.column()).collect();
    (!columns.is_empty()).then(|| {
        format!(
            "the interval of QUBA holds {} fixed, so it is too narrow by that share",
            columns.join(", ")
        )
    })
}

#[cfg(test)]
mod tests {
    use super::count;

    #[test]
    fn digits() {
        assert_eq!(
            [7, 100, 1000, 4_652_008].map(count),
            ["7", "100", "1,000", "4,652,008"]
        );
    }
}
