//! Number of parameters (SPEC §1.9).

use super::Measurement;
use crate::dimension::Dimension;
use crate::protocol::Protocol;
use crate::result::Evaluation;

/// Millions of parameters to one decimal, halves to the even digit, as the study publishes them.
pub fn rounded_millions(count: u64) -> f64 {
    const TENTH: u64 = 100_000;
    let (tenths, rest) = (count / TENTH, count % TENTH);
    let up = rest > TENTH / 2 || (rest == TENTH / 2 && tenths % 2 == 1);
    (tenths + u64::from(up)) as f64 / 10.0
}

pub(super) fn measure(evaluation: &Evaluation) -> Measurement {
    let count = evaluation.model.parameters.count;
    // One decimal would make every model of an edge device with less than 50,000 parameters free.
    let value = match evaluation.protocols[Dimension::Parameters] {
        Protocol::Correct => count as f64 / 1e6,
        Protocol::Published => rounded_millions(count),
    };
    Measurement {
        value,
        images: 0,
        parts: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::rounded_millions;

    #[test]
    fn rounds_halves_to_even() {
        let cases = [
            (0, 0.0),
            (49_999, 0.0),
            (50_000, 0.0),
            (50_001, 0.1),
            (150_000, 0.2),
            (250_000, 0.2),
            (25_557_032, 25.6), // ResNet-50
            (4_652_008, 4.7),   // EfficientNet-Lite0
        ];
        for (count, expected) in cases {
            assert_eq!(rounded_millions(count), expected, "{count}");
        }
        assert!(rounded_millions(u64::MAX).is_finite());
    }
}
