//! Object focus (SPEC §1.7, IN-9).

use super::{Measured, Measurement, Part, records, relative};
use crate::outcome::PassKind;
use crate::result::Evaluation;

/// `1 - (mixed_same - mixed_rand) / clean`, all accuracies; above 1 where a model does better
/// with random backgrounds. `None` if the clean accuracy is 0.
pub fn object_focus(mixed_same: f64, mixed_rand: f64, clean: f64) -> Option<f64> {
    Some(1.0 - relative::relative(mixed_same - mixed_rand, clean)?)
}

/// Parts: the two accuracies.
pub(super) fn measure(evaluation: &Evaluation) -> Measured {
    let kinds = [PassKind::Clean, PassKind::MixedSame, PassKind::MixedRand];
    let [clean, same, rand] = records::tallies(evaluation, kinds)?;
    let value = object_focus(same.accuracy(), rand.accuracy(), clean.accuracy())
        .ok_or_else(relative::clean_is_zero)?;
    Ok(Measurement {
        value,
        images: records::total(&[same, rand]),
        parts: vec![
            Part::new(PassKind::MixedSame.to_string(), same.accuracy()),
            Part::new(PassKind::MixedRand.to_string(), rand.accuracy()),
        ],
    })
}

#[cfg(test)]
mod tests {
    use super::object_focus;

    /// Public IN-9 table without resizing, ResNet-50: gap 7.3 points at 76.13 % (SPEC §1.7).
    #[test]
    fn resnet50() {
        let value = object_focus(0.824, 0.751, 0.7613).unwrap();
        assert!((value - 0.9041).abs() < 5e-5, "{value}");
    }

    #[test]
    fn may_exceed_one() {
        assert_eq!(object_focus(0.25, 0.5, 0.5), Some(1.5));
        assert_eq!(object_focus(0.25, 0.5, 0.0), None);
    }
}
